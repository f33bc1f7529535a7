"""Schedulers of crawlers as papers state them, with the properties that they must have."""
