"""Graphs of synthetic webs, and what the Connectivity Server measured on its own."""
