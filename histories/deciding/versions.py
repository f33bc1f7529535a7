"""The order of an object's versions: what is known of it, and what is open.

The versions of an object are known to be in one order as far as their numbers were recorded, as a
list shows it, or as transactions wrote what they had read: such a transaction's version comes right
after the one that it read, as far as an order explains both. What is left are *segments*, runs of
versions that follow each other; the order of two segments is open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from counterpoint.histories.history import Label
from counterpoint.histories.sources import INITIAL, Fault, Finding, Read, Sources

from .demands import Demand, effective
from .edges import Edge, Kind

Segment = tuple[int, ...]


class Choice(NamedTuple):
    """Two segments of an object's versions whose order is open.

    Attributes
    ----------
    object : int or str
    first, second : tuple of int
        Their writers.
    """

    object: Label
    first: Segment
    second: Segment


@dataclass
class Orders:
    """The orders of all objects' versions, as edges and open choices.

    Attributes
    ----------
    edges : list of Edge
        What is known: ``ww``, ``wr`` and ``rw``.
    open : list of (int or str, list of tuple of int)
        Objects with segments in an open order.
    size : int
        The number of nodes, with those that pass edges on.
    findings : list of Finding
        Reads that no order of versions explains.
    readers : dict
        For each object and writer the members that read that version.
    unread_too : bool
        Whether the order of versions that nobody has read is of interest, too; it is for snapshot
        isolation, and for no criterion that asks for an order of whole transactions.
    """

    size: int
    edges: list[Edge] = field(default_factory=list)
    open: list[tuple[Label, list[Segment]]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    readers: dict[tuple[Label, int], list[int]] = field(default_factory=dict)
    unread_too: bool = False

    def choices(self) -> Iterator[Choice]:
        """Yield all pairs of segments whose order matters.

        That of two single versions that no member has read does not, unless ``unread_too``.
        """
        for what, segments in self.open:
            matters = [self.unread_too or len(s) > 1 or bool(self.readers.get((what, s[-1])))
                       for s in segments]  # fmt: skip
            for (k, first), (j, second) in combinations(enumerate(segments), 2):
                if matters[k] or matters[j]:
                    yield Choice(what, first, second)

    def edges_of(self, choice: Choice, forward: bool) -> Iterator[Edge]:
        """Yield the edges of one of the two orders of a choice."""
        early, late = choice[1:] if forward else choice[:0:-1]
        yield from self.overwritten(choice.object, early[-1], late[0])

    def overwritten(self, what: Label, writer: int, by: int) -> Iterator[Edge]:
        """Yield the edges that say that a version is overwritten by another transaction."""
        if writer != INITIAL:
            yield Edge(writer, by, Kind.WW, what)
        for reader in self.readers.get((what, writer), ()):
            if reader != by:
                yield Edge(reader, by, Kind.RW, what, writer)


def orders_of(
    sources: Sources, demand: Demand, *, unread_too: bool = False, observed: bool = False
) -> Orders:
    """Return what is known and what is open of the orders of versions; see `Orders`.

    Parameters
    ----------
    sources : Sources
    demand : Demand
    unread_too : bool
    observed : bool
        Whether only recorded numbers and lists count, and not what an order of whole transactions
        would explain.
    """
    return _Maker(sources, demand, unread_too, observed).orders()


class _Maker:
    def __init__(self, sources: Sources, demand: Demand, unread_too: bool, observed: bool) -> None:
        self._sources, self._observed = sources, observed
        self._made = Orders(demand.size, unread_too=unread_too)
        self._counting = effective(sources, demand.members)
        self._writers: dict[Label, list[int]] = defaultdict(list)
        self._longest: dict[Label, Read] = {}
        self._collect(sorted(demand.members))

    def orders(self) -> Orders:
        """Return the orders of all objects."""
        for what, writers in self._writers.items():
            self._order(what, writers)
        return self._made

    def _collect(self, members: list[int]) -> None:
        readers: dict[tuple[Label, int], list[int]] = defaultdict(list)
        for number in members:
            if number in self._counting:
                for what in self._sources.wrote[number]:
                    self._writers[what].append(number)
            for read in self._sources.reads[number]:
                readers[read.object, read.writer].append(number)
                if read.writer not in (INITIAL, number):
                    self._made.edges.append(Edge(read.writer, number, Kind.WR, read.object))
                if read.chain:
                    self._note_list(number, read)
        self._made.readers = dict(readers)

    def _note_list(self, reader: int, read: Read) -> None:
        """Keep the longest list that was read; the others must be beginnings of it."""
        longest = self._longest.setdefault(read.object, read)
        if len(read.value) > len(longest.value):
            longest, read = read, longest
            self._longest[read.object] = longest
        if longest.value[: len(read.value)] != read.value:
            text = (f"{read.object} was read as {_list(longest.value)} (line {longest.place:,}) "
                    f"and as {_list(read.value)} (line {read.place:,}), and neither is a "
                    "beginning of the other")  # fmt: skip
            place = max(read.place, longest.place)
            self._made.findings.append(Finding(Fault.ORDER, reader, place, text))

    def _order(self, what: Label, writers: list[int]) -> None:
        """Add what is known of an object's versions, and its segments."""
        chain = [INITIAL, *self._known(what, writers)]
        first = set(chain)
        after = self._next_of(what, [one for one in writers if one not in first])
        while chain[-1] in after:
            chain.append(after.pop(chain[-1]))
        done = set(chain)
        for early, late in pairwise(chain):
            self._made.edges += self._made.overwritten(what, early, late)
        segments = _segments([one for one in writers if one not in done], after)
        for segment in segments:
            for early, late in pairwise(segment):
                self._made.edges += self._made.overwritten(what, early, late)
        if segments:
            self._follow(what, chain[-1], [segment[0] for segment in segments])
        if len(segments) > 1:
            self._made.open.append((what, segments))

    def _known(self, what: Label, writers: list[int]) -> list[int]:
        """Return the writers whose versions come first, in their order."""
        numbered = self._sources.versions.get(what)
        if numbered is not None:
            counting = set(writers)
            known = [one for one in numbered if one in counting]
            if len(known) == len(writers):
                return known
            for early, late in pairwise(known):  # a version without a number is anywhere
                self._made.edges += self._made.overwritten(what, early, late)
            return []
        if what not in self._longest:
            return []
        counting = set(writers)
        return [one for one in self._longest[what].chain if one in counting]

    def _next_of(self, what: Label, writers: list[int]) -> dict[int, int]:
        """Return for versions the writer that read them and wrote the next one.

        If there are two such writers, no order explains both: the second one is left out here, and
        its read becomes an edge of a cycle.
        """
        after: dict[int, int] = {}
        for number in () if self._observed else writers:
            source = next((r.writer for r in self._sources.reads[number] if r.object == what), None)
            if source is not None:
                after.setdefault(source, number)
        return after

    def _follow(self, what: Label, last: int, heads: list[int]) -> None:
        """Add that the last version of a chain is overwritten by those that begin segments."""
        readers = self._made.readers.get((what, last), [])
        few = len(readers) * len(heads) <= len(readers) + len(heads)
        if few or not set(readers).isdisjoint(heads):
            for head in heads:
                self._made.edges += self._made.overwritten(what, last, head)
            return
        node = self._made.size
        self._made.size += 1
        self._made.edges += [Edge(reader, node, Kind.RW, what, last) for reader in readers]
        self._made.edges += [Edge(node, head, None) for head in heads]
        if last != INITIAL:
            self._made.edges += [Edge(last, head, Kind.WW, what) for head in heads]


def _segments(writers: list[int], after: dict[int, int]) -> list[Segment]:
    """Return versions in runs of versions that follow each other."""
    inside = set(writers)
    linked = {late for early, late in after.items() if early in inside}
    found: list[Segment] = []
    todo = set(writers)
    for heads in (True, False):  # a circle of reads has no head: it is cut somewhere
        for number in writers:
            if number in todo and (number not in linked or not heads):
                segment = [number]
                todo.remove(number)
                while after.get(segment[-1]) in todo:
                    segment.append(after[segment[-1]])
                    todo.remove(segment[-1])
                found.append(tuple(segment))
    return found


def _list(value: tuple[Any, ...]) -> str:
    return f"[{', '.join(map(repr, value))}]"
