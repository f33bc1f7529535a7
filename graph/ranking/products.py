"""What all rankings are made of: the sum of a weight over the links of every page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.csr import Csr, Links
from counterpoint.graph.errors import GraphError


@dataclass(frozen=True)
class Run:
    """How an iteration ended.

    Attributes
    ----------
    rule : str
        When it was to end, in words.
    residuals : tuple of float
        What is compared with the tolerance, after each iteration.
    converged : bool
        Whether the last of them is small enough.
    """

    rule: str
    residuals: tuple[float, ...]
    converged: bool

    @property
    def iterations(self) -> int:
        """The number of iterations."""
        return len(self.residuals)

    @property
    def residual(self) -> float:
        """The last residual; 0 if nothing was iterated."""
        return self.residuals[-1] if self.residuals else 0.0


def must_iterate(tolerance: float, most: int) -> None:
    """Refuse limits of an iteration that make no sense."""
    if not 0 <= tolerance < 1:
        raise GraphError(f"a tolerance of {tolerance} is not from 0 to below 1")
    if most < 1:
        raise GraphError(f"{most} iterations are less than one")


def gather(links: Links, weights: Array, sums: Array) -> float:
    """Write the sum of the weights of the pages that each page's links name; return all of it.

    Parameters
    ----------
    links : Links
    weights, sums : float64[n]
        Two arrays.
    """
    return sum(float(_gathered(*rows, weights, sums, first)) for first, rows in links.chunks())


def gather_weighed(rows: Csr, by_link: Array, weights: Array, sums: Array) -> None:
    """Do what `gather` does, each link counted ``by_link`` times (float64[links])."""
    _gathered_weighed(*rows, by_link, weights, sums)


def spread(rows: Csr, weights: Array, sums: Array) -> None:
    """Add the weight of each row to the sums of the pages that it names.

    It is `gather` along the links backward, for whoever has them in one direction only.
    """
    _spread(*rows, weights, sums)


def spread_weighed(rows: Csr, by_link: Array, weights: Array, sums: Array) -> None:
    """Do what `spread` does, each link counted ``by_link`` times (float64[links])."""
    _spread_weighed(*rows, by_link, weights, sums)


def degrees(links: Links) -> Array:
    """Return the number of links of each page, uint32[n]."""
    found = np.empty(links.nodes, np.uint32)
    for first, rows in links.chunks():
        found[first : first + rows.nodes] = np.diff(rows.offsets)
    return found


@compiled
def _gathered(offsets: Array, targets: Array, weights: Array, sums: Array, first: Number) -> float:
    one, k = np.uint64(1), np.uint64(0)
    page = np.uint64(first)
    everything = 0.0
    for row in range(one, np.uint64(len(offsets))):
        total = 0.0
        end = offsets[row]
        while k < end:
            total += weights[targets[k]]
            k += one
        sums[page] = total
        everything += total
        page += one
    return everything


@compiled
def _gathered_weighed(
    offsets: Array, targets: Array, by_link: Array, weights: Array, sums: Array
) -> None:
    one, k = np.uint64(1), np.uint64(0)
    for row in range(one, np.uint64(len(offsets))):
        total = 0.0
        end = offsets[row]
        while k < end:
            total += by_link[k] * weights[targets[k]]
            k += one
        sums[row - one] = total


@compiled
def _spread(offsets: Array, targets: Array, weights: Array, sums: Array) -> None:
    one, k = np.uint64(1), np.uint64(0)
    for row in range(one, np.uint64(len(offsets))):
        weight = weights[row - one]
        end = offsets[row]
        while k < end:
            sums[targets[k]] += weight
            k += one


@compiled
def _spread_weighed(
    offsets: Array, targets: Array, by_link: Array, weights: Array, sums: Array
) -> None:
    one, k = np.uint64(1), np.uint64(0)
    for row in range(one, np.uint64(len(offsets))):
        weight = weights[row - one]
        end = offsets[row]
        while k < end:
            sums[targets[k]] += by_link[k] * weight
            k += one
