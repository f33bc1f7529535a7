"""Progress of transactional memories: which transactions commit, whatever the others do.

A memory is the text of its own spec; this class lets its transactions run again. A transaction that
has ended begins anew, with other operations if they are chosen freely. Each action is weakly fair
for each transaction: a process goes on while it can. `notion` is what is asked for:

progressiveness
    A transaction is aborted only if it conflicts with a concurrent one: both access an object, and
    one of them writes it. *Strong* progressiveness: of transactions that conflict with no others,
    and with each other on one object only, one at least is not aborted (Guerraoui and Kapalka,
    POPL 2009). Here transactions run once; opacity is judged as well.
livelock-freedom
    If no process stops, some transaction commits, again and again (Guerraoui, Henzinger and Singh,
    Distributed Computing 22, 2010).
obstruction-freedom
    A process that runs alone from some moment on commits again and again, wherever the others have
    stopped (Herlihy, Luchangco, Moir and Scherer, PODC 2003).
lock-freedom
    Wherever some processes stop, but not all, some transaction of the others commits again and
    again.
local-progress
    If no process stops, each commits again and again: T0 stands for all of them, since their
    operations are the same if they are chosen freely (Bushkov, Guerraoui and Kapalka, PODC 2012).

**Why finitely many states suffice.** When a transaction commits, its versions become the first
ones, and what others have read before that counts as old: a memory compares versions, and never
asks whose they are. Clocks and versions are numbers that a memory only compares. Each subclass
moves them together when a transaction begins anew, keeping their order and whether they are equal
or neighbours (`rebase`). The record that criteria need is left out.
"""

from __future__ import annotations

from enum import IntEnum

from counterpoint.spec.notation import (
    Array,
    Choice,
    Integer,
    Number,
    Reference,
    Value,
    action,
    around_actions,
    count,
    every,
    finished,
    infinitely_often,
    invariant,
    ite,
    leads_to,
    no,
    require,
    some,
)

from .memory import Status, TransactionalMemory, Writer
from .stepped import SteppedReads

Memory = TransactionalMemory


class Version(IntEnum):
    """The source of a read, if it is not another transaction."""

    OLD = -3
    NOT_READ = -2
    FIRST = -1


