"""OPIC: pages get cash from the pages that link to them, and the richest page is fetched next.

Source: Abiteboul, Preda and Cobena, adaptive on-line page importance computation (2003). A virtual
page links to all pages and all pages link to it. A page that is fetched distributes its cash in
equal parts to the pages it links to and to the virtual page. As no page is fetched twice here, the
part of a page that was already requested goes to the virtual page; so does all cash of a page
without links. The virtual page distributes its cash among the waiting pages (found and not yet
requested) as soon as each would get at least as much as the richest waiting page has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.crawler.policy.kernels import GROW
from counterpoint.crawler.policy.protocol import NONE, Outcome, Request, Setting
from counterpoint.crawler.policy.site_kernels import EMPTY
from counterpoint.crawler.policy.tables import FIRST, grown, room_for

from .web import FETCHED, FLYING, SPENT

LEFT = -1
"""In ``place``: the page was requested."""
UNSEEN = -2

VIRTUAL, BONUS = 0, 1
SIZE, FOUND = 0, 1


class Opic:
    """The page with the most cash is next; of equals, the one found first."""

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self._budget = setting.budget
        self._issued = self._observed = 0
        starts = np.asarray(list(dict.fromkeys(setting.starts)), dtype=np.int64)
        self._make_room(max(FIRST, room_for(starts) if len(starts) else 0))
        self._purse = np.zeros(2)
        self._counts = np.zeros(2, dtype=np.int64)
        take_richest(*self._tables())
        spend(NONE, 0, *self._tables())
        if len(starts):
            share(starts, 1.0 / len(starts), *self._tables())

    def _make_room(self, size: int) -> None:
        self._place = np.full(size, UNSEEN, dtype=np.int64)
        self._number = np.zeros(size, dtype=np.int64)
        self._cash = np.zeros(size)
        self._heap = np.zeros(size, dtype=np.int64)

    def _tables(self) -> Sequence[Array]:
        return self._place, self._number, self._cash, self._heap, self._purse, self._counts

    def next(self) -> Request | None:
        """Return the richest page."""
        if self._issued >= self._budget:
            self.why = SPENT
            return None
        page = take_richest(*self._tables())
        if page == EMPTY:
            self.why = FLYING if self._issued > self._observed else FETCHED
            return None
        self._issued += 1
        return Request(page)

    def observe(self, outcome: Outcome) -> None:
        """Distribute the cash of the page that was fetched."""
        self._observed += 1
        links = outcome.links if outcome.status == 200 else outcome.links[:0]
        if spend(links, outcome.page, *self._tables()) == GROW:
            size = room_for(links)
            self._place = grown(self._place, size, UNSEEN)
            self._number, self._cash, self._heap = (
                grown(table, size) for table in (self._number, self._cash, self._heap)
            )
            spend(links, outcome.page, *self._tables())

    def total(self) -> float:
        """Return the total cash, which is always 1 except for rounding."""
        size = self._counts[SIZE]
        waiting = self._cash[self._heap[:size]].sum() + size * self._purse[BONUS]
        flying = self._cash[self._place == LEFT].sum()
        return float(waiting + flying + self._purse[VIRTUAL])


# The following functions share these arrays:
#
#   place   int64, by handle: the page's place in the heap, `LEFT` or `UNSEEN`
#   number  int64, by handle: the page's number in the order of discovery, which decides ties
#   cash    float64, by handle
#   heap    int64: the handles of the waiting pages, a binary heap with the richest page on top
#   purse   float64, shape (2,): the cash of the virtual page, and the bonus of all waiting pages
#   counts  int64, shape (2,): the size of the heap, and how many pages were found
#
# A waiting page has cash[page] + purse[BONUS]: the virtual page pays all of them by one addition.
# The order among waiting pages is that of cash alone.


@compiled
def take_richest(
    place: Array, number: Array, cash: Array, heap: Array, purse: Array, counts: Array
) -> int:
    """Take the waiting page with the most cash from the heap; return `EMPTY` if none waits."""
    size = counts[SIZE]
    if size == 0:
        return EMPTY
    page = int(heap[0])
    if purse[VIRTUAL] / size >= cash[page] + purse[BONUS]:
        purse[BONUS] += purse[VIRTUAL] / size
        purse[VIRTUAL] = 0.0
    cash[page] += purse[BONUS]
    place[page] = LEFT
    counts[SIZE] = size - 1
    if size > 1:
        heap[0] = heap[size - 1]
        sink(place, number, cash, heap, size - 1)
    return page


@compiled
def spend(
    links: Array, page: int, place: Array, number: Array, cash: Array, heap: Array, purse: Array,
    counts: Array,
) -> int:  # fmt: skip
    """Distribute the cash of ``page``, which was fetched, among ``links`` and the virtual page.

    Returns `GROW`, and changes nothing, if a link is beyond the end of the tables.
    """
    if not all_below(links, place.size):
        return GROW
    amount = cash[page]
    cash[page] = 0.0
    if links.size == 0:
        purse[VIRTUAL] += amount
        return 0
    part = amount / (links.size + 1)
    share(links, part, place, number, cash, heap, purse, counts)
    purse[VIRTUAL] += part
    return 0


@compiled
def share(
    links: Array, part: float, place: Array, number: Array, cash: Array,
    heap: Array, purse: Array, counts: Array,
) -> None:  # fmt: skip
    """Add ``part`` to the cash of each page in ``links``; pages not seen before join the heap."""
    for link in links:
        if place[link] == LEFT:
            purse[VIRTUAL] += part
            continue
        if place[link] == UNSEEN:
            at = counts[SIZE]
            counts[SIZE] += 1
            number[link] = counts[FOUND]
            counts[FOUND] += 1
            cash[link] = part - purse[BONUS]
            heap[at] = link
            place[link] = at
        else:
            cash[link] += part
        rise(link, place, number, cash, heap)


@compiled
def all_below(links: Array, size: int) -> bool:
    """Return whether all of ``links`` are handles below ``size``."""
    low = high = 0
    for link in links:
        low = min(low, link)
        high = max(high, link)
    return low == 0 and high < size


@compiled
def before(one: int, other: int, number: Array, cash: Array) -> bool:
    """Return whether page ``one`` is richer than ``other``, or as rich and found earlier."""
    if cash[one] != cash[other]:
        return bool(cash[one] > cash[other])
    return bool(number[one] < number[other])


@compiled
def rise(page: int, place: Array, number: Array, cash: Array, heap: Array) -> None:
    """Move a page up in the heap to its place."""
    at = place[page]
    while at > 0:
        above = (at - 1) // 2
        other = heap[above]
        if not before(page, other, number, cash):
            break
        heap[at] = other
        place[other] = at
        at = above
    heap[at] = page
    place[page] = at


@compiled
def sink(place: Array, number: Array, cash: Array, heap: Array, size: int) -> None:
    """Move the page on top of the heap, which has ``size`` pages, down to its place."""
    page = heap[0]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and before(heap[below + 1], heap[below], number, cash):
            below += 1
        other = heap[below]
        if not before(other, page, number, cash):
            break
        heap[at] = other
        place[other] = at
        at = below
    heap[at] = page
    place[page] = at
