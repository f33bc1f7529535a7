"""A scheduler for Scrapy: a policy decides what the spider fetches next.

It is switched on in the settings of a project or of a spider::

    ADDONS = {"counterpoint.crawler.adapters.scrapy.PolicyAddon": 100}
    COUNTERPOINT_POLICY = "opic"

The links of a page are the requests that its callback yields, as far as other middlewares let them
pass. Redirects and retries belong to the page, and a page of which no answer came has the status 0;
but a page from which a callback or an errback yields requests counts as one with status 200.
With ``CONCURRENT_REQUESTS = 1`` the crawl is that of ``compare`` and ``try``, if the spider yields
the same links. With more, a policy decides before it has seen the answers that are on their way.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Self

from scrapy import Request, Spider, signals, version_info
from scrapy import __version__ as scrapy_version
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.settings import BaseSettings

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.errors import CrawlError

from .queue import PolicyQueue
from .requests import BUDGET, Answer, PolicyRequests, page_of_its_own

OLDEST = (2, 14)
"""The oldest Scrapy with which this works."""

_PAGE, _START = "counterpoint_page", "counterpoint_start"
_HERE = "counterpoint.crawler.adapters.scrapy"
_log = logging.getLogger(__name__)


class PolicyAddon:
    """An add-on of Scrapy that sets `PolicyScheduler` and `PolicyMiddleware`."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Set the scheduler, and the middleware nearest to the engine.

        Raises
        ------
        CrawlError
            If a setting is wrong, or this Scrapy is too old.
        """
        if version_info < OLDEST:
            raise CrawlError(f"Scrapy {scrapy_version} is too old: 2.14 or newer is needed")
        settings_of(settings)
        settings.set("SCHEDULER", f"{_HERE}.PolicyScheduler", "addon")
        settings.get("SPIDER_MIDDLEWARES")[f"{_HERE}.PolicyMiddleware"] = 0


class PolicySettings(NamedTuple):
    """The settings of `PolicyScheduler`."""

    policy: str
    budget: int
    seed: int
    query: str
    stay: bool


def settings_of(settings: BaseSettings) -> PolicySettings:
    """Return the settings of the scheduler in those of Scrapy.

    Raises
    ------
    CrawlError
        If one is wrong.
    """
    policy = settings.get("COUNTERPOINT_POLICY", "")
    if not policy:
        raise CrawlError("COUNTERPOINT_POLICY: is needed, such as breadth-first or module:Policy")
    if settings.get("JOBDIR"):
        raise CrawlError("JOBDIR: PolicyScheduler keeps no requests on disk; leave it out")
    found = PolicySettings(
        policy, _number(settings, "COUNTERPOINT_BUDGET", BUDGET),
        _number(settings, "COUNTERPOINT_SEED", 0), settings.get("COUNTERPOINT_QUERY", ""),
        settings.getbool("COUNTERPOINT_STAY"),
    )  # fmt: skip
    PolicyQueue(policy, ["http://a.invalid/"], found.budget, found.seed)  # what it refuses
    return found


def _number(settings: BaseSettings, name: str, usual: int) -> int:
    try:
        return int(settings.get(name, usual))
    except ValueError:
        raise CrawlError(f"{name}: {settings.get(name)!r} is no whole number") from None


class PolicyScheduler:
    """A scheduler of Scrapy that asks a policy.

    Settings: ``COUNTERPOINT_POLICY``, ``COUNTERPOINT_BUDGET`` (pages, 2000 by default),
    ``COUNTERPOINT_SEED``, ``COUNTERPOINT_QUERY`` for policies that read, ``COUNTERPOINT_STAY``
    to follow only links to the sites of the start pages.

    Parameters
    ----------
    crawler : Crawler

    Raises
    ------
    CrawlError
        If a setting is wrong.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler, self._given = crawler, settings_of(crawler.settings)
        self._concurrency = crawler.settings.getint("CONCURRENT_REQUESTS")
        self._ordered: PolicyRequests[Request] = PolicyRequests(self._queue)
        self._again: deque[Request] = deque()
        self._special = 0
        crawler.signals.connect(self._received, signal=signals.response_received)

    def _queue(self, starts: Sequence[str]) -> PolicyQueue:
        given = self._given
        return PolicyQueue(given.policy, starts, given.budget, given.seed, query=given.query,
                           stay=given.stay)  # fmt: skip

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return a new scheduler."""
        return cls(crawler)

    def open(self, spider: Spider) -> None:
        """Begin."""

    def close(self, reason: str) -> None:
        """Log why the policy ended."""
        if self._ordered.queue is not None:
            closed = "" if reason == "finished" else f"the spider was closed: {reason}"
            _log.info("%s", self._ordered.ending(closed))

    def begin(self) -> None:
        """Make the policy's queue: all start pages are known."""
        self._ordered.begin()

    def has_pending_requests(self) -> bool:
        """Return whether the policy may have a further request without a further answer."""
        self._settle()
        return bool(self._again) or self._ordered.may_go_on

    def enqueue_request(self, request: Request) -> bool:
        """Take a request; return False if it is known, is no address, or comes too late."""
        is_start = request.meta.pop(_START, False)
        origin = request.meta.get(_PAGE, "")
        if origin in self._ordered.pages and not self._is_at_spider(origin):
            self._again.append(request)  # a redirect, or another try
            return True
        address = self._address(request, is_start)
        if address is None:
            return False
        if is_start:
            return self._ordered.start(address, request)
        return self._ordered.add(address, request, origin)

    def _is_at_spider(self, address: str) -> bool:
        """Return whether the spider has a page: a request from it is no other try then."""
        engine = self._crawler.engine
        slot = None if engine is None else engine.scraper.slot
        return slot is not None and any(one.meta.get(_PAGE) == address for one in slot.active)

    def next_request(self) -> Request | None:
        """Return the next request; None if there is none now."""
        self._settle()
        if self._again:
            return self._again.popleft()
        if 0 < self._concurrency <= len(self._ordered.pages):
            return None
        found = self._ordered.next()
        if found is None:
            return None
        address, request = found
        return request.replace(meta=request.meta | {_PAGE: address})

    def _received(self, response: Response, request: Request) -> None:
        """Keep the answer of a page until the spider is done with it."""
        page = self._ordered.pages.get(request.meta.get(_PAGE, ""))
        if page is not None:
            kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
            page.answer = Answer(response.status, response.url, response.body,
                                 kind if isinstance(response, TextResponse) else None)  # fmt: skip

    def _settle(self) -> None:
        """Give the policy the outcomes of the pages with which the spider is done.

        The engine knows which they are. A page whose request failed, or was dropped on its way, has
        no answer.
        """
        engine = self._crawler.engine
        slot = None if engine is None else engine._slot
        if slot is None or not self._ordered.pages:
            return
        under_way = {one.meta.get(_PAGE) for one in (*slot.inprogress, *self._again)}
        for address in [one for one in self._ordered.pages if one not in under_way]:
            self._ordered.done(address)

    def _address(self, request: Request, is_start: bool) -> str | None:
        """Return the address under which the policy knows a request; None if it has none.

        A request that is more than an address (a form, or one that is to be sent again whatever was
        sent before) is a page of its own.
        """
        address = normalized(request.url)
        if address is None or (request.method == "GET" and (is_start or not request.dont_filter)):
            return address
        self._special += 1
        return page_of_its_own(address, self._special)


class PolicyMiddleware:
    """A spider middleware that shows `PolicyScheduler` what pages yield.

    Parameters
    ----------
    crawler : Crawler
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return a new middleware."""
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Mark the start pages, and begin when all are known, or the spider failed."""
        try:
            async for one in start:
                if isinstance(one, Request):
                    one.meta[_START] = True
                yield one
        except Exception:
            self._begin()
            raise
        self._begin()

    def _begin(self) -> None:
        engine = self._crawler.engine
        scheduler = None if engine is None or engine._slot is None else engine._slot.scheduler
        if not isinstance(scheduler, PolicyScheduler):
            raise CrawlError("PolicyMiddleware needs PolicyScheduler: use PolicyAddon")
        scheduler.begin()

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Mark the requests that a callback yields."""
        for one in result:
            yield _marked(one, response)

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Mark the requests that an asynchronous callback yields."""
        async for one in result:
            yield _marked(one, response)


def _marked(one: Any, response: Response) -> Any:
    """Return what a page yielded; a request is marked with the page."""
    if isinstance(one, Request):
        one.meta[_PAGE] = response.meta.get(_PAGE, "")
    return one
