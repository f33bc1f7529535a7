"""Queries of the list of pages: two ways to find the pages of a search, see `page_list`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    and_,
    cast,
    func,
    literal,
    or_,
    select,
    true,
    tuple_,
    union_all,
)

from .address_index import AddressIndex, spellings
from .page_kinds import IS_NOT_200, PageKind, condition, indexed
from .schema import pages, visits
from .views import has_words

LOOK = 20_000
"""The most pages that are gathered."""
PART, LONGEST, RANGE = 500, 4_000, 32_000
"""How many pages the first part of a walk has, and the longest; each is twice the one before. If no
index but that of the numbers is followed, the longest has `RANGE` numbers."""

_VISITED = (
    select(func.max(visits.c.time)).where(visits.c.page == pages.c.id).correlate(pages)
    .scalar_subquery()
)  # fmt: skip
_SORTS: dict[str, ColumnElement[Any]] = {
    "number": pages.c.id, "address": pages.c.key, "external": pages.c.external,
    "size": pages.c.size, "visited": func.coalesce(_VISITED, 0.0),
}  # fmt: skip
SORTS = tuple(_SORTS)
"""By what the list can be sorted."""
ALWAYS = ("number", "address")
"""The sorts that need no filter; the others need one that leaves at most `LOOK` pages."""


@dataclass(frozen=True)
class PageSearch:
    """Which pages are wanted, and in which order.

    Attributes
    ----------
    words : str
        A part of the address; ASCII letters of either case. "": any.
    site : int or None
        The number of the site.
    status : int or None
        The HTTP status; 0: no answer.
    kind : PageKind or None
    sort : str
        One of `SORTS`.
    descending : bool
    """

    words: str = ""
    site: int | None = None
    status: int | None = None
    kind: PageKind | None = None
    sort: str = "number"
    descending: bool = False


class PagePlace(NamedTuple):
    """A place in an order: the value of the sort, and the number of the page."""

    value: Any
    id: int


@dataclass(frozen=True)
class PageQuery:
    """A search within a transaction.

    Attributes
    ----------
    connection : Connection
    index : AddressIndex
    whole : bool
        Whether the index has the addresses of all pages.
    wanted : PageSearch
    backward : bool
        Whether the last page comes first.
    """

    connection: Connection
    index: AddressIndex
    whole: bool
    wanted: PageSearch
    backward: bool

    @property
    def order(self) -> ColumnElement[Any]:
        """The column, or the expression, by which the list is sorted."""
        return _SORTS[self.wanted.sort]

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions that pages must meet, those that take longest last."""
        wanted = self.wanted
        found: list[ColumnElement[bool]] = []
        if wanted.site is not None:
            found.append(pages.c.seed == wanted.site)
        if wanted.status is not None:
            found.append(pages.c.status == wanted.status)
        if wanted.kind is not None:
            found.append(condition(wanted.kind))
        if wanted.words:
            dialect = self.connection.dialect.name
            found.append(or_(*(
                has_words(pages.c.address, one, dialect) for one in spellings(wanted.words)
            )))  # fmt: skip
        return found

    def among(self, ids: list[int]) -> ColumnElement[bool]:
        """Return the condition that a page has one of some numbers."""
        if self.connection.dialect.name == "sqlite":
            listed = select(func.json_each(json.dumps(ids)).table_valued("value").c.value)
        else:
            listed = select(func.unnest(cast(literal(ids, ARRAY(BigInteger)), ARRAY(BigInteger))))
        return pages.c.id.in_(listed)

    def ordered(self, query: Select[Any]) -> Select[Any]:
        """Return a query in the order of the list, which is total."""
        both = [self.order] if self.wanted.sort in ALWAYS else [self.order, pages.c.id]
        return query.order_by(*(one.desc() if self.backward else one for one in both))

    def beyond(self, place: PagePlace | None) -> list[ColumnElement[bool]]:
        """Return the conditions of coming after a place in the order."""
        if place is None:
            return []
        if self.wanted.sort in ALWAYS:
            return [self.order < place.value if self.backward else self.order > place.value]
        here = tuple_(self.order, pages.c.id)
        there = tuple_(literal(place.value), literal(place.id))
        return [here < there if self.backward else here > there]

    def chosen(self, *also: ColumnElement[bool]) -> Select[Any]:
        """Return a query of the rows that match, and the value of the sort in each."""
        columns = [pages.c[name] for name in ("id", "seed", "address", "state", "status",
                                              "problem", "size", "external")]  # fmt: skip
        query = select(*columns, self.order.label("value"))
        return query.where(*self.conditions(), *also)


