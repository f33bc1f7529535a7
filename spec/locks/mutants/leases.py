"""Mutants of the leases of hosts."""

from __future__ import annotations

from counterpoint.spec.locks.leases import Leases
from counterpoint.spec.notation import Value, action, every, mutant, some


@mutant(
    killed={
        "only-the-holder-asks": 8,
        "holds-as-said": 8,
        "hosts-are-left-alone": 16,
    }
)
class DoesNotLookAtTheLease(Leases):
    """A dispatcher asks as long as it has jobs, whatever its clock says."""

    def may_ask(s, w: int, h: int) -> Value:
        """Leave out the clock."""
        return every(s.is_alive(w), s.knows(w, h), s.wait[w, h] == 0)


@mutant(
    killed={
        "only-the-holder-asks": 16,
        "holds-as-said": 16,
        "hosts-are-left-alone": 20,
    }
)
class RenewsWithoutComparing(Leases):
    """A worker that renews its lease takes all its jobs for its own, even those of others."""

    def keeps(s, w: int, h: int) -> Value:
        """Keep what the dispatcher has."""
        return some(super().keeps(w, h), s.knows(w, h))


@mutant(
    killed={
        "a-running-lease-protects": 7,
        "holds-as-said": 7,
        "only-the-holder-asks": 9,
        "hosts-are-left-alone": 18,
    }
)
class StealsRunningLeases(Leases):
    """A worker takes a host although the lease of another one runs."""

    def is_held(s, h: int) -> Value:
        """Do not look."""
        return False

    def wait_after(s, v: int) -> Value:
        """Wait as if the lease had just run out."""
        return s.delay


@mutant(
    killed={
        "the-worker-stops-first": 5,
        "only-the-holder-asks": 8,
        "holds-as-said": 8,
        "hosts-are-left-alone": 16,
    }
)
class ReadsItsClockLate(Leases):
    """A worker reads its own clock after the database's, so it trusts its lease too long."""

    @action
    def commit(s, w: int) -> None:
        """Read the clock at the end of the transaction."""
        super().commit(w)
        s.age[w] = 0


@mutant(killed={"hosts-are-left-alone": 14})
class TakesOverWithoutPause(Leases):
    """A host whose worker's lease has run out is asked at once."""

    def wait_after(s, v: int) -> Value:
        """Do not wait."""
        return 0


@mutant(killed={"hosts-are-left-alone": 13})
class LeavesWithoutPause(Leases):
    """A worker that stops leaves its hosts to others at once."""

    def wait_after_stop(s, h: int) -> Value:
        """Leave what the store has."""
        return s.free[h]
