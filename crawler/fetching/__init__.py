"""Fetching: politely, within limits, and never from where it is forbidden."""
