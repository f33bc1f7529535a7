"""Peterson's algorithm for two processes (Information Processing Letters 12(3), 1981)."""

from __future__ import annotations

from enum import IntEnum

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Member,
    Spec,
    Value,
    action,
    every,
    finished,
    implies,
    invariant,
    lemma,
    no,
    require,
    some,
    sometimes,
)


class Place(IntEnum):
    """The place of a process."""

    OUTSIDE = 0
    WANTS = 1
    WAITS = 2
    INSIDE = 3


class Peterson(Spec):
    """Two processes with a flag each and a shared turn."""

    processes = Index(2, names="p", labels="P", at_least=2, at_most=2, help="always two")
    first = Choice("flag", "turn", help="what a process sets first; with the turn first it fails")

    place = Array(processes, Member(Place))
    flag = Array(processes, Boolean())
    turn = Integer(0, 1)

    @action
    def want(s, p: int) -> None:
        """Raise the flag, or give the turn away."""
        require(s.place[p] == Place.OUTSIDE)
        s.set(p, s.first == "flag")
        s.place[p] = Place.WANTS

    @action
    def wait(s, p: int) -> None:
        """Give the turn away, or raise the flag."""
        require(s.place[p] == Place.WANTS)
        s.set(p, s.first == "turn")
        s.place[p] = Place.WAITS

    @action
    def enter(s, p: int) -> None:
        """Enter when the other process does not want to, or has given the turn away."""
        require(s.place[p] == Place.WAITS)
        require(some(no(s.flag[1 - p]), s.turn == p))
        s.place[p] = Place.INSIDE

    @action
    def leave(s, p: int) -> None:
        """Leave and lower the flag."""
        require(s.place[p] == Place.INSIDE)
        s.flag[p] = False
        s.place[p] = Place.OUTSIDE

    def set(s, p: int, flag: bool) -> None:
        """Raise p's flag, or give the turn to the other process."""
        if flag:
            s.flag[p] = True
        else:
            s.turn = 1 - p

    @invariant
    def mutual_exclusion(s) -> Value:
        """The two processes are never inside together."""
        return no(every(s.place[p] == Place.INSIDE for p in s.processes))

    @lemma
    def flags_tell(s) -> Value:
        """A flag is up from the first step of its process (or the second) until its last step."""
        up = Place.WANTS if s.first == "flag" else Place.WAITS
        return every((s.place[p] >= up) == s.flag[p] for p in s.processes)

    @lemma
    def who_waits_gave_way(s) -> Value:
        """While one process is inside and the other waits, the turn belongs to the one inside."""
        return every(
            implies(every(s.place[p] == Place.INSIDE, s.place[1 - p] == Place.WAITS), s.turn == p)
            for p in s.processes
        )

    @sometimes
    def both_wait(s) -> Value:
        """Both processes can wait at the same time."""
        return every(s.place[p] == Place.WAITS for p in s.processes)

    @finished
    def never(s) -> Value:
        """It runs for ever."""
        return False
