"""Tests of formulas and their automata."""
