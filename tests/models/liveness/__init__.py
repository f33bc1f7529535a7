"""Temporal properties: agreement with brute force, lassos, messages."""
