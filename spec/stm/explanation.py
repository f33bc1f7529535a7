"""Explains why a concrete history violates a criterion: by a cycle of orders."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise, permutations, product

from counterpoint.spec.notation import Explanation

from .history import CRITERIA, Demand, History, in_some_order, reads_dirty, writes


def explain(
    h: History,
    criterion: str,
    versions: Sequence[Sequence[int]],
    names: Sequence[str],
    objects: Sequence[str],
) -> Explanation:
    """Return the contradiction in a history that violates a criterion.

    Parameters
    ----------
    h : History
        A concrete history.
    criterion : str
        A key of `CRITERIA`.
    versions : sequence of sequences of int
        For each object, the transactions that published it, in that order.
    names, objects : sequence of str
        The names of transactions and objects.

    Returns
    -------
    Explanation
        A dirty read, or a shortest cycle; empty if the history satisfies the criterion.
    """
    failing = [d for d in CRITERIA[criterion](h) if not in_some_order(h, d)]
    if not failing:
        return Explanation(())
    demand = failing[0]
    for t in h.transactions:
        for w in h.transactions:
            if reads_dirty(h, demand, t, w):
                line = f"{names[t]} read what {names[w]} wrote, but {names[w]} did not commit"
                return Explanation((line + ".",), ((names[w], names[t], line),))
    arrows = _Arrows(h, demand, versions, names, objects)
    circle = _shortest_circle(arrows)
    edges = tuple((names[t], names[u], arrows[t, u]) for t, u in circle)
    lines = [f"{first} must precede {second}: {why}." for first, second, why in edges]
    members = [names[t] for t in h.transactions if demand.members[t]]
    both = "both" if len(edges) == 2 else "all of this"
    lines.append(f"No order of {', '.join(members)} allows {both}.")
    return Explanation(tuple(lines), edges)


class _Arrows(dict[tuple[int, int], str]):
    """The pairs of members with a required order, each with the reason."""

    def __init__(
        self,
        h: History,
        demand: Demand,
        versions: Sequence[Sequence[int]],
        names: Sequence[str],
        objects: Sequence[str],
    ) -> None:
        super().__init__()
        self.h, self.demand, self.versions = h, demand, versions
        self.names, self.objects = names, objects
        for t, x in product(h.transactions, h.objects):
            self._from_read(t, x)
        for t, u in permutations(h.transactions, 2):
            self._from_time(t, u)

    def _add(self, t: int, u: int, why: str) -> None:
        if t != u and self.demand.members[t] and self.demand.members[u]:
            self.setdefault((t, u), why)

    def _from_read(self, t: int, x: int) -> None:
        """Add the orders that follow from t's read of x and the published versions of x."""
        h, reader, thing = self.h, self.names[t], self.objects[x]
        others = [v for v in h.transactions if v != t and writes(h, self.demand, v, x)]
        if h.reads_initial[t][x]:
            for v in others:
                self._add(
                    t, v, f"{reader} reads the first {thing}, which {self.names[v]} overwrites"
                )
        for w in h.transactions:
            if not h.reads_from[t][x][w]:
                continue
            writer = self.names[w]
            self._add(w, t, f"{reader} reads {thing} from {writer}")
            for v in others:
                over = self.names[v]
                if v != w and _later(self.versions[x], v, w):
                    self._add(
                        t, v, f"{reader} reads {thing} from {writer}, which {over} overwrites"
                    )
                elif v != w:
                    self._add(v, w, f"{writer} overwrites the {thing} of {over}")

    def _from_time(self, t: int, u: int) -> None:
        if not self.demand.keeps(t, u):
            return
        h, first, second = self.h, self.names[t], self.names[u]
        if h.before[t][u]:
            self._add(t, u, f"{first} had ended when {second} began")
            return
        moment = "began" if h.effective_before[t][u] else "asked to commit"
        was_read = any(h.takes_from(v, t) for v in h.transactions)
        how = "taken effect" if was_read else "ended"
        self._add(t, u, f"{first} had {how} when {second} {moment}")


def _later(published: Sequence[int], v: int, w: int) -> bool:
    """Return whether v's version comes after w's; an unpublished version comes last."""
    places = {t: i for i, t in enumerate(published)}
    return places.get(v, len(places)) > places.get(w, len(places))


def _shortest_circle(arrows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the arrows of a shortest cycle, in order; empty if there is none."""
    after: dict[int, list[int]] = {}
    for t, u in arrows:
        after.setdefault(t, []).append(u)
    circles = [way for way in (_way_back(start, after) for start in sorted(after)) if way]
    shortest: list[int] = min(circles, key=len, default=[])
    return list(pairwise(shortest))


def _way_back(start: int, after: dict[int, list[int]]) -> list[int]:
    """Return a shortest path from a transaction back to itself; empty if there is none."""
    ways: deque[list[int]] = deque([[start]])
    seen: set[int] = set()
    while ways:
        way = ways.popleft()
        for u in after.get(way[-1], ()):
            if u == start:
                return [*way, start]
            if u not in seen:
                seen.add(u)
                ways.append([*way, u])
    return []
