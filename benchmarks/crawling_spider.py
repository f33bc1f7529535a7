"""A spider for Scrapy that follows all links of some sites, and stores the links page by page."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.linkextractors import LinkExtractor


class Stored(scrapy.Spider):
    """Crawls the sites of its seeds, and no others.

    Parameters
    ----------
    seeds : str
        The path of a file with start addresses, one per line.
    out : str
        The SQLite file to write.
    """

    name = "stored"
    links = LinkExtractor(
        tags=("a", "area", "frame", "iframe"), attrs=("href", "src"), unique=False
    )

    def __init__(self, seeds: str = "", out: str = "", **more: Any) -> None:
        super().__init__(**more)
        with open(seeds, encoding="utf-8") as file:
            self.start_urls = file.read().split()
        self.sites = {urlsplit(url).netloc for url in self.start_urls}
        self.store = sqlite3.connect(out)
        self.store.execute("PRAGMA journal_mode = WAL")
        self.store.execute("PRAGMA synchronous = NORMAL")
        self.store.execute("CREATE TABLE links (page, position, kind, address, anchor)")

    def parse(self, response: Any) -> Iterator[Any]:
        """Store a page's links in one transaction, and follow those of its site."""
        if not isinstance(response, scrapy.http.TextResponse):
            return
        site, rows = urlsplit(response.url).netloc, []
        for position, link in enumerate(self.links.extract_links(response)):
            kind = "internal" if urlsplit(link.url).netloc == site else "external"
            rows.append((response.url, position, kind, link.url, link.text))
            if kind == "internal":
                yield scrapy.Request(link.url)
        with self.store:
            self.store.executemany("INSERT INTO links VALUES (?, ?, ?, ?, ?)", rows)
