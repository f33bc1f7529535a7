"""Weak components: sets of pages that are connected by links followed in both directions.

A union-find structure joins components by the lower page and halves paths, so that the lowest page
identifies a component. After two links of each page, most pages are in one component already, and
the other links of its pages are not read (Sutton, Ben-Nun, Barak: Optimizing parallel graph
connectivity, 2018). A link that leads out of this component is read at its other end, among the
links of the other direction.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.csr import Csr, Graph

from .scc import Components, numbered

FEW = 2
"""How many links of each page are read before the giant component is guessed."""

GUESSES = 1024
"""How many pages the guess looks at."""


def wcc(graph: Graph) -> Components:
    """Return the weak components; needs 8 bytes a page and a component besides the graph."""
    parent = np.arange(graph.nodes, dtype=np.uint32)
    if isinstance(graph.out, Csr) and isinstance(graph.into, Csr):
        _first_links(graph.out.offsets, graph.out.targets, parent, FEW)
        giant = _guessed(parent)
        _other_links(graph.out.offsets, graph.out.targets, parent, FEW, giant)
        _other_links(graph.into.offsets, graph.into.targets, parent, 0, giant)
    else:
        for first, rows in graph.out.chunks():
            _joined(rows.offsets, rows.targets, parent, first)
    _roots(parent)
    return numbered(parent)


def _guessed(parent: Array) -> int:
    """Return the most frequent root in a sample of the pages."""
    if not len(parent):
        return 0
    pages = np.arange(0, len(parent), max(1, len(parent) // GUESSES))
    roots = _roots_of(parent, pages)
    found, times = np.unique(roots, return_counts=True)
    return int(found[int(np.argmax(times))])


@compiled
def _root(parent: Array, page: Number) -> Number:
    """Return the root of a page's component, and shorten the path to it."""
    here = np.uint32(page)
    while parent[here] != here:
        above = parent[parent[here]]
        parent[here] = above
        here = above
    return here


@compiled
def _join(parent: Array, one: Number, other: Number) -> None:
    a, b = _root(parent, one), _root(parent, other)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@compiled
def _first_links(offsets: Array, targets: Array, parent: Array, few: Number) -> None:
    for page in range(len(offsets) - 1):
        end = min(offsets[page + 1], offsets[page] + np.uint64(few))
        for k in range(offsets[page], end):
            _join(parent, page, targets[k])


@compiled
def _other_links(offsets: Array, targets: Array, parent: Array, few: Number, giant: Number) -> None:
    """Join the pages outside the giant component by their links after the first ``few``."""
    known = np.uint32(giant)
    for page in range(len(offsets) - 1):
        if parent[page] == known or _root(parent, page) == _root(parent, known):
            continue
        begin = min(offsets[page + 1], offsets[page] + np.uint64(few))
        for k in range(begin, offsets[page + 1]):
            _join(parent, page, targets[k])


@compiled
def _joined(offsets: Array, targets: Array, parent: Array, first: Number) -> None:
    for row in range(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            _join(parent, first + row, targets[k])


@compiled
def _roots(parent: Array) -> None:
    """Replace every parent by its root; one sweep is enough, as parents precede their pages."""
    for page in range(len(parent)):
        parent[page] = parent[parent[page]]


@compiled
def _roots_of(parent: Array, pages: Array) -> Array:
    found = np.empty(len(pages), np.uint32)
    for i in range(len(pages)):
        found[i] = _root(parent, pages[i])
    return found
