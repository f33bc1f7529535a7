"""What a crawl that looks for something found: the pages of its index, the best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from counterpoint.crawler.errors import CrawlError, in_words
from counterpoint.crawler.policy.protocol import Pages, Scheduler
from counterpoint.crawler.schedulers.weights import ranked


def index_of(
    scheduler: Scheduler, fetched: Sequence[int], links: Callable[[int], Pages]
) -> list[int]:
    """Return the index of a crawl.

    What a scheduler without an index collected is ranked by HITS, once, as [HITS]'s standard
    crawler does it.

    Parameters
    ----------
    scheduler : Scheduler
        After the crawl.
    fetched : sequence of int
        The pages that came, in the order of the crawl.
    links : callable
        Returns the pages that one of them links to.

    Raises
    ------
    CrawlError
        If its index cannot be had, has a page twice, or one that did not come.
    """
    own = getattr(scheduler, "index", None)
    if not callable(own):
        return ranked({page: links(page) for page in fetched}, fetched)
    try:
        found = [int(page) for page in own()]
    except Exception as error:
        raise CrawlError(f"its index: {in_words(error)}") from error
    strange = set(found) - set(fetched)
    if strange:
        raise CrawlError(f"its index has page {min(strange)}, which did not come")
    if len(set(found)) < len(found):
        raise CrawlError("its index has a page twice")
    return found
