"""The criteria, weakest to strongest, and what each one demands of a history.

Sources: Adya 1999 (read committed as PL-2, and the names of anomalies), Bailis et al. 2014 and
Biswas and Enea 2019 (read atomic), Cerone and Gotsman 2018 (snapshot isolation), and for the others
`counterpoint.spec.stm.history`, whose definitions these are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from counterpoint.models.limits import Limits

from .deciding.demands import (
    Demand,
    committed_with_sources,
    effects_kept,
    nothing_kept,
    real_time_kept,
    sessions_kept,
    with_sources,
)
from .deciding.edges import Edge, Graph, Kind, clearest_cycle, parts_of
from .deciding.judging import Judgement, judged
from .deciding.layouts import Snapshots
from .deciding.versions import Orders, orders_of
from .deciding.visibility import Pasts, causal_edges, read_atomic_edges, read_edges
from .history import Fate
from .sources import OF_ALL, WITHIN, Fault, Finding, Sources


@dataclass(frozen=True)
class Question:
    """A history, and what shall count.

    Attributes
    ----------
    sources : Sources
    sessions : bool
        Whether the criteria below strict serializability keep the order of each process as well.
        Causal consistency and virtual world consistency always do.
    limits : Limits
    """

    sources: Sources
    sessions: bool
    limits: Limits

    def committed(self) -> frozenset[int]:
        """Return the committed transactions and those that these read from."""
        return committed_with_sources(self.sources)

    def everybody(self) -> frozenset[int]:
        """Return all transactions."""
        return frozenset(range(len(self.sources.history)))

    def wrong_read(
        self, members: frozenset[int], *, permitted: tuple[Fault, ...] = OF_ALL
    ) -> Judgement | None:
        """Return that a member's read is wrong by itself, if one is that is not permitted."""
        for one in self.sources.findings:
            if one.transaction in members and one.fault not in permitted:
                return Judgement(False, finding=one)
        return None

    def demand(self, members: frozenset[int]) -> Demand:
        """Return an order that keeps sessions, if they count."""
        return (sessions_kept if self.sessions else nothing_kept)(self.sources, members)


def read_committed(q: Question) -> Judgement:
    """Judge whether no cycle of ``ww`` and ``wr``, and no aborted or intermediate read is there."""
    members = q.committed()
    wrong = q.wrong_read(members, permitted=(*WITHIN, *OF_ALL))
    if wrong:
        return wrong
    demand = q.demand(members)
    orders = orders_of(q.sources, demand, observed=True)
    edges = [*demand.kept, *_without(orders, Kind.RW)]
    return _wrong_order(orders) or _without_cycle(orders.size, edges)


def read_atomic(q: Question) -> Judgement:
    """Judge whether each transaction sees all or nothing of each other one."""
    members = q.committed()
    wrong = q.wrong_read(members)
    if wrong:
        return wrong
    demand = q.demand(members)
    orders = orders_of(q.sources, demand, observed=True)
    seen = read_atomic_edges(q.sources, demand, q.sessions)
    edges = [*demand.kept, *_without(orders, Kind.RW), *seen]
    return _wrong_order(orders) or _without_cycle(orders.size, edges)


def causal(q: Question) -> Judgement:
    """Judge whether each transaction sees all that the transactions that it sees have seen."""
    members = q.committed()
    wrong = q.wrong_read(members)
    if wrong:
        return wrong
    demand = sessions_kept(q.sources, members)
    orders = orders_of(q.sources, demand, observed=True)
    reads = list(read_edges(q.sources, members))
    behind = _order(len(q.sources.history), [*demand.kept, *reads], members)
    if behind is None:
        return _without_cycle(orders.size, [*demand.kept, *reads])
    seen = causal_edges(q.sources, Pasts(q.sources, members), behind)
    edges = [*demand.kept, *_without(orders, Kind.RW), *seen]
    return _wrong_order(orders) or _without_cycle(orders.size, edges)


def snapshot_isolation(q: Question) -> Judgement:
    """Judge whether each cycle has two edges ``rw`` one after the other."""
    members = q.committed()
    wrong = q.wrong_read(members)
    return wrong or judged(q.sources, q.demand(members), q.limits, Snapshots)


def serializability(q: Question) -> Judgement:
    """Judge whether the committed transactions fit one order."""
    members = q.committed()
    return q.wrong_read(members) or judged(q.sources, q.demand(members), q.limits)


