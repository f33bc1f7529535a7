"""Specs that are large in one respect: wide ranges, many branches, deep or long expressions."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.models.limits import Limits
from counterpoint.models.prove import bounded
from counterpoint.models.random import stateful
from counterpoint.models.random.minimise import minimise
from counterpoint.models.symbolic.paths import Facts, Infeasible
from counterpoint.models.symbolic.trace import merge, trace
from counterpoint.models.verdict import Disagreement, Trace, replay
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    SpecError,
    Step,
    action,
    count,
    initially,
    invariant,
    ite,
    no,
    nodes,
    require,
)
from counterpoint.spec.notation.nodes import Cell, Node
from counterpoint.spec.stm.window import Window
from tests.needs import need

EXPLORERS = ("python", "compiled")


class Nested(Spec):
    """An expression in which each part occurs twice in the next, in a guard and in an update."""

    a = Integer(0, 6)
    b = Integer(0, 6)

    @action
    def go(s):
        value = s.a
        for k in range(30):
            value = ite(value > k % 5, value - s.b % 2, value + s.b % 3) % 7
        require(value != 3)
        s.a = value

    @action
    def turn(s):
        s.b = (s.b + 1) % 7

    @invariant
    def fine(s):
        return s.a <= 6


class Long(Spec):
    """A sum over many cells, in a guard, an update and a claim."""

    cells = Index(15, names="k", at_most=16)
    rows = Index(15, at_most=16)
    n = Array((cells, rows), Boolean())
    total = Integer(0, 225)

    @action
    def add(s, k):
        found = count(s.n[j, r] for j in s.cells for r in s.rows)
        require(found < 2, no(s.n[k, 0]))
        s.n[k, 0] = True
        s.total = found + 1

    @invariant
    def counted(s):
        return s.total == count(s.n[j, r] for j in s.cells for r in s.rows)


@pytest.mark.parametrize("explorer", EXPLORERS)
def test_expressions_that_mention_themselves_are_printed_once(explorer: str) -> None:
    """Printed text that doubles with each level of nesting, and so never ends."""
    if explorer == "compiled":
        need("gcc")
    verdicts = exhaustive.check(Model(Nested()), explorer=explorer)
    assert {v.answer for v in verdicts} == {"holds"}
    assert verdicts[0].states == exhaustive.check(Model(Nested()), explorer="python")[0].states


@pytest.mark.long
@pytest.mark.parametrize("explorer", EXPLORERS)
def test_sums_over_many_cells(explorer: str) -> None:
    """More nested parentheses than Python's parser allows."""
    if explorer == "compiled":
        need("gcc")
    verdicts = exhaustive.check(Model(Long()), explorer=explorer)
    assert {v.answer for v in verdicts} == {"holds"}
    assert verdicts[0].states == 1 + 15 + 15 * 14 // 2


class Wide(Spec):
    """A range of a thousand million values, few of which occur."""

    n = Integer(0, 10**9)

    @action
    def double(s):
        require(s.n < 500, s.n != 64)
        if s.n == 0:
            s.n = 1
        else:
            s.n = s.n * 2

    @invariant
    def small(s):
        return s.n < 64


@pytest.mark.parametrize("engine", [bounded, stateful])
def test_wide_ranges_are_not_listed(engine: object) -> None:
    """A set of all values of a wide range, which takes all memory."""
    (found, *_) = engine.check(Model(Wide()))  # type: ignore[attr-defined]
    assert (found.answer, found.depth) == ("violated", 7)


def test_a_wide_range_is_no_matter_for_c() -> None:
    """A limit of the generated Python that is applied to the compiled explorer too."""
    need("gcc")
    with pytest.raises(SpecError, match="the range of n has 1000000001 values"):
        exhaustive.check(Model(Wide()), explorer="python")
    (found, *_) = exhaustive.check(Model(Wide()), explorer="compiled")
    assert (found.answer, found.depth, found.states) == ("violated", 7, 8)


class Anywhere(Wide):
    """A variable that may start with any value of a wide range."""

    n = Integer(0, 10**9, initially=ANY)


def test_too_many_starts_are_refused() -> None:
    """A list of a thousand million initial states, made only to describe the spec."""
    with pytest.raises(
        SpecError, match="n may start with 1000000001 values; at most 65536 are allowed"
    ):
        next(Model(Anywhere()).initial_states())
    (found, *_) = bounded.check(Model(Anywhere()))
    assert (found.answer, found.depth) == ("violated", 0)


class Branching(Spec):
    """An action with so many branches that its paths cannot be enumerated."""

    places = Index(16, names="k", at_most=16)
    n = Array(places, Integer(0, 3))

    @action
    def go(s):
        total = 0
        for k in s.places:
            if s.n[k] > 1:
                total = total + k
        s.n[0] = total % 4

    @invariant
    def fine(s):
        return s.n[0] < 4


class Starting(Spec):
    """So many candidate initial states that they cannot be enumerated; none is allowed."""

    places = Index(16, names="k", at_most=16)
    n = Array(places, Integer(0, 3), initially=ANY)

    @action
    def go(s, k):
        s.n[k] = 0

    @initially
    def none(s):
        return s.n[0] + s.n[1] > 6

    @invariant
    def fine(s):
        return s.n[0] < 4


@pytest.mark.parametrize("spec", [Branching, Starting])
@pytest.mark.parametrize("engine", [exhaustive, bounded, stateful])
def test_the_time_limit_covers_what_comes_before(spec: type[Spec], engine: object) -> None:
    """A time limit that tracing, or the list of initial states, ignores."""
    if (spec, engine) in ((Starting, bounded), (Branching, stateful)):
        pytest.skip("it neither lists initial states, nor traces")
    begun = time.monotonic()
    (found, *_) = engine.check(Model(spec()), Limits(seconds=0.3))  # type: ignore[attr-defined]
    assert (found.answer, found.reason) == ("unknown", "the time limit of 0.3 s was reached")
    assert time.monotonic() - begun < 5


