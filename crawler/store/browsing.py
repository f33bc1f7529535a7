"""Lists links page by page while a crawl writes, at a cost that does not grow with the store.

There are two ways to find a page of a list. *Walk*: the index of the sort (and of one filter) is
followed from the place of the last link shown, and other filters are applied on the way. *Gather*:
all links that pass a selective filter are read and sorted. The second way is tried if a short walk
does not fill the page. If neither does, as with the filter `contains`, the walk ends after `LOOK`
links, and the caller can continue at `FoundLinks.after`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, Connection, Select, Subquery, func, select, text, tuple_

from counterpoint.crawler.documents.addresses import Spelling, normalized
from counterpoint.crawler.errors import CrawlError

from .places import read_place, token_of
from .schema import IS_APART, IS_IN_FRONTIER, State, pages, settings, stored_key
from .views import VIEWS, Filter, Kind, Link, View, begins, can_be_stored

LOOK = 20_000
"""The most links that one call reads."""

FIRST = 1_000
"""How many links the first walk reads before the other way is tried."""


@dataclass(frozen=True)
class FoundLinks:
    """A page of a list of links.

    Attributes
    ----------
    rows : list of InternalLink, ExternalLink or BadLink
        At most as many as requested.
    before, after : str
        The places at which the list continues on either side, for the next call; "": it ends there.
    looked : int
        How many links were read.
    whole : bool
        False: the search stopped before the page was full; the next call can resume it.
    """

    rows: list[Link]
    before: str
    after: str
    looked: int
    whole: bool


@dataclass(frozen=True)
class Total:
    """The number of links that match a filter: exact, or a lower bound."""

    number: int
    exact: bool


class _Place(NamedTuple):
    """A place in an order: a link's values there, and whether that link still belongs to it."""

    values: list[Any]
    included: bool = False


@dataclass(frozen=True)
class _Search:
    """A search for links: connection, view, filters, sort and direction.

    Attributes
    ----------
    driving : dict
        The filter that the index of the sort has as well, if there is one.
    wanted : dict
        All filters by name.
    """

    connection: Connection
    view: View
    wanted: dict[str, Any]
    sort: str
    backward: bool
    driving: dict[str, Any]

    @property
    def dialect(self) -> str:
        return self.connection.dialect.name

    @property
    def rest(self) -> list[str]:
        """The names of the filters that are not driving."""
        return [name for name in self.wanted if name not in self.driving]

    def order(self, columns: Any) -> list[ColumnElement[Any]]:
        found = self.view.sorted_by(self.sort, columns, self.dialect)
        return [column.desc() for column in found] if self.backward else found

    def beyond(self, columns: Any, place: _Place | None) -> list[ColumnElement[bool]]:
        """Return the condition of coming after a place in the order."""
        if place is None:
            return []
        order = self.view.sorted_by(self.sort, columns, self.dialect)
        here, there = tuple_(*order), tuple_(*place.values, types=[c.type for c in order])
        if place.included:
            return [here <= there if self.backward else here >= there]
        return [here < there if self.backward else here > there]

    def window(self, place: _Place | None, size: int) -> Select[Any]:
        """Return a query of the next links in the order, whatever the other filters."""
        table = self.view.table
        query = select(table).where(*self.beyond(table.c, place)).limit(size)
        for name, value in self.driving.items():
            query = query.where(*self.view.of_link(name, value, table.c, self.dialect))
        return query.order_by(*self.order(table.c))

    def passed(self, query: Select[Any], part: Subquery, names: Iterable[str]) -> Select[Any]:
        """Return a query with the conditions of some filters."""
        for name in names:
            value = self.wanted[name]
            query = query.where(self.view.condition(name, value, part.c, self.dialect))
        return query

    def place(self, link: Link) -> _Place:
        """Return the place of a link in the order."""
        table = self.view.table
        query = select(*self.view.sorted_by(self.sort, table.c, self.dialect))
        chosen = query.where(table.c.page == link.page, table.c.position == link.position)
        return _Place(list(self.connection.execute(chosen).one()))


