"""The first pages of a ranking, and how certain and stable they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.graph.csr import Both, Csr, Graph
from counterpoint.graph.errors import GraphError


def top(scores: Array, k: int) -> Array:
    """Return the k pages with the highest scores, highest first; ties by the lower page number."""
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, np.int64)
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > least)
    chosen = np.concatenate([above, np.flatnonzero(scores == least)[: k - len(above)]])
    return chosen[np.lexsort((chosen, -scores[chosen]))]


class Watch:
    """Notes since which iteration the first k pages have been the same."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._last: set[int] | None = None
        self._looks = 0
        self._since = 0

    def look(self, scores: Array) -> None:
        """Compare the first pages after an iteration with those of the iteration before."""
        if self._k:
            self._looks += 1
            found = set(top(scores, self._k).tolist())
            if found != self._last:
                self._since, self._last = self._looks, found

    @property
    def settled(self) -> int | None:
        """The iteration since which they have been the same; None: not watched."""
        return self._since if self._k and self._looks else None


@dataclass(frozen=True)
class Certain:
    """How much of the first k pages no error within a bound can change.

    Attributes
    ----------
    members : int
        How many pages are certainly among the first k.
    ranks : int
        How many of the first pages are certainly in this order.
    """

    members: int
    ranks: int


def certain(scores: Array, k: int, bound: float) -> Certain:
    """Return how much of the first k pages is certain if all errors sum to at most ``bound``.

    Two pages keep their order if their scores differ by more than the bound, because the errors of
    both together are within the bound.

    Parameters
    ----------
    scores : float64, shape (pages,)
    k : int
    bound : float
        An upper bound of the sum of the absolute errors of all scores.
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
        held = len(first)  # no page comes after the last one
    return Certain(members, min(held, k))


@dataclass(frozen=True)
class Agreement:
    """How similar the first k pages of two rankings are.

    Attributes
    ----------
    overlap : float
        The share of the first k pages of one ranking that are among the first k of the other.
    same : int
        How many of the first pages are equal, rank by rank.
    tau : float or None
        Kendall's tau of the pages that are in both: 1 for the same order, -1 for the opposite
        order. None: there are fewer than two such pages, or all their scores are equal.
    """

    overlap: float
    same: int
    tau: float | None


def agreement(one: Array, other: Array, k: int) -> Agreement:
    """Compare the first k pages of two rankings, given by their scores."""
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
    """Rank again without a random sample of the links, and compare the first k pages.

    Parameters
    ----------
    graph : Graph
        Its links are expanded in memory.
    rank : callable
        Returns the scores of a graph.
    scores : float64, shape (pages,)
        The scores of the whole graph.
    k : int
        How many of the first pages are compared.
    share : float
        The share of the links that is left out, from 0 to 1.
    repeats, seed : int
        How often links are drawn, and the seed of the draws.

    Yields
    ------
    Agreement
        For each repeat.

    Raises
    ------
    GraphError
        If ``share`` is out of range.
    """
    if not 0 <= share <= 1:
        raise GraphError(f"a share of {share} links is not from 0 to 1")
    rows = graph.out.expanded()
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        left = without(rows, rng.random(rows.links) < share)
        yield agreement(scores, rank(Both(left, left.reversed())), k)


def without(rows: Csr, gone: Array) -> Csr:
    """Return rows without some of their links; ``gone``, bool, shape (links,), marks these."""
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
