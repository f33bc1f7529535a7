"""Compiled functions of the crawl loop and of lists of pages; each is called once per step.

Pages are handles. A function that finds a handle beyond the end of its table changes nothing and
returns `GROW`; the owner of the table then enlarges it and calls the function again.
"""

from __future__ import annotations

from counterpoint.compiling import Array, compiled

GROW = -1

UNKNOWN, OFFERED, ASKED = 0, 1, 2


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
    """Mark pages that a policy now knows as `OFFERED`, unless it has `ASKED` for them."""
    if not fits(links, standing.size):
        return GROW
    for link in links:
        if standing[link] == 0:
            standing[link] = 1
    return 0


@compiled
def discover(links: Array, seen: Array, pages: Array, end: int) -> int:
    """Append the pages not seen before to ``pages[:end]``, and return the new end.

    Parameters
    ----------
    links : int64 array
        Handles.
    seen : bool array
        By handle; updated.
    pages : int64 array
        The pages found so far, then free room; updated.
    end : int
        How many pages were found so far.
    """
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
    """Append like `discover`, but the new pages in reverse order; the parameters are the same."""
    new = discover(links, seen, pages, end)
    if new == GROW:
        return GROW
    low, high = end, new - 1
    while low < high:
        pages[low], pages[high] = pages[high], pages[low]
        low += 1
        high -= 1
    return new
