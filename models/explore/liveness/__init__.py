"""Judges temporal properties on all reachable states: fair cycles, and lassos that lead to them."""
