"""Settings of the whole suite: the same examples in every run, no notes of former runs."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("counterpoint", derandomize=True, database=None, deadline=None)
settings.load_profile("counterpoint")
