"""Recorded histories: what transactions did, in the order in which it happened.

A *place* is the number of an event's line in its file (from 1 on), or its number in a list of
events. Places order events in real time: a transaction precedes another one if its end stands
before the other one's begin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, TypeAlias

Label: TypeAlias = int | str
"""The name of an object or of a process."""

Kind: TypeAlias = Literal["read", "write", "append"]


class Fate(Enum):
    """What became of a transaction."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    COMMITTING = "committing"
    """It asked to commit, and nobody knows the answer."""
    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation that has returned.

    Attributes
    ----------
    kind : str
        ``read``, ``write`` or ``append``.
    object : int or str
    value : object
        What was written or appended, or what a read returned: a scalar, None for an object that
        nobody had written, or a tuple of scalars for a list.
    place : int
        Where it stands.
    version : int or None
        The number of the version that was read, if it was recorded.
    """

    kind: Kind
    object: Label
    value: Any
    place: int
    version: int | None = None


@dataclass(slots=True)
class Transaction:
    """A transaction of a history.

    Attributes
    ----------
    number : int
        In the order of the begins, from 0 on.
    process : int, str or None
        Who ran it; None if that was not recorded.
    begin : int
        The place of its begin.
    asked : int or None
        The place where it asked to commit.
    end : int or None
        The place of its commit or abort.
    fate : Fate
    operations : list of Operation
    versions : dict
        For each object that it wrote, the number of the version that its commit installed; empty
        if that was not recorded.
    label : int, str or None
        Its name in the recording.
    """

    number: int
    process: Label | None
    begin: int
    asked: int | None = None
    end: int | None = None
    fate: Fate = Fate.LIVE
    operations: list[Operation] = field(default_factory=list)
    versions: dict[Label, int] = field(default_factory=dict)
    label: Label | None = None

    @property
    def name(self) -> str:
        """Its name for messages: ``T5``."""
        return f"T{self.number if self.label is None else self.label}"


@dataclass(frozen=True)
class Counts:
    """How much a recording contains.

    Attributes
    ----------
    transactions, processes, operations : int
    fates : dict
        How many transactions had which fate, in the order in which these were met.
    """

    transactions: int
    processes: int
    operations: int
    fates: dict[Fate, int]


@dataclass
class History:
    """All transactions of a recording.

    Attributes
    ----------
    transactions : list of Transaction
        By their numbers.
    initial : object
        The value of every object before anybody writes.
    facts : dict
        What the recording says about itself.
    counts : Counts or None
        Of a recording of which only some transactions are here: how much it contains.
    """

    transactions: list[Transaction]
    initial: Any = None
    facts: dict[str, Any] = field(default_factory=dict)
    counts: Counts | None = None

    def __len__(self) -> int:
        return len(self.transactions)

    def counted(self) -> Counts:
        """Return how much the recording contains."""
        if self.counts is not None:
            return self.counts
        fates: dict[Fate, int] = {}
        for one in self.transactions:
            fates[one.fate] = fates.get(one.fate, 0) + 1
        processes = len({one.process for one in self.transactions})
        operations = sum(len(one.operations) for one in self.transactions)
        return Counts(len(self.transactions), processes, operations, fates)

    def of(self, *fates: Fate) -> Iterator[Transaction]:
        """Yield the transactions with these fates."""
        return (t for t in self.transactions if t.fate in fates)

    def name(self, transaction: int) -> str:
        """Return the name of a transaction."""
        return self.transactions[transaction].name


class HistoryError(ValueError):
    """A recording is wrong: one sentence, which names its place."""

    def __init__(self, place: int | None, problem: str) -> None:
        super().__init__(problem if place is None else f"line {place:,}: {problem}")
        self.place, self.problem = place, problem
