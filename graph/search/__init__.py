"""Searches of a graph: levels, components, the bow-tie, degrees."""
