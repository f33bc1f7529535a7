"""Each mutant of the window protocol that is planted in the memory is found by exploration."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from counterpoint.memories import NAMES
from counterpoint.memories.exploring import explored
from counterpoint.memories.exploring.conforming import Conforming
from counterpoint.memories.exploring.window import Program, WindowCase
from counterpoint.memories.window.readings import faults
from counterpoint.models.loading import load
from tests.needs import need


@dataclass(frozen=True)
class Found:
    """How a mutant is found.

    Attributes
    ----------
    programs : str
        As ``--set programs=`` takes them.
    kind : str
        What is said of it.
    preemptions : int or None
        None: under all schedules.
    at_random : int
        So many random schedules instead.
    criterion : str
        What histories are judged by.
    """

    programs: str
    kind: str = "opacity: read skew (G-single)"
    preemptions: int | None = 1
    at_random: int = 0
    criterion: str = "opacity"


SKEW = Found("r x, r y; w y, w x")
LOST = "opacity: lost update (G-single)"

FOUND = {
    "fetch-and-increment-returns-old": SKEW,
    "window-begins-after-the-clock": SKEW,
    "draws-before-locking": Found("r x, r y; w x, w y", preemptions=2),
    "advances-the-clock-after-unlocking": Found("r x, r y; r y, w x; w y, w x", preemptions=2),
    "reader-does-not-wait": Found("r x, r y; w x, w y", preemptions=2),
    "never-rechecks": SKEW,
    "recheck-ignores-locks": Found(
        "w x; w y; r x, r y; r y, r x", "opacity: long fork (G-nonadjacent)", None, 40_000
    ),
    "empty-window-passes": SKEW,
    "top-not-considered": SKEW,
    "copies-the-date-before-the-value": Found("w x, w y; r y, r x"),
    "locks-writes-only": Found("r x, w y; r y, w x", "opacity: write skew (G2-item)", 2),
    "locks-in-no-order": Found("r x, w y; r y, w x", "deadlock", 2),
    "takes-held-locks": Found("w x; r x, w x", LOST, 2),
    "unlocks-before-publishing": Found("w x; r x, w x", LOST, 2),
    "abort-keeps-locks": Found("r x, w x; w x; r x", "deadlock"),
    "no-validation": Found("r x, w x; w x", LOST),
    "validates-only-what-it-writes": Found(
        "r x, w y; r y, w x", "opacity: write skew (G2-item)", 2
    ),
    "validates-before-locking": Found("r x, w x; r x, w x", LOST),
    "validates-after-publishing": Found("r x, w y; w x; r y", "opacity: aborted read (G1a)"),
    "old-version-never-ends": SKEW,
    "old-version-ends-for-live-readers-only": Found(
        "r x, r y; r y, w x; w y", "opacity: anti-dependency cycle (G2-item)", 2
    ),
    "picks-inside-the-window": Found(
        "w x; w z; r z, w y",
        "tms2: stale read (G-single), with the order of effects",
        None,
        1_000,
        "tms2",
    ),
    "versions-keep-old-dates": SKEW,
}
"""The mutants that show in histories or in deadlocks."""

SEEN_INSIDE = {
    "reads-the-clock-then-sets-it": "time-runs-forward",
    "unlocks-object-by-object": "nothing-half-published",
}
"""Mutants that break only what a memory keeps to itself, and the property that shows it."""

QUICK = ("fetch-and-increment-returns-old", "abort-keeps-locks", "locks-in-no-order")


def case_of(name: str, programs: str, memory: str) -> WindowCase:
    """Return the programs over a memory with a fault."""
    given: list[Program] = [
        tuple((op[0], "xyz".index(op[2])) for op in one.split(", ")) for one in programs.split("; ")
    ]
    return WindowCase(given, memory, fault=name or None)


@pytest.mark.parametrize(
    ("name", "memory"),
    [
        pytest.param(
            name, memory,
            marks=pytest.mark.slow if FOUND[name].at_random else
            [] if name in QUICK and memory == "window" else pytest.mark.long,
        )
        for name in FOUND for memory in NAMES
    ],
)  # fmt: skip
def test_a_mutant_is_found(name: str, memory: str) -> None:
    """Catches an exploration that runs everything and sees nothing."""
    if memory.endswith("-c"):
        need("gcc")
    how = FOUND[name]
    case = case_of(name, how.programs, memory)
    found = explored(
        [case], how.criterion, preemptions=None if case.commutes else how.preemptions,
        at_random=how.at_random, seed=1,
    )  # fmt: skip
    assert [fault.kind for fault in found.faults] == [how.kind]
    correct = explored([case_of("", how.programs, memory)], preemptions=1)
    assert not correct.faults


@pytest.mark.parametrize("name", SEEN_INSIDE)
def test_what_shows_inside_only_is_found_beside_the_spec(name: str) -> None:
    """Catches a fault that no history shows, and that a comparison with the spec does not see."""
    model = load("window-stm")
    programs = "w x, w y; r x"
    beside = Conforming(model)
    found = explored(
        [case_of(name, programs, "window")], preemptions=1, conforming=beside
    )  # fmt: skip
    assert [fault.kind for fault in found.faults] == ["differs"]
    beside = Conforming(model)
    correct = explored([case_of("", programs, "window")], preemptions=1, conforming=beside)
    assert not correct.faults
    assert beside.comparisons[0].steps > 100


def test_no_mutant_is_left_out() -> None:
    """Catches a mutant of the spec of which nobody says whether exploration finds it."""
    assert {*FOUND, *SEEN_INSIDE} == set(faults())
