"""A source of pages over HTTP, one request at a time, politely and within limits.

If an answer breaks off or is too long, the part that came is used. Only HTML is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from types import TracebackType

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.exchange import Exchange, with_links
from counterpoint.crawler.documents.robots import origin
from counterpoint.crawler.fetching.clock import steady
from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.guard import Guard
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.fetching.manners import LITTLE, Limits, Manners
from counterpoint.crawler.fetching.network import Fetcher, Network
from counterpoint.crawler.fetching.politeness import is_here


class Client:
    """A `Source` over HTTP. Must be closed, or used in a ``with`` statement.

    Parameters
    ----------
    proxy : str, optional
        Address of an HTTP proxy, such as ``counterpoint web serve`` prints.
    manners : Manners
    limits : Limits
    now : callable
        The clock, in seconds.
    sleep : callable, optional
        How to wait; tests pass another function.
    contents : bool
        Whether to return the contents of pages, for a policy that reads.
    fetcher : Fetcher, optional
        What makes the requests; by default a `Network`.

    Raises
    ------
    CrawlError
        If the proxy is not an http address.
    """

    def __init__(
        self,
        proxy: str | None = None,
        manners: Manners | None = None,
        limits: Limits | None = None,
        now: Callable[[], float] | None = None,
        sleep: Callable[[float], None] | None = None,
        *,
        contents: bool = False,
        fetcher: Fetcher | None = None,
    ) -> None:
        manners, limits = manners or Manners(), limits or Limits()
        through_here = False
        if fetcher is None:
            guard = Guard(private=manners.private)
            fetcher = network = Network(proxy, agent=manners.agent, limits=limits, guard=guard)
            through_here = network.proxy is not None and is_here(network.proxy)
        self._now, self._contents = now or steady(), contents
        self._begun = self._now()
        self._dispatcher = PoliteDispatcher(
            fetcher,
            manners=manners,
            limits=limits,
            patience=LITTLE,
            through_here=through_here,
            now=self._now,
            sleep=asyncio.sleep if sleep is None else _blocking(sleep),
        )
        self._numbers = count()
        self._runner = asyncio.Runner()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._runner.run(self._dispatcher.close(grace=0))
        self._runner.close()

    def get(self, address: str) -> Exchange:
        """Fetch an address; if the request fails, the exchange says why.

        Raises
        ------
        CrawlError
            If the proxy cannot be reached, so that no address can be fetched.
        """
        fetched = self._runner.run(self._fetched(Job(next(self._numbers), address)))
        exchange = Exchange(
            address, fetched.status, fetched.final,
            size=len(fetched.body), time=fetched.time - self._begun, problem=fetched.problem,
        )  # fmt: skip
        body, kind = fetched.body, fetched.content_type
        read = with_links(
            exchange, body, kind, contents=self._contents, nofollow=fetched.nofollow
        )  # fmt: skip
        return _permitted(read, fetched)

    async def _fetched(self, job: Job) -> Fetched:
        self._dispatcher.submit(job)
        return await self._dispatcher.completed()


def _permitted(exchange: Exchange, fetched: Fetched) -> Exchange:
    """Return the exchange without links on the page's own site that robots.txt forbids."""
    rules = fetched.rules
    if rules is None or not exchange.links:
        return exchange
    own, of = exchange.of_site, origin(exchange.final or exchange.address)
    return exchange.leading(
        lambda address: site(address) != own or origin(address) != of or not rules.problem(address)
    )


def _blocking(sleep: Callable[[float], None]) -> Callable[[float], Awaitable[None]]:
    async def wait(seconds: float) -> None:
        sleep(seconds)

    return wait
