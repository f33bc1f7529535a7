"""The hosts of a store as a list that is searched, filtered and sorted, in bounded time.

If at most `LOOK` hosts match, they are sorted in any order. Else they are in the order of their
names, and an index is followed in parts until the list is full or the time is over, as in
`page_list`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, func, literal, select, tuple_

from counterpoint.crawler.documents.robots import succeeded

from .address_index import Deadline
from .browsing import Total
from .opening import Store
from .page_list import SECONDS
from .places import read_place, token_of
from .schema import hosts, workers
from .views import can_be_stored, has_words, must_be_storable

LOOK = 20_000
"""The most hosts that are sorted."""
PART = 2_000
"""How many hosts a part of a walk has."""
_ANSWER = re.compile(r'\{"[^"]*": \[[-+.\deE]+, (\d+), ')
_BEGINNING = 500
"""How many characters of a stored robots.txt are read: the status of the first answer is there."""
_SORTS: dict[str, ColumnElement[Any]] = {
    "host": hosts.c.host, "free_at": hosts.c.free_at, "delay": hosts.c.delay,
    "failures": hosts.c.failures, "robots": func.coalesce(hosts.c.robots_at, 0.0),
}  # fmt: skip
SORTS = tuple(_SORTS)
"""By what the list can be sorted."""


class HostState(StrEnum):
    """A condition that hosts meet or not; a host can meet several."""

    RESTING = "resting"
    """It must not be asked now."""
    FAILING = "failing"
    """The last request to it has failed."""
    HELD = "held by a worker"
    """A worker may ask it."""
    UNREAD = "robots.txt not read"
    """No final answer for its robots.txt is stored."""


@dataclass(frozen=True)
class HostSearch:
    """Which hosts are wanted, and in which order.

    Attributes
    ----------
    words : str
        A part of the name; "": any.
    state : HostState or None
        None: any.
    sort : str
        One of `SORTS`; equal hosts are in the order of their names.
    descending : bool
    """

    words: str = ""
    state: HostState | None = None
    sort: str = "host"
    descending: bool = False


class HostRow(NamedTuple):
    """A host.

    Attributes
    ----------
    host : str
        With the port if it is not the default.
    free_at : float
        From when on it may be asked, in seconds since 1970.
    delay : float
        Seconds between requests to it.
    failures : int
        How many requests in a row have failed.
    robots : str
        What its robots.txt is: ``read``, ``none (404)`` or ``not read``.
    robots_at : float or None
        When that was answered, in seconds since 1970.
    worker : str
        The worker that holds it; "": none.
    until : float or None
        When the lease of that worker ends, in seconds since 1970.
    """

    host: str
    free_at: float
    delay: float
    failures: int
    robots: str
    robots_at: float | None
    worker: str
    until: float | None


@dataclass(frozen=True)
class FoundHosts:
    """A part of the list; the attributes are those of `page_list.FoundPages`."""

    rows: list[HostRow]
    before: str
    after: str
    total: Total
    whole: bool
    sort: str
    sortable: bool


def search(
    store: Store, wanted: HostSearch, *, now: float, after: str = "", before: str = "",
    limit: int = 50, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic,
) -> FoundHosts:  # fmt: skip
    """Return the hosts after, or before, a place in the list.

    Parameters
    ----------
    store : Store
    wanted : HostSearch
    now : float
        The time that decides which hosts rest, in seconds since 1970.
    after, before : str
        A place from `FoundHosts`; only one of them. Both "": the beginning of the list.
    limit : int
        The most hosts to return.
    seconds : float
        The time after which the search stops.
    clock : callable

    Raises
    ------
    CrawlError
        If the place is invalid, or the words contain what no host has.
    """
    must_be_storable("words", wanted.words)
    place = _place(after or before, wanted.sort)
    deadline = Deadline(seconds, clock)
    with store.reading() as connection:
        conditions = _conditions(connection, wanted, now)
        total = _total(connection, conditions, deadline)
        if not total.exact and wanted.sort != "host":
            wanted, place, before = replace(wanted, sort="host", descending=False), None, ""
        backward = wanted.descending != bool(before)
        if total.exact:
            query = _ordered(_beyond(select(), wanted, place, backward), wanted, backward)
            rows, end = _rows(connection, query.where(*conditions), wanted, limit + 1), None
        else:
            rows, end = _walked(connection, conditions, place, backward, limit, deadline)
        more = len(rows) > limit
        rows = rows[:limit]
        onward = token_of([rows[-1].value, rows[-1].host]) if more else end
        back = token_of([rows[0].value, rows[0].host]) if rows and place else ""
    shown = [_shown(row) for row in rows]
    if before:
        shown.reverse()
        onward, back = back, onward or ""
    return FoundHosts(shown, back or "", onward or "", total, more or end is None, wanted.sort,
                      total.exact)  # fmt: skip


def _conditions(
    connection: Connection, wanted: HostSearch, now: float
) -> list[ColumnElement[bool]]:
    of_state: dict[HostState, ColumnElement[bool]] = {
        HostState.RESTING: hosts.c.free_at > now, HostState.FAILING: hosts.c.failures > 0,
        HostState.HELD: hosts.c.worker.is_not(None), HostState.UNREAD: hosts.c.robots == "",
    }  # fmt: skip
    found = [] if wanted.state is None else [of_state[wanted.state]]
    if wanted.words:
        found.append(has_words(hosts.c.host, wanted.words, connection.dialect.name))
    return found


def _total(
    connection: Connection, conditions: list[ColumnElement[bool]], deadline: Deadline
) -> Total:
    """Return how many hosts match; among more than `LOOK`, counted for half of the time."""
    matching = select(func.count()).select_from(hosts).where(*conditions)
    some = select(hosts.c.host).limit(LOOK + 1).subquery()
    if (connection.scalar(select(func.count()).select_from(some)) or 0) <= LOOK:
        return Total(connection.scalar(matching) or 0, True)
    half, number, at = deadline.left() / 2, 0, ""
    while True:
        window = select(hosts.c.host).where(hosts.c.host > at).order_by(hosts.c.host)
        last = connection.execute(window.offset(PART - 1).limit(1)).scalar()
        part = [hosts.c.host > at, *([] if last is None else [hosts.c.host <= last])]
        number += connection.scalar(matching.where(*part)) or 0
        if number > LOOK or (last is not None and deadline.left() < half):
            return Total(min(number, LOOK), False)
        if last is None:
            return Total(number, True)
        at = last


def _walked(
    connection: Connection, conditions: list[ColumnElement[bool]], place: tuple[Any, str] | None,
    backward: bool, limit: int, deadline: Deadline,
) -> tuple[list[Any], str | None]:  # fmt: skip
    """Return rows by name from a place on, and the place to go on at (None: the list has ended)."""
    rows: list[Any] = []
    by_name = HostSearch()
    while True:
        window = _ordered(
            _beyond(select(hosts.c.host), by_name, place, backward), by_name, backward
        )
        last = connection.execute(window.offset(PART - 1).limit(1)).scalar()
        query = _beyond(select(), by_name, place, backward).where(*conditions)
        if last is not None:
            query = query.where(hosts.c.host >= last if backward else hosts.c.host <= last)
        query = _ordered(query, by_name, backward)
        rows += _rows(connection, query, by_name, limit + 1 - len(rows))
        if last is None or len(rows) > limit:
            return rows, None
        place = (last, last)
        if not deadline.left():
            return rows, token_of(place)


def _beyond(
    query: Select[Any], wanted: HostSearch, place: tuple[Any, str] | None, backward: bool
) -> Select[Any]:
    if place is None:
        return query
    here = tuple_(_SORTS[wanted.sort], hosts.c.host)
    there = tuple_(literal(place[0]), literal(place[1]))
    if wanted.sort == "host":
        return query.where(hosts.c.host < place[1] if backward else hosts.c.host > place[1])
    return query.where(here < there if backward else here > there)


def _ordered(query: Select[Any], wanted: HostSearch, backward: bool) -> Select[Any]:
    both = [hosts.c.host] if wanted.sort == "host" else [_SORTS[wanted.sort], hosts.c.host]
    return query.order_by(*(one.desc() if backward else one for one in both))


def _rows(connection: Connection, query: Select[Any], wanted: HostSearch, most: int) -> list[Any]:
    columns = [hosts.c.host, hosts.c.free_at, hosts.c.delay, hosts.c.failures,
               func.substr(hosts.c.robots, 1, _BEGINNING).label("robots"), hosts.c.robots_at,
               hosts.c.worker, workers.c.until, _SORTS[wanted.sort].label("value")]  # fmt: skip
    held = hosts.outerjoin(workers, workers.c.name == hosts.c.worker)
    whole = query.add_columns(*columns).select_from(held)
    return list(connection.execute(whole.limit(most)))


def _shown(row: Any) -> HostRow:
    found = _ANSWER.match(row.robots)
    robots = "not read"
    if found is not None:
        robots = "read" if succeeded(int(found[1])) else f"none ({found[1]})"
    return HostRow(row.host, row.free_at, row.delay, row.failures, robots, row.robots_at,
                   row.worker or "", row.until)  # fmt: skip


def _place(token: str, sort: str) -> tuple[Any, str] | None:
    if not token:
        return None
    value, host = read_place(token, lambda values: _fits(values, sort))
    return value, host


def _fits(values: list[Any], sort: str) -> bool:
    kinds = {"host": (str,), "failures": (int,)}.get(sort, (int, float))
    if len(values) != 2 or type(values[0]) not in kinds or type(values[1]) is not str:
        return False
    value, host = values
    if isinstance(value, str) and not can_be_stored(value):
        return False
    return can_be_stored(host) and (isinstance(value, str) or abs(value) < 2**31)
