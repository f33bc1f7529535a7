"""Recordings in our format and in Jepsen's."""
