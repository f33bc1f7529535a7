"""Slips that a reader of the schedulers could make, each to be killed by a property."""