def browse(
    connection: Connection,
    kind: Kind,
    wanted: Filter = Filter(),  # noqa: B008 it never changes
    sort: str = "found",
    *,
    descending: bool = False,
    after: str = "",
    before: str = "",
    limit: int = 50,
    look: int = LOOK,
) -> FoundLinks:
    """Return the links after, or before, a place in a sorted and filtered list.

    Parameters
    ----------
    connection : Connection
        From `Store.reading`.
    kind : Kind
        The kind of links.
    wanted : Filter
        The filter that links must pass.
    sort : str
        One of the view's sorts.
    descending : bool
        Whether the last link comes first.
    after, before : str
        A place from `FoundLinks`; only one of them. Both "": the beginning of the list.
    limit : int
        The largest number of links to return.
    look : int
        The largest number of links to read.

    Raises
    ------
    CrawlError
        If these links have no such filter or sort, or the place is invalid.
    """
    if after and before:
        raise CrawlError("after, before: only one of them")
    search = _search(connection, kind, wanted, sort, descending != bool(before))
    place = _place(after or before, search)
    rows, end, looked = _rows(search, place, limit, look)
    more = len(rows) > limit
    rows = rows[:limit]
    if more:
        end = search.place(rows[-1])
    onward = _token(end)
    back = "" if place is None else _token(
        search.place(rows[0]) if rows else _Place(place.values, not place.included)
    )  # fmt: skip
    if before:
        rows.reverse()
        onward, back = back, onward
    return FoundLinks(rows, back, onward, looked, more or end is None)


def total(
    connection: Connection,
    kind: Kind,
    wanted: Filter = Filter(),  # noqa: B008 it never changes
    most: int = 50_000,
) -> Total:
    """Return how many links match a filter; counting ends when `most` links were read.

    The other parameters are those of `browse`.
    """
    search = _search(connection, kind, wanted, "found", False)
    gathered = _gathered(search, LOOK)[0] if search.rest else None
    window = (search.window(None, most) if gathered is None else gathered).subquery("part")
    looked = connection.scalar(select(func.count()).select_from(window)) or 0
    names = search.rest if gathered is None else list(search.wanted)
    counted = search.passed(search.view.counted(window, names), window, names)
    return Total(connection.scalar(counted) or 0, gathered is not None or looked < most)


def _search(
    connection: Connection, kind: Kind, wanted: Filter, sort: str, backward: bool
) -> _Search:
    view = VIEWS[kind]
    values = wanted.wanted()
    view.check(values, sort)
    if "page" in values:
        values["page"] = _page(connection, values["page"])
    if sort == "found":
        driving = next(({name: values[name]} for name in view.equal if name in values), {})
    else:
        name = "prefix" if sort == "address" else sort
        driving = {name: values[name]} if name in values else {}
    return _Search(connection, view, values, sort, backward, driving)


def _page(connection: Connection, address: str) -> int:
    spelled = normalized(address)
    if spelled is None:
        raise CrawlError(f"page: '{address[:80]}' is no address such as http://example.org/")
    wanted = stored_key(spelling(connection).key(spelled))
    query = select(pages.c.id).where(pages.c.key == wanted)
    found = connection.execute(query).scalar()
    return -1 if found is None else found


def spelling(connection: Connection) -> Spelling:
    """Return which addresses count as one page in this store; a crawl's ``--normalize`` sets it."""
    query = select(settings.c.value).where(settings.c.name == "normalize")
    found = connection.execute(query).scalar()
    return Spelling.SAFE if found is None else Spelling(json.loads(found))


def _rows(
    search: _Search, place: _Place | None, limit: int, look: int
) -> tuple[list[Link], _Place | None, int]:
    """Find links: by a short walk, by gathering, or by a longer walk.

    Parameters
    ----------
    search : _Search
    place : _Place or None
        The place from which to search; None: the beginning.
    limit : int
        The largest number of links.
    look : int
        The largest number of links to read.

    Returns
    -------
    tuple
        The links, with one more than ``limit`` if there are more; the place at which to continue
        (None: the list has ended); how many links were read.
    """
    size = min(look, FIRST if search.rest else limit + 1)
    rows, place, looked = _walked(search, place, limit, size)
    if len(rows) > limit or place is None:
        return rows, place, looked
    if search.rest:
        gathered, cost = _gathered(search, look)
        if gathered is not None:
            more = _sorted(search, gathered, place, limit - len(rows))
            return rows + more, None, looked + cost
    while len(rows) <= limit and place is not None and looked < look:
        size = min(4 * size, look - looked)
        more, place, cost = _walked(search, place, limit - len(rows), size)
        rows += more
        looked += cost
    return rows, place, looked


