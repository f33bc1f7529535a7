"""The window memories beside their spec: right, published, and with each planted fault."""

from __future__ import annotations

from typing import Any

import pytest

from counterpoint import memories
from counterpoint.memories.exploring import Explored, explored
from counterpoint.memories.exploring.conforming import Conforming
from counterpoint.memories.exploring.window import Program, WindowCase, window_cases
from counterpoint.memories.window.faults import FAULTS
from counterpoint.models.loading import load
from tests.needs import need

CROSS: list[Program] = [(("r", 0), ("w", 1)), (("w", 0), ("r", 1))]
READER: list[Program] = [(("r", 0), ("r", 1)), (("w", 1), ("w", 0))]
REWRITE: list[Program] = [(("r", 0), ("w", 0)), (("w", 0),)]


def conform(
    cases: Any, *settings: str, mapping: Any = None, schedules: int = 0
) -> tuple[Explored, Conforming]:
    """Explore cases beside the spec."""
    beside = Conforming(load("window-stm", settings), mapping)
    return explored(cases, at_random=schedules, seed=1, conforming=beside), beside


def must_have(memory: str) -> None:
    """Skip a test of the memory in C without a compiler."""
    if memory.endswith("-c"):
        need("gcc")


@pytest.mark.parametrize("memory", memories.NAMES)
@pytest.mark.parametrize("reading", ["new", "old"])
def test_each_reading_conforms_to_itself(memory: str, reading: str) -> None:
    """Catches right code that differs: a step, a wait, an abort, a value that is mapped wrongly."""
    must_have(memory)
    cases = list(window_cases(2, 2, 1, memory, fetch_and_increment=reading))
    several = (READER, CROSS, REWRITE)
    cases += [WindowCase(one, memory, fetch_and_increment=reading) for one in several]
    found, beside = conform(cases, f"fetch-and-increment={reading}", schedules=6)
    assert found.faults == []
    assert (found.cases, found.schedules) == (13, 78)
    taken = {name for one in beside.comparisons for name in one.taken}
    assert taken == {action.name for action in beside.model.actions}
    compared = {label.partition("[")[0] for one in beside.comparisons for label in one.compared}
    assert compared >= {"clock", "date", "holds", "writer", "status", "source", "bottom",
                        "commit_time", "overwritten", "end", "published", "wrote"}  # fmt: skip


def test_a_case_has_its_own_spec() -> None:
    """Catches programs that are compared with other ones: the spec's own read nothing twice."""
    twice = [(("r", 1), ("r", 1), ("w", 1), ("r", 1)), (("w", 1),)]
    found, beside = conform([WindowCase(twice, "window")], schedules=10)
    assert found.faults == []
    assert beside.comparisons[0].model.spec.parameters["objects"] == 1


def test_histories_are_not_judged() -> None:
    """Catches that the published protocol does not conform to itself since it is not opaque."""
    case = WindowCase(READER, "window", fetch_and_increment="old")
    assert explored([case]).faults
    found, _ = conform([case], "fetch-and-increment=old")
    assert (found.faults, found.reason, found.histories) == ([], "", 0)


@pytest.mark.slow
@pytest.mark.parametrize("memory", memories.NAMES)
def test_all_schedules_of_one_operation_each(memory: str) -> None:
    """Catches the same in any schedule."""
    must_have(memory)
    found, beside = conform(window_cases(2, 2, 1, memory))
    assert (found.cases, found.schedules, found.faults) == (10, 110, [])
    assert sum(one.steps for one in beside.comparisons) == 1302


@pytest.mark.slow
@pytest.mark.parametrize("memory", memories.NAMES)
def test_two_operations_each(memory: str) -> None:
    """Catches the same in programs with aborts, repeated reads and writes that are read."""
    must_have(memory)
    found, _ = conform(window_cases(2, 2, 2, memory), schedules=10)
    assert (found.cases, found.schedules, found.faults) == (210, 2_100, [])


