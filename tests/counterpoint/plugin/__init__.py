"""Tests of what tests of users use: assertions, fixtures, and the plugin of pytest."""
