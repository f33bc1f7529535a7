"""Mutants of JVSTM."""

from __future__ import annotations

from counterpoint.spec.notation import Value, action, maximum, mutant, require
from counterpoint.spec.stm.jvstm import JVSTM, Stage

CHAIN = JVSTM.criteria


@mutant(
    readings={"tag": "current"},
    killed={**dict.fromkeys(CHAIN, 9), "serializability": 10, "strict-serializability": 10},
)
class VersionsCarryThePresentNumber(JVSTM):
    """An update's versions carry the number that was the most recent when it committed."""


@mutant(
    readings={"advance": "first"},
    killed={**dict.fromkeys(CHAIN, 10), "serializability": 11, "strict-serializability": 11},
)
class NumberIsPublicBeforeTheVersions(JVSTM):
    """An update makes its number the most recent one before its versions are there."""


@mutant(readings={"validation": "writes"}, killed={**dict.fromkeys(CHAIN, 16), "tms2": 15})
class ValidatesOnlyWhatItWrites(JVSTM):
    """A validation checks only the objects that are written: snapshot isolation."""


@mutant(killed=dict.fromkeys(CHAIN, 16))
class TakesTheHeldLock(JVSTM):
    """The commit lock is taken even if another transaction holds it."""

    @action
    def lock(s, t: int) -> None:
        """Take it, be it free or not."""
        require(s.may_commit(t), s.writes_something(t))
        s.record_commit_call(t)
        s.lock_owner = t
        s.stage[t] = Stage.LOCKED


@mutant(
    killed={
        **dict.fromkeys(CHAIN, 9),
        "serializability": 10,
        "strict-serializability": 10,
        "an-old-version-is-wanted": None,
    }
)
class ReadsTheNewest(JVSTM):
    """A read returns the newest version, whenever its transaction began."""

    def version_at(s, time: Value, x: int) -> Value:
        """Return the newest, whatever the time."""
        return s.writer[x]


@mutant(
    killed={
        "strict-serializability": 10,
        "virtual-world-consistency": 10,
        "opacity": 9,
        "tms2": 9,
        "alone-commits": 12,
        "a-new-version-is-read": None,
    }
)
class BeginsInThePast(JVSTM):
    """A transaction starts one number too early."""

    @action
    def begin(s, t: int) -> None:
        """Start before the most recent number."""
        super().begin(t)
        s.start[t] = maximum(s.start[t] - 1, 0)


@mutant(killed={"idle-holds-nothing": 12})
class AbortKeepsTheLock(JVSTM):
    """An update that aborts does not release the commit lock."""

    @action
    def validate(s, t: int) -> None:
        """Abort with the lock held."""
        owner = s.lock_owner
        super().validate(t)
        if s.stage[t] == Stage.OUTSIDE:
            s.lock_owner = owner


@mutant(killed={"time-runs-forward": 12})
class KeepsTwoVersions(JVSTM):
    """A box forgets the last update's version when it gets the next."""

    @action
    def publish(s, t: int, x: int) -> None:
        """Add a version, and forget those of other updates."""
        super().publish(t, x)
        for u in s.transactions:
            if u != t:
                s.kept[u, x] = False