class Progress(TransactionalMemory):
    """Transactions that run again for ever, and the notions of progress."""

    compares_versions = False
    """Whether the memory compares what was read with the version that is current."""

    notion = Choice(
        "progressiveness", "livelock-freedom", "obstruction-freedom", "lock-freedom",
        "local-progress", help="the progress that is asked for", reading=False,
    )  # fmt: skip
    processes = Number(0, at_most=0, help="each transaction has a process of its own")

    source = Array(
        (Memory.transactions, Memory.objects),
        Reference(Memory.transactions, Version),
        initially=Version.NOT_READ,
    )
    stopped = Array(Memory.transactions, Integer(0, lambda s: 1 if s.may_stop else 0))
    """Whether a process has stopped for ever."""
    touched = Array((Memory.transactions, Memory.objects), Integer(0, lambda s: 1 - s.goes_on))
    """History, if transactions run once: which objects a transaction has tried to access."""

    def __init_subclass__(cls) -> None:
        """Take the actions of the memory as they are, and none of its properties."""
        around_actions(cls, Progress.take_turn, fair="weak", fair_for=("t",), leave_out=("stop",))
        cls.without = tuple(
            name
            for above in cls.__mro__[1:]
            for name, mark in getattr(above, "declared_methods", {}).items()
            if mark.kind != "action" and name not in vars(Progress)
        )
        super().__init_subclass__()

    # Runs without an end

    def take_turn(s, t: Value, *objects: Value) -> None:
        """Take a step of t, unless it has stopped; note the object that it accesses."""
        if s.may_stop:
            require(s.stopped[t] == 0)
        if not s.goes_on:
            for x in objects:
                s.touched[t, x] = 1

    @action(when=lambda s: s.goes_on)
    def again(s, t: int) -> None:
        """Begin anew after the end."""
        require(s.ended(t))
        s.status[t] = Status.NOT_BEGUN
        s.rebase()

    @action(when=lambda s: s.may_stop)
    def stop(s, t: int) -> None:
        """Stop for ever, anywhere; the last process goes on."""
        require(s.stopped[t] == 0, s.number_running() > 1)
        s.stopped[t] = 1

    def rebase(s) -> None:
        """Move clocks and versions together."""

    def number_running(s) -> Value:
        """Return how many processes have not stopped."""
        return count(s.stopped[t] == 0 for t in s.transactions)

    @property
    def goes_on(s) -> bool:
        """Whether transactions begin anew."""
        return s.notion != "progressiveness"

    @property
    def may_stop(s) -> bool:
        """Whether processes may stop."""
        return s.notion in ("obstruction-freedom", "lock-freedom")

    # The record, of which only what the memory itself needs is left

    def record_begin(s, t: Value) -> None:
        """Begin t."""
        if s.goes_on:
            require(s.status[t] == Status.NOT_BEGUN)
            s.status[t] = Status.LIVE
        else:
            super().record_begin(t)

    def record_read_of(s, t: Value, x: Value, version: Value) -> None:
        """Let t take a copy of a version; which one matters if the memory compares versions."""
        matters = s.compares_versions or not s.goes_on
        super().record_read_of(t, x, version if matters else Version.FIRST)

    def record_commit_call(s, t: Value) -> None:
        """Let t ask to commit."""
        if s.goes_on:
            s.status[t] = Status.COMMITTING
        else:
            super().record_commit_call(t)

    def record_commit(s, t: Value) -> None:
        """Record that t has committed."""
        super().record_commit(t)
        s.retire(t)

    def record_abort(s, t: Value) -> None:
        """Record that t has aborted."""
        super().record_abort(t)
        s.retire(t)

    def retire(s, t: Value) -> None:
        """Let the versions of t become the first ones, and forget what t did."""
        if s.goes_on:
            s.position[t] = 0
            for x in s.objects:
                s.make_first(t, x)
                s.source[t, x] = Version.NOT_READ
                s.wrote[t, x] = False

    def make_first(s, t: Value, x: int) -> None:
        """Let the version of x that t wrote, if it is current, become the first version of x."""
        current = s.writer[x] == t
        for u in s.transactions:
            s.source[u, x] = s.aged(s.source[u, x], t, current)
        s.writer[x] = ite(current, Writer.FIRST, s.writer[x])

    def aged(s, version: Value, t: Value, current: Value) -> Value:
        """Return what a version that was read is called after t has ended."""
        if_first = ite(every(version == Version.FIRST, current), Version.OLD, version)
        return ite(version == t, ite(current, Version.FIRST, Version.OLD), if_first)

    # What must hold

    @invariant(when=lambda s: not s.goes_on)
    def opacity(s) -> Value:
        """All transactions, live and aborted too, fit one order that respects real time."""
        return super().opacity()

    @invariant(when=lambda s: not s.goes_on)
    def progressiveness(s) -> Value:
        """A transaction is aborted only if it conflicts with a concurrent one."""
        return every(
            some(
                s.status[t] != Status.ABORTED,
                some(s.conflict(t, u, x) for u in s.transactions if u != t for x in s.objects),
            )
            for t in s.transactions
        )

    @invariant(when=lambda s: not s.goes_on)
    def strong_progressiveness(s) -> Value:
        """Not all transactions are aborted of a group that has conflicts on one object only."""
        groups = [
            [t for t in s.transactions if chosen >> t & 1]
            for chosen in range(1, 2 ** len(s.transactions))
        ]
        return no(
            every(
                every(s.status[t] == Status.ABORTED for t in group),
                some(s.conflicts_only_on(group, x) for x in s.objects),
            )
            for group in groups
        )

    def conflicts_only_on(s, group: list[int], x: int) -> Value:
        """Return whether a group conflicts with no others, and within itself on x only."""
        return no(
            s.conflict(t, u, y)
            for t in group
            for u in s.transactions
            if u != t
            for y in s.objects
            if u not in group or y != x
        )

    def conflict(s, t: int, u: int, x: int) -> Value:
        """Return whether two transactions are concurrent, access x, and one writes it."""
        begun = every(s.status[t] != Status.NOT_BEGUN, s.status[u] != Status.NOT_BEGUN)
        apart = some(s.precedes(t, u), s.precedes(u, t))
        access = every(s.touched[t, x] == 1, s.touched[u, x] == 1)
        return every(begun, no(apart), access, some(s.wrote[t, x], s.wrote[u, x]))

    @infinitely_often(when=lambda s: s.notion == "livelock-freedom")
    def livelock_freedom(s) -> Value:
        """Some transaction commits, again and again."""
        return some(s.status[t] == Status.COMMITTED for t in s.transactions)

    @leads_to(when=lambda s: s.notion == "obstruction-freedom")
    def obstruction_freedom(s) -> tuple[Value, Value]:
        """When one process is left, it commits, then and again."""
        return s.number_running() == 1, s.one_that_runs_commits()

    @infinitely_often(when=lambda s: s.notion == "lock-freedom")
    def lock_freedom(s) -> Value:
        """Some process that has not stopped commits, again and again."""
        return s.one_that_runs_commits()

    @infinitely_often(when=lambda s: s.notion == "local-progress")
    def local_progress(s) -> Value:
        """T0 commits again and again."""
        return s.status[0] == Status.COMMITTED

    def one_that_runs_commits(s) -> Value:
        """Return whether a process that has not stopped has just committed."""
        return some(
            every(s.status[t] == Status.COMMITTED, s.stopped[t] == 0) for t in s.transactions
        )

    @finished
    def all_ended(s) -> Value:
        """A run may end when all transactions have; if they begin anew, progress judges ends."""
        return True if s.goes_on else super().all_ended()


class SteppedProgress(Progress, SteppedReads):
    """The same for memories that load a value first, and return or discard it later."""

    loaded = Array(
        Memory.transactions,
        Reference(Memory.transactions, Version),
        initially=Version.NOT_READ,
    )

    def make_first(s, t: Value, x: int) -> None:
        """Let a loaded version of x get older, too."""
        current = s.writer[x] == t
        for u in s.transactions:
            older = s.aged(s.loaded[u], t, current)
            s.loaded[u] = ite(s.target[u] == x, older, s.loaded[u])
        super().make_first(t, x)

    def load_present(s, t: Value, x: Value) -> None:
        """Let t load the current version of x; which one matters if versions are compared."""
        super().load_present(t, x)
        if s.goes_on and not s.compares_versions:
            s.loaded[t] = Version.FIRST
