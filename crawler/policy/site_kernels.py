"""Compiled functions of schedulers over sites: queues, counts, and the choice of the next site.

The table of sites has a row for each site and a last row with the totals; the columns are named
below. Pages are handles. As everywhere in the project, compiled functions call only functions of
their own file.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled

from .kernels import GROW

EMPTY = -1
UNDECIDED = -2

HEAD, TAIL, WAITING, FLYING, SCANNED, SUM, LARGEST = range(7)
COLUMNS = 7
"""The columns: first and last page of the site's queue; how many pages wait, are in flight, and
were scanned; the sum of external links on the scanned pages; the most external links on one of
them."""

PAGES, LINKS, PAGES_BEFORE, LINKS_BEFORE, MOST = range(5)
MEMORY = 5
"""The columns of the table of discounted UCB: discounted pages and external links of a site, its
counts at the last call, and the most links per page seen at once."""


@compiled
def all_below(links: Array, size: int) -> bool:
    """Return whether all of ``links`` are handles below ``size``."""
    low = high = 0
    for link in links:
        low = min(low, link)
        high = max(high, link)
    return low == 0 and high < size


@compiled
def enqueue(page: int, k: int, site: Array, following: Array, table: Array) -> None:
    """Append an unseen page to the queue of site ``k``, a list linked by ``following``.

    For the arrays see `absorb`.
    """
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
    """Count a page as scanned, and append the unseen pages that it links to to its site's queue.

    Parameters
    ----------
    links : int64 array
        The handles of the pages linked to.
    external : int
        X, the number of external links on the page.
    page : int
        The page's handle; it was taken from its site's queue.
    site : int32 array
        By handle: the number of the page's site; -1: not seen.
    following : int64 array
        By handle: the next page in the queue.
    table : int64 array, shape (K + 1, COLUMNS)

    Returns
    -------
    int
        0; `GROW` if a link is beyond the end of the arrays; then nothing was changed.
    """
    if not all_below(links, site.size):
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
    """Count a page with ``external`` external links as scanned, in a row of the table of sites."""
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
        Two floating-point indices are in the order of the exact indices if they differ by more than
        this part of their sum.

    Returns
    -------
    int
        The number of the site; `EMPTY` if no page waits; `UNDECIDED` if the indices of sites with
        different numbers of scanned pages are so close that floats cannot decide.
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
    """Choose between sites whose indices are close to the largest, for `of_largest_index`.

    Parameters
    ----------
    best : int
        The site with the largest index as a float.
    top : float
        Its index.
    table : int64 array
    trust : float

    Returns
    -------
    int
        As `of_largest_index`.
    """
    chosen = best
    for k in range(table.shape[0] - 1):
        if not table[k, WAITING]:
            continue
        index = index_of(k, table)
        if top - index <= trust * (top + index):
            if table[k, SCANNED] != table[best, SCANNED]:
                return UNDECIDED
            # With equally many pages the larger sum has the larger index, and equal sums tie.
            more = table[k, SUM] - table[chosen, SUM]
            if more > 0 or (more == 0 and k < chosen):
                chosen = k
    return chosen


@compiled
def of_largest_discounted(table: Array, memory: Array, discount: float, exploration: float) -> int:
    """Discount the counts, add the pages since the last call, and return the site of largest index.

    Parameters
    ----------
    table : int64 array, shape (K + 1, COLUMNS)
    memory : float64 array, shape (K, MEMORY)
        Updated.
    discount : float
        The factor by which the weight of older pages shrinks with each page.
    exploration : float
        The factor within the square root of the index.
    """
    sites = table.shape[0] - 1
    news = 0.0
    for k in range(sites):
        news += table[k, SCANNED] - memory[k, PAGES_BEFORE]
    fading = discount**news
    total, most = 0.0, 0.0
    for k in range(sites):
        pages = table[k, SCANNED] - memory[k, PAGES_BEFORE]
        links = table[k, SUM] - memory[k, LINKS_BEFORE]
        memory[k, PAGES] = memory[k, PAGES] * fading + pages
        memory[k, LINKS] = memory[k, LINKS] * fading + links
        memory[k, PAGES_BEFORE] = table[k, SCANNED]
        memory[k, LINKS_BEFORE] = table[k, SUM]
        if pages:
            memory[k, MOST] = max(memory[k, MOST], links / pages)
        total += memory[k, PAGES]
        most = max(most, memory[k, MOST])
    return of_largest_faded(table, memory, max(most, 1.0), exploration * np.log(max(total, 1.0)))


@compiled
def of_largest_faded(table: Array, memory: Array, most: float, width: float) -> int:
    """Return the site with pages waiting whose discounted index is largest.

    Parameters
    ----------
    table : int64 array, shape (K + 1, COLUMNS)
    memory : float64 array, shape (K, MEMORY)
    most : float
        Xmax, by which the means are divided.
    width : float
        ``exploration`` times the logarithm of the discounted number of pages.
    """
    best, top = EMPTY, -1.0
    for k in range(table.shape[0] - 1):
        if table[k, WAITING]:
            pages = memory[k, PAGES]
            index = np.inf
            if pages > 0.0:
                index = memory[k, LINKS] / (pages * most) + 2.0 * np.sqrt(width / pages)
            if index > top:
                best, top = k, index
    return best


@compiled
def of_largest_draw(table: Array, state: Array, shape: float, rate: float) -> int:
    """Return the site with pages waiting whose mean, drawn at random, is largest.

    Parameters
    ----------
    table : int64 array, shape (K + 1, COLUMNS)
    state : uint64 array, shape (1,)
        The state of the random generator; updated.
    shape, rate : float
        The parameters of the prior Gamma distribution.
    """
    best, top = EMPTY, -1.0
    for k in range(table.shape[0] - 1):
        if table[k, WAITING]:
            mean = gamma(state, shape + table[k, SUM]) / (rate + table[k, SCANNED])
            if mean > top:
                best, top = k, mean
    return best


@compiled
def gamma(state: Array, shape: float) -> float:
    """Draw from the Gamma distribution of rate 1 (Marsaglia and Tsang, 2000)."""
    if shape < 1.0:
        return float(gamma_above(state, shape + 1.0) * uniform(state) ** (1.0 / shape))
    return gamma_above(state, shape)


@compiled
def gamma_above(state: Array, shape: float) -> float:
    """Draw from the Gamma distribution of rate 1 and a shape of at least 1."""
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        x = np.sqrt(-2.0 * np.log(uniform(state))) * np.cos(2.0 * np.pi * uniform(state))
        v = (1.0 + c * x) ** 3
        if v > 0.0:
            u = uniform(state)
            if u < 1.0 - 0.0331 * x**4 or np.log(u) < 0.5 * x * x + d - d * v + d * np.log(v):
                return float(d * v)


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@compiled
def uniform(state: Array) -> float:
    """Draw a number above 0 and at most 1 (SplitMix64)."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _S30)) * _FIRST
    z = (z ^ (z >> _S27)) * _SECOND
    z = z ^ (z >> _S31)
    return float((float(z >> _S11) + 1.0) / 9007199254740992.0)


@compiled
def take_of_largest_index(following: Array, table: Array, trust: float) -> int:
    """Take a page of the site of largest index; `EMPTY` or `UNDECIDED` as `of_largest_index`."""
    k = of_largest_index(table, trust)
    return take(k, following, table) if k >= 0 else k


@compiled
def take_of_largest_discounted(
    following: Array, table: Array, memory: Array, discount: float, exploration: float
) -> int:
    """Take a page of the site that `of_largest_discounted` returns; `EMPTY` if there is none."""
    k = of_largest_discounted(table, memory, discount, exploration)
    return take(k, following, table) if k >= 0 else k


@compiled
def take_of_largest_draw(
    following: Array, table: Array, state: Array, shape: float, rate: float
) -> int:
    """Take a page of the site that `of_largest_draw` returns; `EMPTY` if there is none."""
    k = of_largest_draw(table, state, shape, rate)
    return take(k, following, table) if k >= 0 else k
