"""What both rankings are made of: the sum of a weight over the links of every page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawler.errors import CrawlError

from .compiling import Array, Number, compiled
from .csr import Links


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
        raise CrawlError(f"a tolerance of {tolerance} is not from 0 to below 1")
    if most < 1:
        raise CrawlError(f"{most} iterations are less than one")


def gather(links: Links, weights: Array, sums: Array) -> float:
    """Write the sum of the weights of the pages that each page's links name; return all of it.

    Parameters
    ----------
    links : Links
    weights, sums : float64[n]
        Two arrays.
    """
    return sum(float(_gathered(*rows, weights, sums, first)) for first, rows in links.chunks())


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
