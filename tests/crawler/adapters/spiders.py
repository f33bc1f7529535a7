"""Spiders of Scrapy that run in a process of their own, and print what they get."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
from scrapy import signals
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import DontCloseSpider
from scrapy.linkextractors import LinkExtractor


class Following(scrapy.Spider):
    """A spider that follows all links of all pages.

    Parameters
    ----------
    starts : str
        Start addresses, with blanks between them.
    mode : str
        What the spider does beside that; see `parse`.
    """

    name = "following"
    links = LinkExtractor(
        tags=("a", "area", "frame", "iframe"),
        attrs=("href", "src"),
        deny_extensions=(),
        unique=False,
    )

    def __init__(self, starts: str = "", mode: str = "", **more: Any) -> None:
        super().__init__(**more)
        self.start_urls = starts.split()
        self.mode = mode

    async def start(self) -> AsyncIterator[Any]:
        """Yield the start pages, perhaps with an errback; perhaps fail then."""
        for url in self.start_urls:
            errback = self.failed if self.mode.startswith("errback") else None
            yield scrapy.Request(url, errback=errback, dont_filter=True)
        if self.mode == "fails":
            raise ValueError("no more starts")

    def parse(self, response: Any) -> Iterator[Any]:
        """Follow the links of a page."""
        print(json.dumps([response.url, response.status]), flush=True)
        if not isinstance(response, scrapy.http.TextResponse):
            return
        for link in self.links.extract_links(response):
            meta = response.meta if self.mode == "meta" else {}
            yield scrapy.Request(link.url, meta=meta)
            if self.mode == "raises" and link.url.endswith("/x"):
                raise ValueError("no")
            if self.mode == "form":
                yield scrapy.FormRequest(link.url, formdata={"a": "1"}, callback=self.sent)

    def sent(self, response: Any) -> Iterator[Any]:
        """Print the answer to a form."""
        print(json.dumps([response.request.method, response.url]), flush=True)
        yield {"form": response.url}

    def failed(self, failure: Any) -> Iterator[Any]:
        """Ask a mirror, or once more, or both."""
        if self.mode == "errback again":
            yield failure.request.replace(dont_filter=False)
            yield get_retry_request(failure.request, spider=self, reason="x", max_retry_times=1)
        meta = failure.request.meta if self.mode == "errback meta" else {}
        yield scrapy.Request("http://mirror.test/", meta=meta)


class Asynchronous(Following):
    """The same with a callback that is an asynchronous generator."""

    async def parse(self, response: Any) -> AsyncIterator[Any]:  # type: ignore[override]
        """Follow the links of a page."""
        for one in super().parse(response):
            yield one


class Inside(Following):
    """A spider that stays on one host, which a downloader middleware of Scrapy ensures."""

    allowed_domains = ("a.test",)


class Feeding(Following):
    """A spider that asks for one more page at a signal, whose name is its mode."""

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **more: Any) -> Feeding:
        """Return a spider that gets the signal."""
        spider = super().from_crawler(crawler, *args, **more)
        crawler.signals.connect(spider.feed, signal=getattr(signals, spider.mode))
        return spider

    def feed(self) -> None:
        """Ask for a page, once."""
        self.crawler.signals.disconnect(self.feed, signal=getattr(signals, self.mode))
        self.crawler.engine.crawl(scrapy.Request("http://mirror.test/"))
        if self.mode == "spider_idle":
            raise DontCloseSpider