@pytest.mark.parametrize("memory", memories.NAMES)
def test_the_published_protocol_differs_from_the_correct_spec(memory: str) -> None:
    """Catches that the old value of the clock is not seen where it is drawn."""
    must_have(memory)
    found, _ = conform([WindowCase(READER, memory, fetch_and_increment="old")])
    (fault,) = found.faults
    assert fault.differed is not None
    assert fault.differed.found.step == "fetch_and_increment(t=1)"
    assert fault.differed.found.reason == "the spec allows no state with this commit_time[T1]"
    (column,) = [one for one in fault.differed.found.columns if one.differs]
    assert (column.label, column.spec, column.code) == ("commit_time[T1]", "1", "0")
    assert len(fault.schedule) == fault.differed.number


def test_seen_from_outside_it_differs_at_the_read() -> None:
    """Catches a partial mapping that shows the fault earlier than it can be seen, or never.

    Without dates and times, the first that can be seen is that T0 reads the new y and goes on.
    """

    def seen(run: Any) -> dict[str, Any]:
        return {name: value for name, value in run.state().items() if name in ("status", "source")}

    found, beside = conform([WindowCase(READER, "window", fetch_and_increment="old")], mapping=seen)
    (fault,) = found.faults
    assert fault.differed is not None
    assert fault.differed.found.step == "read(t=0, x=1)"
    different = [one for one in fault.differed.found.columns if one.differs]
    assert ("status[T0]", "ABORTED", "LIVE") in [(c.label, c.spec, c.code) for c in different]
    assert {label.partition("[")[0] for label in beside.comparisons[0].compared} == {
        "status", "source"
    }  # fmt: skip


NAMED: dict[str, tuple[list[Program], str, str]] = {
    "window-begins-after-the-clock": (CROSS, "begin", "begin"),
    "draws-before-locking": (CROSS, "fetch_and_increment", "fetch_and_increment"),
    "reads-the-clock-then-sets-it": (CROSS, "validate", "validate"),
    "advances-the-clock-after-unlocking": (CROSS, "validate", "validate"),
    "top-not-considered": (READER, "read", "read"),
    "copies-the-date-before-the-value": (CROSS, "read", "read"),
    "locks-in-no-order": (READER, "lock", "lock"),
    "takes-held-locks": (CROSS, "lock", "lock"),
    "unlocks-before-publishing": (CROSS, "fetch_and_increment", "fetch_and_increment"),
    "abort-keeps-locks": (CROSS, "validate", "validate"),
    "no-validation": (CROSS, "lock", "validate"),
    "validates-only-what-it-writes": (CROSS, "lock", "validate"),
    "validates-before-locking": (CROSS, "validate", "validate"),
    "validates-after-publishing": (CROSS, "fetch_and_increment", "fetch_and_increment"),
    "old-version-never-ends": (CROSS, "publish", "publish"),
    "old-version-ends-for-live-readers-only": (REWRITE, "publish", "publish"),
    "versions-keep-old-dates": (CROSS, "publish", "publish"),
}
"""Programs for each fault, and the step after which the memory differs, in Python and in C.

The faulty memories in Python forget the ends of versions before the point of `validate`.
"""


def test_every_fault_has_a_step() -> None:
    """Catches a fault that is not tried."""
    assert NAMED.keys() == FAULTS.keys()


@pytest.mark.parametrize(
    "memory", ["window", pytest.param("window-c", marks=pytest.mark.long)]
)  # fmt: skip
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_differs_at_a_named_step(fault: str, memory: str) -> None:
    """Catches a fault that no comparison sees, or that is seen at another step."""
    must_have(memory)
    programs, in_python, in_c = NAMED[fault]
    found, _ = conform([WindowCase(programs, memory, fault)], schedules=300)
    (one,) = found.faults
    assert one.differed is not None
    step = one.differed.found.step.partition("(")[0]
    assert step == (in_c if memory == "window-c" else in_python)
    assert any(column.differs for column in one.differed.found.columns) or (
        "does not allow this step" in one.differed.found.reason
    )


def test_the_same_seed_finds_the_same_step() -> None:
    """Catches a comparison that does not follow from the seed."""
    runs = [
        conform([WindowCase(READER, "window", "top-not-considered")], schedules=300)[0]
        for _ in range(2)
    ]
    first, second = (run.faults[0] for run in runs)
    assert first.schedule == second.schedule
    assert first.differed is not None and second.differed is not None
    assert first.differed.found == second.differed.found
