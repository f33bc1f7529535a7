"""A Scrapy spider that follows all links and frames; ``-a frames=`` drops the frames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.linkextractors import LinkExtractor


class Spider(scrapy.Spider):
    """A spider that follows links.

    Parameters
    ----------
    seeds : str
        A file with start addresses.
    frames : str
        Whether frames are followed: empty for no.
    """

    name = "spider"

    def __init__(self, seeds: str = "", frames: str = "yes", **more: Any) -> None:
        super().__init__(**more)
        self.start_urls = Path(seeds).read_text().split()
        tags = ("a", "area", "frame", "iframe") if frames else ("a", "area")
        self.links = LinkExtractor(tags=tags, attrs=("href", "src"))

    def parse(self, response: Any) -> Iterator[Any]:
        """Follow the links of a page."""
        if isinstance(response, scrapy.http.TextResponse):
            for link in self.links.extract_links(response):
                yield scrapy.Request(link.url)
