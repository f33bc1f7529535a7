"""Browses links page by page while a crawl writes; what a view costs does not grow with the store.

A page of a list is found in one of two ways. *Walked*: the index of the sort (and of one filter) is
followed from the place of the last link shown, and other filters are applied on the way.
*Gathered*: a filter that few links pass is asked for all of them, and they are sorted. The second
way is tried where a short walk does not fill the page. Where neither can, as a filter `contains`
may make it, the walk ends after `LOOK` links and says so: the caller goes on at `Found.after`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, Connection, Select, Subquery, func, select, text, tuple_

from counterpoint.crawler.documents.addresses import Spelling, normalized
from counterpoint.crawler.errors import CrawlError

from .schema import State, pages, settings, stored_key
from .views import VIEWS, Filter, Kind, Link, View, begins, can_be_stored

LOOK = 20_000
"""How many links one call looks at, at most."""

FIRST = 1_000
"""How many are walked over before another way is tried."""


@dataclass(frozen=True)
class Found:
    """A page of a list of links.

    Attributes
    ----------
    rows : list of InternalLink, ExternalLink or BadLink
        At most as many as were asked for.
    before, after : str
        Where the list goes on to either side, to be handed in again; "": it does not.
    looked : int
        How many links were looked at.
    whole : bool
        False: it was given up before the page was full; it can be resumed.
    """

    rows: list[Link]
    before: str
    after: str
    looked: int
    whole: bool


@dataclass(frozen=True)
class Total:
    """How many links a filter finds: exactly, or at least."""

    number: int
    exact: bool


class _Place(NamedTuple):
    """A place in an order: a link's values there, and whether that link still belongs to it."""

    values: list[Any]
    included: bool = False


@dataclass(frozen=True)
class _Search:
    """A question: where it is asked, and in which direction.

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
) -> Found:
    """Return the links after, or before, a place in a sorted and filtered list.

    Parameters
    ----------
    connection : Connection
        A reading one of the store.
    kind : Kind
        Which links.
    wanted : Filter
        What they must be like.
    sort : str
        One of the view's sorts.
    descending : bool
        The last first.
    after, before : str
        A place, as `Found` tells it; not both. Both "": the list's beginning.
    limit : int
        The most links wanted.
    look : int
        The most links to look at.

    Raises
    ------
    CrawlError
        These links have no such filter or sort, or the place is none.
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
    return Found(rows, back, onward, looked, more or end is None)


def total(
    connection: Connection,
    kind: Kind,
    wanted: Filter = Filter(),  # noqa: B008 it never changes
    most: int = 50_000,
) -> Total:
    """Return how many links a filter finds; counting ends when `most` were looked at."""
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
    """Return what counts as one page in this store; a crawl sets it (``--normalize``)."""
    query = select(settings.c.value).where(settings.c.name == "normalize")
    told = connection.execute(query).scalar()
    return Spelling.SAFE if told is None else Spelling(json.loads(told))


def _rows(
    search: _Search, place: _Place | None, limit: int, look: int
) -> tuple[list[Link], _Place | None, int]:
    """Return links, one more than wanted if there are; where to go on (None: nowhere); the cost."""
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
    """Return a query of all links that pass one of the filters, if few do, and how many."""
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
        # Pages without links cost as well.
        if few is None or _count(search, few, look) <= look:
            count = _count(search, query, look)
            if count <= look:
                return query.limit(look), count  # a part of its own, whatever is asked of it
    return None, 0


def _count(search: _Search, query: Select[Any], look: int) -> int:
    """Return how many rows there are, at most one more than may be looked at."""
    count = select(func.count()).select_from(query.limit(look + 1).subquery())
    return search.connection.scalar(count) or 0


def _pages(search: _Search, name: str, value: Any) -> list[ColumnElement[bool]] | None:
    """Return a condition of pages for which there is an index, by words that the index has."""
    if name == "level":
        # No other page has links.
        return [cast(ColumnElement[bool], text("status = 200")), pages.c.level == value]
    if name == "status" and value != 200:
        return [cast(ColumnElement[bool], text("status <> 200")), pages.c.status == value]
    if name == "state" and value == State.QUEUED:
        return [cast(ColumnElement[bool], text("state IN (0, 3)")), pages.c.state == value]
    if name == "state" and value != State.DONE:
        words = cast(ColumnElement[bool], text("state IN (1, 3, 4)"))
        return [words, pages.c.state == value]
    if name == "prefix":
        # A key has no slash at its end, and that of [BeeBot] no capitals.
        paper = spelling(search.connection) is Spelling.PAPER
        return begins(pages.c.key, (value.lower() if paper else value).removesuffix("/"))
    return None


def _token(place: _Place | None) -> str:
    if place is None:
        return ""
    told = json.dumps([int(place.included), *place.values])
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")


def _place(token: str, search: _Search) -> _Place | None:
    if not token:
        return None
    try:
        padded = token + "=" * (-len(token) % 4)
        told = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, list) or told[:1] not in ([0], [1]) or not _fits(told[1:], search.sort):
        raise CrawlError(f"'{token[:40]}' is no place in this list")
    return _Place(told[1:], told[0] == 1)


def _fits(place: list[Any], sort: str) -> bool:
    """Tell whether values may be a place in a sort; a token may come from anywhere."""
    first = {"found": [], "target": [int]}.get(sort, [str])
    if [type(value) for value in place] != [*first, int, int]:
        return False
    *numbers, position = [value for value in place if isinstance(value, int)]
    texts = [value for value in place if isinstance(value, str)]
    return (all(0 <= number < 2**63 for number in numbers) and 0 <= position < 2**31
            and all(can_be_stored(value) for value in texts))  # fmt: skip
