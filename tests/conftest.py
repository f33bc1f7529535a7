"""Settings of the whole suite: the same examples in every run, no notes of former runs."""

from __future__ import annotations

import signal

from hypothesis import settings

from tests.counterpoint.starting import end_all
from tests.postgres import place, postgres

__all__ = ["place", "postgres"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Begun in the background: the processes of tests would ignore it, too, and never end.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("counterpoint", derandomize=True, database=None, deadline=None)
settings.load_profile("counterpoint")


def pytest_runtest_teardown() -> None:
    """End command lines that a test that failed has left behind."""
    end_all()
