"""A request manager for Crawlee: a policy decides what the crawler fetches next.

It takes the place of the request queue, and sees the answers of the crawler::

    manager = PolicyRequestManager("opic", budget=1000)
    crawler = ParselCrawler(request_manager=manager)
    manager.watch(crawler)

The links of a page are the requests that its handler enqueues, as far as Crawlee lets them pass.
Redirects, retries and other sessions belong to the page. With a concurrency of 1 the crawl is that
of ``compare`` and ``try``, if the handler enqueues the same links. With more, a policy decides
before it has seen the answers that are on their way.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from crawlee import Request
from crawlee import __version__ as crawlee_version
from crawlee.crawlers import (
    AbstractHttpCrawler,
    BasicCrawlingContext,
    FileDownloadCrawler,
    HttpCrawlingContext,
)
from crawlee.request_loaders import RequestManager
from crawlee.storage_clients.models import ProcessedRequest

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.errors import CrawlError

from .queue import PolicyQueue
from .requests import BUDGET, Answer, PolicyRequests, page_of_its_own

OLDEST = (1, 11)
"""The oldest Crawlee with which this works."""

_log = logging.getLogger(__name__)
_handled: ContextVar[tuple[PolicyRequestManager, str] | None] = ContextVar(
    "counterpoint_page", default=None
)
"""The page that is handled here, and the manager that it comes from."""


class PolicyRequestManager(RequestManager):
    """A request manager of Crawlee that asks a policy.

    Requests that are added before the crawler asks for the first one are the start pages. The crawl
    ends with a `CrawlError` from ``run`` if the policy fails or breaks a rule for policies.

    Parameters
    ----------
    policy : str
        A policy as `compare` takes it: ``NAME``, ``NAME,key=value`` or ``module:attribute``.
    budget : int
        How many pages may be fetched in all.
    seed : int
        The seed of the policy's random choices.
    query : str
        The topic, for policies that read pages.
    stay : bool
        Whether only links to the sites of the start pages are followed.
    rules : ScopeRules, optional
        Which links are followed.

    Raises
    ------
    CrawlError
        If there is no such policy, if it cannot crawl, or if this Crawlee is too old.
    """

    def __init__(
        self, policy: str, budget: int = BUDGET, seed: int = 0, *, query: str = "",
        stay: bool = False, rules: ScopeRules | None = None,
    ) -> None:  # fmt: skip
        if tuple(map(int, crawlee_version.split(".")[:2])) < OLDEST:
            raise CrawlError(f"Crawlee {crawlee_version} is too old: 1.11 or newer is needed")
        PolicyQueue(policy, ["http://a.invalid/"], budget, seed)  # what it refuses
        self._made = partial(PolicyQueue, policy, budget=budget, seed=seed, query=query, stay=stay,
                             rules=rules)  # fmt: skip
        self._is_watching = False
        self._clear()

    def _clear(self) -> None:
        self._ordered: PolicyRequests[Request] = PolicyRequests(self._made)
        self._asked: dict[int, tuple[str, Request]] = {}
        self._watched: set[str] = set()
        self._again: deque[Request] = deque()
        self._own: dict[str, str] = {}
        self._is_said = False

    @property
    def steps(self) -> int:
        """How many pages the policy asked for."""
        return 0 if self._ordered.queue is None else self._ordered.queue.steps

    @property
    def why(self) -> str:
        """Why the policy asked for no further page; "" if it did not end."""
        return "" if self._ordered.queue is None else self._ordered.queue.why

    def watch(self, crawler: AbstractHttpCrawler[Any, Any, Any]) -> None:
        """See the answers of a crawler; call it once, before ``run``.

        Raises
        ------
        CrawlError
            If the crawler is none that reads pages over HTTP, or does not take its requests from
            this manager.
        """
        name = type(crawler).__name__
        if not isinstance(crawler, AbstractHttpCrawler) or isinstance(crawler, FileDownloadCrawler):
            raise CrawlError(f"an HttpCrawler, ParselCrawler or BeautifulSoupCrawler is needed, "
                             f"not {name}: the policy would see no answers")  # fmt: skip
        if crawler._request_manager is not self:
            raise CrawlError(f"{name} takes its requests elsewhere: give it "
                             "request_manager=, with nothing around the manager")  # fmt: skip
        if not self._is_watching:
            crawler.pre_navigation_hook(self._before)
            crawler.post_navigation_hook(self._after)
        self._is_watching = True

    async def _before(self, context: BasicCrawlingContext) -> None:
        """Remember whose links are enqueued from here, until the crawler is done with the page."""
        address, _ = self._asked[id(context.request)]
        self._watched.add(address)
        _handled.set((self, address))
        context.register_deferred_cleanup(partial(self._leave, context.request))

    async def _after(self, context: HttpCrawlingContext) -> None:
        """Keep the answer of a page, whatever its status is."""
        response, request = context.http_response, context.request
        address, _ = self._asked[id(request)]
        self._ordered.pages[address].answer = Answer(
            response.status_code, request.loaded_url or request.url, await response.read(),
            response.headers.get("content-type", ""),
        )  # fmt: skip

    async def _leave(self, request: Request) -> None:
        """Give the policy the outcome of a page with which the crawler is done.

        The handler of failed requests, which may enqueue some, has ended by now.
        """
        if not any(one is request for one in self._again):
            self._done(request)

    def _done(self, request: Request) -> None:
        address, _ = self._asked.pop(id(request))
        self._watched.discard(address)
        self._ordered.done(address)

    def _address(self, request: Request) -> str | None:
        """Return the address under which the policy knows a request; None if it has none.

        A request that is more than an address has a unique key that is not that of the address.
        """
        address = normalized(request.url)
        if address is None or request.unique_key == Request.from_url(request.url).unique_key:
            return address
        new = page_of_its_own(address, len(self._own) + 1)
        return self._own.setdefault(request.unique_key, new)

    async def add_request(
        self, request: str | Request, *, forefront: bool = False
    ) -> ProcessedRequest | None:
        """Take a request; return None if it is no address. The policy decides when it comes."""
        taken = self._transform_request(request)
        address = self._address(taken)
        if address is None:
            return None
        if self._ordered.queue is None:
            is_new = self._ordered.start(address, taken)
        else:
            at = _handled.get()
            origin = at[1] if at is not None and at[0] is self else ""
            is_new = self._ordered.add(address, taken, origin)
        return _processed(taken, was_present=not is_new)

    async def add_requests(
        self, requests: Sequence[str | Request], *, forefront: bool = False,
        batch_size: int = 1000, wait_time_between_batches: timedelta = timedelta(0),
        wait_for_all_requests_to_be_added: bool = False,
        wait_for_all_requests_to_be_added_timeout: timedelta | None = None,
    ) -> None:  # fmt: skip
        """Take requests, in one batch; see `add_request`."""
        for one in requests:
            await self.add_request(one)

    def _begin(self) -> None:
        """Begin when the crawler asks for the first time, and end if the policy failed.

        Raises
        ------
        CrawlError
            If nothing watches the crawler, or the policy failed or refuses the start pages.
        """
        if not self._is_watching:
            raise CrawlError("the policy would see no answers: call watch(crawler) before run()")
        if self._ordered.failure is not None:
            raise self._ordered.failure
        if self._ordered.queue is None and self._ordered.known:
            self._ordered.begin()

    async def is_empty(self) -> bool:
        """Return whether there is no request without a further answer.

        Raises
        ------
        CrawlError
            If the policy failed, or broke a rule for policies.
        """
        self._begin()
        return not self._again and not self._ordered.may_go_on

    async def is_finished(self) -> bool:
        """Return whether the crawl is over.

        Raises
        ------
        CrawlError
            If the policy failed, or broke a rule for policies.
        """
        is_over = await self.is_empty() and not self._ordered.pages
        if is_over and not self._is_said:
            self._is_said = True
            _log.info("%s", self._ordered.ending())
        return is_over

    async def fetch_next_request(self) -> Request | None:
        """Return the next request; None if there is none now."""
        if self._again:
            request = self._again.popleft()
            address, _ = self._asked[id(request)]
            self._watched.discard(address)
            self._ordered.pages[address].answer = None
            return request
        found = self._ordered.next()
        if found is None:
            return None
        address, given = found
        request = given.model_copy(deep=True)
        self._asked[id(request)] = address, request
        return request

    async def mark_request_as_handled(self, request: Request) -> ProcessedRequest | None:
        """Take note that a request is done; the policy gets it when its handlers have ended."""
        address, _ = self._asked.get(id(request), ("", None))
        if not address:
            return None
        request.handled_at = datetime.now(UTC)
        if address not in self._watched:  # left out before it was sent, as for robots.txt
            self._done(request)
        return _processed(request, was_present=True)

    async def reclaim_request(
        self, request: Request, *, forefront: bool = False
    ) -> ProcessedRequest | None:
        """Take a request back for another try, which comes before all others."""
        if id(request) not in self._asked:
            return None
        self._again.append(request)
        return _processed(request, was_present=True)

    async def get_handled_count(self) -> int:
        """Return how many pages are done."""
        return self.steps - len(self._ordered.pages)

    async def get_total_count(self) -> int:
        """Return how many pages are known."""
        return self._ordered.known

    async def purge(self) -> None:
        """Forget everything; a further crawl begins with a new policy and new start pages."""
        self._clear()

    async def drop(self) -> None:
        """Forget everything."""
        self._clear()


def _processed(request: Request, *, was_present: bool) -> ProcessedRequest:
    return ProcessedRequest(unique_key=request.unique_key, was_already_present=was_present,
                            was_already_handled=request.was_already_handled)  # fmt: skip
