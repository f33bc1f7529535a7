"""Planted faults: each does in real threads what its mutant of the spec does."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from counterpoint import memories
from counterpoint.memories import Controlled, Deadlock
from counterpoint.memories.driving import Trace, follow
from counterpoint.memories.driving.trace import trace_of
from counterpoint.memories.driving.window import WindowSubject
from counterpoint.memories.window.c_memory import SOURCE
from counterpoint.memories.window.faults import FAULTS
from counterpoint.memories.window.readings import CHOICES, faults, switches
from counterpoint.models.checking.engines import check
from counterpoint.models.loading import load, mutants
from tests.needs import need

CORRECT = {name.replace("-", "_"): values[0] for name, values in CHOICES.items()}

BOUNDS = {"draws-before-locking": ["programs=w x, w y; r x, r y"]}
"""Bounds at which a counterexample fits a program: no write after the commit has begun."""

SEEN_INSIDE_ONLY = ("reads-the-clock-then-sets-it", "abort-keeps-locks")
"""Mutants whose counterexample shows in no value that a transaction reads."""

QUICK = ("fetch-and-increment-returns-old", "no-validation", "unlocks-object-by-object")

FOLLOWED = [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.long])
    for name in faults()
    if name != "locks-in-no-order"
]


@cache
def counterexample(name: str) -> Trace:
    """Return the shortest counterexample of a mutant of the spec."""
    mutation = mutants("window-stm")[name].mutation
    assert mutation is not None
    at = BOUNDS.get(name) or [f"{key}={value}" for key, value in mutation.at.items()]
    model = load(f"window-stm/{name}", at)
    lengths = {claim: length for claim, length in mutation.killed.items() if length}
    claim = min(lengths, key=lambda one: lengths[one])
    trace = check(model, wanted=[model.property_named(claim)])[0].trace
    assert trace is not None
    return trace_of(model, trace.states[0], trace.steps, claim)


def need_compiler(name: str) -> None:
    """Skip a test of the memory in C without a compiler."""
    if name.endswith("-c"):
        need("gcc")


@pytest.mark.parametrize("memory", memories.NAMES)
@pytest.mark.parametrize("name", FOLLOWED)
def test_a_fault_follows_the_counterexample_of_its_mutant(name: str, memory: str) -> None:
    """A switch that plants nothing, or something else than the mutant of its name."""
    need_compiler(memory)
    trace = counterexample(name)
    followed = follow(trace, WindowSubject(memory, fault=name))
    assert followed.reason == ""
    assert followed.expected == followed.observed
    correct = follow(trace, WindowSubject(memory, **CORRECT))
    assert correct.agrees == (name in SEEN_INSIDE_ONLY)


@pytest.mark.parametrize("memory", memories.NAMES)
@pytest.mark.parametrize("fault", ["locks-in-no-order", None])
def test_locks_in_no_order_can_deadlock(memory: str, fault: str | None) -> None:
    """A fixed order of locks that is not kept, or a deadlock that the controller does not see."""
    need_compiler(memory)
    shared = memories.open(memory, 2, fault=fault)

    def writing(label: int, *objects: int) -> Callable[[], bool]:
        def program() -> bool:
            tx = shared.transaction(label=label)
            for x in objects:
                tx.write(x, label)
            return tx.commit()

        return program

    turn = iter(range(100))
    controlled = Controlled([writing(1, 0, 1), writing(2, 1, 0)])
    if fault is None:
        controlled.run(lambda able: next(turn) % len(able))
        assert [outcome.result for outcome in controlled.outcomes] == [True, True]
    else:
        with pytest.raises(Deadlock):
            controlled.run(lambda able: next(turn) % len(able))


@pytest.mark.parametrize("memory", memories.NAMES)
def test_locks_that_an_abort_keeps_stop_the_others(memory: str) -> None:
    """A fault that leaves no trace at all in what transactions see."""
    need_compiler(memory)
    shared = memories.open(memory, 2, fault="abort-keeps-locks")

    def aborted() -> bool:
        tx = shared.transaction(label=0)
        tx.write(0, tx.read(0) + 1)
        with shared.transaction(label=1) as other:
            other.write(0, 5)
        return tx.commit()

    controlled = Controlled([aborted, lambda: shared.transaction(label=2).read(0)])
    with pytest.raises(Deadlock, match=r"thread 1: read\(t=2, x=0\), waiting"):
        controlled.run(lambda able: 0)
    assert controlled.outcomes[0].result is False


def test_faults_have_the_names_of_the_mutants() -> None:
    """A mutant of the spec that nobody planted, or a fault that is no mutant."""
    planted = {name for name, readings in faults().items() if not readings}
    assert set(FAULTS) == planted


def test_switches_in_c_have_the_same_names() -> None:
    """A fault that the memory in C does not know: its text would not compile."""
    text = SOURCE.with_name("switches.h").read_text()
    there = re.findall(r"^    ([A-Z_0-9]+),$", text, re.MULTILINE)
    readings = [f"{name}-{v}" for name, values in CHOICES.items() for v in values[1:]]
    wanted = [name.upper().replace("-", "_") for name in (*readings, *FAULTS)]
    assert sorted(there) == sorted(wanted)


def test_unknown_switches_are_refused() -> None:
    """A reading with a slip in it that tests the correct memory."""
    with pytest.raises(ValueError, match="there is no reading 'fetch'"):
        memories.open("window", fetch="old")
    with pytest.raises(ValueError, match="fetch-and-increment is one of new, old, not 'odd'"):
        memories.open("window", fetch_and_increment="odd")
    with pytest.raises(ValueError, match="there is no fault 'none'"):
        memories.open("window", fault="none")
    with pytest.raises(ValueError, match="there is no memory 'windows'"):
        memories.open("windows")
    assert switches({}).names() == []
    old = switches({}, "fetch-and-increment-returns-old")
    assert (old.names(), old.fault) == (["fetch-and-increment-old"], None)
