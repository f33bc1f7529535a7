"""Adds, edits, removes and retries the sites of a store, each in one transaction.

A change of the sites leads to a new plan, so a running crawl watches the setting ``changed``. A
change that leaves the sites the same, but requires a new plan, is counted in ``retries``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.errors import CrawlError

from .lists import MOST, Seed, checked, read
from .opening import Store
from .schema import (
    Standing,
    bad_links,
    contents,
    copies,
    external_links,
    internal_links,
    pages,
    seeds,
    settings,
    sitemaps,
    visits,
)


class SiteRow(NamedTuple):
    """A row of `schema.seeds`; deleted links are not counted."""

    number: int
    full_name: str
    short_name: str
    start: str
    site: str
    level: int | None
    cap: int | None
    standing: str
    reason: str
    known: int
    fetched: int
    internal: int
    external: int
    bad: int


def listed(store: Store) -> list[SiteRow]:
    """Return all sites by number."""
    chosen = [seeds.c[name] for name in SiteRow._fields]
    with store.reading() as connection:
        return [SiteRow(*row) for row in connection.execute(select(*chosen).order_by(chosen[0]))]


def add(
    store: Store, start: str, full_name: str = "", short_name: str = "",
    level: int | None = None, cap: int | None = None, number: int | None = None,
) -> int:  # fmt: skip
    """Add a site and return its number.

    Parameters
    ----------
    store : Store
    start, full_name, short_name, level, cap, number
        The fields of `Seed`.

    Raises
    ------
    CrawlError
        If a value is invalid, or the site is there already.
    """
    seed = checked(Seed(start, full_name, short_name, number, level, cap))

    def put(connection: Connection) -> int:
        other = _of_site(connection, seed)
        if other is not None:
            raise CrawlError(f"{site(seed.start)} is there already: site {other[0]}")
        added = _put(connection, seed)
        announce_change(connection)
        return added

    return store.write(put)


def add_all(store: Store, given: Iterable[tuple[str, Seed]]) -> int:
    """Add sites, each given with its place in the input for messages; all of them, or none.

    Sites that the store already has with the same start are not changed.

    Returns
    -------
    int
        How many are new.

    Raises
    ------
    CrawlError
        One of them cannot be added; the message begins with its place.
    """
    every = list(given)

    def put(connection: Connection) -> int:
        count = 0
        for place, seed in every:
            try:
                other = _of_site(connection, seed)
                if other is None:
                    _put(connection, seed)
                    count += 1
                elif other[1] != seed.start:
                    raise CrawlError(f"{site(seed.start)} is there already: site {other[0]}, "
                                     f"which starts at {other[1]}")  # fmt: skip
            except CrawlError as error:
                raise CrawlError(f"{place}: {error}") from error
        if count:
            announce_change(connection)
        return count

    return store.write(put)


def take_in(store: Store, text: str, name: str = "the list") -> int:
    """Add the sites of a list, all of them or none; sites that the store has are not changed.

    Parameters
    ----------
    store : Store
    text : str
        The list, in one of the formats of `lists`.
    name : str
        The name of the list in messages.

    Returns
    -------
    int
        How many sites are new.

    Raises
    ------
    CrawlError
        If a line is invalid, or there is none; the message names the line.
    """
    return add_all(store, read(text, name))


def edit(store: Store, number: int, **fields: Any) -> None:
    """Change fields of a site, named as in `Seed`; other fields stay the same.

    Raises
    ------
    CrawlError
        If there is no such site, the new start is on another site, or a value is invalid.
    """

    def change(connection: Connection) -> None:
        now = _existing(connection, number)
        seed = checked(Seed(now.start, now.full_name, now.short_name, number, now.level, now.cap)
                       ._replace(**fields, number=number))  # fmt: skip
        if site(seed.start) != now.site:
            raise CrawlError(f"{seed.start} is not on {now.site}; add it as a site of its own")
        changed = update(seeds).where(seeds.c.number == number)
        connection.execute(changed.values(**seed._asdict()))
        announce_change(connection)

    store.write(change)


def remove(store: Store, number: int) -> None:
    """Remove a site with its pages, the links on them, and their visits.

    Links from other sites to it stay. It is one transaction, for whose end a running crawl waits.

    Raises
    ------
    CrawlError
        There is no such site.
    """

    def take_out(connection: Connection) -> None:
        _existing(connection, number)
        own = select(pages.c.id).where(pages.c.seed == number)
        links = internal_links.c
        _uncount(connection, number, links.target.in_(own))
        connection.execute(delete(internal_links).where(
            or_(links.page.in_(own), links.target.in_(own))
        ))  # fmt: skip
        named = sitemaps.c.page.in_(own) | sitemaps.c.named_on.in_(own)
        connection.execute(delete(sitemaps).where(named))
        for table in (external_links, bad_links, copies, contents, visits):
            connection.execute(delete(table).where(table.c.page.in_(own)))
        for column in (external_links.c.target, pages.c.found_on):
            led = update(column.table).where(column.in_(own))
            connection.execute(led.values({column.name: None}))
        connection.execute(delete(pages).where(pages.c.seed == number))
        connection.execute(delete(seeds).where(seeds.c.number == number))
        # The log of the present plan has gaps now, so the same sites must lead to a new plan.
        announce_change(connection, new_plan=True)

    store.write(take_out)


def _uncount(connection: Connection, number: int, gone: ColumnElement[bool]) -> None:
    """Take internal links from the totals of all sites but one."""
    links = internal_links.c
    lost = (
        select(links.seed, func.count().label("lost"))
        .where(gone, links.seed != number, links.deleted.is_(False))
        .group_by(links.seed)
    )
    for seed, count in connection.execute(lost).all():
        connection.execute(
            update(seeds).where(seeds.c.number == seed).values(internal=seeds.c.internal - count)
        )


def retry(store: Store, number: int) -> None:
    """Let a new plan fetch the start page of an unavailable site again.

    Raises
    ------
    CrawlError
        There is no such site, or it is available.
    """

    def change(connection: Connection) -> None:
        if _existing(connection, number).standing != Standing.UNAVAILABLE:
            raise CrawlError(f"site {number} is not one that could not be loaded")
        # Another page may have been the start page before, and be read already.
        starts = (pages.c.seed == number) & (pages.c.level == 0) & pages.c.status.is_not(None)
        forgotten = connection.execute(
            update(pages).where(starts, pages.c.size == 0).values(status=None, problem="", final="")
        ).rowcount
        connection.execute(update(seeds).where(seeds.c.number == number).values(
            standing=Standing.WAITING.value, reason="", fetched=seeds.c.fetched - forgotten
        ))  # fmt: skip
        announce_change(connection, new_plan=True)

    store.write(change)


def announce_change(connection: Connection, new_plan: bool = False) -> None:
    """Notify a running crawl that the sites have changed.

    Parameters
    ----------
    connection : Connection
    new_plan : bool
        Whether a new plan must begin even if the sites are the same as before.
    """
    for name in ("changed", "retries") if new_plan else ("changed",):
        of = settings.c.name == name
        before = connection.execute(select(settings.c.value).where(of)).scalar()
        value = json.dumps(1 if before is None else int(json.loads(before)) + 1)
        if before is None:
            connection.execute(insert(settings).values(name=name, value=value))
        else:
            connection.execute(update(settings).where(of).values(value=value))


def _existing(connection: Connection, number: int) -> SiteRow:
    chosen = [seeds.c[name] for name in SiteRow._fields]
    row = None
    if 0 < number <= MOST:
        query = select(*chosen).where(seeds.c.number == number)
        row = connection.execute(query).one_or_none()
    if row is None:
        raise CrawlError(f"there is no site {number}")
    return SiteRow(*row)


def _of_site(connection: Connection, seed: Seed) -> tuple[int, str] | None:
    """Return the number and the start address of a stored site; None if it is not stored."""
    query = select(seeds.c.number, seeds.c.start).where(seeds.c.site == site(seed.start))
    found = connection.execute(query).one_or_none()
    return None if found is None else (found[0], found[1])


def _put(connection: Connection, seed: Seed) -> int:
    number = seed.number
    if number is None:
        number = (connection.scalar(select(func.max(seeds.c.number))) or 0) + 1
        if number > MOST:
            raise CrawlError(f"no number above {MOST:,} can be given to a site")
    elif connection.scalar(select(seeds.c.site).where(seeds.c.number == number)) is not None:
        raise CrawlError(f"there is a site {number} already")
    values = seed._asdict() | {"number": number, "site": site(seed.start)}
    connection.execute(insert(seeds).values(values))
    return number
