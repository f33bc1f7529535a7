"""The recording of histories."""
