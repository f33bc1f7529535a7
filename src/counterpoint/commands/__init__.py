"""The commands that run many checks, one a module."""
