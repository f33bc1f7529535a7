"""Schedulers as the papers state them, and what they must keep."""
