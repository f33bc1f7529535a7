"""Mutants of the link store's locks."""

from __future__ import annotations

from counterpoint.spec.locks.link_store import LinkStore, Place
from counterpoint.spec.notation import Value, action, every, mutant, no, require


@mutant(
    killed={
        "visits-need-the-lock": 6,
        "nobody-waits-in-a-circle": 8,
        "the-holder-never-waits": 8,
        "no-deadlock": 9,
    }
)
class WritesWithoutTheLock(LinkStore):
    """A worker that runs inserts its visits before it has the lock."""

    def wants_row(s, w: Value) -> Value:
        """Ask for the row at once."""
        writes = every(s.place[w] == Place.WRITES, no(s.has_row(w)))
        return super().wants_row(w) | writes


@mutant(killed={"locks-end-with-transactions": 4})
class KeepsTheLock(LinkStore):
    """A worker keeps the lock when it commits, as if the lock were one of the session."""

    @action
    def commit(s, w: int) -> None:
        """Take the lock back."""
        super().commit(w)
        s.lock = w


@mutant(
    readings={"joins": "rows-first"},
    killed={
        "nobody-waits-in-a-circle": 8,
        "the-holder-never-waits": 8,
        "row-locks-are-compatible": 9,
    },
)
class SharesLockedRow(LinkStore):
    """A visit is inserted although another worker has locked the row of its plan."""

    @action
    def share_row(s, w: int) -> None:
        """Look only at whether w wants the row."""
        require(s.place[w] == Place.WRITES, s.wants_row(w))
        s.shares[w] = True
