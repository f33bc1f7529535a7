"""A directed graph as two arrays: the object of all measures."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from counterpoint.compiling import Array

from .kernels import reversed_links


class MeasuredGraph:
    """The links of pages 0 to n - 1 in compressed rows, and the same links backward.

    Parameters
    ----------
    offsets : int64, shape (n + 1,)
        The links of page p are ``targets[offsets[p]:offsets[p + 1]]``.
    targets : int, shape (links,)
        Pages. A page may repeat a link, and may link to itself.

    Raises
    ------
    ValueError
        If the arrays do not describe a graph.
    """

    def __init__(self, offsets: Array, targets: Array) -> None:
        offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        targets = np.asarray(targets)
        if offsets.ndim != 1 or len(offsets) < 2:
            raise ValueError("offsets must be one-dimensional with at least two numbers")
        if offsets[0] != 0 or offsets[-1] != len(targets) or (np.diff(offsets) < 0).any():
            raise ValueError("offsets must rise from 0 to the number of targets")
        self.pages = len(offsets) - 1
        if self.pages > np.iinfo(np.int32).max:
            raise ValueError("there are more pages than can be measured (2^31 - 1)")
        if len(targets) and (int(targets.min()) < 0 or int(targets.max()) >= self.pages):
            raise ValueError("a target is not a page of the graph")
        self.offsets = offsets
        self.targets = _as_int32(targets)

    @property
    def links(self) -> int:
        """The number of links."""
        return len(self.targets)

    @cached_property
    def backward(self) -> tuple[Array, Array]:
        """The same links backward: offsets, and the pages that link to each page."""
        return reversed_links(self.offsets, self.targets)

    @cached_property
    def out_degrees(self) -> Array:
        """The number of links of each page."""
        return np.diff(self.offsets)

    @cached_property
    def in_degrees(self) -> Array:
        """The number of links to each page."""
        return np.diff(self.backward[0])


def _as_int32(targets: Array) -> Array:
    """Return page numbers below 2^31 as int32; without a copy if they have 32 bits already."""
    if targets.dtype == np.uint32:
        return np.ascontiguousarray(targets).view(np.int32)
    return np.ascontiguousarray(targets, dtype=np.int32)
