"""Tests of crawls that are kept in a store."""
