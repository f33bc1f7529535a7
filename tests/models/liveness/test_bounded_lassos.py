"""The bounded engine searches lassos with z3: agreement with the exhaustive engine, and limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import z3

from counterpoint import (
    Integer,
    Spec,
    action,
    always,
    eventually,
    infinitely_often,
    initially,
    invariant,
    leads_to,
    lemma,
    require,
    sometime,
    temporal,
    until,
)
from counterpoint.models.checking.engines import Options, check
from counterpoint.models.lassos import confirm_lasso
from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.loading import load
from counterpoint.models.prove import bounded_lassos
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model

from .brute_force import KINDS
from .test_agreement import drawn
from .test_lassos import Lock

LONG = 9
"""A length that no shortest lasso of the machines below exceeds."""


def bounded(model: Model, steps: int, *names: str) -> list[Verdict]:
    """Return the verdicts of the bounded engine on some temporal properties, or on all."""
    wanted = [p for p in model.temporal if not names or p.name in names]
    return check(model, "bounded", wanted=wanted, options=Options(steps=steps))


def compare(seed: int, folder: Path) -> set[str]:
    """Compare both engines on each kind of property of a random machine; return the answers."""
    answers = set()
    for kind in KINDS:
        path = folder / f"drawn{seed}_{kind.replace('-', '_')}.py"
        path.write_text(drawn(seed).text(kind))
        model = load(str(path))
        (right,) = check(model, wanted=model.temporal)
        (found,) = bounded(model, LONG)
        assert found.answer == right.answer, (seed, kind, found.reason, right.reason)
        if found.trace is not None:
            assert right.trace is not None
            confirm_lasso(model, found.claim, found.trace)
            assert len(found.trace.steps) <= len(right.trace.steps), (seed, kind)
        answers.add(found.answer)
    return answers


@pytest.mark.parametrize("begin", range(0, 20, 10))
def test_random_machines(begin: int, tmp_path: Path) -> None:
    """A lasso that z3 misses, one that is not fair, or one that is longer than needed."""
    found = set().union(*(compare(seed, tmp_path) for seed in range(begin, begin + 10)))
    assert found == {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(2000, 2100, 50))
def test_a_hundred_random_machines(begin: int, tmp_path: Path) -> None:
    """The same, on more machines."""
    for seed in range(begin, begin + 50):
        compare(seed, tmp_path)


def test_a_lasso_is_found_at_its_length_and_not_before() -> None:
    """A bound that is one off, or a cycle whose length does not count."""
    model = Model(Lock())
    for steps in range(6):
        (found,) = bounded(model, steps, "who-asks-is-served")
        if steps < 4:
            extent = "1 step" if steps == 1 else f"{steps} steps"
            assert (found.answer, found.extent) == ("holds", f"no lasso of up to {extent}")
            assert found.depth == steps and found.trace is None
        else:
            assert (found.answer, found.extent) == ("violated", "1 step, then 3 for ever")
            assert found.depth == 4
    (strong,) = bounded(Model(Lock(fairness="strong")), 8, "who-asks-is-served")
    assert strong.answer == "holds" and strong.notes == ("fair: take strongly, leave weakly",)


class Wide(Spec):
    """A number that grows by halves of a wide range, and its threefold."""

    n = Integer(0, 10**12)

    @action(fair="weak")
    def grow(s):
        require(s.n < 10**12)
        s.n = 10**12

    @action
    def back(s):
        s.n = 0

    @infinitely_often
    def far(s):
        return s.n * s.n * 3 > 10**24

    @infinitely_often
    def near(s):
        return s.n * s.n * 3 < 10**24


def test_wide_ranges() -> None:
    """A range that is cut, or a product that overflows the bits that z3 has for it."""
    model = Model(Wide())
    found = {v.claim.name: v for v in bounded(model, 4)}
    assert found["far"].answer == "holds"
    assert found["near"].answer == "violated" and found["near"].depth == 1


class Short(Spec):
    """Two steps that change the state, and one that never does."""

    n = Integer(0, 2)

    @action(fair="weak")
    def go(s):
        require(s.n < 2)
        s.n = s.n + 1

    @action(fair="strong")
    def rest(s):
        s.n = s.n

    @eventually
    def ends(s):
        return s.n == 2

    @leads_to
    def goes_back(s):
        return s.n == 2, s.n == 0

    @invariant
    def small(s):
        return s.n < 3

    @lemma
    def at_most_two(s):
        return s.n <= 2


def test_where_no_run_is_longer_all_runs_are_judged() -> None:
    """Steps that change nothing and make runs longer, or "all runs" said too soon."""
    model = Model(Short())
    (late,) = bounded(model, 2, "ends")
    assert (late.answer, late.extent) == ("holds", "no lasso of up to 2 steps")
    found = {v.claim.name: v for v in bounded(model, 9)}
    assert (found["ends"].answer, found["ends"].extent) == ("holds", "all runs")
    assert found["goes-back"].extent == "2 steps, then none for ever"


def test_temporal_properties_stand_before_lemmas() -> None:
    """An engine that fails on verdicts that the user did not ask for by name."""
    model = Model(Short())
    found = check(model, "induction", Limits(20))
    assert [v.claim.name for v in found] == ["small", "ranges", "ends", "goes-back", "at-most-two"]


class Leaves(Short):
    """The same, with a step that would leave the range."""

    @action(fair="weak")
    def go(s):
        s.n = s.n + 1


def test_steps_beyond_a_range_are_named() -> None:
    """A step beyond the range that counts as a promise, or is left out in silence."""
    (found,) = bounded(Model(Leaves()), 9, "ends")
    assert (found.answer, found.extent) == ("holds", "all runs within ranges")
    assert found.notes[1] == "a step of go that leaves a range counts as not possible"


class AtOnce(Short):
    """The same, where the second condition of `until` is true at once and later neither is."""

    @until
    def begins_at_zero(s):
        return s.n == 0, s.n == 0


def test_until_ends_with_its_second_condition() -> None:
    """A run that breaks `until` after its second condition was true."""
    (found,) = bounded(Model(AtOnce()), 9, "begins-at-zero")
    assert (found.answer, found.extent) == ("holds", "all runs")


class NoStart(Short):
    """A spec without an initial state."""

    @initially
    def nowhere(s):
        return s.n == 1


def test_nothing_is_said_without_a_search() -> None:
    """A property that holds since there is no run, or since the time was over."""
    (found, _) = bounded(Model(NoStart()), 3)
    assert (found.answer, found.reason) == ("unknown", "there is no initial state")
    model = Model(Short())
    for one in check(model, "bounded", Limits(0.0), model.temporal):
        assert one.answer == "unknown" and one.trace is None

    class Some(Limits):
        def check(self, line: str = "") -> None:
            if line == "2 steps":
                raise LimitReached("so far")

    one = bounded_lassos.check(model, Some(), [model.property_named("ends")])[0]
    assert (one.answer, one.extent, one.reason) == ("unknown", "1 step", "so far")


def test_every_question_has_all_that_was_assumed() -> None:
    """A file without one of the assumptions, so that a second solver gets another question."""
    names = []

    def again(name: str, asked: Any, answer: Any) -> None:
        solver = z3.Solver()
        solver.add(*asked)
        assert solver.check() == answer, name
        names.append(name)

    bounded_lassos.check(Model(Short()), Limits(), Model(Short()).temporal, 4, again)
    asked = [name for name in names if "reading" not in name]
    assert asked == [
        "bounded/lasso-0/ends", "bounded/lasso-0/goes-back", "bounded/lasso-1/ends",
        "bounded/lasso-1/goes-back", "bounded/lasso-2/ends", "bounded/lasso-2/goes-back",
        "bounded/lasso-3/no-run-is-as-long",
    ]  # fmt: skip


def test_conditions_are_compared_with_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A condition that z3 reads in another way than Python, and a verdict that rests on it."""
    model = Model(Short())
    plain = Model.conditions
    monkeypatch.setattr(
        Model, "conditions", lambda *given: tuple(not one for one in plain(*given))
    )  # fmt: skip
    found = bounded_lassos.check(model, Limits(), [model.property_named("ends")], 1)
    assert found[0].answer == "unknown" and "ends means two things" in found[0].reason


class Rises(Spec):
    """A number whose steps look as if they could leave its range."""

    at = Integer(0, 2)
    most = Integer(0, 9, initially=2)

    @action
    def rise(s):
        require(s.at < s.most)
        s.at = s.at + 1

    @temporal
    def it_stays(s):
        return sometime(always(s.at <= 2))


def test_within_ranges_only_if_a_run_leaves_one() -> None:
    """A verdict that is restricted to runs within ranges although all runs are."""
    (found,) = check(Model(Rises()), "bounded", wanted=Model(Rises()).temporal)
    assert (found.answer, found.extent) == ("holds", "all runs")

    class Leaves(Rises):
        most = Integer(0, 9, initially=3)

    (found,) = check(Model(Leaves()), "bounded", wanted=Model(Leaves()).temporal)
    assert (found.answer, found.extent) == ("holds", "all runs within ranges")
