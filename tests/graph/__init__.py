"""Tests of the connectivity server."""
