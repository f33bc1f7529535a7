"""What it means for a history of transactions to be right.

Each criterion asks for an order of some transactions, as if they had run one after the other, that
explains every read and keeps what must be kept. Sources: Papadimitriou 1979 (serializability),
Imbs, de Mendivil and Raynal 2009 (virtual world consistency, in its strong form), Guerraoui and
Kapalka, PPoPP 2008 (opacity), Doherty, Groves, Luchangco and Moir 2013 (TMS2, put as an order).

A history says, of each transaction, how far it is, from whom it read each object and which objects
it writes; and which transactions had ended before it began. Reads of a transaction's own writes and
repeated reads are no part of it: they return the transaction's own copy. Since every version is
known by its writer, "from whom" is exact, as if all written values were different.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import TypeAlias

from counterpoint.spec.notation import Value, every, implies, ite, no, some

Relation: TypeAlias = Callable[[int, int], Value]


@dataclass(frozen=True)
class History:
    """What the criteria need to know; every entry may be symbolic.

    Attributes
    ----------
    transactions, objects : range
        Their numbers, from 0.
    begun, committing, committed : sequence of truth values
        Of each transaction. *Committing*: it has asked to commit and has had no answer, so that
        it may count as committed or not.
    reads_initial : sequence of sequences of truth values
        ``[t][x]``: t read x as it was before any transaction.
    reads_from : sequence of sequences of sequences of truth values
        ``[t][x][w]``: t read the x that w wrote.
    wrote : sequence of sequences of truth values
        ``[t][x]``: t writes x.
    before : sequence of sequences of truth values
        ``[t][u]``: t had ended when u began.
    effective_before, effective_before_commit : sequence of sequences of truth values
        ``[t][u]``: when u began, or asked to commit, t had ended or another transaction had read
        from it: in TMS2, it had its place by then.
    predecessor : sequence of (int or None)
        The transaction that the same process ran just before.
    """

    transactions: range
    objects: range
    begun: Sequence[Value]
    committing: Sequence[Value]
    committed: Sequence[Value]
    reads_initial: Sequence[Sequence[Value]]
    reads_from: Sequence[Sequence[Sequence[Value]]]
    wrote: Sequence[Sequence[Value]]
    before: Sequence[Sequence[Value]]
    effective_before: Sequence[Sequence[Value]]
    effective_before_commit: Sequence[Sequence[Value]]
    predecessor: Sequence[int | None]

    def earlier(self, t: int) -> list[int]:
        """Return what t's process ran before t, the nearest first."""
        found: list[int] = []
        before = self.predecessor[t]
        while before is not None:
            found.append(before)
            before = self.predecessor[before]
        return found

    def takes_from(self, t: int, w: int) -> Value:
        """Return whether t read something that w wrote."""
        return some(self.reads_from[t][x][w] for x in self.objects)


@dataclass(frozen=True)
class Demand:
    """Transactions that must fit one order.

    Attributes
    ----------
    members : tuple of truth values
        Which transactions are to be ordered.
    keeps : callable
        ``keeps(t, u)``: t must stand before u, whatever they read.
    """

    members: tuple[Value, ...]
    keeps: Relation


# The criteria, weakest to strongest


def serializability(h: History) -> list[Demand]:
    """Demand that the committed transactions fit one order."""
    return [Demand(_with_sources(h, h.committed), lambda t, u: False)]


def strict_serializability(h: History) -> list[Demand]:
    """Demand that the committed transactions fit one order that respects real time."""
    return [Demand(_with_sources(h, h.committed), lambda t, u: h.before[t][u])]


def virtual_world_consistency(h: History) -> list[Demand]:
    """Demand strict serializability, and that each transaction fits its own causal past.

    The past of a transaction is what it has read from, what its process committed before it, and
    their pasts; it is ordered by reads and by process, not by real time.
    """
    alone = [
        _with_sources(h, [t == u for u in h.transactions], causal=True) for t in h.transactions
    ]
    pasts = [Demand(past, lambda t, u: t in h.earlier(u)) for past in alone]
    return strict_serializability(h) + pasts


def opacity(h: History) -> list[Demand]:
    """Demand that all transactions, live and aborted too, fit one order, in real time."""
    return [Demand(tuple(h.begun), lambda t, u: h.before[t][u])]


def tms2(h: History) -> list[Demand]:
    """Demand opacity with updates in the order of their commits.

    In TMS2 an update takes effect at one moment between the call of its commit and the answer, on
    the newest memory, and a transaction that reads from it does so after that moment. Any other
    transaction sees the memory of one moment between its begin and its last read. Such moments
    exist exactly if some order fits in which t stands before u whenever t had taken effect when u
    could first do so: when u asked to commit, if u is an update, and else when u began. (It need
    not be demanded that a reader's moment lies before its last read: all that it read was there by
    then, and if it is still there at a later moment, it was there at the last read too.)
    """

    def keeps(t: int, u: int) -> Value:
        update = every(takes_effect(h, h.begun, u), some(h.wrote[u][x] for x in h.objects))
        return some(h.effective_before[t][u], every(h.effective_before_commit[t][u], update))

    return [Demand(tuple(h.begun), keeps)]


