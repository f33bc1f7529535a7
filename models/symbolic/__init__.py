"""Specs run on symbols: guarded commands, z3 terms, and the comparison with plain runs."""
