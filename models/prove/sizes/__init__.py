"""Proofs for indices of any number of members."""
