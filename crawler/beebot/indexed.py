"""The index of a topical crawl that is kept in a store.

A store has no index: a new scheduler is led through the calls of the crawl's log, and makes it
again. So a crawl that was killed has the index of one that was not.
"""

from __future__ import annotations

from crawler.errors import CrawlError
from crawler.store.opening import Store
from crawler.store.recording import Recording

from .plan import plan_of
from .replay import replay
from .run import Mark, Run


def index(store: Store) -> list[str]:
    """Return the addresses in the index of a store's last crawl, the best first.

    Parameters
    ----------
    store : Store
        Only read; the crawl may go on meanwhile.

    Raises
    ------
    CrawlError
        If nothing was crawled, the policy keeps no index, or does not repeat itself.
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
        find = getattr(run.scheduler, "index", None)
        if find is None:
            raise CrawlError(f"{plan.policy} keeps no index")
        replay(run, recording, head)
        pages = [recording.page(page) for page in find()]
        return [page.address for page in pages if page is not None]
