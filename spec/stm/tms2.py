"""TMS2: an abstract transactional memory, opaque by construction, and memories that refine it.

The automaton of S. Doherty, L. Groves, V. Luchangco and M. Moir, Towards formally specifying and
verifying transactional memory, Formal Aspects of Computing 25, 2013. The memory is a sequence of
states, one after each commit of an update. All reads of a transaction must be those of one state,
not older than its begin; an update commits if they are those of the last one. Apart from that a
transaction may do anything, at any time, and may be aborted as long as its commit has no effect.

A memory refines TMS2 if each of its steps is one of TMS2's, or is invisible there. Then each of its
histories is opaque, whatever its locks and clocks do.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Array,
    DerivedIndex,
    Integer,
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    maximum,
    no,
    refines,
    require,
    some,
)

from .memory import Source, Status, TransactionalMemory
from .window import Stage, Window

Memory = TransactionalMemory


class TMS2(TransactionalMemory):
    """Transactions that read one state of the memory each, and commit on the last one."""

    name = "tms2"
    without = ("alone_commits",)

    moments = DerivedIndex(lambda s: len(s.transactions) + 1, names="n")
    """The states of the memory: how many updates have committed."""

    order = Array(Memory.transactions, Integer(0, lambda s: len(s.transactions)))
    """The number of an update's commit, from 1; 0 before it."""
    since = Array(Memory.transactions, Integer(0, lambda s: len(s.transactions)))
    """How many updates had committed when a transaction began."""

    # The memory

    def commits(s) -> Value:
        """Return how many updates have committed."""
        return maximum(s.order[t] for t in s.transactions)

    def version(s, n: Value, x: int) -> Value:
        """Return who wrote the value that x has after n commits."""
        found: Value = Source.FIRST
        latest: Value = 0
        for w in s.transactions:
            later = every(s.wrote[w, x], s.order[w] > latest, s.order[w] <= n)
            found, latest = ite(later, w, found), ite(later, s.order[w], latest)
        return found

    def explains(s, t: int, n: Value) -> Value:
        """Return whether all that t has read is what the objects have after n commits."""
        return every(
            implies(s.has_read(t, x), s.source[t, x] == s.version(n, x)) for x in s.objects
        )

    # What a transaction does

    @action
    def begin(s, t: int) -> None:
        """See what has committed."""
        s.record_begin(t)
        s.since[t] = s.commits()

    @action
    def read(s, t: int, x: int, n: int) -> None:
        """Read x after n commits, if that explains what was read before, too."""
        require(s.may_operate("r", t, x))
        if s.returns_own_copy(t, x):
            return
        require(s.since[t] <= n, s.commits() >= n, s.explains(t, n))
        s.record_read_of(t, x, s.version(n, x))

    @action
    def write(s, t: int, x: int) -> None:
        """Buffer a value."""
        require(s.may_operate("w", t, x))
        s.record_write(t, x)

    @action
    def commit_read_only(s, t: int) -> None:
        """Commit without an effect."""
        require(s.may_commit(t), no(s.writes_something(t)))
        s.record_commit(t)

    @action
    def ask_to_commit(s, t: int) -> None:
        """Ask to commit an update."""
        require(s.may_commit(t), s.writes_something(t))
        s.record_commit_call(t)

    @action
    def take_effect(s, t: int) -> None:
        """Make a new state of the memory, if all that t has read is current."""
        require(s.status[t] == Status.COMMITTING, s.order[t] == 0, s.explains(t, s.commits()))
        s.order[t] = s.commits() + 1
        for x in s.objects:
            if s.wrote[t, x]:
                s.record_publish(t, x)

    @action
    def answer(s, t: int) -> None:
        """Say that an update has committed."""
        require(s.status[t] == Status.COMMITTING, s.order[t] > 0)
        s.record_commit(t)

    @action
    def abort(s, t: int) -> None:
        """Abort a transaction without an effect."""
        asks = every(s.status[t] == Status.COMMITTING, s.order[t] == 0)
        require(some(s.status[t] == Status.LIVE, asks))
        s.record_abort(t)

    @invariant
    def one_moment_explains_all(s) -> Value:
        """What a running transaction has read is what the objects had at one moment since."""
        return every(
            implies(
                s.status[t] == Status.LIVE,
                some(every(s.since[t] <= n, s.commits() >= n, s.explains(t, n)) for n in s.moments),
            )
            for t in s.transactions
        )


class Refining(TransactionalMemory):
    """A memory, with what TMS2 needs to know of it: when its commits take effect."""

    effect = Array(Memory.transactions, Integer(0, lambda s: len(s.transactions), grows=True))
    """The number of an update's commit, from 1; 0 before it."""
    since = Array(Memory.transactions, Integer(0, lambda s: len(s.transactions), grows=True))
    """How many updates had committed when a transaction began."""

    def effects(s) -> Value:
        """Return how many updates have committed."""
        return maximum(s.effect[t] for t in s.transactions)

    def record_begin(s, t: Value) -> None:
        """Record what has committed."""
        super().record_begin(t)
        s.since[t] = s.effects()

    @refines(TMS2)
    def is_tms2(s, abstract: TMS2) -> None:
        """Each step is one of TMS2's: reads are of one moment, and updates read what is current."""
        for t in s.transactions:
            abstract.status[t], abstract.position[t] = s.status[t], s.position[t]
            abstract.order[t], abstract.since[t] = s.effect[t], s.since[t]
            for u in s.transactions:
                abstract.before[t, u] = s.before[t, u]
                abstract.before_commit[t, u] = s.before_commit[t, u]
            for x in s.objects:
                abstract.source[t, x], abstract.wrote[t, x] = s.source[t, x], s.wrote[t, x]
        for x in s.objects:
            abstract.writer[x] = abstract.version(abstract.commits(), x)


class RefiningWindow(Refining, Window):
    """The window protocol: a commit takes effect when it draws its time."""

    name = "window-tms2"

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Draw the commit time; this is the moment at which the update takes effect."""
        super().fetch_and_increment(t)
        s.effect[t] = s.effects() + 1

    def pick_time(s, t: int) -> None:
        """Commit inside the window; the update takes effect now, though its time is past."""
        super().pick_time(t)
        if s.stage[t] == Stage.PUBLISHING:
            s.effect[t] = s.effects() + 1
