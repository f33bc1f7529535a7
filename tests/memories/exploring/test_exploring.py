"""Explorations of the window memory: the published fault is found, the correction has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterpoint.memories import Recorder, step
from counterpoint.memories.exploring import explored
from counterpoint.memories.exploring.exploring import judged
from counterpoint.memories.exploring.window import WindowCase, programs, window_cases
from counterpoint.models.limits import Limits
from tests.needs import need

COUNTEREXAMPLE = [(("r", 0), ("r", 1)), (("w", 1), ("w", 0))]


@pytest.mark.parametrize("memory", ["window", "window-c"])
def test_the_published_protocol_is_found_wrong(memory: str) -> None:
    """Catches that the old value of the clock shows in no schedule of real threads."""
    if memory == "window-c":
        need("gcc")
    found = explored([WindowCase(COUNTEREXAMPLE, memory, fetch_and_increment="old")])
    (fault,) = found.faults
    assert fault.kind == "opacity: read skew (G-single)"
    assert found.schedules == 4
    names = [point.name for point in fault.schedule]
    assert names.index("publish") < len(names) - 1 - names[::-1].index("read")
    assert explored([WindowCase(COUNTEREXAMPLE, memory)]).faults == []


@pytest.mark.parametrize("memory", ["window", "window-c"])
def test_one_operation_each(memory: str) -> None:
    """Catches a history of the corrected protocol that is not opaque, and a lost schedule."""
    if memory == "window-c":
        need("gcc")
    found = explored(window_cases(2, 2, 1, memory))
    assert (found.cases, found.schedules, found.reason) == (10, 110, "")
    assert found.faults == []


@pytest.mark.slow
def test_two_operations_each() -> None:
    """Catches the same with all programs of two operations."""
    need("gcc")
    found = explored(window_cases(2, 2, 2))
    assert (found.cases, found.schedules, found.reason) == (210, 8_367, "")
    assert found.faults == []


@pytest.mark.slow
def test_three_transactions() -> None:
    """Catches a history of three transactions that is not opaque."""
    need("gcc")
    found = explored(window_cases(3, 2, 1))
    assert (found.cases, found.schedules, found.reason) == (20, 9_606, "")
    assert found.faults == []


def test_programs_are_all_there() -> None:
    """Catches a program that is missing: one or two of four operations."""
    assert len(programs(2, 2)) == 4 + 16
    assert len(list(window_cases(2, 2, 2))) == 20 * 21 // 2


class _Case:
    """Threads of a test."""

    name = "a test"

    def __init__(self, *made: Callable[[], Any], fault: str = "") -> None:
        self.programs, self._fault = made, fault

    def threads(self) -> _Case:
        return self

    def record(self) -> Recorder | None:
        return None

    def fault(self) -> str:
        return self._fault


def _raising() -> None:
    step("go")
    raise ValueError("no")


def _endless() -> None:
    while True:
        step("again")


def test_whatever_is_wrong_is_said() -> None:
    """Catches an error, an endless thread or a fault of the user's own that counts as right."""
    cases = {"error": _Case(_raising), "endless": _Case(_endless),
             "fault": _Case(lambda: step("go"), fault="the sum is 3")}  # fmt: skip
    for kind, case in cases.items():
        (fault,) = explored([case]).faults
        assert fault.kind == kind
    assert explored([_Case(lambda: step("go"))]).faults == []


def test_two_endless_threads_are_found_soon() -> None:
    """Catches work that grows with the square of the steps, or more: the test never ended."""
    found = explored([_Case(_endless, _endless)], limits=Limits(seconds=60.0))
    (fault,) = found.faults
    assert (fault.kind, len(fault.schedule)) == ("endless", 2_000)


def test_a_limit_ends_a_schedule() -> None:
    """Catches that the time limit is looked at only between two schedules."""
    limits = Limits(seconds=0.5)

    def long() -> None:
        limits.started -= 1.0  # as if a second went by
        for _ in range(3):
            step("go")

    found = explored([_Case(long)], limits=limits)
    assert (found.schedules, found.faults) == (1, [])
    assert "time limit" in found.reason


def test_limits_end_an_exploration() -> None:
    """Catches that an exploration which was cut short says that all is explored."""
    found = explored(window_cases(2, 2, 2, "window"), limits=Limits(seconds=0.0))
    assert found.reason and not found.faults


def test_a_history_that_cannot_be_is_a_fault() -> None:
    """Catches that a recording with an error counts as one that satisfies the criterion."""
    found = judged([{"type": "history"}, {"type": "commit", "process": 0}], "opacity")
    assert found is not None and found[0] == "no history"
