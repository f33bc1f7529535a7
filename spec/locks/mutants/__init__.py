"""Mutants of the locks."""
