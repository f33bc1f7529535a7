"""Read atomic, causal consistency and the causal pasts of transactions.

A transaction *sees* what it read from and, if sessions count, what its process did before. With
`causal` it also sees what those see. If it sees a writer of an object and read the version of
another writer, the version that it saw is the older one (R. Biswas and C. Enea, *On the complexity
of checking transactional consistency*, OOPSLA 2019).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from counterpoint.histories.history import Label
from counterpoint.histories.sources import INITIAL, Sources

from .demands import Demand
from .edges import Edge, Kind


def read_atomic_edges(sources: Sources, demand: Demand, sessions: bool) -> Iterator[Edge]:
    """Yield the edges that read atomic adds: a transaction that was read from is seen whole."""
    last_of_process: dict[object, dict[Label, int]] = {}
    for one in sources.history.transactions:
        if one.number not in demand.members:
            continue
        reads = sources.reads[one.number]
        seen = {w for read in reads for w in (*read.chain, read.writer)} - {INITIAL, one.number}
        own = last_of_process.setdefault(one.process, {}) if one.process is not None else {}
        for read in reads:
            writers = [w for w in seen if read.object in sources.wrote[w]]
            if sessions and read.object in own:
                writers.append(own[read.object])
            yield from _older(sources, one.number, read.object, read.writer, writers)
        if sessions and one.process is not None:
            own.update(dict.fromkeys(sources.wrote[one.number], one.number))


def read_edges(sources: Sources, members: frozenset[int]) -> Iterator[Edge]:
    """Yield the edges from all whose versions a member has read, in lists each element."""
    for reader in members:
        for read in sources.reads[reader]:
            for writer in {*read.chain, read.writer} - {INITIAL, reader}:
                yield Edge(writer, reader, Kind.WR, read.object)


def _older(
    sources: Sources, reader: int, what: Label, writer: int, seen: list[int]
) -> Iterator[Edge]:
    """Yield the edges from the writers of an object that were seen to the one that was read.

    The initial version is older than all: then the reader stands before what it saw.
    """
    for other in dict.fromkeys(seen):
        if other in (writer, reader):
            continue
        if writer == INITIAL:
            yield Edge(reader, other, Kind.RW, what, INITIAL)
        else:
            yield Edge(other, writer, Kind.VISIBLE, what, reader)


class Pasts:
    """The causal past of each member: whose versions it sees, directly or not.

    Transactions that committed or may have are ordered by process and by reads. For each process
    the past is a beginning of what it did, so one number says it.

    Attributes
    ----------
    of : dict
        For each transaction and each process that matters the number of the process's transactions
        that it sees.
    """

    def __init__(self, sources: Sources, members: frozenset[int]) -> None:
        self._sources = sources
        self._lines: dict[object, list[int]] = {}
        self._place: dict[int, tuple[object, int]] = {}
        for one in sources.history.transactions:
            if one.number in members:
                process = ("alone", one.number) if one.process is None else one.process
                line = self._lines.setdefault(process, [])
                self._place[one.number] = process, len(line)
                line.append(one.number)
        self.of: dict[int, dict[object, int]] = {}
        self._writers = self._writers_of(members)

    def _writers_of(self, members: frozenset[int]) -> dict[tuple[Label, object], list[int]]:
        """Return for each object and process the places of the transactions that write it."""
        found: dict[tuple[Label, object], list[int]] = {}
        for number in sorted(members):
            process, place = self._place[number]
            for what in self._sources.wrote[number]:
                found.setdefault((what, process), []).append(place)
        return found

    def before(self, reader: int) -> dict[object, int]:
        """Return the past of a transaction whose sources' pasts are known already."""
        past: dict[object, int] = {}
        process, place = self._place[reader]
        if place:
            past = dict(self.of[self._lines[process][place - 1]])
            past[process] = place
        for read in self._sources.reads[reader]:
            for writer in (*read.chain, read.writer):
                if writer in self._place and writer != reader:
                    self._join(past, writer)
        self.of[reader] = past
        return past

    def _join(self, past: dict[object, int], writer: int) -> None:
        for process, count in self.of[writer].items():
            if past.get(process, 0) < count:
                past[process] = count
        process, place = self._place[writer]
        if past.get(process, 0) <= place:
            past[process] = place + 1

    def newest(self, past: dict[object, int], what: Label) -> Iterator[int]:
        """Yield for each process the newest writer of an object in a past."""
        for process, count in past.items():
            places = self._writers.get((what, process), ())
            k = bisect_right(places, count - 1)
            if k:
                yield self._lines[process][places[k - 1]]


def causal_edges(sources: Sources, pasts: Pasts, order: list[int]) -> Iterator[Edge]:
    """Yield the edges that causal consistency adds to reads and sessions.

    Parameters
    ----------
    sources : Sources
    pasts : Pasts
    order : list of int
        The members in an order in which each stands behind its sources and its process's past.
    """
    for reader in order:
        past = pasts.before(reader)
        for read in sources.reads[reader]:
            seen = list(pasts.newest(past, read.object))
            yield from _older(sources, reader, read.object, read.writer, seen)
