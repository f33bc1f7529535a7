"""The criteria by trying every order: slow, plain, and written without the code that is tested.

Where whole transactions must fit one order, they are run one after the other in every order, with
every fate of those that may have committed, and each read is compared with what it would return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations, product
from typing import Any

from counterpoint.histories.history import Fate, History, Transaction
from counterpoint.histories.sources import INITIAL, Sources

# One order of whole transactions


def runs_in_some_order(
    history: History, members: Iterable[int], must_precede: Any, versions: bool = False
) -> bool:
    """Return whether members can have run one after the other.

    Parameters
    ----------
    history : History
    members : iterable of int
    must_precede : callable
        Of two transactions: whether the first must stand before the second.
    versions : bool
        Whether commits must stand in the order of their versions' numbers.
    """
    chosen = [history.transactions[k] for k in members]
    for fates in _fates(chosen):
        for order in permutations(chosen):
            late = any(must_precede(b, a) for k, a in enumerate(order) for b in order[k + 1 :])
            if not late and _explains(order, fates, versions):
                return True
    return False


def _fates(chosen: list[Transaction]) -> Iterator[set[int]]:
    """Yield each set of transactions that can have taken effect."""
    sure = {one.number for one in chosen if one.fate is Fate.COMMITTED}
    open_ones = [one.number for one in chosen if one.fate is Fate.COMMITTING]
    for takes in product((False, True), repeat=len(open_ones)):
        yield sure | {k for k, take in zip(open_ones, takes, strict=True) if take}


def _explains(order: Iterable[Transaction], effective: set[int], versions: bool) -> bool:
    """Return whether all reads are right if transactions run one after the other."""
    memory: dict[Any, Any] = {}
    newest: dict[Any, int] = {}
    for one in order:
        copy = dict(memory)
        for op in one.operations:
            if op.kind == "write":
                copy[op.object] = op.value
            elif op.kind == "append":
                copy[op.object] = (*copy.get(op.object, ()), op.value)
            elif (copy.get(op.object) or None) != (op.value or None):
                return False
        if one.number in effective:
            for what, version in one.versions.items() if versions else ():
                if version < newest.get(what, 0):
                    return False
                newest[what] = version
            memory = copy
    return True


# Orders of versions


def is_snapshot_isolated(sources: Sources, members: frozenset[int], kept: set[Any]) -> bool:
    """Return whether some orders of versions leave no forbidden cycle; registers only."""
    for ww, rw in _dependencies(sources, members):
        depends = ww | _reads(sources, members) | kept
        steps = depends | {(a, d) for a, b in depends for c, d in rw if b == c}
        if _is_acyclic(steps):
            return True
    return False


def is_read_committed(sources: Sources, members: frozenset[int]) -> bool:
    """Return whether some orders of versions leave no cycle of ``ww`` and ``wr``."""
    reads = _reads(sources, members)
    return any(_is_acyclic(ww | reads) for ww, _ in _dependencies(sources, members))


def is_seen_whole(
    sources: Sources, members: frozenset[int], sessions: set[Any], causal: bool
) -> bool:
    """Return whether some order of commits makes read atomic, or causal consistency, true."""
    base = _reads(sources, members) | sessions
    seen = closed(base) if causal else base
    for order in permutations(sorted(members)):
        place = {t: k for k, t in enumerate(order)}
        if any(place[a] >= place[b] for a, b in base):
            continue
        if all(
            a == read.writer or (read.writer != INITIAL and place[a] < place[read.writer])
            for a, b in seen
            for read in sources.reads[b]
            if a != b and read.object in sources.wrote[a]
        ):
            return True
    return False


def _reads(sources: Sources, members: frozenset[int]) -> set[Any]:
    return {(r.writer, t) for t in members for r in sources.reads[t] if r.writer != INITIAL}


def _dependencies(sources: Sources, members: frozenset[int]) -> Iterator[tuple[set[Any], set[Any]]]:
    """Yield ``ww`` and ``rw`` for every order of versions."""
    read = {r.writer for t in members for r in sources.reads[t]}
    effective = [
        t for t in sorted(members)
        if sources.history.transactions[t].fate is Fate.COMMITTED or t in read
    ]  # fmt: skip
    objects = sorted({x for t in effective for x in sources.wrote[t]})
    writers = [[t for t in effective if x in sources.wrote[t]] for x in objects]
    for orders in product(*(permutations(w) for w in writers)):
        ww: set[Any] = set()
        rw: set[Any] = set()
        for x, order in zip(objects, orders, strict=True):
            ww |= {(a, b) for k, a in enumerate(order) for b in order[k + 1 :]}
            for t in members:
                for r in sources.reads[t]:
                    if r.object == x:
                        later = order if r.writer == INITIAL else order[order.index(r.writer) + 1 :]
                        rw |= {(t, b) for b in later if b != t}
        yield ww, rw


def closed(pairs: set[Any]) -> set[Any]:
    """Return the transitive closure of a relation."""
    found = set(pairs)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not more:
            return found
        found |= more


def _is_acyclic(pairs: set[Any]) -> bool:
    return all(a != b for a, b in closed(pairs))
