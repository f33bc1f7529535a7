"""Repeats the measurements of the papers: a study for each of their results."""
