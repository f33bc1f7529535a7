"""A small web of two sites, a store for it, and crawls of it from memory."""

from __future__ import annotations

import asyncio
from typing import Any

from counterpoint.crawler.beebot.engine import CrawlEnd, Engine
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.store.opening import Store
from tests.crawler.webs import Web

from .inprocess import InProcess, address_of, new_store

TREE = Web(
    2, (0, 1, *([0] * 8), *([1] * 8)),
    ((2, 3), (10, 11), (4, 5), (6, 7), (8,), (9,), (), (), (), (),
     (12, 13), (14, 15), (16,), (17,), (), (), (), ()),
    (1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0), frozenset(),
)  # fmt: skip
"""Two sites of nine pages, four levels each."""


def tree_store(place: str) -> Store:
    """Return a new store with the sites of `TREE`."""
    return new_store(place, [address_of(TREE, page) for page in TREE.starts])


def addresses(*pages: int) -> list[str]:
    """Return the addresses of pages of `TREE`."""
    return [address_of(TREE, page) for page in pages]


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with store.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


class Stopping(InProcess):
    """A dispatcher that stops the crawl after a number of requests."""

    engine: Engine
    after = 3

    def answer(self, job: Job) -> Fetched:
        """Answer, and stop the crawl at the given request."""
        if len(self.asked) + 1 == self.after:
            self.engine.stop()
        return super().answer(job)


def run(store: Store, dispatcher: Any, ahead: int = 1, **more: Any) -> CrawlEnd:
    """Run the plan of a store."""

    async def running() -> CrawlEnd:
        planner = more.get("planner") or Planner(store, ahead)
        made = Engine(planner, dispatcher, pauses=more.get("pauses", ()),
                      gather=more.get("gather", 60.0))  # fmt: skip
        dispatcher.engine = made
        return await made.run()

    return asyncio.run(running())
