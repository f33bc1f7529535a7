"""Logs of running systems, and the runs of a spec that explain them."""
