"""Symmetry detection: members that are interchangeable, and differences that prevent it."""

from __future__ import annotations

from enum import IntEnum

import pytest

from counterpoint.models.symbolic.symmetry import (
    MemberExchange,
    Symmetry,
    exchange,
    interchangeable,
    same,
)
from counterpoint.models.symbolic.trace import System, trace
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Reference,
    Spec,
    action,
    finished,
    initially,
    invariant,
    nodes,
    require,
    some,
    transition,
)


class Nobody(IntEnum):
    """The value of a reference that names no member."""

    NOBODY = -1


def names(system: System) -> list[str]:
    """Return the names of interchangeable members, with all claims selected."""
    return [n for n, _ in interchangeable(system, system.claims.values()).indices]


class Even(Spec):
    """Two members that are interchangeable; each subclass adds a difference between them."""

    members = Index(2, names="p")
    n = Array(members, Integer(0, 2, initially=ANY))
    flag = Array(members, Boolean())
    who = Reference(members, Nobody)

    @action
    def go(s, p):
        require(s.n[p] < 2)
        s.n[p] = s.n[p] + 1
        s.who = p

    @action
    def raise_it(s, p):
        require(s.who == p)
        s.flag[p] = True

    @invariant
    def fine(s):
        return some(s.n[p] < 2 for p in s.members)


class GuardOfOne(Even):
    """A guard that is weaker for one member."""

    @action
    def raise_it(s, p):
        require(s.who == p)
        require(p == 0)
        s.flag[p] = True


class UpdateOfOne(Even):
    """An update that differs for one member."""

    @action
    def raise_it(s, p):
        require(s.who == p)
        s.flag[p] = p == 0


class LeavesOfOne(Even):
    """A step that leaves a range for one member only."""

    @action
    def raise_it(s, p):
        require(s.n[p] == 2, s.who == p)
        s.n[p] = s.n[p] + 1 if p == 0 else 2


class CheckOfOne(Even):
    """A transition property about one member only."""

    @transition
    def first_stays(s, after):
        return after.n[0] >= s.n[1] or s.flag[0]


class ClaimOfOne(Even):
    """A claim about one member only."""

    @invariant
    def first(s):
        return s.n[0] < 2


class EndOfOne(Even):
    """A run ends when one particular member is done."""

    @finished
    def over(s):
        return s.n[1] == 2


class StartOfOne(Even):
    """One member starts in another state."""

    @initially
    def start(s):
        return s.n[0] == 0


class ReferenceToOne(Even):
    """A reference whose initial value is one member."""

    who = Reference(Even.members, Nobody, initially=0)


class OrderOfOne(Even):
    """A reference compared by ``<``, so that the order of the members matters."""

    @action
    def raise_it(s, p):
        require(s.who < 1)
        s.flag[p] = True


class StepOfOne(Even):
    """A step without a member parameter that changes one member."""

    @action
    def reset(s):
        require(s.n[0] == 2)
        s.n[0] = 0


@pytest.mark.parametrize(
    "cls",
    [GuardOfOne, UpdateOfOne, LeavesOfOne, CheckOfOne, ClaimOfOne, EndOfOne, StartOfOne,
     ReferenceToOne, OrderOfOne, StepOfOne],
)  # fmt: skip
def test_what_makes_a_difference_is_no_exchange(cls: type[Spec]) -> None:
    """States left out although no visited state is equivalent to them."""
    assert names(trace(Model(Even()))) == ["members"]
    assert names(trace(Model(cls()))) == []


def test_only_claims_that_are_asked_make_a_difference() -> None:
    """A symmetry that is lost because of a claim that was not selected."""
    system = trace(Model(ClaimOfOne()))
    found = interchangeable(system, [system.claims["fine"]])
    assert [n for n, _ in found.indices] == ["members"]


class Rewritten(Even):
    """The same update for both members, written differently, so that z3 must compare them."""

    @action
    def raise_it(s, p):
        require(s.who == p)
        if p == 0:
            s.flag[p] = s.n[0] + s.n[0] > 3
        else:
            s.flag[p] = s.n[1] > 1

    @invariant
    def words(s):
        return s.n[0] > 0 or s.n[1] > 0 or not s.flag[1] or not s.flag[0]


def test_the_same_in_other_words_is_the_same() -> None:
    """Symmetry that is overlooked where the text for two members differs."""
    system = trace(Model(Rewritten()))
    assert names(system) == ["members"]
    [(_, (by,))] = interchangeable(system, system.claims.values()).indices
    one = Symmetry(system, Even.members, by)
    assert all(one._steps_alike(step) for step in system.model.steps)
    assert [one._other(step).binding for step in system.model.steps] == [
        (1 - step.binding[0],) for step in system.model.steps
    ]


def test_what_is_the_same_word_for_word_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of z3 for members whose commands are literally the same."""

    def refused(_: object) -> bool:
        raise AssertionError

    system = trace(Model(Even()))
    monkeypatch.setattr("counterpoint.models.symbolic.smt.satisfiable", refused)
    [(_, (by,))] = interchangeable(system, [system.claims["fine"]]).indices
    assert hash(by) == hash(exchange(system.model, Even.members, 0))


def test_expressions_are_the_same_in_every_state() -> None:
    """Expressions called equal that differ in one state, or equal ones not recognised."""
    system = trace(Model(Even()))
    of = {c.label: n for c, n in zip(system.model.cells, system.cells, strict=True)}
    a, b = (n for label, n in of.items() if label.startswith("n["))
    assert same([a, b], [a, b])
    assert same([], [])
    assert not same([a, b], [b, a])
    assert not same([a, a], [a, b])
    two = nodes.constant(2)
    assert same([nodes.add(a, b)], [nodes.add(b, a)])
    assert same([nodes.less(nodes.constant(1), a)], [nodes.equal(a, two)])
    assert not same([nodes.less(nodes.constant(0), a)], [nodes.equal(a, two)])
    with pytest.raises(ValueError, match="zip"):
        same([a], [])


def test_an_exchange_of_unlike_ranges_is_none() -> None:
    """A value moved to a cell whose range does not contain it."""
    system = trace(Model(Even()))
    n0, n1, f0, f1, who = range(5)
    assert [c.variable for c in system.model.cells] == ["n", "n", "flag", "flag", "who"]
    right = MemberExchange((n1, n0, f1, f0, who), frozenset({who}), 0)
    assert Symmetry(system, Even.members, right).holds([])
    mixed = MemberExchange((f0, n1, n0, f1, who), frozenset({who}), 0)
    assert not Symmetry(system, Even.members, mixed).holds([])


class Unlike(Spec):
    """Variables that no command uses; only the first is like the second."""

    members = Index(2, names="p")
    first = Integer(0, 2)
    second = Integer(0, 2)
    longer = Integer(0, 3)
    later = Integer(0, 2, initially=1)
    anywhere = Integer(0, 2, initially=ANY)
    moves = Boolean()

    @action
    def go(s):
        s.moves = True


@pytest.mark.parametrize(
    ("other", "alike"), [(1, True), (2, False), (3, False), (4, False), (5, False)]
)
def test_only_like_cells_are_exchanged(other: int, alike: bool) -> None:
    """A value moved to a cell with another range or another initial value."""
    system = trace(Model(Unlike()))
    moves = list(range(len(system.cells)))
    moves[0], moves[other] = other, 0
    by = MemberExchange(tuple(moves), frozenset(), 0)
    assert Symmetry(system, Unlike.members, by).holds([]) == alike
