"""Strong components by Tarjan's algorithm, to check the search of `counterpoint.graph`."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled


@compiled
def _next_unseen(
    offsets: Array, targets: Array, page: int,
    at_link: Array, order: Array, lowest: Array, label: Array,
) -> int:  # fmt: skip
    """Follow the next links of a page until one leads to an unseen page; return it, or -1."""
    while at_link[page] < offsets[page + 1]:
        target = targets[at_link[page]]
        at_link[page] += 1
        if order[target] == 0:
            return target
        if label[target] < 0:
            lowest[page] = min(lowest[page], order[target])
    return -1


@compiled
def _closed(page: int, number: int, label: Array, waiting: Array, waiting_end: int) -> int:
    """Close the component whose first page is ``page``; return how many pages still wait."""
    member = -1
    while member != page:
        waiting_end -= 1
        member = waiting[waiting_end]
        label[member] = number
    return waiting_end


@compiled
def strong_components(offsets: Array, targets: Array) -> tuple[Array, int]:
    """Return the number of each page's strong component, and how many there are (Tarjan 1972).

    The path of the search and the pages that wait for their component are arrays with a length, not
    calls, so that a chain of a million pages needs no deep recursion.
    """
    pages = len(offsets) - 1
    label = np.full(pages, -1, np.int32)
    # In the order of discovery, from 1; 0: not yet seen.
    order, lowest = np.zeros(pages, np.int32), np.zeros(pages, np.int32)
    at_link = offsets[:-1].copy()
    path, waiting = np.empty(pages, np.int32), np.empty(pages, np.int32)
    waiting_end = seen = number = 0
    for root in range(pages):
        depth, page = 0, root if order[root] == 0 else -1
        while page >= 0 or depth > 0:
            if page >= 0:
                seen += 1
                order[page] = lowest[page] = seen
                path[depth] = waiting[waiting_end] = page
                depth += 1
                waiting_end += 1
            here = path[depth - 1]
            page = _next_unseen(offsets, targets, here, at_link, order, lowest, label)
            if page < 0:
                depth -= 1
                if depth > 0:
                    above = path[depth - 1]
                    lowest[above] = min(lowest[above], lowest[here])
                if lowest[here] == order[here]:
                    waiting_end = _closed(here, number, label, waiting, waiting_end)
                    number += 1
    return label, number
