"""Exploration of all reachable states, in generated Python or in compiled C."""
