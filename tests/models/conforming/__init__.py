"""Tests of code that is held against specs, state by state."""
