"""Two elevators and people: who waits arrives at the floor that they want.

By Andrew Helwer; module Elevator of tlaplus/Examples. A call goes to the nearest elevator that
stands still or comes that way. Closing the doors, moving and dispatching are strongly fair.

    counterpoint check elevators.py
"""

from enum import IntEnum

from counterpoint import (
    ANY,
    Array,
    Boolean,
    DerivedIndex,
    Index,
    Integer,
    Member,
    Number,
    Set,
    Spec,
    action,
    every,
    implies,
    initially,
    invariant,
    ite,
    leads_to,
    no,
    require,
    some,
)


class Way(IntEnum):
    """The direction of an elevator or a call."""

    DOWN, UP, NONE = range(3)


class Elevators(Spec):
    """A place below zero is an elevator: -1 is the first one."""

    people = Index(2, names="p", labels="P")
    elevators = Index(2, names="e", labels="E")
    top = Number(2, at_least=2, at_most=4, help="how many floors there are")
    floors = DerivedIndex(lambda s: s.top, names="f", labels="F")
    ways = DerivedIndex(lambda s: 2, names="w")

    place = Array(people, Integer(lambda s: -len(s.elevators), lambda s: s.top - 1, initially=ANY))
    goal = Array(people, Integer(0, lambda s: s.top - 1, initially=ANY))
    waits = Array(people, Boolean())
    calls = Array((floors, ways), Boolean())
    floor = Array(elevators, Integer(0, lambda s: s.top - 1, initially=ANY))
    way = Array(elevators, Member(Way, initially=Way.NONE))
    open = Array(elevators, Boolean())
    pressed = Array(elevators, Set(floors))

    @initially
    def all_are_on_floors(s):
        """Nobody is in an elevator."""
        return every(s.place[p] >= 0 for p in s.people)

    def serves(s, e, f, w):
        """An elevator can take those who wait on a floor to go a way."""
        return (s.floor[e] == f) & (s.way[e] == w)

    def is_waiting(s, p, f, w):
        """A person waits on a floor to go a way."""
        up = s.goal[p] > s.place[p]
        return (s.place[p] == f) & s.waits[p] & (up if w == Way.UP else no(up))

    @action
    def pick_goal(s, p, f):
        """A person wants to go to another floor."""
        require(s.waits[p] == 0, s.place[p] >= 0, s.place[p] != f)
        s.goal[p] = f

    @action(fair="weak", fair_for=("p",))
    def call(s, p, f, w):
        """A person presses the button, unless an open elevator can take it there."""
        require(s.waits[p] == 0, s.place[p] == f, s.goal[p] != f)
        require((s.goal[p] > f) == (w == Way.UP))
        s.waits[p] = True
        s.calls[f, w] = s.calls[f, w] | no(s.serves(e, f, w) & s.open[e] for e in s.elevators)

    def can_open(s, e):
        """Somebody waits for it here, or wants to get out here."""
        called = some(s.calls[f, w] & s.serves(e, f, w) for f in s.floors for w in s.ways)
        here = some(s.pressed[e].has(f) & (s.floor[e] == f) for f in s.floors)
        return (s.open[e] == 0) & (called | here)

    @action(fair="weak")
    def open_doors(s, e):
        """An elevator opens its doors; the call is answered."""
        require(s.can_open(e))
        s.open[e] = True
        for f in s.floors:
            for w in s.ways:
                s.calls[f, w] = s.calls[f, w] & no(s.serves(e, f, w))
        s.pressed[e].discard(s.floor[e])

    def gets_on(s, e, p):
        """A person waits here to go its way."""
        return some(s.serves(e, f, w) & s.is_waiting(p, f, w) for f in s.floors for w in s.ways)

    def gets_off(s, e, p):
        """A person is in this elevator and wants to go to its floor."""
        return (s.place[p] == -1 - e) & (s.goal[p] == s.floor[e])

    @action(fair="weak")
    def enter(s, e):
        """All who wait here to go its way get on, and press their buttons."""
        require(s.open[e], some(s.gets_on(e, p) for p in s.people))
        getting_on = [s.gets_on(e, p) for p in s.people]
        for p, on in zip(s.people, getting_on, strict=True):
            s.place[p] = ite(on, -1 - e, s.place[p])
            if on:
                s.pressed[e].add(s.goal[p])

    @action(fair="weak")
    def exit(s, e):
        """All who are at their floor get off."""
        require(s.open[e], some(s.gets_off(e, p) for p in s.people))
        for p in s.people:
            off = s.gets_off(e, p)
            s.waits[p] = s.waits[p] & no(off)
            s.place[p] = ite(off, s.floor[e], s.place[p])

    @action(fair="strong")
    def close_doors(s, e):
        """Close the doors when nobody gets on or off any more."""
        require(s.open[e], no(s.gets_on(e, p) | s.gets_off(e, p) for p in s.people))
        s.open[e] = False

    def at_the_end(s, e):
        """It cannot go on its way."""
        return s.floor[e] == ite(s.way[e] == Way.UP, s.top - 1, 0)

    @action(fair="strong")
    def move(s, e):
        """Go on to the next floor, unless it must open its doors here and no other one can."""
        require(s.way[e] != Way.NONE, s.open[e] == 0, no(s.at_the_end(e)))
        require(no(s.pressed[e].has(f) & (s.floor[e] == f) for f in s.floors))
        others = [k for k in s.elevators if k != e]
        require(
            every(
                implies(s.calls[f, w] & s.serves(e, f, w), some(s.serves(k, f, w) for k in others))
                for f in s.floors
                for w in s.ways
            )
        )
        s.floor[e] = s.floor[e] + ite(s.way[e] == Way.UP, 1, -1)

    @action(fair="weak")
    def stop(s, e):
        """Stand still where it cannot go on."""
        require(s.way[e] != Way.NONE, s.open[e] == 0, no(s.can_open(e)), s.at_the_end(e))
        s.way[e] = Way.NONE

    def distance(s, e, f):
        """How many floors it is away."""
        return ite(s.floor[e] > f, s.floor[e] - f, f - s.floor[e])

    def may_serve(s, e, f, w):
        """It stands still, or comes that way."""
        comes = s.floor[e] <= f if w == Way.UP else s.floor[e] >= f
        return (s.way[e] == Way.NONE) | ((s.way[e] == w) & comes)

    @action(fair="strong", fair_for=("f", "w"))
    def dispatch(s, f, w, e):
        """The nearest one that may serve a call goes there, if it stands still."""
        require(s.calls[f, w], s.may_serve(e, f, w))
        for k in s.elevators:
            nearer = s.distance(k, f) < s.distance(e, f)
            same = (s.distance(k, f) == s.distance(e, f)) & (k < e)
            require(no(s.may_serve(k, f, w) & (nearer | same)))
        if s.way[e] == Way.NONE:
            s.floor[e] = f
            s.way[e] = w

    @invariant
    def buttons_have_people(s):
        """A button is pressed only if somebody inside wants to go there."""
        return every(
            implies(
                s.pressed[e].has(f),
                some((s.place[p] == -1 - e) & (s.goal[p] == f) for p in s.people),
            )
            for e in s.elevators
            for f in s.floors
        )

    @invariant
    def the_way_is_right(s):
        """Who is in an elevator is at the goal, or on the way to it."""
        return every(
            implies(
                (s.place[p] == -1 - e) & (s.floor[e] != s.goal[p]),
                s.way[e] == ite(s.goal[p] > s.floor[e], Way.UP, Way.DOWN),
            )
            for p in s.people
            for e in s.elevators
        )

    @invariant
    def calls_have_people(s):
        """There is no call without somebody who waits."""
        return every(
            implies(s.calls[f, w], some(s.is_waiting(p, f, w) for p in s.people))
            for f in s.floors
            for w in s.ways
        )

    @leads_to
    def who_waits_arrives(s):
        """Who waits comes to the floor that they want; all people are alike."""
        return s.waits[0], s.place[0] == s.goal[0]

    @leads_to
    def a_call_is_served(s):
        """For a call up from the lowest floor there comes an elevator."""
        return s.calls[0, Way.UP], some(s.serves(e, 0, Way.UP) for e in s.elevators)

    @leads_to
    def a_call_down_is_served(s):
        """For a call down from the floor above it there comes one."""
        return s.calls[1, Way.DOWN], some(s.serves(e, 1, Way.DOWN) for e in s.elevators)
