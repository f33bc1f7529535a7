"""Tests of the crawler."""
