"""Specs as somebody writes them who knows nothing of how they are read."""
