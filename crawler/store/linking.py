"""Reads the link store of a crawl as a graph of its pages and of frequently linked other pages."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import numpy as np
from sqlalchemy import Connection, false, select

from counterpoint.crawler.documents.addresses import Spelling
from counterpoint.graph.sources.addressed import GatheredLinks, arranged
from counterpoint.graph.storage.arrays import Arrays
from counterpoint.graph.storage.pages import Tell

from . import schema
from .browsing import spelling
from .opening import open_store


class CrawlStore:
    """The pages of a link store, as the source of a graph.

    A page counts as crawled if a server answered, whatever the status was. Deleted links are left
    out. A page that was not crawled is in the graph if enough crawled pages link to it.

    Parameters
    ----------
    address : str
        The path of a SQLite file, or the URL of a database.
    least : int
        How many crawled pages must link to a page that was not crawled ([WEB]: 5).
    """

    def __init__(self, address: str, least: int = 5) -> None:
        self._address, self._least = address, least
        # A crawl may continue between two builds, so that their parts do not fit together.
        self.name = f"crawl {uuid4()}"

    def read(self, folder: Path, tell: Tell) -> Arrays:
        """Return the pages and their links, which must fit into memory."""
        with open_store(self._address, reads=True) as store, store.reading() as connection:
            found = _gathered(connection, tell)
        return arranged(found, self._least, self.name)


def _gathered(connection: Connection, tell: Tell) -> GatheredLinks:
    places: dict[str, int] = {}
    numbers: dict[int, int] = {}
    addresses: list[bytes] = []
    crawled: list[bool] = []
    pages = schema.pages.c
    for number, address, same, status in connection.execute(
        select(pages.id, pages.address, pages.key, pages.status).order_by(pages.id)
    ):
        numbers[number] = places[same] = len(addresses)
        addresses.append(address.encode())
        crawled.append(bool(status))
    links = _Links(places, numbers, addresses)
    links.within(connection)
    if tell:
        tell(f"read {len(links.ends) // 2:,} links within sites")
    links.beyond(connection, spelling(connection))
    crawled += [False] * (len(addresses) - len(crawled))
    ends = np.array(links.ends, dtype=np.uint32).reshape(-1, 2)
    return GatheredLinks(addresses, np.array(crawled, dtype=bool), ends[:, 0], ends[:, 1])


class _Links:
    """Gathers links, and adds linked addresses that the crawl does not have as pages."""

    def __init__(
        self, places: dict[str, int], numbers: dict[int, int], addresses: list[bytes]
    ) -> None:
        self._places, self._numbers, self._addresses = places, numbers, addresses
        self.ends: list[int] = []

    def within(self, connection: Connection) -> None:
        """Gather the links within sites."""
        links = schema.internal_links.c
        for page, target in connection.execute(
            select(links.page, links.target).where(links.deleted == false())
        ):
            self.ends += (self._numbers[page], self._numbers[target])

    def beyond(self, connection: Connection, one_page: Spelling) -> None:
        """Gather the links to other sites."""
        links = schema.external_links.c
        for page, address in connection.execute(
            select(links.page, links.address).where(links.deleted == false())
        ):
            same = schema.stored_key(one_page.key(address))
            place = self._places.setdefault(same, len(self._addresses))
            if place == len(self._addresses):
                self._addresses.append(address.encode())
            self.ends += (self._numbers[page], place)
