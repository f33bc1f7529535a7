"""Mutants of the protocols: faults of implementations, each killed by a property."""
