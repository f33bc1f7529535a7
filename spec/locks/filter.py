"""Peterson's filter lock for any number of processes (IPL 12(3), 1981, section 3)."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from counterpoint.spec.notation import (
    Array,
    Choice,
    Index,
    Integer,
    Member,
    Reference,
    Spec,
    SpecError,
    Value,
    action,
    every,
    finished,
    invariant,
    no,
    require,
    some,
    sometimes,
)


class Place(IntEnum):
    """The place of a process; on its way in it climbs to each level and waits there."""

    OUTSIDE = 0
    WANTS = 1
    CLIMBS = 2
    WAITS = 3
    INSIDE = 4


class Nobody(IntEnum):
    """No process has reached the level yet."""

    NOBODY = -1


class Filter(Spec):
    """Processes climb level by level; the last to reach a level waits for all as high or higher."""

    name = "filter-lock"

    processes = Index(3, names="p", labels="P", at_least=2, help="how many processes")
    levels = Index(2, labels="L", help="one less than processes; follows from them")
    waits = Choice(
        "for-all",
        "for-higher",
        help="the last on a level waits for all at least as high, or only for those higher",
    )

    place = Array(processes, Member(Place))
    level = Array(processes, Integer(0, lambda s: len(s.levels)))
    last = Array(levels, Reference(processes, Nobody))

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Derive the number of levels from the number of processes."""
        levels = given.get("processes", self.declared_parameters["processes"].default) - 1
        if given.get("levels", levels) != levels:
            raise SpecError(f"{levels + 1} processes need {levels} levels, not {given['levels']}")
        return {"levels": levels}

    @action
    def want(s, p: int) -> None:
        """Start to climb."""
        require(s.place[p] == Place.OUTSIDE)
        s.place[p] = Place.WANTS

    @action
    def climb(s, p: int) -> None:
        """Go to the next level: from outside at once, from a level once p may pass."""
        require(s.level[p] < len(s.levels))
        if s.place[p] != Place.WANTS:
            require(s.place[p] == Place.WAITS, s.may_pass(p))
        s.level[p] = s.level[p] + 1
        s.place[p] = Place.CLIMBS

    @action
    def arrive(s, p: int) -> None:
        """Become the last process to reach this level."""
        require(s.place[p] == Place.CLIMBS)
        s.last[s.level[p] - 1] = p
        s.place[p] = Place.WAITS

    @action
    def enter(s, p: int) -> None:
        """Enter from the highest level once p may pass."""
        require(s.place[p] == Place.WAITS, s.level[p] == len(s.levels), s.may_pass(p))
        s.place[p] = Place.INSIDE

    @action
    def leave(s, p: int) -> None:
        """Leave all levels."""
        require(s.place[p] == Place.INSIDE)
        s.level[p] = 0
        s.place[p] = Place.OUTSIDE

    def may_pass(s, p: int) -> Value:
        """Return whether another process came later, or there is no process for p to wait for."""
        others = [q for q in s.processes if q != p]
        return some(
            no(every(s.level[p] == x + 1, s.last[x] == p) for x in s.levels),
            no(s.level[q] >= s.level[p] if s.waits == "for-all" else s.level[q] > s.level[p]
               for q in others),
        )  # fmt: skip

    @invariant
    def mutual_exclusion(s) -> Value:
        """No two processes are inside together."""
        return no(
            every(s.place[p] == Place.INSIDE, s.place[q] == Place.INSIDE)
            for p in s.processes
            for q in s.processes
            if p < q
        )

    @sometimes
    def somebody_enters_against_all(s) -> Value:
        """One process can be inside while all the others want to enter."""
        return some(
            every(
                s.place[p] == Place.INSIDE,
                every(s.place[q] != Place.OUTSIDE for q in s.processes if q != p),
            )
            for p in s.processes
        )

    @finished
    def never(s) -> Value:
        """It runs for ever."""
        return False
