"""Spiders of Scrapy that run in a process of their own, and print what they get."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
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
        """Yield the start pages, perhaps with an errback."""
        for url in self.start_urls:
            errback = self.failed if self.mode == "errback" else None
            yield scrapy.Request(url, errback=errback, dont_filter=True)

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
        """Ask a mirror."""
        yield scrapy.Request("http://mirror.test/")


class Asynchronous(Following):
    """The same with a callback that is an asynchronous generator."""

    async def parse(self, response: Any) -> AsyncIterator[Any]:  # type: ignore[override]
        """Follow the links of a page."""
        for one in super().parse(response):
            yield one


class Inside(Following):
    """A spider that stays on one host, which a downloader middleware of Scrapy ensures."""

    allowed_domains = ("a.test",)
