"""A random load: which transactions each process runs.

The plan of a transaction is a function of the seed, the process and the number of the transaction
alone, so that every subject gets the same transactions, whatever the threads do.
"""

from __future__ import annotations

import random
from bisect import bisect
from dataclasses import asdict, dataclass
from functools import cache
from itertools import accumulate
from typing import Any, Literal, NamedTuple

ROTATION = 16
"""After so many transactions of a process it turns to new lists, so that lists stay short."""


class Step(NamedTuple):
    """An operation of a plan.

    Attributes
    ----------
    kind : str
        ``read``, ``write``, ``append``, or ``pause``: the process sleeps for some microseconds.
    object : int
        0 for a pause.
    value : int
        What is written or appended; 0 for a read and a pause.
    """

    kind: Literal["read", "write", "append", "pause"]
    object: int
    value: int = 0


class Plan(NamedTuple):
    """What a transaction does.

    Attributes
    ----------
    label : str
        Its process and its number: ``2.17``.
    steps : tuple of Step
    aborts : bool
        Whether it aborts at its end on purpose.
    """

    label: str
    steps: tuple[Step, ...]
    aborts: bool


@dataclass(frozen=True)
class Load:
    """A random load.

    Attributes
    ----------
    seed : int
    transactions : int
        Of all processes together.
    threads : int
        How many processes run them at the same time, each one transaction after the other.
    objects : int
        How many objects there are at a time.
    operations : int
        A transaction has from 1 to so many; a write and the read before it are one.
    skew : float
        The exponent of Zipf's law by which objects are chosen; 0: all alike.
    read_only : float
        The share of transactions that write nothing.
    aborts : float
        The share of transactions that abort on purpose.
    blind : float
        The share of writes to registers without a read of the same register before. Where
        there are none, the order of the versions can be seen in the history.
    pauses : float
        The share of operations after which a transaction pauses, so that transactions overlap
        even if they are much shorter than what the system gives to a thread at a time.
    lists : bool
        Whether objects are lists, to which transactions append, and not registers.
    """

    seed: int = 0
    transactions: int = 1000
    threads: int = 4
    objects: int = 10
    operations: int = 4
    skew: float = 1.0
    read_only: float = 0.3
    aborts: float = 0.05
    blind: float = 0.0
    pauses: float = 0.1
    lists: bool = False

    def count(self, process: int) -> int:
        """Return how many transactions a process runs."""
        return (self.transactions - process + self.threads - 1) // self.threads

    def plan(self, process: int, number: int) -> Plan:
        """Return what a transaction does.

        Parameters
        ----------
        process : int
            From 0 on.
        number : int
            Of the transaction in its process, from 0 on.
        """
        # Only random() has the same results in every version of Python.
        draw = random.Random(f"{self.seed}/{process}/{number}").random
        only_reads = draw() < self.read_only
        aborts = draw() < self.aborts
        steps: list[Step] = []
        for k in range(1 + int(draw() * self.operations)):
            what = self._object(draw(), number)
            value = 1 + k + self.operations * (process + self.threads * number)
            if only_reads or draw() < 0.5:
                steps.append(Step("read", what))
            elif self.lists:
                steps.append(Step("append", what, value))
            else:
                if draw() >= self.blind:
                    steps.append(Step("read", what))
                steps.append(Step("write", what, value))
            if draw() < self.pauses:
                steps.append(Step("pause", 0))
        return Plan(f"{process}.{number}", tuple(steps), aborts)

    def all_objects(self) -> range:
        """Return the objects of all transactions."""
        most = max(0, self.count(0) - 1)
        return range(self.objects * (1 + most // ROTATION if self.lists else 1))

    def longest_list(self) -> int:
        """Return how many values a list has at most."""
        return self.threads * ROTATION * self.operations

    def facts(self) -> dict[str, Any]:
        """Return what the first line of a history says of its load."""
        return {name: value for name, value in asdict(self).items() if name != "seed"}

    def _object(self, drawn: float, number: int) -> int:
        shares = _zipf(self.objects, self.skew)
        slot = min(bisect(shares, drawn * shares[-1]), self.objects - 1)
        return slot + (self.objects * (number // ROTATION) if self.lists else 0)


@cache
def _zipf(objects: int, skew: float) -> list[float]:
    return list(accumulate(rank**-skew for rank in range(1, objects + 1)))
