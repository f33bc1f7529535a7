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
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from scrapy import Request, Spider, signals, version_info
from scrapy import __version__ as scrapy_version
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.settings import BaseSettings

from counterpoint.crawler.documents.addresses import key, normalized
from counterpoint.crawler.documents.exchange import Exchange, with_links
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Content

from .queue import PolicyQueue

BUDGET = 2000
"""How many pages are fetched if the settings do not say it, as in ``crawl``."""

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
        self._queue: PolicyQueue | None = None
        self._starts: dict[str, str] = {}
        self._requests: dict[str, Request | None] = {}
        self._pages: dict[str, _Page] = {}
        self._again: deque[Request] = deque()
        self._others: list[tuple[str, Request]] = []
        self._special = 0
        self._in_vain = False
        self._failure = ""
        crawler.signals.connect(self._received, signal=signals.response_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return a new scheduler."""
        return cls(crawler)

    def open(self, spider: Spider) -> None:
        """Begin."""

    def close(self, reason: str) -> None:
        """Log why the policy ended."""
        if self._queue is not None:
            closed = "" if reason == "finished" else f"the spider was closed: {reason}"
            why = self._failure or closed or self._queue.why
            _log.info("%s asked for %d pages; %s", self._given.policy, self._queue.steps, why)

    def begin(self) -> None:
        """Make the policy's queue: all start pages are known."""
        given = self._given
        self._in_vain = not self._starts
        if self._starts:
            self._queue = PolicyQueue(given.policy, list(self._starts.values()), given.budget,
                                      given.seed, query=given.query, stay=given.stay)  # fmt: skip
        self._leave_out()

    def has_pending_requests(self) -> bool:
        """Return whether the policy may have a further request without a further answer."""
        self._settle()
        is_asked = self._queue is not None and not self._failure and not self._in_vain
        return bool(self._again) or is_asked

    def enqueue_request(self, request: Request) -> bool:
        """Take a request; return False if it is known, is no address, or comes too late."""
        is_start = request.meta.pop(_START, False)
        origin = request.meta.get(_PAGE, "")
        page = self._pages.get(origin)
        if page is not None and not self._is_at_spider(origin):
            self._again.append(request)  # a redirect, or another try
            return True
        address = self._address(request, is_start)
        if address is None:
            return False
        is_new = key(address) not in self._requests
        if is_start:
            self._starts.setdefault(key(address), address)
            self._requests.setdefault(key(address), request)
        elif page is not None:
            is_new = page.add(address, request) and is_new
        else:  # of an errback, or of an extension: the next page brings it to the policy
            self._others.append((address, request))
            is_new = not self._leave_out() and is_new
        return is_new

    def _is_at_spider(self, address: str) -> bool:
        """Return whether the spider has a page: a request from it is no other try then."""
        engine = self._crawler.engine
        slot = None if engine is None else engine.scraper.slot
        return slot is not None and any(one.meta.get(_PAGE) == address for one in slot.active)

    def _leave_out(self) -> bool:
        """Leave out requests that no page will bring to the policy; return whether it ended."""
        is_over = not self._pages and (self._in_vain or bool(self._failure))
        if is_over:
            for address, request in self._others:
                if key(address) not in self._requests:
                    _log.warning("%s is not fetched: the policy gets an address with the answer "
                                 "of a page, and no page is left", request.url)  # fmt: skip
            self._others = []
        return is_over

    def next_request(self) -> Request | None:
        """Return the next request; None if there is none now."""
        self._settle()
        if self._again:
            return self._again.popleft()
        queue = self._queue
        if queue is None or self._failure or 0 < self._concurrency <= queue.in_flight:
            return None
        try:
            address = queue.next()
        except CrawlError as error:
            self._fail(error)
            address = None
        if address is None:
            self._in_vain = True
            self._leave_out()
            return None
        self._in_vain = False
        request = self._requests[key(address)]
        assert request is not None, "the queue returns each address once"
        self._requests[key(address)] = None
        self._pages[address] = _Page()
        return request.replace(meta=request.meta | {_PAGE: address})

    def _received(self, response: Response, request: Request) -> None:
        """Keep the answer of a page until the spider is done with it."""
        page = self._pages.get(request.meta.get(_PAGE, ""))
        if page is not None:
            page.response = response

    def _settle(self) -> None:
        """Give the policy the outcomes of the pages with which the spider is done.

        The engine knows which they are. A page whose request failed, or was dropped on its way, has
        no answer.
        """
        engine = self._crawler.engine
        slot = None if engine is None else engine._slot
        if self._queue is None or slot is None or not self._pages:
            return
        under_way = {one.meta.get(_PAGE) for one in (*slot.inprogress, *self._again)}
        for address in [one for one in self._pages if one not in under_way]:
            try:
                self._done(self._queue, address, self._pages.pop(address))
            except CrawlError as error:
                self._fail(error)

    def _fail(self, error: CrawlError) -> None:
        """End the crawl since the policy broke a rule for policies, or failed."""
        if not self._failure:
            self._failure = str(error)
            _log.error("%s", error)

    def _done(self, queue: PolicyQueue, address: str, page: _Page) -> None:
        self._in_vain = False
        for other in self._others:
            page.add(*other)
        self._others = []
        links, response = page.links, page.response
        if response is None:
            queue.done(address, 200 if links else 0, links)
        else:
            final = response.url if key(response.url) != key(address) else ""
            content = _content(response, links) if queue.reads else None
            queue.done(address, 200 if links else response.status, links, final=final,
                       size=len(response.body), content=content)  # fmt: skip
        for one in links:
            if queue.knows(one):  # a policy over sites does not get links to other sites
                self._requests.setdefault(key(one), page.requests[key(one)])

    def _address(self, request: Request, is_start: bool) -> str | None:
        """Return the address under which the policy knows a request; None if it has none.

        A request that is more than an address (a form, or one that is to be sent again whatever was
        sent before) is a page of its own.
        """
        address = normalized(request.url)
        if address is None or (request.method == "GET" and (is_start or not request.dont_filter)):
            return address
        self._special += 1
        return f"{address}{'&' if '?' in address else '?'}counterpoint-request={self._special}"


@dataclass
class _Page:
    """A page that is on its way: its answer, its links, and the first request for each of them.

    The requests are kept here until the policy has the links: it need not take them, and another
    page that is on its way may have the same ones.
    """

    response: Response | None = None
    links: list[str] = field(default_factory=list)
    requests: dict[str, Request] = field(default_factory=dict)

    def add(self, address: str, request: Request) -> bool:
        """Add a link; return False if the page has it already."""
        self.links.append(address)
        return self.requests.setdefault(key(address), request) is request


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


def _content(response: Response, links: list[str]) -> Content | None:
    """Return the text of a page, with an anchor for each of its distinct links."""
    if response.status != 200 or not isinstance(response, TextResponse):
        return None
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    read = with_links(Exchange(response.url, 200), response.body, kind, contents=True)
    if read.content is None:
        return None
    anchors = dict(zip(map(key, read.links), read.content.anchors, strict=True))
    distinct = dict.fromkeys(links)
    return read.content._replace(anchors=tuple(anchors.get(key(one), "") for one in distinct))
