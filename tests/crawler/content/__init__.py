"""Tests of the contents of pages."""
