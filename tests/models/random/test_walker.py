"""Random runs judge every step of the states that they visit, and end early only if all is seen."""

from __future__ import annotations

import random

import pytest

from counterpoint.models.limits import Limits
from counterpoint.models.random import stateful
from counterpoint.models.random.walker import Walker, WalkStopped
from counterpoint.models.random.ways import WAYS, FromTheEdge
from counterpoint.models.verdict import replay
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Property,
    Spec,
    action,
    invariant,
    require,
    sometimes,
    transition,
)
from tests.models.random.services import Lease


class Stairs(Spec):
    """Stairs climbed one by one, or by a forbidden jump from the ground to the top."""

    floor = Integer(0, 2)

    @action
    def up(s):
        """Take one stair."""
        require(s.floor < 2)
        s.floor = s.floor + 1

    @action
    def jump(s):
        """Take two."""
        require(s.floor == 0)
        s.floor = 2

    @transition
    def one_by_one(s, after):
        """No stair is left out."""
        return after.floor <= s.floor + 1


class Roof(Stairs):
    """Stairs with a step from the top that leaves the range."""

    @action
    def fall(s):
        """Leave the range."""
        require(s.floor == 2)
        s.floor = 3


class Still(Spec):
    """Something must change at each step, and one step changes nothing."""

    at = Integer(0, 1)

    @action
    def turn(s):
        """Change."""
        s.at = 1 - s.at

    @action
    def rest(s):
        """Change nothing."""
        require(s.at == 1)

    @transition
    def something_changes(s, after):
        """No step leaves all as it was."""
        return s.at != after.at


class Doors(Spec):
    """Several initial states, of which one is wrong; no step leads from one to another."""

    door = Integer(0, 40, initially=ANY)
    open = Boolean()

    @action
    def go(s):
        """Open the door."""
        require(s.open == 0)
        s.open = True

    @invariant
    def the_last_is_shut(s):
        """One door stays shut."""
        return (s.door < 40) | (s.open == 0)


def walker_of(spec: Spec) -> Walker:
    """Return a walker that checks all properties."""
    model = Model(spec)
    return Walker(model, model.properties, Limits())


def test_each_step_of_a_visited_state_is_judged() -> None:
    """A wrong step that leads to a known state, or out of a range, and that no run takes."""
    walker = walker_of(Roof())
    walker.visit((0,))
    assert {n: len(t.steps) for n, t in walker.found.items()} == {"one-by-one": 1}
    walker.visit((2,))
    (last,) = walker.found["ranges"].steps[-1:]
    assert last.action == "fall"
    assert len(walker.found["ranges"].states) == len(walker.found["ranges"].steps)


def test_a_step_that_changes_nothing_is_judged() -> None:
    """A wrong step that is left out since it changes nothing."""
    verdicts = stateful.check(Model(Still()), runs=5)
    assert {v.claim.name: v.depth for v in verdicts if v.answer == "violated"} == {
        "something-changes": 2
    }


def test_no_run_takes_a_step_that_changes_nothing() -> None:
    """Idle steps that use up the steps of a run."""
    walker = walker_of(Still())
    for _ in range(3):
        assert [s.action for s, _ in walker.visit((1,))] == ["turn"]


def test_what_is_wholly_seen_ends_early() -> None:
    """Thousands of runs over three states."""
    verdicts = stateful.check(Model(Stairs()), runs=5000)
    assert [v.answer for v in verdicts] == ["violated", "holds"]
    assert int(verdicts[1].extent.split()[0].replace(",", "")) < 10
    roof = stateful.check(Model(Roof()), runs=200)
    assert [v.answer for v in roof] == ["violated", "violated"]


def test_runs_end_early_only_after_every_initial_state() -> None:
    """Runs that end when the states around the first initial state are known."""
    verdicts = stateful.check(Model(Doors()), runs=400)
    assert {v.claim.name: v.answer for v in verdicts}["the-last-is-shut"] == "violated"
    assert verdicts[0].states == 82


def test_a_limit_ends_the_runs() -> None:
    """A limit that is looked at between runs only."""
    walker = walker_of(Lease())
    walker.limits = Limits(seconds=0.0)
    with pytest.raises(WalkStopped):
        walker.visit(walker.starts[0])
    assert "time limit" in walker.stopped


def test_every_way_makes_steps_that_are_possible() -> None:
    """A run that jumps, or a trace that cannot be replayed."""
    walker = walker_of(Lease())
    for number, kind in enumerate(WAYS * 3):
        way = kind(walker, random.Random(number))
        state = way.begin()
        for _ in range(30):
            changes = walker.visit(state)
            if not changes:
                break
            step, after = way.choose(changes)
            assert walker.model.take(state, step) == after != state
            state = after
        trace = walker.trace_to(state)
        assert replay(walker.model, trace.steps, trace.states[0]) == trace


def test_runs_from_the_edge_begin_where_none_was() -> None:
    """Runs that always begin in an initial state, and never reach what is far from it."""
    walker = walker_of(Lease())
    (start,) = walker.starts
    assert FromTheEdge(walker, random.Random(0)).begin() == start
    walker.visit(start)
    begun = FromTheEdge(walker, random.Random(0)).begin()
    assert begun in walker.seen
    assert begun not in walker.visits


class Path(Spec):
    """A long way of one step after the other, with detours; a witness at its end."""

    sides = Index(3, names="i")
    place = Integer(0, 90)
    marks = Array(sides, Boolean())

    @action
    def on(s):
        """Go on."""
        require(s.place < 90)
        s.place += 1

    @action
    def mark(s, i):
        """Leave or remove a mark, for nothing."""
        s.marks[i] = 1 - s.marks[i]

    @sometimes
    def the_end(s):
        """The end is reached."""
        return s.place == 90

    @sometimes
    def marked_on_the_way(s):
        """A mark was left late."""
        return (s.place > 3) & s.marks[1]


def test_runs_get_deeper_than_one_run_is_long() -> None:
    """Runs that never reach what is further away than the steps of one run."""
    verdicts = {v.claim.name: v for v in stateful.check(Model(Path()), runs=150)}
    assert verdicts["the-end"].depth == 90


def test_witnesses_are_minimised() -> None:
    """A run to a witness with steps that it does not need."""
    model = Model(Path())
    named = {v.claim.name: v for v in stateful.check(model, runs=150)}
    found = named["marked-on-the-way"]
    assert (found.answer, found.depth) == ("holds", 5)
    assert found.trace is not None
    assert shown(model, found.claim, found.trace.states[-1])
    assert not any(shown(model, found.claim, s) for s in found.trace.states[:-1])


def shown(model: Model, claim: Property, state: tuple[int, ...]) -> bool:
    """Return whether a state is the witness."""
    return model.holds(claim, state)


def test_the_same_seed_gives_the_same_runs() -> None:
    """Choices that come from the order of a set, from Hypothesis or from the clock."""
    model = Model(Lease())
    one, two, other = (
        [
            (v.answer, v.extent, v.states, v.trace)
            for v in stateful.check(model, runs=9, random_seed=n)
        ]
        for n in (5, 5, 6)
    )
    assert one == two
    assert one != other