def few(found: PageQuery) -> ColumnElement[bool] | None:
    """Return a condition that an index answers and at most `LOOK` pages meet; None: none does."""
    wanted = found.wanted
    if wanted.words and found.whole:
        ids = found.index.some(wanted.words, LOOK + 1)
        if len(ids) <= LOOK:
            return found.among(ids)
    for ways in _ways(wanted):
        if sum(_count(found.connection, way) for way in ways) <= LOOK:
            # The limit lets the database begin with this condition, whatever it knows of others.
            parts = [select(select(pages.c.id).where(*way).limit(LOOK).subquery()) for way in ways]
            return pages.c.id.in_(union_all(*parts))
    return None


def _ways(wanted: PageSearch) -> Iterator[list[list[ColumnElement[bool]]]]:
    """Yield conditions that indices answer, each list for all pages that are wanted."""
    if of_site := _of_site(wanted):
        yield [of_site]
    if of_status := _of_status(wanted):
        yield [of_status]
    if wanted.kind is not None and (of_kind := indexed(wanted.kind)):
        yield of_kind
    yield [[true()]]


def _count(connection: Connection, way: list[ColumnElement[bool]]) -> int:
    some = select(pages.c.id).where(*way).limit(LOOK + 1).subquery()
    return connection.scalar(select(func.count()).select_from(some)) or 0


def parts(
    found: PageQuery, place: PagePlace | None
) -> Iterator[tuple[ColumnElement[bool], PagePlace | None]]:
    """Yield the parts of the list: a condition that bounds each, and where the next one begins."""
    wanted = found.wanted
    followed = _followed(found)
    if wanted.sort != "number" or followed:
        return _parts_of_index(found, followed, place)
    words_alone = wanted.words and wanted.status is None and wanted.kind is None
    if words_alone and (found.whole or not found.backward):
        return _parts_of_hits(found, place)
    return _parts_of_numbers(found, place)


def _followed(found: PageQuery) -> list[ColumnElement[bool]]:
    """Return conditions that an index in the order of numbers has as well; none: none has."""
    wanted = found.wanted
    if wanted.sort != "number":
        return []
    of_kind: list[ColumnElement[bool]] = []
    if wanted.kind in (PageKind.IN_FLIGHT, PageKind.DROPPED):
        (of_kind,) = indexed(wanted.kind)
    return _of_site(wanted) or _of_status(wanted) or of_kind


def _of_site(wanted: PageSearch) -> list[ColumnElement[bool]]:
    return [] if wanted.site is None else [pages.c.seed == wanted.site]


def _of_status(wanted: PageSearch) -> list[ColumnElement[bool]]:
    """Return the conditions on the status as the index has them; it has all others than 200."""
    if wanted.status in (None, 200):
        return []
    return [IS_NOT_200, pages.c.status == wanted.status]


def _parts_of_index(
    found: PageQuery, followed: list[ColumnElement[bool]], place: PagePlace | None
) -> Iterator[tuple[ColumnElement[bool], PagePlace | None]]:
    size = PART
    while True:
        conditions = [*followed, *found.beyond(place)]
        part = found.ordered(select(found.order.label("value")).where(*conditions))
        last = found.connection.execute(part.offset(size - 1).limit(1)).scalar()
        if last is None:
            yield and_(true(), *conditions), None
            return
        until = found.order >= last if found.backward else found.order <= last
        place = PagePlace(last, 0)
        yield and_(true(), *conditions, until), place
        size = min(2 * size, LONGEST)


def _parts_of_hits(
    found: PageQuery, place: PagePlace | None
) -> Iterator[tuple[ColumnElement[bool], PagePlace | None]]:
    hits = found.index.hits(found.wanted.words, None if place is None else place.value,
                            backward=found.backward)  # fmt: skip
    last, size = found.index.last, PART
    while True:
        ids = list(islice(hits, size))
        if len(ids) < size:
            yield found.among(ids), None if found.whole else PagePlace(last, 0)
            return
        yield found.among(ids), PagePlace(ids[-1], 0)
        size = min(2 * size, LONGEST)


def _parts_of_numbers(
    found: PageQuery, place: PagePlace | None
) -> Iterator[tuple[ColumnElement[bool], PagePlace | None]]:
    newest = found.connection.execute(select(func.max(pages.c.id))).scalar()
    end, size = -1 if newest is None else newest, PART
    # Numbers are compared with numbers beyond both ends, so that no end is a case of its own.
    at = place.value if place is not None else end + 1 if found.backward else -1
    while True:
        until = max(-1, at - size - 1) if found.backward else min(end, at + size)
        low, high = (until, at - 1) if found.backward else (at, until)
        ends = until == -1 if found.backward else until >= end
        yield (pages.c.id > low) & (pages.c.id <= high), None if ends else PagePlace(
            until + 1 if found.backward else until, 0
        )  # fmt: skip
        if ends:
            return
        at, size = until + 1 if found.backward else until, min(2 * size, RANGE)
