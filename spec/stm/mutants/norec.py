"""Mutants of NOrec."""

from __future__ import annotations

from counterpoint.spec.notation import Value, action, every, mutant, require, some
from counterpoint.spec.stm.memory import Source
from counterpoint.spec.stm.norec import NOrec, Stage

CHAIN = NOrec.criteria


@mutant(
    readings={"comparison": "late"},
    at={"programs": "r x, r y; w y; w y, w x"},
    killed={**dict.fromkeys(CHAIN, 21), "serializability": 22, "strict-serializability": 22},
)
class SnapshotIsTooLate(NOrec):
    """A comparison takes the clock at its end as the snapshot."""


@mutant(
    killed={
        **dict.fromkeys(CHAIN, 16),
        "virtual-world-consistency": 15,
        "opacity": 15,
        "tms2": 14,
        "a-snapshot-moves": None,
    }
)
class ComparesNothing(NOrec):
    """A transaction whose snapshot is old takes the new one and compares nothing."""

    def must_compare(s, t: int, x: int) -> Value:
        """Return false always."""
        return False


@mutant(
    killed={**dict.fromkeys(CHAIN, 16), "virtual-world-consistency": 15, "opacity": 15, "tms2": 14}
)
class ComparesOnlyWhatItWrites(NOrec):
    """A comparison checks only objects that the transaction also writes."""

    def must_compare(s, t: int, x: int) -> Value:
        """Pass over what is only read."""
        return every(super().must_compare(t, x), s.wrote[t, x])


@mutant(killed={**dict.fromkeys(CHAIN, 14), "tms2": 12})
class AcquiresAtAnyClock(NOrec):
    """A commit moves the clock from any even value, without a comparison."""

    @action
    def acquire(s, t: int) -> None:
        """Move the clock, whatever the snapshot."""
        require(s.is_free())
        snapshot = s.snapshot[t]
        s.snapshot[t] = s.clock
        super().acquire(t)
        s.snapshot[t] = snapshot


@mutant(
    killed={
        **dict.fromkeys(CHAIN, 10),
        "serializability": 11,
        "strict-serializability": 11,
        "one-publisher": 3,
    }
)
class IgnoresTheSequenceLock(NOrec):
    """Snapshots are taken even while the clock is odd, that is, while another publishes."""

    def is_free(s) -> Value:
        """Take it for free."""
        return True


@mutant(killed={**dict.fromkeys(CHAIN, 10), "serializability": 11, "strict-serializability": 11})
class ReturnsWithoutLooking(NOrec):
    """A read returns the loaded value without checking the clock."""

    def is_at_snapshot(s, t: int) -> Value:
        """Pass over it while t reads."""
        return some(super().is_at_snapshot(t), s.loaded[t] != Source.NOT_READ)


@mutant(
    killed={
        **dict.fromkeys(CHAIN, 10),
        "serializability": 11,
        "strict-serializability": 11,
        "one-publisher": 3,
    }
)
class ReleasesBeforePublishing(NOrec):
    """A commit makes the clock even again before it has stored all values."""

    @action
    def acquire(s, t: int) -> None:
        """Move the clock to the next even number at once."""
        super().acquire(t)
        s.clock = s.clock + 1

    @action
    def release(s, t: int) -> None:
        """Commit without moving the clock again."""
        require(s.stage[t] == Stage.PUBLISHING)
        s.clock = s.clock - 1
        super().release(t)


@mutant(
    killed={
        "a-new-version-is-read": None,
        "one-publisher": 5,
        "a-snapshot-moves": None,
        "no-deadlock": 5,
    }
)
class ReleaseLeavesTheClockOdd(NOrec):
    """A commit ends and leaves the sequence lock taken."""

    @action
    def release(s, t: int) -> None:
        """Commit without moving the clock."""
        super().release(t)
        s.clock = s.clock - 1
