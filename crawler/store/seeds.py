"""The sites of a store: added, edited, removed, tried again; each change is whole or not at all.

A change of the sites is another plan, so a crawl that runs looks at the setting ``changed``, and
what makes a plan other though the sites are the same is counted in the setting ``retries``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, or_, select, update

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
    plans,
    seeds,
    settings,
    visits,
)


class Listed(NamedTuple):
    """A site as it stands in the store; the numbers are of what was found, deleted links too."""

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


def listed(store: Store) -> list[Listed]:
    """Return all sites by number."""
    chosen = [seeds.c[name] for name in Listed._fields]
    with store.reading() as connection:
        return [Listed(*row) for row in connection.execute(select(*chosen).order_by(chosen[0]))]


def add(
    store: Store, start: str, full_name: str = "", short_name: str = "",
    level: int | None = None, cap: int | None = None, number: int | None = None,
) -> int:  # fmt: skip
    """Add a site and return its number.

    Raises
    ------
    CrawlError
        It cannot be, or is there already.
    """
    seed = checked(Seed(start, full_name, short_name, number, level, cap))
    with store.transaction() as connection:
        _alone(connection)
        other = _of_site(connection, seed)
        if other is not None:
            raise CrawlError(f"{site(seed.start)} is there already: site {other[0]}")
        added = _put(connection, seed)
        tell(connection)
    return added


def add_all(store: Store, given: Iterable[tuple[str, Seed]]) -> int:
    """Add sites, each with words that say where it stood; all of them, or none.

    Sites that are there already, with the same start, are left as they are.

    Returns
    -------
    int
        How many are new.

    Raises
    ------
    CrawlError
        One of them cannot be added; the message begins with its place.
    """
    count = 0
    with store.transaction() as connection:
        _alone(connection)
        for place, seed in given:
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
            tell(connection)
    return count


def take_in(store: Store, text: str, name: str = "the list") -> int:
    """Add the sites of a list, all of them or none; those there already stay as they are.

    Parameters
    ----------
    store : Store
        Where.
    text : str
        The list.
    name : str
        What errors call it.

    Returns
    -------
    int
        How many sites are new.

    Raises
    ------
    CrawlError
        A line is wrong, or there is none; the message names it.
    """
    return add_all(store, read(text, name))


def edit(store: Store, number: int, **fields: Any) -> None:
    """Change fields of a site, named as in `Seed`; what is not named stays.

    Raises
    ------
    CrawlError
        There is no such site, the new start is on another one, or a value cannot be.
    """
    with store.transaction() as connection:
        _alone(connection)
        now = _existing(connection, number)
        seed = checked(Seed(now.start, now.full_name, now.short_name, number, now.level, now.cap)
                       ._replace(**fields, number=number))  # fmt: skip
        if site(seed.start) != now.site:
            raise CrawlError(f"{seed.start} is not on {now.site}; add it as a site of its own")
        changed = update(seeds).where(seeds.c.number == number)
        connection.execute(changed.values(**seed._asdict()))
        tell(connection)


def remove(store: Store, number: int) -> None:
    """Remove a site with its pages, the links on them, and their visits.

    Links of other sites to it stay. It is one transaction: a crawl waits for its end.

    Raises
    ------
    CrawlError
        There is no such site.
    """
    with store.transaction() as connection:
        _alone(connection)
        _existing(connection, number)
        own = select(pages.c.id).where(pages.c.seed == number)
        links = internal_links.c
        connection.execute(delete(internal_links).where(
            or_(links.page.in_(own), links.target.in_(own))
        ))  # fmt: skip
        for table in (external_links, bad_links, copies, contents, visits):
            connection.execute(delete(table).where(table.c.page.in_(own)))
        for column in (external_links.c.target, pages.c.found_on):
            led = update(column.table).where(column.in_(own))
            connection.execute(led.values({column.name: None}))
        connection.execute(delete(pages).where(pages.c.seed == number))
        connection.execute(delete(seeds).where(seeds.c.number == number))
        # The log of the present plan has gaps now; the same sites again are another plan.
        tell(connection, anew=True)


def retry(store: Store, number: int) -> None:
    """Let the start page of a site that was not available be fetched again, by another plan.

    Raises
    ------
    CrawlError
        There is no such site, or it is available.
    """
    with store.transaction() as connection:
        _alone(connection)
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
        tell(connection, anew=True)


def _alone(connection: Connection) -> None:
    """Wait until nobody else changes sites or plans a crawl, and hold that to the end (PostgreSQL).

    Else two new sites would have one number, and a page could be linked to while it is removed.
    """
    is_there = settings.c.name == "format"
    connection.execute(select(settings.c.name).where(is_there).with_for_update())
    connection.execute(select(plans.c.number).order_by(plans.c.number).with_for_update())


def tell(connection: Connection, anew: bool = False) -> None:
    """Let a crawl that runs know that sites have changed; `anew`: whatever they are, begin anew."""
    for name in ("changed", "retries") if anew else ("changed",):
        of = settings.c.name == name
        before = connection.execute(select(settings.c.value).where(of).with_for_update()).scalar()
        value = json.dumps(1 if before is None else int(json.loads(before)) + 1)
        if before is None:
            connection.execute(insert(settings).values(name=name, value=value))
        else:
            connection.execute(update(settings).where(of).values(value=value))


def _existing(connection: Connection, number: int) -> Listed:
    chosen = [seeds.c[name] for name in Listed._fields]
    row = None
    if 0 < number <= MOST:
        query = select(*chosen).where(seeds.c.number == number).with_for_update()
        row = connection.execute(query).one_or_none()
    if row is None:
        raise CrawlError(f"there is no site {number}")
    return Listed(*row)


def _of_site(connection: Connection, seed: Seed) -> tuple[int, str] | None:
    """Return number and start of what is stored of a site."""
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
