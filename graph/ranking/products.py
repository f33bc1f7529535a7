"""The operation behind all rankings: for each page, sum a weight over its links."""

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
        The stopping rule, in words.
    residuals : tuple of float
        The residual after each iteration, which is compared with the tolerance.
    converged : bool
        Whether the last residual is within the tolerance.
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
    """Raise GraphError if a limit of an iteration is out of range."""
    if not 0 <= tolerance < 1:
        raise GraphError(f"a tolerance of {tolerance} is not from 0 to below 1")
    if most < 1:
        raise GraphError(f"{most} iterations are less than one")


def gather(links: Links, weights: Array, sums: Array) -> float:
    """Write for each page the sum of the weights of its links' targets; return the total.

    Parameters
    ----------
    links : Links
    weights : float64, shape (pages,)
        The weight of each page.
    sums : float64, shape (pages,)
        Gets the sums; not the same array as ``weights``.
    """
    return sum(float(_gathered(*rows, weights, sums, first)) for first, rows in links.chunks())


def gather_weighed(rows: Csr, by_link: Array, weights: Array, sums: Array) -> None:
    """Do the same as `gather`, with a factor for each link.

    Parameters
    ----------
    rows : Csr
    by_link : float64, shape (links,)
        The factors.
    weights, sums
        As in `gather`.
    """
    _gathered_weighed(*rows, by_link, weights, sums)


def spread(rows: Csr, weights: Array, sums: Array) -> None:
    """Add the weight of each page to the sums of its links' targets.

    This is `gather` along the reversed links, for graphs whose links are available in one direction
    only.

    Parameters
    ----------
    rows : Csr
    weights : float64, shape (pages,)
        The weight of each page.
    sums : float64, shape (pages,)
        Is added to.
    """
    _spread(*rows, weights, sums)


def spread_weighed(rows: Csr, by_link: Array, weights: Array, sums: Array) -> None:
    """Do the same as `spread`, with a factor for each link.

    Parameters
    ----------
    rows : Csr
    by_link : float64, shape (links,)
        The factors.
    weights, sums
        As in `spread`.
    """
    _spread_weighed(*rows, by_link, weights, sums)


def degrees(links: Links) -> Array:
    """Return the number of links of each page, uint32, shape (pages,)."""
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
