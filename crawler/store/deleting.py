"""Takes links out of the views by hand, while a crawl writes.

A deleted link stays in its table, marked, so a crawl that is resumed finds what it was told. A
page that waits in the frontier and to which no link is left is dropped, unless a site starts there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sqlalchemy import Connection, exists, select, tuple_, update

from .browsing import browse
from .opening import Store
from .recording import TAKEN_OUT
from .schema import State, external_links, internal_links, pages, plans
from .views import VIEWS, Filter, Kind

BATCH = 500
"""Links of one transaction: a crawl waits for no more than these."""


def delete(store: Store, kind: Kind, chosen: Iterable[tuple[int, int]]) -> int:
    """Delete links that were chosen by page and position; return how many there were."""
    places, count = iter(chosen), 0
    while batch := list(islice(places, BATCH)):
        count += _deleted(store, kind, batch)
    return count


def delete_all(store: Store, kind: Kind, wanted: Filter) -> Iterator[int]:
    """Delete all links that a filter finds, in batches; yield how many were deleted so far.

    Links that a crawl adds meanwhile are deleted as well if they come later in the list.
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
    marked = update(table).where(chosen, table.c.deleted.is_(False)).values(deleted=True)
    with store.transaction() as connection:
        # Whoever plans a crawl holds this row: no page is dropped while it is being asked for.
        connection.execute(select(plans.c.number).order_by(plans.c.number).with_for_update())
        if kind is Kind.BAD:
            return connection.execute(marked).rowcount
        led = connection.execute(marked.returning(table.c.target)).scalars().all()
        _drop(connection, {page for page in led if page is not None})
        return len(led)


def _drop(connection: Connection, led: set[int]) -> None:
    """Drop what waits in the frontier, now or in a later plan, and is linked to no more."""
    left = [
        exists().where(table.c.target == pages.c.id, table.c.deleted.is_(False))
        for table in (internal_links, external_links)
    ]
    alone = (pages.c.id.in_(led), pages.c.level > 0, *(~link for link in left))
    connection.execute(
        update(pages).where(pages.c.state == State.QUEUED, *alone).values(state=State.DROPPED)
    )
    # A frontier has no place for these: they have their answer already.
    beyond = (pages.c.state == State.BEYOND) & pages.c.status.is_(None)
    connection.execute(update(pages).where(beyond, *alone).values(status=0, problem=TAKEN_OUT))
