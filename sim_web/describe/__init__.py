"""Describes a synthetic web: measures it, draws its bow-tie, estimates the memory it needs."""
