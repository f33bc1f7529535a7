"""Crawlers of Crawlee that follow all links, with what happened in them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any

from crawlee import ConcurrencySettings, Request, service_locator
from crawlee.configuration import Configuration
from crawlee.crawlers import BasicCrawler, BeautifulSoupCrawler, HttpCrawler, ParselCrawler
from crawlee.proxy_configuration import ProxyConfiguration
from crawlee.storage_clients import MemoryStorageClient

from counterpoint.crawler.adapters.crawlee import PolicyRequestManager

KINDS = {
    "parsel": ParselCrawler, "beautifulsoup": BeautifulSoupCrawler, "http": HttpCrawler,
    "basic": BasicCrawler,
}  # fmt: skip


@dataclass
class Crawl:
    """A crawl, and what its handler got.

    Attributes
    ----------
    found : list of tuple of str and int
        The address after redirects and the status of each page that reached the handler.
    """

    manager: PolicyRequestManager
    crawler: Any
    found: list[tuple[str, int]] = field(default_factory=list)

    @property
    def order(self) -> list[str]:
        """Return the addresses that reached the handler."""
        return [address for address, _ in self.found]

    async def follow(self, context: Any) -> None:
        """Follow the links of a page."""
        self.found.append((context.request.loaded_url, context.http_response.status_code))
        await context.enqueue_links(strategy="all")


def made(
    policy: str = "breadth-first", proxy: str = "http://127.0.0.1:1", *, kind: str = "parsel",
    concurrency: int = 1, retries: int = 0, crawler: dict[str, Any] | None = None, **given: Any,
) -> Crawl:  # fmt: skip
    """Return a crawl that has not begun, with further options of the manager."""
    manager = PolicyRequestManager(policy, **given)
    options: dict[str, Any] = {
        "request_manager": manager,
        "proxy_configuration": ProxyConfiguration(proxy_urls=[proxy]),
        "storage_client": MemoryStorageClient(), "configure_logging": False,
        "max_request_retries": retries,
        "concurrency_settings": ConcurrencySettings(concurrency, concurrency,
                                                    desired_concurrency=concurrency),
    }  # fmt: skip
    return Crawl(manager, KINDS[kind](**options | (crawler or {})))


@contextmanager
def apart(folder: str) -> Iterator[None]:
    """Give Crawlee's services that are made once in a process a folder of their own."""
    service_locator._configuration = Configuration(storage_dir=folder, purge_on_start=True)
    service_locator._storage_client = MemoryStorageClient()
    service_locator._event_manager = None
    yield


Handler = Callable[[Any], Awaitable[None]]


def run(
    crawl: Crawl, starts: Sequence[Any], handler: Handler | None = None, *, again: bool = False
) -> Crawl:
    """Run a crawl, perhaps twice."""
    crawl.manager.watch(crawl.crawler)
    crawl.crawler.router.default_handler(handler or crawl.follow)

    async def runs() -> None:
        for _ in range(1 + again):
            await crawl.crawler.run(list(starts))

    asyncio.run(runs())
    return crawl


def crawlee_request(url: str, **more: Any) -> Request:
    """Return a request of Crawlee."""
    return Request.from_url(url, **more)


def empty_context() -> Context:
    """Return a context in which no page is handled."""
    return Context()


async def driven(choose: Callable[[int], int]) -> None:
    """Do what Crawlee does with a manager, in an order that is chosen; check what comes out.

    Parameters
    ----------
    choose : callable
        Gets the largest number, and returns a number.
    """
    web = {f"http://a.test/{k}": [f"http://a.test/{(k * 7 + n) % 20}" for n in range(3)]
           for k in range(20)}  # fmt: skip
    manager = PolicyRequestManager("breadth-first")
    manager.watch(ParselCrawler(request_manager=manager, configure_logging=False,
                                storage_client=MemoryStorageClient()))  # fmt: skip
    await manager.add_requests(["http://a.test/0"])
    flying: list[Request] = []
    seen: list[str] = []
    while not await manager.is_finished():
        if not await manager.is_empty() and (not flying or choose(1)):
            request = await manager.fetch_next_request()
            if request is not None:
                flying.append(request)
            continue
        request = flying.pop(choose(len(flying) - 1))
        await _worked(manager, request, web[request.url], choose(3), seen)
        assert await manager.get_handled_count() == len(seen)
    assert len(seen) == len(set(seen)) == await manager.get_total_count()
    assert sorted(seen) == sorted(web)


async def _worked(
    manager: PolicyRequestManager, request: Request, links: list[str], how: int, seen: list[str]
) -> None:
    """Let a worker end: with success, with another try, or without having sent the request."""
    ends: list[Any] = []

    async def work() -> None:
        if how != 2:
            await manager._before(_Context(request, ends.append))
        if how == 1 and request.retry_count < 2:
            request.retry_count += 1
            await manager.reclaim_request(request)
        else:
            await manager.add_requests(links)
            await manager.mark_request_as_handled(request)
            seen.append(request.url)
        for end in ends:
            await end()

    await asyncio.create_task(work())


@dataclass
class _Context:
    request: Request
    register_deferred_cleanup: Callable[[Any], None]
