"""Tests of the documents: every code block of every page is executed."""
