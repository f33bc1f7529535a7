"""What a criterion demands: which transactions fit one order, and what that order keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from counterpoint.histories.history import Fate, History, Transaction
from counterpoint.histories.sources import INITIAL, Sources

from .edges import Edge, Kind


@dataclass(frozen=True)
class Demand:
    """Transactions that must fit one order.

    Attributes
    ----------
    members : frozenset of int
        The transactions to be ordered.
    kept : list of Edge
        The edges that the order keeps whatever was read; nodes beyond the transactions pass
        them on.
    size : int
        The number of nodes, with those.
    """

    members: frozenset[int]
    kept: list[Edge]
    size: int


def committed_with_sources(sources: Sources) -> frozenset[int]:
    """Return the committed transactions, and the committing ones that one of these read from."""
    return with_sources(sources, (one.number for one in sources.history.of(Fate.COMMITTED)))


def with_sources(sources: Sources, chosen: Iterable[int]) -> frozenset[int]:
    """Return transactions, and those that committed or may have and that they read from."""
    members = set(chosen)
    todo = list(members)
    for reader in todo:  # which grows
        for read in sources.reads[reader]:
            for writer in (*read.chain, read.writer):
                if writer != INITIAL and writer not in members and may_count(sources, writer):
                    members.add(writer)
                    todo.append(writer)
    return frozenset(members)


def may_count(sources: Sources, writer: int) -> bool:
    """Return whether a transaction committed or may have."""
    return sources.history.transactions[writer].fate in (Fate.COMMITTED, Fate.COMMITTING)


def effective(sources: Sources, members: frozenset[int]) -> frozenset[int]:
    """Return the members whose writes count: committed ones, and committing ones that were read.

    A committing transaction counts as committed just when another member has read from it.
    """
    read = {writer for reader in members for r in sources.reads[reader]
            for writer in (*r.chain, r.writer) if writer != reader}  # fmt: skip
    fates = sources.history.transactions
    return frozenset(
        k for k in members
        if fates[k].fate is Fate.COMMITTED or (fates[k].fate is Fate.COMMITTING and k in read)
    )  # fmt: skip


# What an order keeps


def nothing_kept(sources: Sources, members: frozenset[int]) -> Demand:
    """Demand an order that keeps nothing."""
    return Demand(members, [], len(sources.history))


def sessions_kept(sources: Sources, members: frozenset[int]) -> Demand:
    """Demand an order that keeps the order of each process."""
    return Demand(members, list(session_edges(sources.history, members)), len(sources.history))


def session_edges(history: History, members: frozenset[int]) -> Iterable[Edge]:
    """Yield the edges from each member to the next one of the same process."""
    last: dict[object, int] = {}
    for one in history.transactions:
        if one.number in members and one.process is not None:
            if one.process in last:
                yield Edge(last[one.process], one.number, Kind.SESSION)
            last[one.process] = one.number


def real_time_kept(sources: Sources, members: frozenset[int]) -> Demand:
    """Demand an order that keeps real time: what had ended stands before what began later."""
    return _kept(sources, members, Kind.REAL_TIME, lambda t: t.end, lambda t: t.begin)


def effects_kept(sources: Sources, members: frozenset[int]) -> Demand:
    """Demand an order with updates in the order of their effects (S. Doherty et al., 2013).

    A transaction has taken effect when it has ended or another one has read from it. An update can
    first do so when it asks to commit, any other transaction when it begins.
    """
    first_read: dict[int, int] = {}
    for reader in members:
        for read in sources.reads[reader]:
            for writer in {*read.chain, read.writer} - {INITIAL, reader}:
                first_read[writer] = min(first_read.get(writer, read.place), read.place)
    counting = effective(sources, members)

    def finish(t: Transaction) -> int | None:
        places = [place for place in (t.end, first_read.get(t.number)) if place is not None]
        return min(places, default=None)

    def start(t: Transaction) -> int:
        is_update = t.number in counting and bool(sources.wrote[t.number])
        return t.asked if is_update and t.asked is not None else t.begin

    return _kept(sources, members, Kind.EFFECT, finish, start)


def _kept(
    sources: Sources,
    members: frozenset[int],
    kind: Kind,
    finish: Callable[[Transaction], int | None],
    start: Callable[[Transaction], int],
) -> Demand:
    """Demand that t stands before u whenever t's finish is before u's start.

    A chain of nodes, one for each moment, passes the edges on; so there are no more edges than
    transactions, times four.
    """
    transactions = sources.history.transactions
    ends = {k: end for k in members if (end := finish(transactions[k])) is not None}
    finishes = sorted((end, k) for k, end in ends.items())
    starts = sorted((start(transactions[k]), k) for k in members)
    first = node = len(transactions)
    kept: list[Edge] = []
    moment: dict[int, int] = {}
    done = 0
    for place, number in starts:
        begun = done
        while done < len(finishes) and finishes[done][0] < place:
            other = finishes[done][1]
            kept.append(Edge(other, node, kind))
            moment[other] = node
            done += 1
        if done > begun:
            node += 1
            if node > first + 1:
                kept.append(Edge(node - 2, node - 1, None))
        if number in moment:
            kept += _late(number, place, moment[number], first, finishes, kind)
        elif node > first:
            kept.append(Edge(node - 1, number, None))
    return Demand(members, kept, node)


def _late(
    number: int, place: int, own: int, first: int, finishes: list[tuple[int, int]], kind: Kind
) -> list[Edge]:
    """Return the edges to a transaction that had taken effect before it could: it was read early.

    The chain would lead from it to itself.
    """
    kept = [Edge(own - 1, number, None)] if own > first else []
    begun = [other for end, other in finishes if end < place and other != number]
    return kept + [Edge(other, number, kind) for other in begun]
