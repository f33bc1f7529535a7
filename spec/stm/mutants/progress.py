"""Mutants of the memories that keep opacity and lose progress."""

from __future__ import annotations

from counterpoint.spec.notation import Value, action, every, mutant, no, require, some
from counterpoint.spec.stm.memory import Status
from counterpoint.spec.stm.progress import Progress
from counterpoint.spec.stm.progressing import (
    DSTMProgress,
    JVSTMProgress,
    McRTProgress,
    NOrecProgress,
    TL2Progress,
    WindowProgress,
    runs,
)
from counterpoint.spec.stm.window import Stage

LIVELOCK = {"notion": "livelock-freedom"}


def is_read_by_another(s: Progress, t: int) -> Value:
    """Return whether another transaction that runs has read what t writes."""
    return some(
        every(u != t, runs(s, u), s.has_read(u, x), s.wrote[t, x])
        for u in s.transactions
        for x in s.objects
    )


@mutant(killed={"progressiveness": 2, "strong-progressiveness": 2})
class AlwaysAborts(WindowProgress):
    """Every read and every write aborts: the protocol that does nothing is opaque."""

    @action
    def read(s, t: int, x: int) -> None:
        """Abort."""
        require(s.may_operate("r", t, x))
        s.abort(t)

    @action
    def write(s, t: int, x: int) -> None:
        """Abort."""
        require(s.may_operate("w", t, x))
        s.abort(t)


@mutant(at=LIVELOCK, killed={"livelock-freedom": 16})
class AbortsAtLocksInAnyOrder(WindowProgress):
    """Objects are locked in any order, and a commit that meets a lock aborts."""

    @action
    def lock(s, t: int, x: int) -> None:
        """Lock anything that is needed; if another transaction holds it: abort."""
        first = every(s.may_commit(t), s.writes_something(t))
        require(some(first, s.stage[t] == Stage.LOCKING))
        require(s.needs_lock(t, x), no(s.holds[t, x]))
        if s.locked_by_other(t, x):
            s.abort(t)
            return
        if first:
            s.record_commit_call(t)
            s.stage[t] = Stage.LOCKING
        s.holds[t, x] = True


@mutant(killed={"progressiveness": 5, "strong-progressiveness": 5})
class AbortsAtAnyLock(TL2Progress):
    """A read aborts if any object is locked, whether it reads that or not."""

    def locked_by_other(s, t: int, x: int) -> Value:
        """Return whether another transaction holds anything, while t reads."""
        reads = s.status[t] == Status.LIVE
        others = some(super(AbortsAtAnyLock, s).locked_by_other(t, y) for y in s.objects)
        return some(super().locked_by_other(t, x), every(reads, others))


@mutant(at=LIVELOCK, killed={"livelock-freedom": 15})
class ReleasesForReaders(NOrecProgress):
    """An update that has the sequence lock aborts if a running transaction reads what it writes."""

    @action
    def acquire(s, t: int) -> None:
        """Release the lock again for a reader."""
        super().acquire(t)
        if is_read_by_another(s, t):
            s.clock = s.clock + 1
            s.abort(t)


@mutant(at=LIVELOCK, killed={"livelock-freedom": 10})
class GivesWayToReaders(JVSTMProgress):
    """An update aborts if a running transaction has read what it writes."""

    def is_valid(s, t: int, x: int) -> Value:
        """Ask that no other transaction that runs has read x."""
        return every(super().is_valid(t, x), no(is_read_by_another(s, t)))


@mutant(
    readings={"write-conflict": "abort-self"},
    at={"notion": "obstruction-freedom"},
    killed={"obstruction-freedom": 6},
)
class GivesWayToOwners(DSTMProgress):
    """A transaction aborts itself where another one owns what it writes."""


@mutant(killed={"progressiveness": 4, "strong-progressiveness": 4})
class AbortsAtAnyOwner(McRTProgress):
    """A write aborts if any object has another owner."""

    @action
    def write(s, t: int, x: int) -> None:
        """Look at all records."""
        if s.may_operate("w", t, x) and some(s.owned_by_other(t, y) for y in s.objects):
            s.abort(t)
            return
        super().write(t, x)
