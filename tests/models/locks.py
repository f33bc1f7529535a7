"""A lock for any number of people, with and without the lemmas that a proof of it needs."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.prove.sizes import any_number
from counterpoint.models.prove.sizes.quantifiers import QuantifiedProver
from counterpoint.models.verdict import Verdict
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
    count,
    every,
    implies,
    initially,
    invariant,
    lemma,
    require,
    some,
    sometimes,
    transition,
)


class Nobody(IntEnum):
    """The value of a reference that names no member."""

    NOBODY = -1


class Lock(Spec):
    """The person who has the key may be inside; all others are outside."""

    any_number = ("people",)
    people = Index(2, names="p q", labels="P")
    inside = Array(people, Boolean())
    key = Reference(people, Nobody)
    turns = Integer(0, 3)
    seen = Integer(0, 9, grows=True)
    from_any = Array(people, Integer(0, 2, initially=ANY))

    @initially
    def low(s):
        return every(s.from_any[p] <= 1 for p in s.people)

    @action
    def enter(s, p):
        require(s.key == Nobody.NOBODY)
        s.key = p
        s.inside[p] = True

    @action
    def leave(s, p):
        require(s.inside[p])
        s.inside[p] = False
        s.key = Nobody.NOBODY

    @action
    def look(s):
        require(s.turns < 3)
        s.turns = s.turns + 1
        s.seen = s.seen + 1

    @invariant
    def one_inside(s):
        return count(s.inside[p] for p in s.people) <= 1

    @invariant
    def few_turns(s):
        return s.turns <= 3

    @sometimes
    def somebody(s):
        return some(s.inside[p] for p in s.people)

    @transition
    def never_back(s, after):
        return after.turns >= s.turns


class Proved(Lock):
    """The lock with the lemmas that its proof needs."""

    @lemma
    def has_the_key(s):
        return every(implies(s.inside[p], s.key == p) for p in s.people)

    @lemma
    def within(s):
        return every(s.from_any[p] < 2 for p in s.people)


class Broken(Proved):
    """A lock whose key can be stolen, so that several lemmas are not kept."""

    @action
    def steal(s, p):
        s.key = p

    @lemma
    def at_most(s):
        return count(s.inside[p] for p in s.people) <= 1

    @lemma
    def wrong_at_the_start(s):
        return every(s.from_any[p] == 0 for p in s.people)

    @lemma
    def fine(s):
        return s.turns >= 0


def checked(model: Model, **more: Any) -> dict[str, Verdict]:
    """Return verdicts by property."""
    return {v.claim.name: v for v in any_number.check(model, **more)}


ANY_NUMBER = "every step, any number of people"


def prover(model: Model) -> QuantifiedProver:
    """Return a prover of a spec's lemmas."""
    return QuantifiedProver(model, Limits())


class Until(Limits):
    """A limit that is reached as soon as a given progress line is reported."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line

    def check(self, line: str = "") -> None:
        """Raise the limit if the progress line is the given one."""
        if line.startswith(self.line):
            raise LimitReached("it is late")
