"""Which texts can be read for any number of members, which are refused, and branches of runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterpoint.models.prove.sizes.parametric import (
    FunctionStore,
    GivenParameters,
    Members,
    ParametricRun,
    SizelessParameters,
)
from counterpoint.models.prove.sizes.quantified import symbol
from counterpoint.models.prove.sizes.ways import (
    actions,
    counts,
    evaluate,
    formula,
    must_be_claimed_at_every_size,
)
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
    """Run a function on a state of any size."""
    run = ParametricRun(model)
    path, quantifiers = deciding.set(run), quantifying.set(run)
    try:
        return text(run.at(FunctionStore(run)), *given)
    finally:
        deciding.reset(path)
        quantifying.reset(quantifiers)


def loop_at_one_place(s: Any) -> None:
    """Assign to the same place in every turn."""
    for _ in s.members:
        s.noise = 1


def loop_of_two(s: Any) -> None:
    """Assign to a place that only one of two loops names."""
    for q in s.members:
        for _ in s.members:
            s.there[q] = True


def reads_what_it_assigns(s: Any) -> None:
    """Read another place of the array that the loop assigns to."""
    for q in s.members:
        s.there[q] = s.there[0]


def reads_before(s: Any) -> None:
    """Read a place that the loop will assign to later."""
    for q in s.members:
        s.there[q] = True
        s.sits[q, 0] = s.there[0]


def branches(s: Any) -> None:
    """Branch on a member within a loop."""
    for q in s.members:
        if s.there[q]:
            s.age[q] = 1


def requires(s: Any) -> None:
    """Require something of a member within a loop."""
    for q in s.members:
        require(s.there[q])


def list_of_a_generator(s: Any) -> Any:
    """Loop over a generator."""
    return sum(s.age[q] for q in s.members)


def value_outside(s: Any) -> None:
    """Use a member after the end of its loop."""
    found = [0]
    every(found.append(q) or True for q in s.members)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "one place again and again": (loop_at_one_place, "to the same element in each iteration"),
    "a place that one loop names": (loop_of_two, "to the same element in each iteration"),
    "what is assigned to is read": (reads_what_it_assigns, "read at one element in a loop"),
    "what is still to be assigned": (reads_before, "before the loop assigns to it"),
    "a branch": (branches, "a branch on one member of a loop or generator"),
    "a requirement": (requires, "a branch on one member of a loop or generator"),
    "a sum": (list_of_a_generator, "some, no or count only"),
    "a list": (value_outside, "is in scope of a loop|stores something"),
    "a number of members": (lambda s: len(s.members), "members: an index of any size has no"),
    "the second member": (lambda s: s.members[1], "members: an index of any size has no"),
    "whether there is a member": (lambda s: 1 in s.members, "members: an index of any size"),
    "whether there are members": (lambda s: bool(s.members), "members: an index of any size"),
    "backwards": (lambda s: reversed(s.members), "members: an index of any size"),
    "a size": (lambda s: s.parameters["members"], "members: an index of any size has no"),
    "a size that is asked for": (lambda s: s.parameters.get("members"), "members: an index"),
    "too many places": (lambda s: s.there[0, 0], "there has 1 indices, not 2"),
    "too few places": (lambda s: s.sits[0], "sits has 2 indices, not 1"),
    "two counts": (
        lambda s: count(s.there[0], *(s.there[q] for q in s.members)), "some, no or count only"),
    "an index as a condition": (lambda s: every(s.members), ""),
    "a text as conditions": (lambda s: some("ab"), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_a_number_is_refused(club: Model, name: str) -> None:
    """One member that stands for all, or a size that is treated as known."""
    text, why = REFUSED[name]
    with pytest.raises(SpecError, match=why or "."):
        run_of(club, text)


def test_what_needs_no_number_is_not_refused(club: Model) -> None:
    """An engine that is sound only because it refuses everything."""
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
    """A return within a loop, after which the last members are not visited."""

    class Early(Club):
        @action
        def early(s):
            for q in s.members:
                s.there[q] = True
                return

    run = ParametricRun(Model(Early()))
    with pytest.raises(SpecError, match="early leaves a loop over members before its end"):
        evaluate(run, FunctionStore(run), "early")
    assert run.loops == run.bound == []
    assert deciding.get() is None
    assert quantifying.get() is None


def test_a_claim_that_branches_is_refused(club: Model) -> None:
    """A claim of which only one branch is read."""

    class Branching(Club):
        @invariant
        def branching(s):
            return s.there[0] if s.open else True

        @invariant
        def of_one(s):
            for q in s.members:
                found = s.there[q]
            return found

    run = ParametricRun(Model(Branching()))
    store = FunctionStore(run)
    with pytest.raises(SpecError, match="in branching: a branch on the state"):
        formula(run.model, "branching", store)
    assert run.literals == run.obligations == []
    with pytest.raises(SpecError):
        formula(run.model, "of_one", store)


def test_what_counts_at_every_size(club: Model) -> None:
    """An action or a claim that exists only at some sizes, used for all sizes."""

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
    run = ParametricRun(model)
    assert counts(model, run, "two")
    assert counts(model, run, "young")
    assert not counts(model, run, "quiet")
    must_be_claimed_at_every_size(model, run, model.property_named("two"))
    must_be_claimed_at_every_size(model, run, model.property_named("ranges"))
    other = ParametricRun(Model(Sometimes(limit=3)))
    with pytest.raises(SpecError, match="two is not claimed at every size"):
        must_be_claimed_at_every_size(other.model, other, model.property_named("two"))
    with pytest.raises(SpecError, match="members: an index of any size"):
        actions(Model(BySize()))

    class Claimed(Club):
        @invariant(when=lambda s: len(s.members) > 1)
        def at_some_sizes(s):
            return True

    assert [a.name for a in actions(Model(Claimed()))] == names


def test_parameters_that_follow_from_others() -> None:
    """A parameter that depends on a size, treated as known."""
    given = GivenParameters({"limit": 3, "members": 2}, {"members"})
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
        with pytest.raises(SpecError, match="an index of any size has no fixed size here"):
            one()
    with pytest.raises(SpecError, match="members: an index of any size"):
        SizelessParameters({})["members"]

    class Derived(Club):
        def derive(s, given):
            return {"limit": 3}

    class Known(Club):
        def derive(s, given):
            return {"limit": 2 if given.get("limit", 2) else 0}

    with pytest.raises(SpecError, match="limit follows from the size of an index"):
        model = Model(Derived())
        model.spec.parameters["limit"] = 2
        ParametricRun(model).sizeless()
    ParametricRun(Model(Known())).sizeless()


def test_what_a_run_decides(club: Model) -> None:
    """A branch that was chosen and is not taken, or that is recorded although it was known."""
    run = ParametricRun(club, decisions=[False])
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
        with pytest.raises(Exception) as caught:
            run.assume(impossible)
        assert type(caught.value).__name__ == "Disabled"


def test_a_member_is_known_where_it_is_gone_through(club: Model) -> None:
    """A member's value used where the loop variable stands for no member."""
    one, other = symbol("members"), symbol("members")
    there = ParametricRun(club).before("knows", (one, other))
    ParametricRun(club, (one, other)).must_be_known(there)
    ParametricRun(club, (one,)).must_be_known(there, [other])
    ParametricRun(club).must_be_known(there, [one, other])
    for run, loops in (
        (ParametricRun(club), [one]),
        (ParametricRun(club, (other,)), []),
        (ParametricRun(club), []),
    ):
        with pytest.raises(SpecError, match="used outside the loop"):
            run.must_be_known(there, loops)


def test_a_truth_value_does_not_start_with_a_number(club: Model) -> None:
    """A number of members accepted as an initial truth value."""

    class Numbered(Club):
        there = Array(Club.members, Boolean(initially=lambda s, p: p))

    run = ParametricRun(Model(Numbered()))
    with pytest.raises(SpecError, match="there is a truth value and starts with a number"):
        run.first("there", (symbol("members"),))
    assert run_of(club, lambda s: every()) is True
    assert run_of(club, lambda s: some()) is False
