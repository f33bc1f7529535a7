"""Profiles that are fitted to captured webs."""
