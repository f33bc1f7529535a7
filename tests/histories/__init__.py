"""Tests of the judging of recorded histories."""
