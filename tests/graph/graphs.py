"""Graphs for tests: small random ones, whose hosts are contiguous."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from counterpoint.compiling import Array


class Lists(NamedTuple):
    """Lists of links, and the first pages of hosts."""

    offsets: Array
    targets: Array
    hosts: Array

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.offsets) - 1

    def of(self, node: int) -> list[int]:
        """Return the targets of a page's links."""
        return self.targets[self.offsets[node] : self.offsets[node + 1]].tolist()


def lists_of(rows: list[list[int]], bounds: list[int]) -> Lists:
    """Return rows of links as arrays; ``bounds``: first pages of hosts but the first."""
    ordered = [sorted(set(row)) for row in rows]
    offsets = np.cumsum([0, *map(len, ordered)]).astype(np.int64)
    targets = np.array([t for row in ordered for t in row], dtype=np.uint32)
    hosts = np.array([*sorted({0, *bounds} - {len(rows)}), len(rows)], dtype=np.uint32)
    return Lists(offsets, targets, hosts)


@st.composite
def some_lists(draw: st.DrawFn, most: int = 80) -> Lists:
    """Draw the links of the pages of some hosts; only a few pages have many links."""
    nodes = draw(st.integers(1, most))
    page = st.integers(0, nodes - 1)
    bounds = draw(st.lists(page, max_size=6))
    seed = draw(st.integers(0, 2**32 - 1))
    hubs = draw(st.sets(page, max_size=3))
    chance = np.random.default_rng(seed)
    rows = [
        chance.integers(0, nodes, 3 * nodes if node in hubs else chance.integers(0, 6)).tolist()
        for node in range(nodes)
    ]
    return lists_of(rows, bounds)
