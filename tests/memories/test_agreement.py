"""The memories against the spec: what the spec does, real threads do, and see the same."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from counterpoint import memories
from counterpoint.memories import Aborted, Controlled, Memory, Point
from counterpoint.memories.driving import Trace, follow
from counterpoint.memories.driving.trace import trace_of
from counterpoint.memories.driving.window import WindowSubject
from counterpoint.memories.window.readings import CHOICES
from counterpoint.models.loading import load
from counterpoint.spec.notation import Model, RangeError, Step, Values
from tests.needs import need

BOUNDS = ["transactions=4", "objects=3", "operations=3"]


def next_states(model: Model, state: Values) -> list[tuple[Step, Values]]:
    """Return the steps that are possible, and where they lead; those out of a range left out."""
    found = []
    for step in model.steps:
        try:
            after = model.take(state, step)
        except RangeError:
            continue
        if after is not None:
            found.append((step, after))
    return found


def random_run(model: Model, chance: random.Random) -> Trace:
    """Return a run of random steps, until nothing is possible."""
    start = state = next(iter(model.initial_states()))
    steps: list[Step] = []
    while able := next_states(model, state):
        step, state = chance.choice(able)
        steps.append(step)
    return trace_of(model, start, steps, "a random run")


@pytest.mark.parametrize("memory", memories.NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_memory_follows_every_run_of_the_spec(memory: str, seed: int) -> None:
    """A step that code and spec do otherwise: a wait, an abort, a value, an order."""
    if memory.endswith("-c"):
        need("gcc")
    chance = random.Random(seed)
    model = load("window-stm", BOUNDS)
    aborts = 0
    for _ in range(2):
        trace = random_run(model, chance)
        followed = follow(trace, WindowSubject(memory))
        assert followed.reason == "", trace
        assert followed.expected == followed.observed
        assert followed.taken == len(trace.steps)
        aborts += "ABORTED" in trace.after().values()
    assert aborts or seed, "no run has an abort"


# The other direction: what real threads do, the spec does

NAMES = "xyz"


def random_programs(chance: random.Random) -> list[list[tuple[str, str]]]:
    """Return four programs of up to four reads and writes, which use all objects."""
    programs = [
        [(chance.choice("rw"), chance.choice(NAMES)) for _ in range(chance.randint(1, 4))]
        for _ in range(4)
    ]
    programs[0] += [("r", x) for x in NAMES]
    return programs


def thread_of(
    memory: Memory, t: int, program: list[tuple[str, str]]
) -> Callable[[], list[int] | None]:
    """Return a function that runs a program and returns what it read; None: aborted."""

    def run() -> list[int] | None:
        seen = []
        tx = memory.transaction(label=t)
        try:
            for kind, name in program:
                if kind == "r":
                    seen.append(tx.read(NAMES.index(name)))
                else:
                    tx.write(NAMES.index(name), t + 1)
        except Aborted:
            return None
        return seen if tx.commit() else None

    return run


def steps_taken(controlled: Controlled) -> list[Point]:
    """Return the points after which a step was taken: not those of tries in vain."""
    taken, later = [], dict(controlled.waiting)
    for point in reversed(controlled.passed):
        after = later.get(point.thread)
        in_vain = after and after.waiting and after.arguments == point.arguments
        if not (in_vain and after and after.name == point.name):
            taken.append(point)
        later[point.thread] = point
    return taken[::-1]


@pytest.mark.parametrize("memory", memories.NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_the_spec_follows_every_run_of_a_memory(memory: str, seed: int) -> None:
    """A run of real threads that the spec does not allow, or in which it ends otherwise."""
    if memory.endswith("-c"):
        need("gcc")
    chance = random.Random(seed)
    ends = set()
    for _ in range(25):
        programs = random_programs(chance)
        text = "; ".join(", ".join(" ".join(one) for one in program) for program in programs)
        model = load("window-stm", [f"programs={text}"])
        real = memories.open(memory, len(NAMES))
        controlled = Controlled([thread_of(real, t, one) for t, one in enumerate(programs)])
        controlled.run(lambda able: chance.randrange(len(able)))
        state = next(iter(model.initial_states()))
        for point in steps_taken(controlled):
            binding = tuple(value for _, value in point.arguments)
            after = model.take(state, Step(point.name, binding))
            assert after is not None, f"{text}: the spec has no step {point}"
            state = after
        shown = {cell.label: model.show_value(cell, value)
                 for cell, value in zip(model.cells, state, strict=True)}  # fmt: skip
        for t, outcome in enumerate(controlled.outcomes):
            end = "ABORTED" if outcome.result is None else "COMMITTED"
            assert shown[f"status[T{t}]"] == end, text
            ends.add(end)
            wrote: set[str] = set()
            first: dict[str, int] = {}
            values = iter(outcome.result or ())
            for kind, name in programs[t] if outcome.result is not None else ():
                if kind == "w":
                    wrote.add(name)
                elif (value := next(values)) >= 0 and name not in wrote:
                    assert first.setdefault(name, value) == value
            for name, value in first.items():
                source = shown[f"source[T{t}, {name}]"]
                assert source == ("FIRST" if value == 0 else f"T{value - 1}"), text
    assert ends == {"ABORTED", "COMMITTED"}


@pytest.mark.long
@pytest.mark.parametrize("memory", memories.NAMES)
@pytest.mark.parametrize("reading", [(n, v) for n, values in CHOICES.items() for v in values
                                     if v != "object-by-object"])  # fmt: skip
def test_so_does_it_under_each_reading(memory: str, reading: tuple[str, str]) -> None:
    """A reading of the code that is another one than the spec's of the same name.

    To unlock object by object the spec has several orders, and the code one of them.
    """
    if memory.endswith("-c"):
        need("gcc")
    chance = random.Random(repr(reading))
    model = load("window-stm", [*BOUNDS, "=".join(reading)])
    for _ in range(5):
        trace = random_run(model, chance)
        followed = follow(trace, WindowSubject(memory))
        assert (followed.reason, followed.expected) == ("", followed.observed), trace
