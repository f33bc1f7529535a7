"""Settings of the whole suite: the same examples in every run, no notes of former runs."""

from __future__ import annotations

from hypothesis import settings

from tests.postgres import place, postgres

__all__ = ["place", "postgres"]

settings.register_profile("counterpoint", derandomize=True, database=None, deadline=None)
settings.load_profile("counterpoint")
