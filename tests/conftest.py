"""Settings of the whole suite: the same Hypothesis examples in every run, without a database."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import ModuleType

from hypothesis import settings

from counterpoint import waiting
from tests.counterpoint.starting import end_all
from tests.postgres import place, postgres

__all__ = ["place", "postgres"]

pytest_plugins = ["pytester", "tests.turning"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Begun in the background: the processes of tests would ignore it, too, and never end.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# On a new machine, the commands that tests start would say at any moment that they compile.
os.environ[waiting.VARIABLE] = waiting.NEVER

ROOMS = ("spec", "models", "memories", "graph", "crawler", "sim_web", "studies", "ci")
"""The folders of the checkout; what is in them is imported as ``counterpoint.…`` only."""

settings.register_profile("counterpoint", derandomize=True, database=None, deadline=None)
settings.load_profile("counterpoint")


def pytest_runtest_teardown() -> None:
    """Kill the commands that a failed test has left running."""
    end_all()
    twice = [room for room in ROOMS if _is_ours(sys.modules.get(room))]
    assert not twice, f"import counterpoint.{twice[0]}: as {twice[0]} its classes exist twice"


def _is_ours(module: ModuleType | None) -> bool:
    file = getattr(module, "__file__", None)
    return bool(file) and Path(file).resolve().is_relative_to(Path(__file__).resolve().parents[1])
