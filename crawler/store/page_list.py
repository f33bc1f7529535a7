"""The pages of a store as a list that is searched, filtered and sorted, in bounded time.

As in `browsing`, there are two ways. *Gather*: if one condition leaves at most `LOOK` pages, these
are read and sorted in any order. *Walk*: else an index is followed from the place of the last page
shown, in parts, and the other conditions are applied on the way; the walk ends when the page of
the list is full or the time is over, and the caller can go on at `FoundPages.after`. Words are
looked up in an `AddressIndex`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from .address_index import AddressIndex, Deadline
from .browsing import Total
from .opening import Store
from .page_kinds import PageKind, kind_of
from .page_queries import ALWAYS, PagePlace, PageQuery, PageSearch, few, parts
from .places import read_place, token_of
from .schema import seeds, visits
from .views import can_be_stored, must_be_storable

COUNTED = 10_000
"""Pages are counted up to this number."""
SECONDS = 0.1
"""The time of a search. A third as much may be spent before it on reading addresses that are not
indexed yet, and after it on counting; the last part of each may take longer."""


class PageRow(NamedTuple):
    """A page; ``visited`` is the time of its last visit in seconds since 1970."""

    id: int
    seed: int | None
    site: str
    address: str
    kind: PageKind
    status: int | None
    problem: str
    size: int
    external: int
    visited: float | None


@dataclass(frozen=True)
class FoundPages:
    """A part of the list.

    Attributes
    ----------
    rows : list of PageRow
    before, after : str
        The places at which the list continues on either side, for the next call; "": it ends there.
    total : Total
        How many pages match: exactly, or a lower bound.
    whole : bool
        False: the time was over before the part was full; the next call goes on at ``after``.
    sort : str
        By what the list is sorted: by number if what was asked for needs a narrower filter.
    sortable : bool
        Whether all of `SORTS` are possible with this filter.
    """

    rows: list[PageRow]
    before: str
    after: str
    total: Total
    whole: bool
    sort: str
    sortable: bool


def search(
    store: Store, index: AddressIndex, wanted: PageSearch, *, after: str = "", before: str = "",
    limit: int = 50, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic,
) -> FoundPages:  # fmt: skip
    """Return the pages after, or before, a place in the list.

    Parameters
    ----------
    store : Store
    index : AddressIndex
        That of the store; addresses that it lacks are added.
    wanted : PageSearch
    after, before : str
        A place from `FoundPages`; only one of them. Both "": the beginning of the list.
    limit : int
        The most pages to return.
    seconds : float
        The time after which the search stops.
    clock : callable

    Raises
    ------
    CrawlError
        If the place is invalid, or the words contain what no address has.
    """
    must_be_storable("words", wanted.words)
    place = _place(after or before, wanted.sort)
    whole = not wanted.words or index.refresh(Deadline(seconds / 3, clock))
    deadline = Deadline(seconds, clock)
    with store.reading() as connection:
        found = PageQuery(connection, index, whole, wanted, wanted.descending != bool(before))
        narrow = few(found)
        if narrow is None and wanted.sort not in ALWAYS:
            by_number = replace(wanted, sort="number", descending=False)
            found, place, before = replace(found, wanted=by_number, backward=False), None, ""
        if narrow is None:
            rows, end = _walked(found, place, limit, deadline)
        else:
            query = found.ordered(found.chosen(narrow, *found.beyond(place)))
            rows, end = list(connection.execute(query.limit(limit + 1))), None
        more = len(rows) > limit
        rows = rows[:limit]
        onward = _token(PagePlace(rows[-1].value, rows[-1].id) if more else end)
        back = _token(PagePlace(rows[0].value, rows[0].id) if rows and place else None)
        if before:
            rows.reverse()
            onward, back = back, onward
        total = _total(found, narrow, len(rows), Deadline(seconds / 3, clock))
        return FoundPages(_shown(connection, rows), back, onward, total, more or end is None,
                          found.wanted.sort, narrow is not None)  # fmt: skip


def _walked(
    found: PageQuery, place: PagePlace | None, limit: int, deadline: Deadline
) -> tuple[list[Any], PagePlace | None]:
    """Return rows from a place on, and the place at which to go on (None: the list has ended)."""
    rows: list[Any] = []
    for part, end in parts(found, place):
        query = found.ordered(found.chosen(part))
        rows += found.connection.execute(query.limit(limit + 1 - len(rows)))
        place = end
        if end is None or len(rows) > limit or not deadline.left():
            break
    return rows, place


def _total(
    found: PageQuery, narrow: ColumnElement[bool] | None, shown: int, deadline: Deadline
) -> Total:
    """Return how many pages match; at least as many as are shown."""
    if narrow is not None:
        rows = found.chosen(narrow).subquery()
        return Total(found.connection.scalar(select(func.count()).select_from(rows)) or 0, True)
    by_number = replace(found.wanted, sort="number")
    counting = replace(found, wanted=by_number, backward=False)
    number, end = 0, None
    for part, end in parts(counting, None):  # noqa: B007 the last one is used
        rows = counting.chosen(part).limit(COUNTED + 1).subquery()
        number += found.connection.scalar(select(func.count()).select_from(rows)) or 0
        if number > COUNTED or not deadline.left():
            break
    exact = end is None and number <= COUNTED
    return Total(number if exact else max(shown, min(number, COUNTED)), exact)


def _shown(connection: Connection, rows: list[Any]) -> list[PageRow]:
    numbers = {row.seed for row in rows if row.seed is not None}
    of_sites = select(seeds.c.number, seeds.c.site).where(seeds.c.number.in_(numbers))
    sites = {row.number: row.site for row in connection.execute(of_sites)}
    ids = [row.id for row in rows]
    last = select(visits.c.page, func.max(visits.c.time).label("last"))
    of_pages = last.where(visits.c.page.in_(ids)).group_by(visits.c.page)
    times = {row.page: row.last for row in connection.execute(of_pages)}
    return [
        PageRow(row.id, row.seed, sites.get(row.seed, ""), row.address,
                kind_of(row.state, row.status, row.problem), row.status, row.problem, row.size,
                row.external, times.get(row.id))
        for row in rows
    ]  # fmt: skip


def _token(place: PagePlace | None) -> str:
    return "" if place is None else token_of(place)


def _place(token: str, sort: str) -> PagePlace | None:
    if not token:
        return None
    return PagePlace(*read_place(token, lambda values: _fits(values, sort)))


def _fits(values: list[Any], sort: str) -> bool:
    kinds = {"address": (str,), "visited": (int, float)}.get(sort, (int,))
    if len(values) != 2 or type(values[0]) not in kinds or type(values[1]) is not int:
        return False
    value, number = values
    if isinstance(value, str):
        return can_be_stored(value) and 0 <= number < 2**63
    return bool(-1 <= value < 2**63) and -1 <= number < 2**63
