"""The requests of another crawler in the order of a policy: what its adapters have in common.

A crawler hands in requests, gets one at a time, and says which answer came and when it is done with
the page. The requests that it hands in for a page are the links of this page.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

from counterpoint.crawler.documents.addresses import key, normalized
from counterpoint.crawler.documents.exchange import Exchange, with_links
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Content

from .queue import PolicyQueue

BUDGET = 2000
"""How many pages are fetched if nothing else is said, as in ``crawl``."""


class WithAddress(Protocol):
    """A request of another crawler."""

    @property
    def url(self) -> str:
        """Return its address."""


R = TypeVar("R", bound=WithAddress)


class Answer(NamedTuple):
    """The last answer to a request.

    Attributes
    ----------
    status : int
    url : str
        The address from which it came, after redirects.
    body : bytes
        Uncompressed.
    kind : str or None
        The header Content-Type; None if the body is no text.
    """

    status: int
    url: str
    body: bytes
    kind: str | None


@dataclass
class Page(Generic[R]):
    """A page that is on its way: its answer, its links, and the first request for each of them.

    The requests are kept here until the policy has the links: it need not take them, and another
    page that is on its way may have the same ones.
    """

    answer: Answer | None = None
    links: list[str] = field(default_factory=list)
    requests: dict[str, R] = field(default_factory=dict)

    def add(self, address: str, request: R) -> bool:
        """Add a link; return False if the page has it already."""
        self.links.append(address)
        return self.requests.setdefault(key(address), request) is request


class PolicyRequests(Generic[R]):
    """Hands out requests as a policy decides.

    Parameters
    ----------
    made : callable
        Makes the policy's queue for the addresses of the start pages.

    Attributes
    ----------
    queue : PolicyQueue or None
        None before `begin`, and if there are no start pages.
    pages : dict of str to Page
        The pages that are on their way, by the address that the policy knows.
    failure : CrawlError or None
        What ended the crawl: the policy failed, or broke a rule for policies.
    """

    def __init__(self, made: Callable[[Sequence[str]], PolicyQueue]) -> None:
        self._made = made
        self.queue: PolicyQueue | None = None
        self.pages: dict[str, Page[R]] = {}
        self.failure: CrawlError | None = None
        self._starts: dict[str, str] = {}
        self._requests: dict[str, R | None] = {}
        self._others: list[tuple[str, R]] = []
        self._in_vain = False

    def begin(self) -> None:
        """Make the policy's queue: all start pages are known.

        Raises
        ------
        CrawlError
            If the policy does not take these start pages.
        """
        self._in_vain = not self._starts
        if self._starts:
            self.queue = self._made(list(self._starts.values()))
        self._leave_out()

    @property
    def may_go_on(self) -> bool:
        """Whether the policy may have a further request without a further answer."""
        return self.queue is not None and self.failure is None and not self._in_vain

    @property
    def known(self) -> int:
        """How many pages are known, those that were fetched among them."""
        return len(self._requests)

    def start(self, address: str, request: R) -> bool:
        """Take a start page; return False if it is known."""
        is_new = key(address) not in self._requests
        self._starts.setdefault(key(address), address)
        self._requests.setdefault(key(address), request)
        return is_new

    def add(self, address: str, request: R, origin: str = "") -> bool:
        """Take a request; return False if it is known, or comes too late.

        Parameters
        ----------
        address : str
            Under which the policy is to know it.
        request : object
        origin : str
            The page whose link it is. The policy gets what no page on its way has brought with the
            next page that is done.
        """
        is_new = key(address) not in self._requests
        page = self.pages.get(origin)
        if page is not None:
            return page.add(address, request) and is_new
        self._others.append((address, request))
        return not self._leave_out() and is_new

    def _leave_out(self) -> bool:
        """Leave out requests that no page will bring to the policy; return whether it ended."""
        is_over = not self.pages and (self._in_vain or self.failure is not None)
        if is_over:
            for address, request in self._others:
                if key(address) not in self._requests:
                    _log.warning("%s is not fetched: the policy gets an address with the answer "
                                 "of a page, and no page is left", request.url)  # fmt: skip
            self._others = []
        return is_over

    def next(self) -> tuple[str, R] | None:
        """Return the next page, and the request for it; None if there is none now."""
        if self.queue is None or self.failure is not None:
            return None
        try:
            address = self.queue.next()
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
        self.pages[address] = Page()
        return address, request

    def done(self, address: str) -> None:
        """Give the policy the outcome of a page on its way: its last answer, and its links."""
        assert self.queue is not None, "no page is on its way before it"
        page = self.pages.pop(address)
        self._in_vain = False
        for other in self._others:
            page.add(*other)
        self._others = []
        try:
            self._tell(self.queue, address, page)
        except CrawlError as error:
            self._fail(error)
        for one in page.links:
            if self.queue.knows(one):  # a policy over sites does not get links to other sites
                self._requests.setdefault(key(one), page.requests[key(one)])

    def _tell(self, queue: PolicyQueue, address: str, page: Page[R]) -> None:
        links, answer = page.links, page.answer
        if answer is None:
            queue.done(address, 200 if links else 0, links)
            return
        end = normalized(answer.url) or address
        content = _content(answer, links) if queue.reads else None
        queue.done(address, 200 if links else answer.status, links,
                   final=end if key(end) != key(address) else "", size=len(answer.body),
                   content=content)  # fmt: skip

    def _fail(self, error: CrawlError) -> None:
        """End the crawl since the policy broke a rule for policies, or failed."""
        if self.failure is None:
            self.failure = error
            _log.error("%s", error)

    def ending(self, closed: str = "") -> str:
        """Return a text that says how much the policy asked for, and why it ended.

        Parameters
        ----------
        closed : str
            Why the crawler stopped before the policy ended; "" if it did not.
        """
        if self.queue is None:
            return "there is no start page"
        why = str(self.failure or "") or closed or self.queue.why
        return f"{self.queue.policy} asked for {self.queue.steps} pages; {why}"


_log = logging.getLogger(__name__)


def page_of_its_own(address: str, number: int) -> str:
    """Return the address by which a policy knows a request that is more than an address."""
    return f"{address}{'&' if '?' in address else '?'}counterpoint-request={number}"


def _content(answer: Answer, links: Sequence[str]) -> Content | None:
    """Return the text of a page, with an anchor for each of its distinct links."""
    if answer.status != 200 or answer.kind is None:
        return None
    read = with_links(Exchange(answer.url, 200), answer.body, answer.kind, contents=True)
    if read.content is None:
        return None
    anchors = dict(zip(map(key, read.links), read.content.anchors, strict=True))
    distinct = dict.fromkeys(links)
    return read.content._replace(anchors=tuple(anchors.get(key(one), "") for one in distinct))
