"""Verdicts as charts, pages, text, JSON, JUnit and annotations."""
