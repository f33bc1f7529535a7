"""The index of a crawl that is kept in a store.

A store has no index: a new scheduler is led through the calls of the crawl's log, and makes it
again. So a crawl that was killed has the index of one that was not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.indices import index_of
from counterpoint.crawler.policy.protocol import NONE, Pages
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Recording

from .plan import plan_of
from .replay import CHUNK, replay
from .run import Mark, Run


class Index(NamedTuple):
    """What a crawl has found.

    Attributes
    ----------
    policy : str
    pages : list of str
        Addresses, the best first.
    """

    policy: str
    pages: list[str]


def index(store: Store, tell: Callable[[int], None] | None = None) -> Index:
    """Return what a store's last crawl has found until now.

    What a policy without an index collected is ranked by HITS, as the standard crawler of [HITS]
    does it.

    Parameters
    ----------
    store : Store
        Only read; the crawl may go on meanwhile.
    tell : callable, optional
        Told how many calls of the policy have been repeated.

    Raises
    ------
    CrawlError
        If nothing was crawled, the policy finds no pages, does not repeat itself, or its index
        cannot be had.
    """
    with store.reading() as connection:
        recording = Recording(connection)
        rows = recording.read("last plan")
        if not rows:
            raise CrawlError(f"{store.where}: nothing was crawled yet")
        plan = plan_of(rows[0])
        head = recording.head(plan.number)
        offered = recording.read("offered", first=0, end=len(plan.starts))
        run = Run(plan, Mark(), dict(map(tuple, offered)))
        if run.known:
            raise CrawlError(f"{plan.policy} visits known pages again: it finds none for an index")
        came, links = _came(run, recording), dict[int, Pages]()
        if callable(getattr(run.scheduler, "index", None)):
            if head.failed:
                raise CrawlError(f"{head.ended}; it has no index")
            replay(run, recording, head, tell)
        else:
            links = _links(run, recording)
        found = index_of(run.scheduler, came, lambda page: links.get(page, NONE))
        pages = [recording.page(page) for page in found]
        return Index(plan.policy, [page.address for page in pages if page is not None])


def _came(run: Run, recording: Recording) -> list[int]:
    """Return the pages that came, in the order in which the policy was told of them."""
    return [row[2] for rows in _observed(run, recording) for row in rows if row[4] == 200]


def _links(run: Run, recording: Recording) -> dict[int, Pages]:
    """Return the pages that each page that came links to, but for those beyond the limits."""
    kind = "all told" if run.discovery.everywhere else "told"
    found: dict[int, list[int]] = {}
    for rows in _observed(run, recording):
        page_of = {event: page for event, _, page, *_ in rows}
        told = recording.read(kind, plan=run.plan.number, first=rows[0][0], last=rows[-1][0])
        for event, _, target, place in told:
            if place is not None and place >= 0:
                found.setdefault(page_of[event], []).append(target)
    return {page: np.array(list(dict.fromkeys(to)), dtype=np.int64) for page, to in found.items()}


def _observed(run: Run, recording: Recording) -> Iterator[list[Any]]:
    """Yield the visits that were answered, many at a time, in the order of the answers."""
    first = 0
    while rows := recording.read("observed", plan=run.plan.number, first=first, most=CHUNK):
        yield rows
        first = rows[-1][0] + 1
