"""Settings of the whole suite: the same examples in every run, and no notes of former runs."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("counterpoint", derandomize=True, database=None)
settings.load_profile("counterpoint")