def strict_serializability(q: Question) -> Judgement:
    """Judge whether the committed transactions fit one order that keeps real time."""
    members = q.committed()
    return q.wrong_read(members) or judged(q.sources, real_time_kept(q.sources, members), q.limits)


def virtual_world_consistency(q: Question) -> Judgement:
    """Judge strict serializability, and whether every other transaction fits its causal past."""
    early = q.wrong_read(q.everybody(), permitted=tuple(set(Fault) - set(OF_ALL)))
    found = strict_serializability(q)
    if not found.fits or early:
        return found if early is None or found.fits is False else early
    committed = q.committed()
    for one in q.sources.history.transactions:
        if one.number in committed or not q.sources.reads[one.number]:
            continue
        members = causal_past(q.sources, one.number)
        demand = sessions_kept(q.sources, members)
        alone = q.wrong_read(members, permitted=()) or judged(q.sources, demand, q.limits)
        if not alone.fits:
            return alone
    return found


def opacity(q: Question) -> Judgement:
    """Judge whether all transactions, live and aborted too, fit one order that keeps real time."""
    members = q.everybody()
    wrong = q.wrong_read(members, permitted=())
    return wrong or judged(q.sources, real_time_kept(q.sources, members), q.limits)


def tms2(q: Question) -> Judgement:
    """Judge opacity with updates in the order of their effects."""
    members = q.everybody()
    wrong = q.wrong_read(members, permitted=())
    return wrong or judged(q.sources, effects_kept(q.sources, members), q.limits)


@dataclass(frozen=True)
class Criterion:
    """A criterion.

    Attributes
    ----------
    name : str
    judge : callable
    implies : tuple of str
        The next weaker ones.
    """

    name: str
    judge: Callable[[Question], Judgement]
    implies: tuple[str, ...] = ()


LADDER = (
    Criterion("read-committed", read_committed),
    Criterion("read-atomic", read_atomic, ("read-committed",)),
    Criterion("causal", causal, ("read-atomic",)),
    Criterion("snapshot-isolation", snapshot_isolation, ("read-atomic",)),
    Criterion("serializability", serializability, ("snapshot-isolation",)),
    Criterion("strict-serializability", strict_serializability, ("serializability", "causal")),
    Criterion("virtual-world-consistency", virtual_world_consistency, ("strict-serializability",)),
    Criterion("opacity", opacity, ("virtual-world-consistency",)),
    Criterion("tms2", tms2, ("opacity",)),
)
"""All criteria, weakest to strongest."""


def causal_past(sources: Sources, number: int) -> frozenset[int]:
    """Return a transaction with what it has read from, what its process committed, and theirs."""
    history = sources.history
    earlier: dict[object, list[int]] = {}
    for one in history.of(Fate.COMMITTED):
        if one.process is not None:
            earlier.setdefault(one.process, []).append(one.number)
    members = {number}
    todo = [number]
    for reader in todo:  # which grows
        line = earlier.get(history.transactions[reader].process, [])
        own = [other for other in line if other < reader]
        for other in {*with_sources(sources, (reader,)), *own} - members:
            members.add(other)
            todo.append(other)
    return frozenset(members)


def _without(orders: Orders, kind: Kind) -> Iterable[Edge]:
    """Yield known edges of whole transactions but those of a kind."""
    size = orders.size
    passing = {edge.target for edge in orders.edges if edge.kind is kind and edge.target >= size}
    return (e for e in orders.edges if e.kind not in (kind, None) and e.source not in passing)


def _wrong_order(orders: Orders) -> Judgement | None:
    found: Finding | None = min(orders.findings, key=lambda one: one.place, default=None)
    return None if found is None else Judgement(False, finding=found)


def _without_cycle(size: int, edges: list[Edge]) -> Judgement:
    cycle = clearest_cycle(Graph(size, edges))
    return Judgement(not cycle, cycle)


def _order(size: int, edges: list[Edge], members: frozenset[int]) -> list[int] | None:
    """Return members in an order that edges allow; None if they have a cycle."""
    graph = Graph(size, edges)
    parts = parts_of(graph)
    if any(len(part) > 1 for part in parts):
        return None
    return [part[0] for part in reversed(parts) if part[0] in members]