CRITERIA: dict[str, Callable[[History], list[Demand]]] = {
    "serializability": serializability,
    "strict-serializability": strict_serializability,
    "virtual-world-consistency": virtual_world_consistency,
    "opacity": opacity,
    "tms2": tms2,
}


def satisfied(h: History, criterion: str) -> Value:
    """Return whether a history satisfies a criterion."""
    return every(in_some_order(h, demand) for demand in CRITERIA[criterion](h))


def opaque_by_value(h: History, first: int, values: Sequence[int]) -> Value:
    """Return whether a history is opaque where a value counts, and not who wrote it.

    Parameters
    ----------
    h : History
        The history.
    first : int
        The value of every object before any transaction.
    values : sequence of int
        The value that each transaction writes.
    """
    fates = list(product((False, True), repeat=len(h.transactions)))
    return some(
        every(
            no(h.before[late][early] for early, late in combinations(order, 2)),
            some(_legal_by_value(h, order, fate, first, values) for fate in fates),
        )
        for order in permutations(h.transactions)
    )


def _legal_by_value(
    h: History, order: Sequence[int], fate: Sequence[bool], first: int, values: Sequence[int]
) -> Value:
    """Return whether all reads are right when transactions run in an order, some taking effect."""
    decided = every(
        some(h.committed[t], h.committing[t]) if takes else no(h.committed[t])
        for t, takes in enumerate(fate)
    )
    right = []
    for x in h.objects:
        value: Value = first
        for t in order:
            right.append(implies(h.reads_initial[t][x], value == first))
            right += [implies(h.reads_from[t][x][w], value == values[w]) for w in h.transactions]
            if fate[t]:
                value = ite(h.wrote[t][x], values[t], value)
    return every(decided, *right)


# When transactions fit an order


def in_some_order(h: History, demand: Demand) -> Value:
    """Return whether one order explains all reads of the members and keeps what must be kept."""
    clean = no(reads_dirty(h, demand, t, w) for t in h.transactions for w in h.transactions)
    must = {
        (t, u): must_precede(h, demand, t, u)
        for t in h.transactions
        for u in h.transactions
        if t != u
    }
    hides = {(w, v, t): hidden(h, demand, w, v, t) for w, v, t in permutations(h.transactions, 3)}
    return every(
        clean,
        some(
            every(
                no(must[late, early] for early, late in combinations(order, 2)),
                no(hides[three] for three in combinations(order, 3)),
            )
            for order in permutations(h.transactions)
        ),
    )


def takes_effect(h: History, members: Sequence[Value], u: int) -> Value:
    """Return whether u's writes count.

    They do if u has committed. If it is still committing, it counts as committed just when a member
    has read from it: then it must, and otherwise its writes could only be in the way.
    """
    read = some(every(members[t], h.takes_from(t, u)) for t in h.transactions if t != u)
    return every(members[u], some(h.committed[u], every(h.committing[u], read)))


def writes(h: History, demand: Demand, u: int, x: int) -> Value:
    """Return whether u takes effect and writes x."""
    return every(h.wrote[u][x], takes_effect(h, demand.members, u))


def reads_dirty(h: History, demand: Demand, t: int, w: int) -> Value:
    """Return whether a member t read from w though w neither committed nor is committing."""
    return every(demand.members[t], h.takes_from(t, w), no(h.committed[w]), no(h.committing[w]))


def must_precede(h: History, demand: Demand, t: int, u: int) -> Value:
    """Return whether t must stand before u: kept, read by u, or reading what u overwrites."""
    return every(
        demand.members[t],
        demand.members[u],
        some(
            demand.keeps(t, u),
            h.takes_from(u, t),
            some(every(h.reads_initial[t][x], writes(h, demand, u, x)) for x in h.objects),
        ),
    )


def hidden(h: History, demand: Demand, w: int, v: int, t: int) -> Value:
    """Return whether, in the order w, v, t, the write of v hides what t read from w."""
    return some(
        every(demand.members[t], h.reads_from[t][x][w], writes(h, demand, v, x)) for x in h.objects
    )


def _with_sources(
    h: History, chosen: Sequence[Value], *, causal: bool = False
) -> tuple[Value, ...]:
    """Return the chosen transactions with all those that they read from, directly or not.

    With ``causal``, what the same process ran before and committed belongs to it too.
    """
    members = list(chosen)
    for _ in h.transactions[1:]:
        members = [
            some(
                members[w],
                some(
                    every(members[t], some(h.committed[w], h.committing[w]), h.takes_from(t, w))
                    for t in h.transactions
                    if t != w
                ),
                some(
                    every(members[t], h.committed[w])
                    for t in h.transactions
                    if causal and w in h.earlier(t)
                ),
            )
            for w in h.transactions
        ]
    return tuple(members)
