"""Proofs of temporal properties, for all runs, by ranks that become smaller."""
