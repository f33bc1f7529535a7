"""Tests of sets, bags, maps, records, sequences and messages."""
