"""The broken links of a crawl, by the last visit to each page.

A link is broken if the page to which it leads was asked for and did not come, as in `changes`: also
if the page came earlier, and the store still has its document. Pages that were not asked for are
unknown.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, text

from counterpoint.crawler.fetching.politeness import day_and_time

from .exporting import harmless
from .opening import Store
from .page_kinds import is_broken, was_asked
from .schema import State

BATCH = 5_000
"""How many rows are read at a time."""

_FAILED = text("""
    SELECT DISTINCT page FROM visits
    WHERE NOT recalled AND status NOT IN (200, 304) AND page > :after ORDER BY page LIMIT :most""")
_VISITS = text("""
    SELECT v.status, v.time, v.problem, p.address
    FROM visits v JOIN pages p ON p.id = v.page
    WHERE v.page = :page AND NOT v.recalled AND v.status IS NOT NULL
    ORDER BY v.plan DESC, v.observed DESC""")
_LINKING = text("""
    SELECT p.id, p.address, l.anchor FROM pages p JOIN (
        SELECT page, position, '' AS anchor FROM internal_links
        WHERE target = :target AND NOT deleted
        UNION ALL
        SELECT page, position, anchor FROM external_links WHERE target = :target AND NOT deleted
    ) l ON l.page = p.id WHERE p.status = 200 ORDER BY p.id, l.position""")


class BrokenTarget(NamedTuple):
    """A page that does not come, although links lead to it.

    Attributes
    ----------
    address : str
    status : int
        Of the last visit; 0: no answer.
    problem : str
    since : float
        The time of the first visit that failed after the last one that did not, in seconds since
        1970.
    seen : float
        The time of the last visit.
    failures : int
        How many visits have failed since then.
    came : float or None
        The time of the last visit at which the page came; None: it never came.
    """

    address: str
    status: int
    problem: str
    since: float
    seen: float
    failures: int
    came: float | None


class BrokenReference(NamedTuple):
    """A link to a page that does not come: the page that has it, its anchor, and its target."""

    page: str
    anchor: str
    target: BrokenTarget


class LinkingPage(NamedTuple):
    """A page that has a link, and the link's anchor."""

    id: int
    address: str
    anchor: str


def broken(store: Store, since: float = 0.0) -> Iterator[BrokenReference]:
    """Yield the broken links of a crawl, by target.

    Parameters
    ----------
    store : Store
    since : float
        Only links that broke at this time or later, in seconds since 1970.
    """
    with store.reading() as connection:
        for page in _failed(connection):
            target = target_of(connection, page)
            if target is not None and target.since >= since:
                for link in linking(connection, page):
                    yield BrokenReference(link.address, link.anchor, target)


def linking(connection: Connection, page: int) -> Iterator[LinkingPage]:
    """Yield the links to a page on pages that came, by page and place in it."""
    with connection.execute(_LINKING, {"target": page}) as rows:
        for row in rows:
            yield LinkingPage(*row)


def as_csv(found: Iterable[BrokenReference]) -> Iterator[str]:
    """Yield the lines of a CSV file, the first with the names of the columns."""
    yield _line(("page", "anchor", "target", "status", "problem", "since", "seen", "failures",
                 "came"))  # fmt: skip
    for one in found:
        end = one.target
        came = "" if end.came is None else day_and_time(end.came)
        yield _line((one.page, one.anchor, end.address, end.status, end.problem,
                     day_and_time(end.since), day_and_time(end.seen), end.failures,
                     came))  # fmt: skip


def _line(cells: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([harmless(str(cell)) for cell in cells])
    return text.getvalue()


def _failed(connection: Connection) -> Iterator[int]:
    """Yield the pages of which a visit failed at some time."""
    after = -1
    while True:
        rows = connection.execute(_FAILED, {"after": after, "most": BATCH}).scalars().all()
        yield from rows
        if len(rows) < BATCH:
            return
        after = rows[-1]


def target_of(connection: Connection, page: int) -> BrokenTarget | None:
    """Return what is known of a page whose last visit failed; None: the last visit did not."""
    visits = connection.execute(_VISITS, {"page": page}).mappings()
    failed: list[RowMapping] = []
    came = None
    for visit in visits:
        if not was_asked(State.DONE, visit["status"], visit["problem"]):
            continue  # it shows nothing: the host had to be left alone, or forbids the page
        if not is_broken(State.DONE, visit["status"], visit["problem"]):
            came = visit["time"] if visit["status"] in (200, 304) else None
            break
        failed.append(visit)
    visits.close()
    if not failed:
        return None
    last, first = failed[0], failed[-1]
    return BrokenTarget(last["address"], last["status"], last["problem"], first["time"] or 0.0,
                        last["time"] or 0.0, len(failed), came)  # fmt: skip
