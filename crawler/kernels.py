"""Compiled functions of the schedulers and of the crawl loop: each is called once a step.

A function here calls only functions of this file: Numba keeps compiled code under the date of one
file. Pages are handles; tables by handle are grown by whoever owns them, so a function that finds a
handle beyond its table changes nothing and returns `GROW`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

Array = np.ndarray[Any, Any]
"""An array whose type of elements the docstring states."""


def compiled(function: F) -> F:
    """Compile a function on its first call; the code is kept for later processes."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


GROW = -1
EMPTY = -1
UNDECIDED = -2

UNKNOWN, OFFERED, ASKED = 0, 1, 2

HEAD, TAIL, WAITING, FLYING, SCANNED, SUM, LARGEST = range(7)
COLUMNS = 7
"""Of a table with a row for each site, and one for all together below them."""


@compiled
def fits(links: Array, size: int) -> bool:
    """Return whether all of ``links`` are handles below ``size``."""
    low = high = 0
    for link in links:
        low = min(low, link)
        high = max(high, link)
    return low == 0 and high < size


@compiled
def offer(links: Array, standing: Array) -> int:
    """Mark pages of which a policy learns as `OFFERED`, unless they were `ASKED` for."""
    if not fits(links, standing.size):
        return GROW
    for link in links:
        if standing[link] == 0:
            standing[link] = 1
    return 0


@compiled
def discover(links: Array, seen: Array, pages: Array, end: int) -> int:
    """Append the pages not seen before to ``pages[:end]``, and return the new end."""
    if end + links.size > pages.size or not fits(links, seen.size):
        return GROW
    for link in links:
        if not seen[link]:
            seen[link] = True
            pages[end] = link
            end += 1
    return end


@compiled
def discover_reversed(links: Array, seen: Array, pages: Array, end: int) -> int:
    """Do what `discover` does, with the first of the new pages last."""
    new = discover(links, seen, pages, end)
    if new == GROW:
        return GROW
    low, high = end, new - 1
    while low < high:
        pages[low], pages[high] = pages[high], pages[low]
        low += 1
        high -= 1
    return new


@compiled
def enqueue(page: int, k: int, site: Array, following: Array, table: Array) -> None:
    """Put an unseen page at the end of site ``k``'s queue: a list linked by ``following``."""
    site[page] = k
    if table[k, WAITING]:
        following[table[k, TAIL]] = page
    else:
        table[k, HEAD] = page
    table[k, TAIL] = page
    table[k, WAITING] += 1
    table[-1, WAITING] += 1


@compiled
def absorb(
    links: Array, external: int, page: int, site: Array, following: Array, table: Array
) -> int:
    """Learn what a page of a site brought: unseen links join its site's queue.

    Parameters
    ----------
    links : int64 array
    external : int
        X, the external links on the page.
    page : int
        Its handle; it was taken from its site's queue.
    site : int32 array
        The number of each page's site; -1: not seen.
    following : int64 array
        The page behind each page in the queue.
    table : int64 array of shape (K + 1, COLUMNS)
    """
    if not fits(links, site.size):
        return GROW
    k = int(site[page])
    for link in links:
        if site[link] < 0:
            enqueue(link, k, site, following, table)
    count(external, table[k])
    count(external, table[-1])
    return 0


@compiled
def count(external: int, row: Array) -> None:
    """Count a page with so many external links as scanned, in a row of the table of sites."""
    row[FLYING] -= 1
    row[SCANNED] += 1
    row[SUM] += external
    row[LARGEST] = max(row[LARGEST], external)


@compiled
def take(k: int, following: Array, table: Array) -> int:
    """Take the first page of site ``k``'s queue; `EMPTY` if there is none."""
    if not table[k, WAITING]:
        return EMPTY
    page = int(table[k, HEAD])
    table[k, HEAD] = following[page]
    for row in (k, table.shape[0] - 1):
        table[row, WAITING] -= 1
        table[row, FLYING] += 1
    return page


@compiled
def of_largest_sum(table: Array) -> int:
    """Return the site with pages waiting that has the largest sum; `EMPTY` if there is none."""
    best = EMPTY
    for k in range(table.shape[0] - 1):
        if table[k, WAITING] and (best == EMPTY or table[k, SUM] > table[best, SUM]):
            best = k
    return best


@compiled
def of_largest_mean(table: Array) -> int:
    """Return the site with pages waiting that has the largest mean, compared exactly."""
    best = EMPTY
    for k in range(table.shape[0] - 1):
        if table[k, WAITING] and (
            best == EMPTY
            or table[k, SUM] * table[best, SCANNED] > table[best, SUM] * table[k, SCANNED]
        ):
            best = k
    return best


@compiled
def index_of(k: int, table: Array) -> float:
    """Return R3's index of site ``k``, mean / Xmax + sqrt(2 ln n / t)."""
    n, t = table[-1, SCANNED], table[k, SCANNED]
    mean = table[k, SUM] / (t * max(1, table[-1, LARGEST]))
    return float(mean + np.sqrt(2.0 * np.log(float(n)) / t))


@compiled
def of_largest_index(table: Array, trust: float) -> int:
    """Return the site with pages waiting that has the largest index of R3.

    Parameters
    ----------
    table : int64 array
    trust : float
        Indices as floats are in their true order if they differ by more than this part of their
        sum.

    Returns
    -------
    int
        `EMPTY` if no page waits; `UNDECIDED` if sites with different numbers of pages scanned are
        too close to the largest for floats.
    """
    best, top, second = EMPTY, -1.0, -1.0
    for k in range(table.shape[0] - 1):
        if table[k, WAITING]:
            index = index_of(k, table)
            if index > top:
                best, top, second = k, index, top
            else:
                second = max(second, index)
    if best == EMPTY or top - second > trust * (top + second):
        return best
    return among_close(best, top, table, trust)


@compiled
def among_close(best: int, top: float, table: Array, trust: float) -> int:
    """Return what `of_largest_index` does, where several sites are close to the largest."""
    chosen = best
    for k in range(table.shape[0] - 1):
        if not table[k, WAITING]:
            continue
        index = index_of(k, table)
        if top - index <= trust * (top + index):
            if table[k, SCANNED] != table[best, SCANNED]:
                return UNDECIDED
            # Of as many pages, the larger sum has the larger index, and equal sums tie.
            more = table[k, SUM] - table[chosen, SUM]
            if more > 0 or (more == 0 and k < chosen):
                chosen = k
    return chosen
