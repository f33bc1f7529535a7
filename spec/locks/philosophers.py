"""Dining philosophers (Dijkstra, EWD 310, 1971; in the form with forks of Hoare, 1985)."""

from __future__ import annotations

from enum import IntEnum

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Index,
    Member,
    Spec,
    Value,
    action,
    decreases,
    every,
    finished,
    invariant,
    leads_to,
    no,
    require,
    some,
    sometimes,
)


class Place(IntEnum):
    """The activity of a philosopher."""

    THINKS = 0
    HUNGRY = 1
    HAS_ONE = 2
    EATS = 3
    HAS_OTHER = 4


class Philosophers(Spec):
    """Philosophers around a table with a fork between neighbours; each needs two forks to eat."""

    philosophers = Index(5, names="p", labels="P", at_least=2, help="how many sit around the table")
    left_handed = Choice(
        "all", "all-but-one", help="who takes the left fork first; if all do, they may all starve"
    )
    fairness = Choice(
        "none", "weak", "strong",
        help="whether a fork that is free is taken at last, and whether forks are put down",
    )  # fmt: skip

    place = Array(philosophers, Member(Place))
    free = Array(philosophers, Boolean(), initially=True)

    @action
    def get_hungry(s, p: int) -> None:
        """Stop thinking."""
        require(s.place[p] == Place.THINKS)
        s.place[p] = Place.HUNGRY

    @action(fair=lambda s: s.fairness)
    def take_one(s, p: int) -> None:
        """Take the first fork."""
        require(s.place[p] == Place.HUNGRY, s.free[s.first(p)])
        s.free[s.first(p)] = False
        s.place[p] = Place.HAS_ONE

    @action(fair=lambda s: s.fairness)
    def take_other(s, p: int) -> None:
        """Take the second fork and eat."""
        require(s.place[p] == Place.HAS_ONE, s.free[s.second(p)])
        s.free[s.second(p)] = False
        s.place[p] = Place.EATS

    @action(fair=lambda s: "none" if s.fairness == "none" else "weak")
    def put_one(s, p: int) -> None:
        """Stop eating and put the first fork down."""
        require(s.place[p] == Place.EATS)
        s.free[s.first(p)] = True
        s.place[p] = Place.HAS_OTHER

    @action(fair=lambda s: "none" if s.fairness == "none" else "weak")
    def put_other(s, p: int) -> None:
        """Put the second fork down and think."""
        require(s.place[p] == Place.HAS_OTHER)
        s.free[s.second(p)] = True
        s.place[p] = Place.THINKS

    def first(s, p: int) -> int:
        """Return the fork that p takes first; fork p is the one on the left of p."""
        right_handed = s.left_handed == "all-but-one" and p == 0
        return (p + 1) % len(s.philosophers) if right_handed else p

    def second(s, p: int) -> int:
        """Return the other fork of p."""
        return p + (p + 1) % len(s.philosophers) - s.first(p)

    @invariant
    def neighbours_do_not_eat_together(s) -> Value:
        """No two neighbours eat at the same time."""
        around = len(s.philosophers)
        return no(
            every(s.place[p] == Place.EATS, s.place[(p + 1) % around] == Place.EATS)
            for p in s.philosophers
        )

    @sometimes
    def somebody_eats(s) -> Value:
        """A philosopher can eat."""
        return some(s.place[p] == Place.EATS for p in s.philosophers)

    @sometimes(when=lambda s: len(s.philosophers) > 3)
    def two_eat(s) -> Value:
        """Two philosophers who are not neighbours can eat at the same time."""
        return every(s.place[p] == Place.EATS for p in (0, 2))

    @leads_to(when=lambda s: s.fairness != "none")
    def who_is_hungry_eats(s) -> tuple[Value, Value]:
        """The first philosopher, once hungry, eats."""
        return s.place[0] == Place.HUNGRY, s.place[0] == Place.EATS

    @leads_to(when=lambda s: s.fairness != "none")
    def who_eats_thinks_again(s) -> tuple[Value, Value]:
        """The first philosopher, once eating, thinks again."""
        return s.place[0] == Place.EATS, s.place[0] == Place.THINKS

    @decreases(of=who_eats_thinks_again)
    def forks_to_put_first(s) -> Value:
        """How many forks the first philosopher puts down before the last one."""
        return Place.HAS_OTHER - s.place[0]

    @finished
    def never(s) -> Value:
        """They dine for ever."""
        return False
