"""Tests of real threads beside a spec."""
