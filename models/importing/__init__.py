"""Importing the modules of users, from their source and for a limited time."""
