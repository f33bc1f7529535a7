"""A spec with any number of members that uses every construct allowed for such a spec."""

from __future__ import annotations

from enum import IntEnum

from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Number,
    Reference,
    Spec,
    action,
    count,
    every,
    finished,
    implies,
    initially,
    invariant,
    ite,
    lemma,
    no,
    require,
    some,
)


class Nobody(IntEnum):
    """The value of a reference that names no member."""

    NOBODY = -1


class Club(Spec):
    """Members come and go between two rooms, and one of them chairs."""

    any_number = ("members",)
    members = Index(2, names="p q")
    rooms = Index(2, names="r")
    limit = Number(2)
    there = Array(members, Boolean())
    sits = Array((members, rooms), Boolean())
    knows = Array((members, members), Boolean(initially=ANY))
    age = Array(members, Integer(0, 3, initially=lambda s, p: 1))
    chair = Reference(members, Nobody)
    noise = Integer(-1, 2, initially=ANY)
    still = Integer(2, 2)
    talks = Integer(0, 4, grows=True)
    low = Integer(-3, -2)
    open = Boolean(initially=True)

    @action
    def come(s, p):
        require(no(s.there[p]), s.open)
        s.there[p] = True
        if s.chair == Nobody.NOBODY:
            s.chair = p

    @action
    def sit(s, p, r):
        require(s.there[p], no(s.sits[q, r] for q in s.members))
        s.sits[p, r] = True

    @action
    def go(s, p):
        require(s.there[p])
        for r in (0, 1):
            s.sits[p, r] = False
        s.there[p] = False
        s.chair = ite(s.chair == p, Nobody.NOBODY, s.chair)

    @action
    def birthday(s, p):
        s.age[p] = s.age[p] + 1

    @action
    def all_older(s):
        for q in s.members:
            s.age[q] = ite(s.age[q] < 3, s.age[q] + 1, 0)
            s.knows[q, q] = s.age[q] == 0

    @action
    def everybody_meets(s):
        require(count(s.there[q] for q in s.members) >= s.limit)
        for q in s.members:
            for other in s.members:
                s.knows[q, other] = every(s.there[q], s.there[other])

    @action
    def meet(s, p, q):
        require(p != q)
        s.knows[p, q] = True
        s.knows[q, p] = s.knows[p, q] and s.there[q]

    @action
    def shout(s):
        require(s.noise < 2)
        if s.noise == -1:
            s.noise = 1
        elif s.noise == 0:
            s.noise = s.noise + s.still
        else:
            s.talks = s.talks + 1
        s.noise = s.noise - 1

    @action
    def too_loud(s):
        require(s.open)
        s.noise = s.noise + 1
        require(s.noise > 5)

    @action
    def pass_on(s, p):
        require(s.chair == p)
        s.chair = s.chair + 1

    @action
    def shut(s):
        require(count(s.there[q] for q in s.members) == 0)
        s.open = no(s.open)
        s.low = -3

    @action
    def of_the_chair(s):
        s.age[s.chair] = 0

    @action
    def twice(s, p):
        s.age[p] = 2
        s.age[p] = s.age[p] + 1
        s.age[0] = s.age[p]

    @action(when=lambda s: s.limit == 2)
    def quiet(s):
        s.noise = 0

    @initially
    def calm(s):
        return s.noise < 2

    @invariant
    def one_a_room(s):
        return every(count(s.sits[p, r] for p in s.members) <= 1 for r in s.rooms)

    @invariant
    def chair_is_there(s):
        return every(implies(s.chair == p, s.there[p]) for p in s.members)

    @invariant
    def young(s):
        return no(s.age[p] == 3 for p in s.members)

    @lemma
    def first_known(s):
        return some(s.knows[0, 0], s.open)

    @lemma
    def beyond(s):
        return every(s.there[p + 1] for p in s.members)

    @finished
    def over(s):
        return no(s.open)
