"""What a window memory has inside, as both implementations show it while all threads stand."""

from __future__ import annotations

from dataclasses import dataclass, field

KEPT = "kept by a transaction that has ended"
"""Stands for the holder of a lock that an aborted commit has kept: a fault."""


@dataclass(frozen=True)
class ObjectLook:
    """An object.

    Attributes
    ----------
    value, date : int
    holder : int or str or None
        The label of the transaction that holds its lock; None: nobody; or `KEPT`.
    """

    value: int
    date: int
    holder: int | str | None


@dataclass(frozen=True)
class TransactionLook:
    """A transaction that has begun and not ended.

    Attributes
    ----------
    label, bottom, commit_time : int
        The commit time is 0 until it is drawn.
    reads : dict of int to int
        The values that it has read, by object.
    writes, published, overwritten : set of int
        The objects that it writes, those that it has published, and those that it has read and
        that were overwritten since.
    ends : dict of int to int or None
        The times at which what it has read was overwritten, by object, as far as they are known;
        None: at no time.
    """

    label: int
    bottom: int
    commit_time: int
    reads: dict[int, int] = field(default_factory=dict)
    writes: set[int] = field(default_factory=set)
    published: set[int] = field(default_factory=set)
    overwritten: set[int] = field(default_factory=set)
    ends: dict[int, int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Look:
    """A memory."""

    clock: int
    objects: list[ObjectLook]
    transactions: list[TransactionLook]
