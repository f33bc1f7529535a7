"""Tests of logs that are held against specs."""
