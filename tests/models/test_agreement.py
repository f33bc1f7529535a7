"""The interpreter, the generated code and z3 agree on the meaning of specs."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given

from counterpoint.models.checking.engines import SEARCHES, check
from counterpoint.models.explore import exhaustive
from counterpoint.models.explore.python.generate import (
    BytePacking,
    Expander,
    compile_function,
    packing,
)
from counterpoint.models.loading import load
from counterpoint.models.prove import bounded
from counterpoint.models.symbolic.smt import satisfiable
from counterpoint.models.symbolic.trace import System, trace
from counterpoint.models.verdict import violates
from counterpoint.spec.catalogue import SPECS
from counterpoint.spec.locks.filter import Filter
from counterpoint.spec.notation import Model, Step, Values
from counterpoint.spec.stm.recorded_window import RecordedWindow
from counterpoint.spec.stm.window import Window
from tests import reference, strategies
from tests.examples import few_and_many, one_in
from tests.reference import LEAVES

MODELS = {
    "peterson": lambda: load("peterson"),
    "breadth first": lambda: load("breadth-first", ["pages=4", "answers=in-order"]),
    "breadth first visits": lambda: load("breadth-first-visits", ["order=by-level"]),
    "focused hits": lambda: load("focused-hits", ["hubs=2"]),
    "frontier": lambda: load("frontier", ["pages=3"]),
    "retrieval": lambda: load("retrieval"),
    "scent": lambda: load("scent", ["iterations=6"]),
    "scent in time": lambda: load("scent-in-time", ["time=4", "iterations=6"]),
    "gittins": lambda: load("gittins", ["budget=8"]),
    "scent for ever": lambda: load("scent-for-ever", ["delta-s=3"]),
    "frontier for ever": lambda: load("frontier-for-ever", ["pages=3"]),
    "focused for ever": lambda: load("focused-for-ever", ["web=endless", "hubs=1"]),
    "r3 visits": lambda: load("r3-visits", ["budget=6"]),
    "scent without gain": lambda: load("scent", ["delta-s=0", "iterations=4", "batch=2"]),
    "dstm mended": lambda: load("dstm", ["validation=owners"]),
    "equal-quanta": lambda: load("equal-quanta", ["sites=3"]),
    "r1": lambda: load("r1", ["budget=8"]),
    "r2": lambda: load("r2", ["sites=3", "budget=8"]),
    "r3": lambda: load("r3", ["without-links=divides", "stops=after-it"]),
    "jvstm": lambda: load("jvstm", ["advance=first"]),
    "mcrt mended": lambda: load("mcrt", ["read-check=all-records"]),
    "window progress": lambda: load("window-progress", ["notion=livelock-freedom"]),
    "tl2 progress": lambda: load("tl2-progress", ["notion=obstruction-freedom"]),
    "norec progress": lambda: load("norec-progress", ["notion=lock-freedom"]),
    "jvstm progress": lambda: load("jvstm-progress", ["notion=local-progress"]),
    "dstm progress": lambda: load("dstm-progress", ["notion=livelock-freedom"]),
    "mcrt progress": lambda: load("mcrt-progress", ["notion=livelock-freedom"]),
    "norec": lambda: load("norec", ["values=two"]),
    "tl2": lambda: load("tl2", ["clock=pass"]),
    "tms2": lambda: load("tms2"),
    "window-tms2": lambda: load("window-tms2", ["fetch-and-increment=old"]),
    "lease-holders": lambda: load("lease-holders"),
    "leases": lambda: load("leases", ["clock=stands-still", "delay=1"]),
    "leases sent later": lambda: load("leases", ["sends=later", "delay=1"]),
    "link-store": lambda: load("link-store", ["joins=rows-first", "circles=are-broken"]),
    "philosophers": lambda: load("philosophers"),
    "filter": lambda: Model(Filter(processes=4)),
    "window proof": lambda: Model(RecordedWindow()),
    "window new": lambda: Model(Window()),
    "window old": lambda: Model(Window(fetch_and_increment="old")),
    "window 3 x 2": lambda: Model(Window(transactions=3)),
    "window picking": lambda: Model(
        Window(programs="w a; w y; r y, w x; r y, r x", finite_window="pick")
    ),
    "window every reading changed": lambda: Model(
        Window(
            clock_read="commit-only",
            recheck="later-or-equal",
            recheck_locked="wait",
            empty_window="passes",
            version_end="ct-1",
            readers_wait="no",
            finite_window="pick",
            locks="writes",
            unlock="object-by-object",
            processes=1,
        )
    ),
}


SMALL = (
    "breadth-first", "breadth-first-visits", "frontier", "frontier-for-ever", "focused-for-ever",
    "leases", "link-store", "norec-progress", "peterson", "r3-visits", "retrieval", "scent",
    "scent-for-ever",
    "tl2-progress",
)  # fmt: skip
"""Specs whose runs reach fewer states than requested."""

BARREN = 2000
"""After so many steps without a new state, hardly any new ones are left."""


def test_every_spec_of_the_catalogue_is_here() -> None:
    """A spec in the catalogue that is missing from these comparisons."""
    held = {type(make().spec) for make in MODELS.values()}
    assert held >= {type(load(name).spec) for name in SPECS}


def random_states(model: Model, number: int, seed: int) -> list[Values]:
    """Return all states if they are few; else half from the ranges and half from runs."""
    ranges = [range(c.low, c.high + 1) for c in model.cells]
    if math.prod(map(len, ranges)) <= number:
        return list(product(*ranges))
    chance = random.Random(seed)
    found: set[Values] = set()
    while len(found) < number // 2:
        found.add(tuple(map(chance.choice, ranges)))
    values, fruitless = next(model.initial_states()), 0
    for _ in range(number * 20):
        after = [v for v in reference.successors(model, values).values() if v != LEAVES]
        values = chance.choice(after) if after else next(model.initial_states())
        fruitless = 0 if values not in found else fruitless + 1
        found.add(values)
        if len(found) >= number or fruitless == BARREN:
            break
    return sorted(found)


def assert_enough(model: Model, states: list[Values], number: int) -> None:
    """Check that there are as many states as requested, or all, or half of that."""
    total = math.prod(c.high - c.low + 1 for c in model.cells)
    assert len(states) >= min(number, total) // (2 if model.name in SMALL else 1)


@pytest.mark.parametrize("name", MODELS)
def test_there_are_enough_states(name: str) -> None:
    """A spec with too few states, which only the slow comparisons would show."""
    model = MODELS[name]()
    assert_enough(model, random_states(model, 1000, seed=1), 1000)


def _expanded(
    system: System, layout: BytePacking, expand: Callable[..., int], values: Values
) -> dict[Step, Values | str]:
    """Return the successors that the generated code computes for each step."""
    found: dict[Step, Values | str] = {}
    leaving: list[int] = []
    states: list[bytes] = []
    via = array("L")
    taken = [0] * len(system.commands)

    def report(_state: int, command: int, name: str) -> None:
        if name == "ranges":
            leaving.append(command)

    class Nothing(set):  # type: ignore[type-arg]
        def __contains__(self, _: object) -> bool:
            return False

    expand([layout.pack(values)], 0, Nothing(), states, array("L"), via, taken, report)
    for state, command in zip(states, via, strict=True):
        step = system.commands[command].step
        assert step not in found, f"two commands of {step} are possible at once"
        found[step] = layout.unpack(state)
    for command in leaving:
        found[system.commands[command].step] = LEAVES
    return found


ON_MANY = pytest.mark.parametrize(
    "share", [20, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"]
)
"""The factor by which there are fewer states than in the slow tests."""


@ON_MANY
@pytest.mark.parametrize("name", MODELS)
def test_generated_code_agrees_on_random_states(name: str, share: int) -> None:
    """A command whose guard, update or packing differs from what plain Python does."""
    model = MODELS[name]()
    system = trace(model)
    layout = packing(model.cells)
    expand = compile_function(Expander(system, layout).source(), "expand")
    states = random_states(model, 1000 // share, seed=1)
    assert_enough(model, states, 1000 // share)
    for values in states:
        assert _expanded(system, layout, expand, values) == reference.successors(model, values)


@ON_MANY
@pytest.mark.parametrize("name", MODELS)
def test_z3_agrees_on_random_states(name: str, share: int) -> None:
    """A transition relation for z3 that differs from what plain Python does."""
    model = MODELS[name]()
    solver = reference.Solver(trace(model))
    number = (1000 if name in ("window old", "window new", "peterson") else 200) // share
    states = random_states(model, number, seed=2)
    assert_enough(model, states, number)
    for values in states:
        assert solver.successors(values) == reference.successors(model, values)


@pytest.mark.long
@pytest.mark.parametrize("name", one_in(2, MODELS))
def test_no_path_that_cannot_be_taken_is_left(name: str) -> None:
    """Infeasible paths that are not pruned, or paths with the same effect that are not merged."""
    system = trace(MODELS[name]())
    for command in system.commands:
        assert satisfiable(command.guard), command.step
    effects = [(c.step, c.updates, c.leaves) for c in system.commands]
    alike = len(effects) - len(set(effects))
    assert alike <= len(effects) // 4


@ON_MANY
@pytest.mark.parametrize("name", [n for n in MODELS if n not in ("window 3 x 2",)])
def test_claims_agree_on_random_states(name: str, share: int) -> None:
    """A property that means one thing in plain Python and another as a formula."""
    model = MODELS[name]()
    system = trace(model)
    layout = packing(model.cells)
    names_and_judges = exhaustive.judges(layout, system.claims)
    claims = {p.name: p for p in (*model.properties, *model.lemmas)}
    for values in random_states(model, 300 // share, seed=3):
        packed = layout.pack(values)
        for names, judge in names_and_judges:
            bits = judge(packed)
            for k, claim in enumerate(names):
                assert model.holds(claims[claim], values) == (not bits >> k & 1), claim


common: dict[str, Any] = {
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]
}


@few_and_many(given(source=strategies.sources()), 40, 150, **common)
def test_random_specs_are_explored_as_by_hand(source: str) -> None:
    """A branch or path lost, a wrong merge, or a wrapped range, on any random spec."""
    model = strategies.build(source)
    naive = reference.explore(model, limit=2000)
    assume(naive is not None and naive.states)
    assert naive is not None
    run = exhaustive.explore(model)
    assert run.complete or len(run.failures) == len(model.properties)
    if run.complete:
        assert {run.layout.unpack(s) for s in run.states} == set(naive.states)
        assert run.transitions == naive.transitions
    for verdict in exhaustive.verdicts(run, model.properties, 0.0):
        name, witness = verdict.claim.name, verdict.claim.kind == "sometimes"
        assert (verdict.answer == "violated") == ((name in naive.first) != witness), name
        if name in naive.first:
            assert verdict.depth == naive.first[name], name
            assert verdict.trace is not None
            if not witness:
                assert violates(model, verdict.claim, verdict.trace)


@few_and_many(given(source=strategies.sources()), 15, 60, **common)
def test_random_specs_step_alike_in_all_engines(source: str) -> None:
    """z3 or generated code that disagrees with plain Python on some expression."""
    model = strategies.build(source)
    system = trace(model)
    solver = reference.Solver(system)
    layout = packing(model.cells)
    expand = compile_function(Expander(system, layout).source(), "expand")
    for values in random_states(model, 24, seed=4):
        expected = reference.successors(model, values)
        assert _expanded(system, layout, expand, values) == expected
        assert solver.successors(values) == expected


@few_and_many(given(source=strategies.sources()), 15, 60, **common)
def test_bounded_and_exhaustive_agree_on_random_specs(source: str) -> None:
    """A counterexample that one engine misses, or a shorter one that it overlooks."""
    model = strategies.build(source)
    naive = reference.explore(model, limit=300)
    assume(naive is not None and naive.states and max(naive.states.values()) <= 8)
    assert naive is not None
    for verdict in bounded.check(model, steps=10):
        name, witness = verdict.claim.name, verdict.claim.kind == "sometimes"
        if name in naive.first:
            assert verdict.answer == ("holds" if witness else "violated"), name
            assert verdict.depth == naive.first[name], name
        else:
            assert verdict.answer != ("holds" if witness else "violated"), name


@pytest.mark.long
@pytest.mark.parametrize("engine", SEARCHES)
def test_a_counterexample_of_one_engine_replays_in_all(engine: str) -> None:
    """A trace that is valid only in the engine that found it."""
    model = MODELS["window old"]()
    (found,) = check(model, engine, wanted=[model.property_named("opacity")])
    assert found.trace is not None
    system = trace(model)
    solver = reference.Solver(system)
    layout = packing(model.cells)
    expand = compile_function(Expander(system, layout).source(), "expand")
    states = found.trace.states
    for before, step, after in zip(states, found.trace.steps, states[1:], strict=False):
        assert model.take(before, step) == after
        assert _expanded(system, layout, expand, before)[step] == after
        assert solver.successors(before)[step] == after
    (names, judge), *_ = exhaustive.judges(layout, {"opacity": system.claims["opacity"]})
    assert names == ["opacity"]
    assert [bool(judge(layout.pack(v))) for v in states] == [False] * 13 + [True]
    assert violates(model, found.claim, found.trace)
