"""The link store of a crawl as a graph: its pages, and those it saw linked to often enough."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Engine, create_engine, false, func, select
from sqlalchemy.exc import SQLAlchemyError

from crawler.errors import CrawlError
from crawler.graph.arrays import Arrays
from crawler.graph.pages import Tell
from crawler.pages.addresses import key
from crawler.store import schema

from .addressed import Gathered, arranged
from .numbered import identity


class CrawlStore:
    """The pages of a link store.

    A page was crawled if an answer came to it, whatever it was. Links that were deleted are left
    out. A page that was not crawled stands in the graph if at least so many crawled pages link to
    it ([WEB]: 5).

    Parameters
    ----------
    address : str
        A file of SQLite, or the address of a database.
    least : int
    """

    def __init__(self, address: str, least: int = 5) -> None:
        self._address, self._least = address, least
        told = address if "://" in address else identity(Path(address))
        self.name = f"crawl {told} least {least}"

    def _engine(self) -> Engine:
        if "://" in self._address:
            return create_engine(self._address)
        whole = Path(self._address).resolve().as_uri()
        return create_engine(f"sqlite:///{whole}?mode=ro&uri=true")

    def read(self, folder: Path, tell: Tell) -> Arrays:
        """Return the pages; they and their links must fit memory."""
        try:
            engine = self._engine()
            try:
                with engine.connect() as connection:
                    return arranged(self._gathered(connection, tell), self._least, self.name)
            finally:
                engine.dispose()
        except (SQLAlchemyError, ImportError, ValueError) as error:
            if isinstance(error, CrawlError):
                raise
            said = str(error).partition("\n")[0]
            raise CrawlError(f"{self._address}: is no link store ({said})") from None

    def _gathered(self, connection: Any, tell: Tell) -> Gathered:
        format_ = select(schema.settings.c.value).where(schema.settings.c.name == "format")
        if schema.FORMAT not in (connection.execute(format_).scalar() or ""):
            raise CrawlError(f"{self._address}: is no link store")
        places: dict[str, int] = {}
        numbers: dict[int, int] = {}
        addresses: list[bytes] = []
        crawled: list[bool] = []
        pages = schema.pages.c
        for number, address, same, state in connection.execute(
            select(pages.id, pages.address, pages.key, pages.state).order_by(pages.id)
        ):
            numbers[number] = places[same] = len(addresses)
            addresses.append(address.encode("utf-8", "surrogateescape"))
            crawled.append(state == schema.State.DONE)
        links = _Links(places, numbers, addresses)
        links.within(connection)
        if tell:
            tell(f"read {len(links.ends) // 2:,} links within sites")
        links.beyond(connection)
        crawled += [False] * (len(addresses) - len(crawled))
        ends = np.array(links.ends, dtype=np.uint32).reshape(-1, 2)
        return Gathered(addresses, np.array(crawled, dtype=bool), ends[:, 0], ends[:, 1])


class _Links:
    """Gathers links; addresses that are no pages of the crawl yet are added."""

    def __init__(
        self, places: dict[str, int], numbers: dict[int, int], addresses: list[bytes]
    ) -> None:
        self._places, self._numbers, self._addresses = places, numbers, addresses
        self.ends: list[int] = []

    def within(self, connection: Any) -> None:
        """Gather the links within sites."""
        links = schema.internal_links.c
        for page, target in connection.execute(
            select(links.page, links.target).where(links.deleted == false())
        ):
            self.ends += (self._numbers[page], self._numbers[target])

    def beyond(self, connection: Any) -> None:
        """Gather the links to other sites."""
        links = schema.external_links.c
        for page, address in connection.execute(
            select(links.page, links.address).where(
                links.deleted == false(), func.length(links.address) > 0
            )
        ):
            same = key(address)
            place = self._places.setdefault(same, len(self._addresses))
            if place == len(self._addresses):
                self._addresses.append(address.encode("utf-8", "surrogateescape"))
            self.ends += (self._numbers[page], place)
