"""Exploration by generated Python."""
