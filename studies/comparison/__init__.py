"""Policies compared on the same webs, in process, under a virtual clock."""
