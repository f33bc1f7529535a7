"""From whom each transaction read, and what it wrote for others.

Each version of an object has one writer. It is found by the number of the version where that was
recorded, and else by the value, which must then have been written once. Reads of a transaction's
own writes return its own copy and say nothing about others; where they return something else, that
is a fault of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from .history import History, Label

INITIAL = -1
"""The writer of what objects contain before anybody writes."""


class Fault(Enum):
    """What is wrong with a single read; the names are Adya's and Elle's where they have one."""

    GARBAGE = "garbage read"
    ABORTED = "aborted read (G1a)"
    EARLY = "early read"
    INTERMEDIATE = "intermediate read (G1b)"
    ORDER = "incompatible order"
    INTERNAL = "internal inconsistency"
    FUTURE = "future read"
    UNREPEATABLE = "non-repeatable read"


WITHIN = (Fault.INTERNAL, Fault.FUTURE, Fault.UNREPEATABLE)
"""The faults that read committed permits: they are about one transaction alone."""

OF_ALL = (Fault.EARLY,)
"""The faults that only criteria about all transactions forbid: such a criterion is true of each
beginning of a history, and in that one the writer had not asked to commit."""


@dataclass(frozen=True)
class Finding:
    """A read that is wrong by itself.

    Attributes
    ----------
    fault : Fault
    transaction : int
        Who read.
    place : int
    text : str
        What happened, in words.
    writer : int or None
        Of an aborted read: who wrote.
    """

    fault: Fault
    transaction: int
    place: int
    text: str
    writer: int | None = None


class Read(NamedTuple):
    """What a transaction read of others.

    Attributes
    ----------
    object : int or str
    writer : int
        The number of the transaction that wrote it, or `INITIAL`.
    value : object
        What was read, of lists without the transaction's own elements.
    place : int
    chain : tuple of int
        Of a list: the writers of its elements, each once.
    """

    object: Label
    writer: int
    value: Any
    place: int
    chain: tuple[int, ...] = ()


@dataclass
class Sources:
    """What the transactions of a history read of others and wrote for others.

    Attributes
    ----------
    history : History
    reads : list of list of Read
        For each transaction; repeated reads of the same version are there once.
    wrote : list of dict
        For each transaction the objects that it wrote, with the last values, of lists with the
        tuple of what it appended.
    findings : list of Finding
        By place.
    versions : dict
        For each object whose versions were recorded, the committed writers in their order.
    """

    history: History
    reads: list[list[Read]] = field(default_factory=list)
    wrote: list[dict[Label, Any]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    versions: dict[Label, list[int]] = field(default_factory=dict)

    def name(self, transaction: int) -> str:
        """Return the name of a transaction."""
        return self.history.name(transaction)
