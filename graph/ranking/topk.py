"""The first pages of a ranking, and how firmly they stand there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.graph.csr import Both, Csr, Graph
from counterpoint.graph.errors import GraphError


def top(scores: Array, k: int) -> Array:
    """Return the k pages with the highest scores, highest first; of equal ones the lower page."""
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, np.int64)
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > least)
    chosen = np.concatenate([above, np.flatnonzero(scores == least)[: k - len(above)]])
    return chosen[np.lexsort((chosen, -scores[chosen]))]


class Watch:
    """Watches whether the first k pages stay the same ones from iteration to iteration."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._last: set[int] | None = None
        self._looks = 0
        self._since = 0

    def look(self, scores: Array) -> None:
        """Look at the scores after an iteration."""
        if self._k:
            self._looks += 1
            found = set(top(scores, self._k).tolist())
            if found != self._last:
                self._since, self._last = self._looks, found

    @property
    def settled(self) -> int | None:
        """The iteration from which on they were the same; None: not watched."""
        return self._since if self._k and self._looks else None


@dataclass(frozen=True)
class Certain:
    """What of the first k pages no error within a bound could change.

    Attributes
    ----------
    members : int
        Pages that are among the first k for sure.
    ranks : int
        The first so many are certain to stand in this very order.
    """

    members: int
    ranks: int


def certain(scores: Array, k: int, bound: float) -> Certain:
    """Tell what is certain if the sum of all errors is at most ``bound``.

    Two pages cannot change places if their scores differ by more: the error of the one and that of
    the other are within the bound together.
    """
    first = top(scores, k + 1)
    values = scores[first]
    if len(first) <= k:  # every page is among them
        members = len(first)
    else:
        members = int(np.count_nonzero(values[:k] - values[k] > bound))
    gaps = values[:-1] - values[1:] > bound
    held = int(np.argmin(gaps)) if not gaps.all() else len(gaps)
    if held == len(gaps) and len(first) <= k:
        held = len(first)  # nobody comes after the last
    return Certain(members, min(held, k))


@dataclass(frozen=True)
class Agreement:
    """How alike the first k pages of two rankings are.

    Attributes
    ----------
    overlap : float
        The share of the first k of the one that are among the first k of the other.
    same : int
        The first so many are equal, rank by rank.
    tau : float or None
        Kendall's, of the pages that are in both: 1 in the same order, -1 in the opposite one. None:
        fewer than two, or all are equal.
    """

    overlap: float
    same: int
    tau: float | None


def agreement(one: Array, other: Array, k: int) -> Agreement:
    """Compare the first k pages of two vectors of scores."""
    from scipy.stats import kendalltau

    first, second = top(one, k), top(other, k)
    common = np.intersect1d(first, second)
    equal = first == second
    same = len(first) if equal.all() else int(np.argmin(equal))
    tau = float(kendalltau(one[common], other[common]).statistic) if len(common) > 1 else np.nan
    return Agreement(
        len(common) / len(first) if len(first) else 1.0, same, None if np.isnan(tau) else tau
    )


def perturbed(
    graph: Graph, rank: Callable[[Graph], Array], scores: Array, k: int, *,
    share: float, repeats: int, seed: int,
) -> Iterator[Agreement]:  # fmt: skip
    """Rank again without some of the links, drawn anew each time, and compare the first k pages.

    Parameters
    ----------
    graph : Graph
        Is expanded.
    rank : callable
        Returns the scores of a graph.
    scores : float64[n]
        Those of all links.
    k : int
    share : float
        Of the links that are left out, from 0 to 1.
    repeats, seed : int
    """
    if not 0 <= share <= 1:
        raise GraphError(f"a share of {share} links is not from 0 to 1")
    rows = graph.out.expanded()
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        left = without(rows, rng.random(rows.links) < share)
        yield agreement(scores, rank(Both(left, left.reversed())), k)


def without(rows: Csr, gone: Array) -> Csr:
    """Return rows without some of their links; ``gone``, bool[links], tells which."""
    return Csr(_left(rows.offsets, gone), rows.targets[~gone])


@compiled
def _left(offsets: Array, gone: Array) -> Array:
    found = np.zeros(len(offsets), np.uint64)
    for row in range(len(offsets) - 1):
        left = 0
        for k in range(offsets[row], offsets[row + 1]):
            left += not gone[k]
        found[row + 1] = found[row] + np.uint64(left)
    return found
