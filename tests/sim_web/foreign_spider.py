"""A Scrapy spider that follows every link and every frame; it runs in its own process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.linkextractors import LinkExtractor


class Everything(scrapy.Spider):
    """A spider that follows all links.

    Parameters
    ----------
    seeds : str
        Start addresses, with commas between them.
    """

    name = "everything"
    links = LinkExtractor(tags=("a", "area", "frame", "iframe"), attrs=("href", "src"))

    def __init__(self, seeds: str = "", **more: Any) -> None:
        super().__init__(**more)
        self.start_urls = seeds.split(",")

    def parse(self, response: Any) -> Iterator[Any]:
        """Follow the links of a page."""
        if isinstance(response, scrapy.http.TextResponse):
            for link in self.links.extract_links(response):
                yield scrapy.Request(link.url)
