"""Tests of the exploration of schedules."""
