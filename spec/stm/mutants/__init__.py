"""Slips that a reader of the protocols could make, each to be killed by a property."""
