"""Mutual exclusion: small, well known protocols, for reading and for comparing with other tools."""
