"""Makes the index of a crawl in a store: its pages, the best first.

The store does not contain the index: the logged calls of the crawl are replayed with a new
scheduler, which makes the index again. So a crawl that was killed has the same index as one that
was not.
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

from .plan import plan_from_row
from .replay import CHUNK, replay
from .run import CrawlRun, Mark


class CrawlIndex(NamedTuple):
    """The index of a crawl.

    Attributes
    ----------
    policy : str
    pages : list of str
        The addresses of the pages, the best first.
    """

    policy: str
    pages: list[str]


def index(store: Store, report: Callable[[int], None] | None = None) -> CrawlIndex:
    """Return the index of a store's last crawl, as far as it is.

    If the policy has no index of its own, HITS ranks the pages, as in the standard crawler of
    [HITS].

    Parameters
    ----------
    store : Store
        It is only read; the crawl may continue meanwhile.
    report : callable, optional
        Called from time to time with the number of calls that were replayed.

    Raises
    ------
    CrawlError
        If nothing was crawled, the policy finds no pages or decides differently than before, or
        its index raises an error.
    """
    with store.reading() as connection:
        recording = Recording(connection)
        rows = recording.read("last plan")
        if not rows:
            raise CrawlError(f"{store.where}: nothing was crawled yet")
        plan = plan_from_row(rows[0])
        head = recording.head(plan.number)
        offered = recording.read("offered", first=0, end=len(plan.starts))
        run = CrawlRun(plan, Mark(), dict(map(tuple, offered)))
        if run.known:
            raise CrawlError(f"{plan.policy} visits known pages again, so it finds no new pages "
                             "for an index")  # fmt: skip
        came, links = _came(run, recording), dict[int, Pages]()
        if callable(getattr(run.scheduler, "index", None)):
            if head.failed:
                raise CrawlError(f"{head.ended}; it has no index")
            replay(run, recording, head, report)
        else:
            links = _links(run, recording)
        found = index_of(run.scheduler, came, lambda page: links.get(page, NONE))
        pages = [recording.page(page) for page in found]
        return CrawlIndex(plan.policy, [page.address for page in pages if page is not None])


def _came(run: CrawlRun, recording: Recording) -> list[int]:
    """Return the pages that came with status 200, in the order of their outcomes."""
    return [row.page for rows in _observed(run, recording) for row in rows if row.status == 200]


def _links(run: CrawlRun, recording: Recording) -> dict[int, Pages]:
    """Return the pages that each fetched page links to, except pages beyond the limits."""
    kind = "all links" if run.discovery.everywhere else "site links"
    found: dict[int, list[int]] = {}
    shut = run.discovery.shut
    for rows in _observed(run, recording):
        page_of = {row.observed: row.page for row in rows}
        links = recording.read(kind, plan=run.plan.number, first=rows[0].observed,
                               last=rows[-1].observed)  # fmt: skip
        for link in links:
            if link.place is not None and link.place >= 0 and not link.mark & shut:
                found.setdefault(page_of[link.observed], []).append(link.target)
    return {page: np.array(list(dict.fromkeys(to)), dtype=np.int64) for page, to in found.items()}


def _observed(run: CrawlRun, recording: Recording) -> Iterator[list[Any]]:
    """Yield the answered visits in chunks, in the order of their answers."""
    first = 0
    while rows := recording.read("observed", plan=run.plan.number, first=first, most=CHUNK):
        yield rows
        first = rows[-1].observed + 1
