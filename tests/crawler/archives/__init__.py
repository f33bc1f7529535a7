"""Tests of fetching."""
