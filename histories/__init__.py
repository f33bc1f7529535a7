"""The judging of recorded histories."""