class Steady(Spec):
    """A long run, of which one step is enough for the violation."""

    n = Integer(0, 1)

    @action
    def stay(s):
        pass

    @action
    def rise(s):
        s.n = 1

    @invariant
    def low(s):
        return s.n == 0


def test_minimising_keeps_to_its_time() -> None:
    """Minimising that ignores the time limit, or that loses the trace because of it."""
    model = Model(Steady())
    stay, rise = Step("stay", ()), Step("rise", ())
    long = replay(model, [*[stay] * 40, rise])
    claim = model.property_named("low")
    assert len(minimise(model, claim, long).steps) == 1
    late = Limits(seconds=1.0, started=time.monotonic() - 2.0)
    assert minimise(model, claim, long, late).steps == long.steps


def guards(literals: int, chance: random.Random) -> list[frozenset[Node]]:
    """Return all combinations of conditions and their negations, and some more, shuffled."""
    cells = [nodes.cell(Cell(f"b{i}", (), f"b{i}", 0, 1, True)) for i in range(literals)]
    found = [
        frozenset(c if side else nodes.negation(c) for c, side in zip(cells, sides, strict=True))
        for sides in itertools.product((True, False), repeat=literals)
    ]
    chance.shuffle(found)
    return found


def test_paths_that_do_the_same_are_merged_quickly() -> None:
    """Merging that restarts after each merge, and takes minutes with twelve branches."""
    begun = time.monotonic()
    assert merge(guards(13, random.Random(1))) == [frozenset()]
    assert time.monotonic() - begun < 10


def test_merging_keeps_the_meaning() -> None:
    """A merge that loses a guard, or that adds one that did not hold."""
    chance = random.Random(2)
    for _ in range(200):
        everything = guards(4, chance)
        some = everything[: chance.randint(1, 15)]
        merged = merge(some)
        assert len(merged) <= len(some)
        for full in everything:
            assert any(g <= full for g in merged) == (full in some)


def test_wide_cells_conclude_nothing_false() -> None:
    """A bound of a wide cell that is off by one, or excludes a possible value."""
    cell = nodes.cell(Cell("w", (), "w", -5000, 5000, False))
    chance = random.Random(3)
    for _ in range(500):
        facts, there = Facts(), set(range(-60, 61))
        try:
            for _ in range(chance.randint(1, 5)):
                value = chance.choice([-5000, 5000, *range(-50, 51)])
                constant = nodes.constant(value)
                condition, holds = chance.choice([
                    (nodes.less(cell, constant), {v for v in there if v < value}),
                    (nodes.less(constant, cell), {v for v in there if value < v}),
                    (nodes.equal(cell, constant), {v for v in there if v == value}),
                ])  # fmt: skip
                if chance.random() < 0.5:
                    condition, holds = nodes.negation(condition), there - holds
                there = holds
                facts.learn(condition)
        except Infeasible:
            assert not there
            continue
        low, high = facts.interval(cell)
        assert all(low <= v <= high for v in there)


class Careful(Spec):
    """A spec with an error in code that no reachable state executes."""

    slots = Index(3)
    a = Integer(0, 5)
    b = Integer(0, 5)
    n = Array(slots, Integer(0, 3))

    @action
    def go(s):
        require(s.a < 5, s.b < 5)
        if s.a + s.b < 4 and s.a * 2 + s.b * 2 > 7:
            raise ValueError("this cannot be")
        s.a, s.b = s.a + 1, s.b + 1

    @invariant
    def fine(s):
        if s.a + s.b < 4 and s.a * 2 + s.b * 2 > 7:
            return s.n[7] == 0
        return s.a == s.b


class Careless(Careful):
    """The same error, in code that a reachable state executes."""

    @action
    def go(s):
        require(s.a < 5, s.b < 5)
        if s.a + s.b == 4:
            raise ValueError("this can be")
        s.a, s.b = s.a + 1, s.b + 1


class Outside(Careful):
    """A property that reads beyond the end of an array."""

    @invariant
    def fine(s):
        return s.n[s.a] == 0


@pytest.mark.parametrize("engine", [exhaustive, bounded])
def test_an_error_counts_where_a_state_comes(engine: object) -> None:
    """A check that fails because of unreachable code, or that ignores a reachable error."""
    (found, *_) = engine.check(Model(Careful()))  # type: ignore[attr-defined]
    assert found.answer == "holds"
    with pytest.raises(SpecError, match=r"test_large.py:\d+: in go: ValueError: this can be"):
        engine.check(Model(Careless()))  # type: ignore[attr-defined]


def test_an_index_error_in_a_property_names_its_line() -> None:
    """An error message without the file and line."""
    with pytest.raises(SpecError, match=r"test_large.py:\d+: an index of n is outside the"):
        exhaustive.check(Model(Outside()))


def test_bounded_shows_nothing_that_python_does_not_confirm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A counterexample that plain Python does not confirm."""
    model = Model(Window(fetch_and_increment="old"))
    start = Trace((next(model.initial_states()),), ())
    monkeypatch.setattr(bounded._Bounded, "_trace", lambda *_: start)
    with pytest.raises(Disagreement, match="plain Python does not confirm all-commit"):
        bounded.check(model, wanted=[model.property_named("all-commit")], steps=8)


def test_tracing_the_window_takes_no_more_commands_than_it_did() -> None:
    """Paths that are no longer merged, so that there are more commands."""
    assert len(trace(Model(Window())).commands) == 46
    assert len(trace(Model(Window(transactions=3))).commands) == 69
