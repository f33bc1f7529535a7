"""Tests of the synthetic web."""
