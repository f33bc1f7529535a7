"""Returns the index of a topical crawl: the pages that it collected, the best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from counterpoint.crawler.errors import CrawlError, one_line_error
from counterpoint.crawler.policy.protocol import Pages, Scheduler
from counterpoint.crawler.schedulers.weights import ranked


def index_of(
    scheduler: Scheduler, fetched: Sequence[int], links: Callable[[int], Pages]
) -> list[int]:
    """Return the index of a crawl.

    If the scheduler has no index, all fetched pages are ranked by HITS once, as [HITS]'s standard
    crawler does it.

    Parameters
    ----------
    scheduler : Scheduler
        The scheduler after the crawl.
    fetched : sequence of int
        The fetched pages, in the order of the crawl.
    links : callable
        Returns the pages that a fetched page links to.

    Raises
    ------
    CrawlError
        If the scheduler's index raises an exception, contains a page twice, or contains a page
        that was not fetched.
    """
    own = getattr(scheduler, "index", None)
    if not callable(own):
        return ranked({page: links(page) for page in fetched}, fetched)
    try:
        found = [int(page) for page in own()]
    except Exception as error:
        raise CrawlError(f"its index: {one_line_error(error)}") from error
    strange = set(found) - set(fetched)
    if strange:
        raise CrawlError(f"its index has page {min(strange)}, which did not come")
    if len(set(found)) < len(found):
        raise CrawlError("its index has a page twice")
    return found
