"""What is read for members without number, what is refused, and what a run of it decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterpoint.models.prove.sizes.parametric import Functions, Given, Members, Parameters, Run
from counterpoint.models.prove.sizes.quantified import symbol
from counterpoint.models.prove.sizes.ways import actions, counts, evaluate, formula, spoken
from counterpoint.spec.notation import (
    Array,
    Boolean,
    Model,
    SpecError,
    action,
    count,
    every,
    invariant,
    no,
    nodes,
    require,
    some,
)
from counterpoint.spec.notation.symbolic import deciding, quantifying
from tests.models.club import Club


@pytest.fixture(scope="module")
def club() -> Model:
    """Return the spec."""
    return Model(Club())


def run_of(model: Model, text: Callable[..., Any], *given: Any) -> Any:
    """Run a function on the state of any size."""
    run = Run(model)
    path, quantifiers = deciding.set(run), quantifying.set(run)
    try:
        return text(run.at(Functions(run)), *given)
    finally:
        deciding.reset(path)
        quantifying.reset(quantifiers)


def loop_at_one_place(s: Any) -> None:
    """Assign to one place again and again."""
    for _ in s.members:
        s.noise = 1


def loop_of_two(s: Any) -> None:
    """Assign to a place that one of two loops names."""
    for q in s.members:
        for _ in s.members:
            s.there[q] = True


def reads_what_it_assigns(s: Any) -> None:
    """Read another place of what is assigned to."""
    for q in s.members:
        s.there[q] = s.there[0]


def reads_before(s: Any) -> None:
    """Read a place that the loop has yet to assign to."""
    for q in s.members:
        s.there[q] = True
        s.sits[q, 0] = s.there[0]


def branches(s: Any) -> None:
    """Branch on one member."""
    for q in s.members:
        if s.there[q]:
            s.age[q] = 1


def requires(s: Any) -> None:
    """Require something of one member."""
    for q in s.members:
        require(s.there[q])


def list_of_a_generator(s: Any) -> Any:
    """Go through a generator."""
    return sum(s.age[q] for q in s.members)


def value_outside(s: Any) -> None:
    """Keep a member beyond its loop."""
    found = [0]
    every(found.append(q) or True for q in s.members)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "one place again and again": (loop_at_one_place, "each time at the same place"),
    "a place that one loop names": (loop_of_two, "each time at the same place"),
    "what is assigned to is read": (reads_what_it_assigns, "read at one place in a loop"),
    "what is still to be assigned": (reads_before, "where a loop is still to assign to it"),
    "a branch": (branches, "a branch on one member of a loop or generator"),
    "a requirement": (requires, "a branch on one member of a loop or generator"),
    "a sum": (list_of_a_generator, "and nowhere else"),
    "a list": (value_outside, "stands beside a loop|keeps something"),
    "a number of members": (lambda s: len(s.members), "members: an index of any number has no"),
    "the second member": (lambda s: s.members[1], "members: an index of any number has no"),
    "whether there is a member": (lambda s: 1 in s.members, "members: an index of any number"),
    "whether there are members": (lambda s: bool(s.members), "members: an index of any number"),
    "backwards": (lambda s: reversed(s.members), "members: an index of any number"),
    "a size": (lambda s: s.parameters["members"], "members: an index of any number has no"),
    "a size that is asked for": (lambda s: s.parameters.get("members"), "members: an index"),
    "too many places": (lambda s: s.there[0, 0], "there has 1 indices, not 2"),
    "too few places": (lambda s: s.sits[0], "sits has 2 indices, not 1"),
    "two counts": (
        lambda s: count(s.there[0], *(s.there[q] for q in s.members)), "and nowhere else"),
    "an index as a condition": (lambda s: every(s.members), ""),
    "a text as conditions": (lambda s: some("ab"), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_a_number_is_refused(club: Model, name: str) -> None:
    """One member taken for all; a size that is known."""
    text, why = REFUSED[name]
    with pytest.raises(SpecError, match=why or "."):
        run_of(club, text)


def test_what_needs_no_number_is_not_refused(club: Model) -> None:
    """An engine that is safe since it reads nothing."""
    assert run_of(club, lambda s: s.parameters["limit"]) == 2
    assert run_of(club, lambda s: s.parameters.get("limit")) == 2
    assert run_of(club, lambda s: list(s.rooms)) == [0, 1]
    assert run_of(club, lambda s: count(True, False, s.still == 2)) == 2
    assert run_of(club, lambda s: s.still) == 2
    assert run_of(club, lambda s: every([True, True])) is True
    assert run_of(club, lambda s: some([False])) is False
    assert run_of(club, lambda s: no(False)) is True
    assert isinstance(run_of(club, lambda s: s.members), Members)


def test_a_loop_that_is_left_is_refused(club: Model) -> None:
    """A return from the middle of a loop: the last members are not gone through."""

    class Early(Club):
        @action
        def early(s):
            for q in s.members:
                s.there[q] = True
                return

    run = Run(Model(Early()))
    with pytest.raises(SpecError, match="early leaves a loop over members before its end"):
        evaluate(run, Functions(run), "early")
    assert run.loops == run.bound == []
    assert deciding.get() is None
    assert quantifying.get() is None


def test_a_claim_that_branches_is_refused(club: Model) -> None:
    """A claim of which only one side is read."""

    class Branching(Club):
        @invariant
        def branching(s):
            return s.there[0] if s.open else True

        @invariant
        def of_one(s):
            for q in s.members:
                found = s.there[q]
            return found

    run = Run(Model(Branching()))
    store = Functions(run)
    with pytest.raises(SpecError, match="in branching: a branch on the state"):
        formula(run.model, "branching", store)
    assert run.literals == run.obligations == []
    with pytest.raises(SpecError):
        formula(run.model, "of_one", store)


def test_what_counts_at_every_size(club: Model) -> None:
    """An action or a claim of some sizes taken for one of all."""

    class Sometimes(Club):
        @action(when=lambda s: s.limit > 2)
        def quiet(s):
            s.noise = 0

        @invariant(when=lambda s: s.limit == 2)
        def two(s):
            return True

    class BySize(Club):
        @action(when=lambda s: len(s.members) > 1)
        def quiet(s):
            s.noise = 0

    model = Model(Sometimes())
    names = [a.name for a in club.actions]
    assert [a.name for a in actions(club)] == names
    assert [a.name for a in actions(model)] == [n for n in names if n != "quiet"]
    run = Run(model)
    assert counts(model, run, "two")
    assert counts(model, run, "young")
    assert not counts(model, run, "quiet")
    spoken(model, run, model.property_named("two"))
    spoken(model, run, model.property_named("ranges"))
    other = Run(Model(Sometimes(limit=3)))
    with pytest.raises(SpecError, match="two is not claimed at every size"):
        spoken(other.model, other, model.property_named("two"))
    with pytest.raises(SpecError, match="members: an index of any number"):
        actions(Model(BySize()))

    class Claimed(Club):
        @invariant(when=lambda s: len(s.members) > 1)
        def at_some_sizes(s):
            return True

    assert [a.name for a in actions(Model(Claimed()))] == names


def test_parameters_that_follow_from_others() -> None:
    """A parameter that follows from a size, used as if it were known."""
    given = Given({"limit": 3, "members": 2}, {"members"})
    assert given["limit"] == given.get("limit") == 3
    assert given.get("other", 5) == 5
    assert given.get("other") is None
    assert ("limit" in given, "other" in given) == (True, False)
    refused: list[Callable[[], Any]] = [
        lambda: given["members"], lambda: given.get("members"), lambda: "members" in given,
        lambda: list(given), lambda: len(given), lambda: bool(given), lambda: given.items(),
        lambda: given.keys(), lambda: given.values(), lambda: given.copy(), lambda: given | {},
    ]  # fmt: skip
    for one in refused:
        with pytest.raises(SpecError, match="an index of any number has no number here"):
            one()
    with pytest.raises(SpecError, match="members: an index of any number"):
        Parameters({})["members"]

    class Derived(Club):
        def derive(s, given):
            return {"limit": 3}

    class Known(Club):
        def derive(s, given):
            return {"limit": 2 if given.get("limit", 2) else 0}

    with pytest.raises(SpecError, match="limit follows from the size of an index"):
        model = Model(Derived())
        model.spec.parameters["limit"] = 2
        Run(model).sizeless()
    Run(Model(Known())).sizeless()


def test_what_a_run_decides(club: Model) -> None:
    """A side that was given and is not taken, or that is noted where it was known."""
    run = Run(club, decisions=[False])
    f, g = (run.before(name, ()) for name in ("open", "open"))
    assert f is g
    one = nodes.equal(run.before("noise", ()), nodes.constant(1))
    assert run.decide(f) is False
    assert run.decide(f) is False
    assert run.decide(nodes.negation(f)) is True
    assert run.decide(nodes.TRUE) is True
    assert run.decide(nodes.FALSE) is False
    assert run.decide(one) is True
    assert run.decisions == [False, True]
    assert run.literals == [nodes.negation(f), one]
    run.assume(nodes.TRUE)
    assert len(run.literals) == 2
    run.assume(nodes.negation(run.before("there", (nodes.constant(0),))))
    assert len(run.literals) == 3
    for impossible in (f, nodes.FALSE):
        with pytest.raises(Exception) as told:
            run.assume(impossible)
        assert type(told.value).__name__ == "Disabled"


def test_a_member_is_known_where_it_is_gone_through(club: Model) -> None:
    """A value of one member used where it stands for nobody."""
    one, other = symbol("members"), symbol("members")
    there = Run(club).before("knows", (one, other))
    Run(club, (one, other)).must_be_known(there)
    Run(club, (one,)).must_be_known(there, [other])
    Run(club).must_be_known(there, [one, other])
    for run, loops in ((Run(club), [one]), (Run(club, (other,)), []), (Run(club), [])):
        with pytest.raises(SpecError, match="where the loop does not reach"):
            run.must_be_known(there, loops)


def test_a_truth_value_does_not_start_with_a_number(club: Model) -> None:
    """A number of members taken for a truth value."""

    class Numbered(Club):
        there = Array(Club.members, Boolean(initially=lambda s, p: p))

    run = Run(Model(Numbered()))
    with pytest.raises(SpecError, match="there is a truth value and starts with a number"):
        run.first("there", (symbol("members"),))
    assert run_of(club, lambda s: every()) is True
    assert run_of(club, lambda s: some()) is False