def _walked(
    search: _Search, place: _Place | None, limit: int, size: int
) -> tuple[list[Link], _Place | None, int]:
    """Return links of the next part of the order, and where it ends (None: with the list)."""
    query = search.window(place, size)
    part = query.subquery("part")
    matching = search.passed(search.view.shown(part), part, search.rest)
    rows = _shown(search, matching.order_by(*search.order(part.c)).limit(limit + 1))
    if len(rows) > limit:
        return rows, place, size
    last = query.with_only_columns(
        *search.view.sorted_by(search.sort, search.view.table.c, search.dialect)
    )
    end = search.connection.execute(last.offset(size - 1).limit(1)).one_or_none()
    return rows, None if end is None else _Place(list(end)), size


def _sorted(search: _Search, gathered: Select[Any], place: _Place | None, limit: int) -> list[Link]:
    part = gathered.subquery("part")
    query = search.passed(search.view.shown(part), part, search.wanted)
    query = query.where(*search.beyond(part.c, place))
    return _shown(search, query.order_by(*search.order(part.c)).limit(limit + 1))


def _shown(search: _Search, query: Select[Any]) -> list[Link]:
    return [search.view.row(*row) for row in search.connection.execute(query)]


def _gathered(search: _Search, look: int) -> tuple[Select[Any] | None, int]:
    """Return a query of all links that match one of the filters, and their number.

    The query is None (and the number 0) if more than `look` links match each filter.
    """
    table = search.view.table
    for name, value in search.wanted.items():
        few = None
        if name in search.view.equal or (name == "prefix" and search.view.kind is Kind.EXTERNAL):
            query = select(table).where(*search.view.of_link(name, value, table.c, search.dialect))
        elif (conditions := _pages(search, name, value)) is not None:
            few = select(pages.c.id).where(*conditions)
            part = few.subquery("few")
            column = table.c.page if name == "level" else table.c.target
            query = select(table).join(part, column == part.c.id)
        else:
            continue
        # Pages without links cost time, too, so count the pages first.
        if few is None or _count(search, few, look) <= look:
            count = _count(search, query, look)
            if count <= look:
                return query.limit(look), count  # the limit keeps it a subquery
    return None, 0


def _count(search: _Search, query: Select[Any], look: int) -> int:
    """Return the number of rows, or ``look + 1`` if there are more."""
    count = select(func.count()).select_from(query.limit(look + 1).subquery())
    return search.connection.scalar(count) or 0


def _pages(search: _Search, name: str, value: Any) -> list[ColumnElement[bool]] | None:
    """Return the conditions on pages for a filter, as its index states them; None: no index."""
    if name == "level":
        # No other page has links.
        return [cast(ColumnElement[bool], text("status = 200")), pages.c.level == value]
    if name == "status" and value != 200:
        return [cast(ColumnElement[bool], text("status <> 200")), pages.c.status == value]
    if name == "state" and value == State.QUEUED:
        return [cast(ColumnElement[bool], text(IS_IN_FRONTIER)), pages.c.state == value]
    if name == "state" and value != State.DONE:
        words = cast(ColumnElement[bool], text(IS_APART))
        return [words, pages.c.state == value]
    if name == "prefix":
        # Keys do not end with a slash, and [BeeBot]'s keys have no capital letters.
        paper = spelling(search.connection) is Spelling.PAPER
        return begins(pages.c.key, (value.lower() if paper else value).removesuffix("/"))
    return None


def _token(place: _Place | None) -> str:
    return "" if place is None else token_of([int(place.included), *place.values])


def _place(token: str, search: _Search) -> _Place | None:
    if not token:
        return None
    values = read_place(
        token, lambda found: found[:1] in ([0], [1]) and _fits(found[1:], search.sort)
    )
    return _Place(values[1:], values[0] == 1)


def _fits(place: list[Any], sort: str) -> bool:
    """Return whether values are a valid place in a sort; users may send any token."""
    first = {"found": [], "target": [int]}.get(sort, [str])
    if [type(value) for value in place] != [*first, int, int]:
        return False
    *numbers, position = [value for value in place if isinstance(value, int)]
    texts = [value for value in place if isinstance(value, str)]
    return (all(0 <= number < 2**63 for number in numbers) and 0 <= position < 2**31
            and all(can_be_stored(value) for value in texts))  # fmt: skip
