"""Deletes links from the views at the user's request, even while a crawl is running.

A deleted link is only marked, so that a replay finds the links that the scheduler saw. If no link
to a page in the frontier is left, the page is dropped, unless it is the start page of a site. The
totals of sites do not count deleted links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sqlalchemy import Connection, exists, tuple_, update

from .browsing import browse
from .opening import Store
from .recording import TAKEN_OUT
from .schema import State, external_links, internal_links, pages, seeds
from .views import VIEWS, Filter, Kind

BATCH = 500
"""The most links that one transaction deletes; a running crawl waits for one transaction."""


def delete(store: Store, kind: Kind, chosen: Iterable[tuple[int, int]]) -> int:
    """Delete links, and return how many were deleted.

    Parameters
    ----------
    store : Store
    kind : Kind
        The kind of links.
    chosen : iterable of (int, int)
        The page and the position of each link.
    """
    places, count = iter(chosen), 0
    while batch := list(islice(places, BATCH)):
        count += _deleted(store, kind, batch)
    return count


def delete_all(store: Store, kind: Kind, wanted: Filter) -> Iterator[int]:
    """Delete all links that match a filter, in batches; yield how many were deleted so far.

    Links that a crawl adds meanwhile are deleted too, if they come later in the list.

    Parameters
    ----------
    store : Store
    kind : Kind
        The kind of links.
    wanted : Filter
    """
    after, count = "", 0
    while True:
        with store.reading() as connection:
            found = browse(connection, kind, wanted, after=after, limit=BATCH)
        count += _deleted(store, kind, [(link.page, link.position) for link in found.rows])
        yield count
        after = found.after
        if not after:
            return


def _deleted(store: Store, kind: Kind, places: Sequence[tuple[int, int]]) -> int:
    if not places:
        return 0
    table = VIEWS[kind].table
    chosen = tuple_(table.c.page, table.c.position).in_(places)
    returned = [table.c.seed] if kind is Kind.BAD else [table.c.seed, table.c.target]
    marked = (
        update(table).where(chosen, table.c.deleted.is_(False)).values(deleted=True)
        .returning(*returned)
    )  # fmt: skip

    def mark(connection: Connection) -> int:
        rows = connection.execute(marked).all()
        for seed, count in Counter(row.seed for row in rows if row.seed is not None).items():
            total = seeds.c[str(kind)]
            connection.execute(
                update(seeds).where(seeds.c.number == seed).values({total: total - count})
            )
        if kind is not Kind.BAD:
            _drop(connection, {row.target for row in rows if row.target is not None})
        return len(rows)

    return store.write(mark)


def _drop(connection: Connection, led: set[int]) -> None:
    """Drop pages from the frontier, now and for later plans, if no link to them is left.

    Parameters
    ----------
    connection : Connection
    led : set of int
        The pages to which deleted links led.
    """
    left = [
        exists().where(table.c.target == pages.c.id, table.c.deleted.is_(False))
        for table in (internal_links, external_links)
    ]
    alone = (pages.c.id.in_(led), pages.c.level > 0, *(~link for link in left))
    connection.execute(
        update(pages).where(pages.c.state == State.QUEUED, *alone).values(state=State.DROPPED)
    )
    # Pages beyond the limits are not in the frontier: they get their answer now, for later plans.
    beyond = (pages.c.state == State.BEYOND) & pages.c.status.is_(None)
    connection.execute(update(pages).where(beyond, *alone).values(status=0, problem=TAKEN_OUT))
