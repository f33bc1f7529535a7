"""How workers that crawl one PostgreSQL store lock it: `crawler/store/postgresql.py`.

Each writing transaction takes the store's one lock, and locks on rows: a worker that joins changes
the row of the plan, and a worker that runs inserts visits, whose foreign key shares that row. The
parameter ``joins`` says in which order a worker that joins takes the two.
"""

from __future__ import annotations

from enum import IntEnum

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Index,
    Member,
    Reference,
    Spec,
    Value,
    action,
    every,
    finished,
    implies,
    invariant,
    ite,
    lemma,
    no,
    require,
    some,
    sometimes,
)


class Place(IntEnum):
    """What a worker does."""

    AWAY = 0
    JOINS = 1
    RUNS = 2
    WRITES = 3


class Nobody(IntEnum):
    """The holder of a lock that is free."""

    NOBODY = -1


class LinkStore(Spec):
    """Workers that join, write visits and end; each transaction needs the lock and a row."""

    name = "link-store"
    any_number = ("workers",)

    workers = Index(3, names="w", labels="W", at_least=2, help="how many processes crawl the store")
    joins = Choice(
        "lock-first", "rows-first", help="what a worker that joins takes first; rows deadlock"
    )
    circles = Choice(
        "last", "are-broken", help="whether the database aborts a transaction of a circle"
    )

    place = Array(workers, Member(Place))
    lock = Reference(workers, Nobody)
    """Who has the store's advisory lock."""
    row = Reference(workers, Nobody)
    """Who has locked the row of the plan exclusively, as `UPDATE` does."""
    shares = Array(workers, Boolean())
    """Who shares the row of the plan, as the foreign key of an inserted visit does."""

    @action
    def join(s, w: int) -> None:
        """Begin the transaction of a worker that joins."""
        require(s.place[w] == Place.AWAY)
        s.place[w] = Place.JOINS

    @action
    def write(s, w: int) -> None:
        """Begin a transaction that stores visits."""
        require(s.place[w] == Place.RUNS)
        s.place[w] = Place.WRITES

    @action
    def lock_store(s, w: int) -> None:
        """Take the advisory lock."""
        require(s.wants_lock(w), s.lock == Nobody.NOBODY)
        s.lock = w

    @action
    def lock_row(s, w: int) -> None:
        """Lock the row of the plan exclusively."""
        require(s.place[w] == Place.JOINS, s.wants_row(w))
        require(s.row == Nobody.NOBODY, no(s.shares[v] for v in s.workers))
        s.row = w

    @action
    def share_row(s, w: int) -> None:
        """Share the row of the plan."""
        require(s.place[w] == Place.WRITES, s.wants_row(w), s.row == Nobody.NOBODY)
        s.shares[w] = True

    @action
    def commit(s, w: int) -> None:
        """Commit, which releases all locks."""
        require(s.lock == w, s.has_row(w))
        s.release(w)
        s.place[w] = Place.RUNS

    @action
    def end(s, w: int) -> None:
        """End between two transactions."""
        require(s.place[w] == Place.RUNS)
        s.place[w] = Place.AWAY

    @action(when=lambda s: s.circles == "are-broken")
    def abort(s, w: int) -> None:
        """Lose the locks to others, because of a circle; the transaction is repeated."""
        require(some(s.wait_for_each_other(w, v) for v in s.workers))
        s.release(w)

    def release(s, w: Value) -> None:
        """Release the locks of w."""
        s.lock = ite(s.lock == w, Nobody.NOBODY, s.lock)
        s.row = ite(s.row == w, Nobody.NOBODY, s.row)
        s.shares[w] = False

    # Words for the properties

    def has_row(s, w: Value) -> Value:
        """Return whether w has locked the row of the plan as it needs it."""
        return some(s.row == w, s.shares[w])

    def wants_lock(s, w: Value) -> Value:
        """Return whether w waits for the advisory lock, or can take it."""
        writes = some(s.place[w] == Place.JOINS, s.place[w] == Place.WRITES)
        comes = some(s.place[w] == Place.WRITES, s.joins == "lock-first", s.row == w)
        return every(writes, comes, s.lock != w)

    def wants_row(s, w: Value) -> Value:
        """Return whether w waits for the row, or can lock it."""
        joins = every(s.place[w] == Place.JOINS, some(s.joins == "rows-first", s.lock == w))
        writes = every(s.place[w] == Place.WRITES, s.lock == w)
        return every(some(joins, writes), no(s.has_row(w)))

    def waits_for(s, w: Value, v: Value) -> Value:
        """Return whether w cannot go on before v ends its transaction."""
        exclusively = s.place[w] == Place.JOINS
        return some(
            every(s.wants_lock(w), s.lock == v),
            every(s.wants_row(w), s.row == v),
            every(s.wants_row(w), exclusively, s.shares[v]),
        )

    def wait_for_each_other(s, w: Value, v: Value) -> Value:
        """Return whether neither of two workers can go on before the other."""
        return every(s.waits_for(w, v), s.waits_for(v, w))

    # Properties

    @invariant
    def nobody_waits_in_a_circle(s) -> Value:
        """No two workers wait for each other; the two locks allow no longer circle."""
        return no(s.wait_for_each_other(w, v) for w in s.workers for v in s.workers)

    @invariant
    def row_locks_are_compatible(s) -> Value:
        """While a worker has locked the row exclusively, no worker shares it."""
        return no(every(s.row == w, s.shares[v]) for w in s.workers for v in s.workers)

    @invariant
    def visits_need_the_lock(s) -> Value:
        """A worker that has written a visit has the lock until it commits."""
        return every(implies(s.shares[w], s.lock == w) for w in s.workers)

    @invariant
    def the_holder_never_waits(s) -> Value:
        """The worker that has the store's lock can go on, so all others come to it."""
        return no(every(s.lock == w, s.waits_for(w, v)) for w in s.workers for v in s.workers)

    @invariant
    def locks_end_with_transactions(s) -> Value:
        """A worker between two transactions has no lock."""
        return every(
            every(
                implies(s.lock == w, some(s.place[w] == Place.JOINS, s.place[w] == Place.WRITES)),
                implies(s.row == w, s.place[w] == Place.JOINS),
                implies(s.shares[w], s.place[w] == Place.WRITES),
            )
            for w in s.workers
        )

    @lemma(when=lambda s: s.joins == "lock-first")
    def a_row_is_locked_under_the_lock(s) -> Value:
        """The worker that has the row has the lock, so none has the row and waits for the lock."""
        return every(implies(s.has_row(w), s.lock == w) for w in s.workers)

    @sometimes
    def one_joins_while_another_writes(s) -> Value:
        """A worker can join while another has written a visit."""
        return some(
            every(s.place[w] == Place.JOINS, s.shares[v])
            for w in s.workers
            for v in s.workers
            if w != v
        )

    @finished
    def never(s) -> Value:
        """Workers come and go for ever."""
        return False
