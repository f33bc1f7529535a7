"""The broken links of a store as a list by target, searched in bounded time.

A target is what `broken` says: a page whose last visit failed, and to which links lead. The index
of visits by page is followed from the place of the last target shown, in parts, until the list is
full or the time is over, as in `page_list`; the caller can go on at `FoundBroken.after`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, select

from .address_index import Deadline
from .broken import BrokenTarget, LinkingPage, linking, target_of
from .opening import Store
from .places import read_place, token_of
from .schema import pages, visits
from .views import has_words, must_be_storable

PART = 5_000
"""How many visits a part of the walk has, at least."""
SECONDS = 0.5
"""The time of a search; its last part may take longer."""
SOURCES = 3
"""How many pages that link to a target are returned."""
LINKS = 200
"""How many links to a target are read for that."""


class BrokenRow(NamedTuple):
    """A target: its page, what is known of it, and the first pages that link to it.

    ``sources`` has each page once, with its first anchor; ``more``: whether other links were seen.
    """

    id: int
    target: BrokenTarget
    sources: list[LinkingPage]
    more: bool


@dataclass(frozen=True)
class FoundBroken:
    """A part of the list.

    Attributes
    ----------
    rows : list of BrokenRow
        In the order in which the crawl found the targets.
    before, after : str
        The places at which the list continues on either side, for the next call; "": it ends there.
    whole : bool
        False: the time was over before the part was full; the next call goes on.
    """

    rows: list[BrokenRow]
    before: str
    after: str
    whole: bool


@dataclass(frozen=True)
class _Walk:
    """A walk over pages: its conditions and its direction."""

    connection: Connection
    since: float
    words: str
    backward: bool

    def end_of_part(self, place: int | None) -> int | None:
        """Return the last page of the next part; None: the walk ends with it."""
        order = visits.c.page.desc() if self.backward else visits.c.page
        query = select(visits.c.page).where(*self._beyond(place)).order_by(order)
        end: int | None = self.connection.execute(query.offset(PART).limit(1)).scalar()
        return end

    def candidates(self, place: int | None, end: int | None) -> list[int]:
        """Return the pages of a part of which a visit failed, in the direction of the walk."""
        wanted = [*self._beyond(place), visits.c.recalled.is_(False),
                  visits.c.status.not_in((200, 304))]  # fmt: skip
        if end is not None:
            wanted.append(visits.c.page >= end if self.backward else visits.c.page <= end)
        if self.since:
            wanted.append(visits.c.time >= self.since)
        query = select(visits.c.page).distinct()
        if self.words:
            has = has_words(pages.c.address, self.words, self.connection.dialect.name)
            query = query.join(pages, pages.c.id == visits.c.page).where(has)
        found = self.connection.execute(query.where(*wanted)).scalars()
        return sorted(found, reverse=self.backward)

    def row(self, page: int) -> BrokenRow | None:
        """Return a page as a row; None: it came at last, broke too early, or has no link."""
        target = target_of(self.connection, page)
        if target is None or target.since < self.since:
            return None
        links = list(islice(linking(self.connection, page), LINKS))
        if not links:
            return None
        sources = list({link.id: link for link in reversed(links)}.values())[::-1]
        more = len(sources) > SOURCES or len(links) == LINKS
        return BrokenRow(page, target, sources[:SOURCES], more)

    def _beyond(self, place: int | None) -> list[ColumnElement[bool]]:
        if place is None:
            return []
        return [visits.c.page < place if self.backward else visits.c.page > place]


def search(
    store: Store, *, since: float = 0.0, words: str = "", after: str = "", before: str = "",
    limit: int = 50, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic,
) -> FoundBroken:  # fmt: skip
    """Return the targets of broken links after, or before, a place in the list.

    Parameters
    ----------
    store : Store
    since : float
        Only links that broke at this time or later, in seconds since 1970.
    words : str
        A part of the target's address; "": any.
    after, before : str
        A place from `FoundBroken`; only one of them. Both "": the beginning of the list.
    limit : int
        The most targets to return.
    seconds : float
        The time after which the search stops.
    clock : callable

    Raises
    ------
    CrawlError
        If the place is invalid, or the words contain what no address has.
    """
    must_be_storable("words", words)
    begin = _place(after or before)
    deadline = Deadline(seconds, clock)
    with store.reading() as connection:
        walk = _Walk(connection, since, words, bool(before))
        rows, end = _walked(walk, begin, limit, deadline)
    more = len(rows) > limit
    rows = rows[:limit]
    onward = _token(rows[-1].id if more else end)
    back = _token(rows[0].id if rows and begin is not None else None)
    if before:
        rows.reverse()
        onward, back = back, onward
    return FoundBroken(rows, back, onward, more or end is None)


def _walked(
    walk: _Walk, place: int | None, limit: int, deadline: Deadline
) -> tuple[list[BrokenRow], int | None]:
    """Return rows from a place on, and the page after which to go on (None: the list has ended)."""
    rows: list[BrokenRow] = []
    while True:
        end = walk.end_of_part(place)
        for page in walk.candidates(place, end):
            row = walk.row(page)
            rows += [] if row is None else [row]
            if len(rows) > limit:
                return rows, page
            if not deadline.left():
                return rows, page
        if end is None:
            return rows, None
        place = end
        if not deadline.left():
            return rows, place


def _token(page: int | None) -> str:
    return "" if page is None else token_of([page])


def _place(token: str) -> int | None:
    if not token:
        return None
    page: int = read_place(token, _fits)[0]
    return page


def _fits(values: list[object]) -> bool:
    return len(values) == 1 and type(values[0]) is int and -1 <= values[0] < 2**63
