"""Helpers for your own tests: properties of specs as assertions, and as Hypothesis tests.

A test file for pytest or unittest that contains::

    from counterpoint.testing import assert_holds, assert_violated, machine
    from my_spec import Counter

    def test_counter():
        assert_holds(Counter(processes=3), states=27)

    TestCounter = machine(Counter(processes=3)).TestCase

visits all states in one test, and makes random runs in plain Python in another one. If a test
fails, it shows the run as a chart, and the command that reproduces it. The tests that
``counterpoint export --to pytest`` writes use `load` and `ends_so`. `scenario` makes a run step by
step, with what must be true in it; `assert_scenario` plays those of a file.
"""

from counterpoint.models.checking.engines import Options
from counterpoint.models.checking.replaying import ends_so

from .asserting import assert_holds, assert_mutants_killed, assert_reaches, assert_violated
from .conforming import conforms
from .isolation import load
from .machines import machine
from .scenarios import Run, assert_scenario, scenario

__all__ = [
    "Options",
    "Run",
    "assert_holds",
    "assert_mutants_killed",
    "assert_reaches",
    "assert_scenario",
    "assert_violated",
    "conforms",
    "ends_so",
    "load",
    "machine",
    "scenario",
]
