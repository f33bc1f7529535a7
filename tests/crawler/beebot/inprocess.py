"""A web in memory and a dispatcher that answers from it, in any order and with failures."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from counterpoint.crawler.beebot.beginning import StartedPlan, begin
from counterpoint.crawler.beebot.engine import CrawlEnd, Engine
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.documents.exchange import Exchange, with_links
from counterpoint.crawler.fetching.job import ClosedError, Fetched, Job, Tuning
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.recording import Recording
from tests.crawler.webs import Web, anchor_of, language_of, text_of


def host_of(k: int) -> str:
    return f"site{k}.test"


def address_of(web: Web, page: int) -> str:
    """Return the address of a page: the start page of a site is its root."""
    own = web.site[page]
    path = "" if page == web.starts[own] else f"p{page}"
    return f"http://{host_of(own)}/{path}"


def body_of(web: Web, page: int) -> bytes:
    """Return the document of a page: its links, and ``external`` links to other hosts."""
    links = [
        f'<li>x <a href="{address_of(web, q)}">{anchor_of(page, q)}</a>' for q in web.links[page]
    ]
    outside = [f'<a href="http://out{page}-{n}.example/">out</a>' for n in range(
        web.external[page])]  # fmt: skip
    bad = ['<a href="javascript:go()">bad</a>'] * (page % 3 == 1)
    head = f'<html lang="{language_of(page)}"><title>page {page}</title>'
    return f"{head}<p>{text_of(page)}</p>{''.join(links + outside + bad)}".encode()


def answers_of(web: Web) -> dict[str, tuple[int, bytes]]:
    """Return status and body of each page, by address."""
    return {
        address_of(web, page): (503, b"") if page in web.failing else (200, body_of(web, page))
        for page in range(len(web.site))
    }


class InProcess:
    """A `Dispatcher` that answers from a table; other addresses get 404.

    With a seed it answers jobs in a random order, else in the order of submission.
    """

    def __init__(self, answers: Mapping[str, tuple[int, bytes]], seed: int | None = None) -> None:
        self.answers, self.asked = answers, list[str]()
        self._chance = None if seed is None else random.Random(seed)
        self.tunings: list[Tuning] = []
        self._jobs: list[Job] = []
        self._closed = False
        self._time = 1000.0
        self._come = asyncio.Event()

    def submit(self, job: Job) -> None:
        self._jobs.append(job)
        self._come.set()

    async def completed(self) -> Fetched:
        while not self._jobs:
            if self._closed:
                raise ClosedError("closed")
            self._come.clear()
            await self._come.wait()
        if self._closed:
            raise ClosedError("closed")
        place = 0 if self._chance is None else self._chance.randrange(len(self._jobs))
        job = self._jobs.pop(place)
        return self.answer(job)

    def answer(self, job: Job) -> Fetched:
        self.asked.append(job.address)
        self._time += 1.5
        status, body = self.answers.get(job.address, (404, b""))
        return Fetched(job, status, "", body, "text/html; charset=utf-8", time=self._time)

    def tune(self, tuning: Tuning) -> None:
        self.tunings.append(tuning)

    def under_way(self) -> int:
        return len(self._jobs)

    def waiting(self) -> str:
        return ""

    async def close(self, *, grace: float) -> None:
        self._closed = True
        self._come.set()


class Source:
    """The same web as the source of a `WebWorld`."""

    def __init__(self, answers: Mapping[str, tuple[int, bytes]], *, contents: bool = False) -> None:
        self.answers, self._contents = answers, contents

    def get(self, address: str) -> Exchange:
        status, body = self.answers.get(address, (404, b""))
        exchange = Exchange(address, status)
        return with_links(exchange, body, "text/html; charset=utf-8", contents=self._contents)


def new_store(where: Path | str, starts: Sequence[str]) -> Store:
    """Return a new store with some sites."""
    store = open_store(where, create=True)
    with store.transaction() as connection:
        for number, start in enumerate(starts, 1):
            connection.exec_driver_sql(
                f"INSERT INTO seeds (number, start, site) VALUES ({number}, '{start}', "
                f"'{start.split('/')[2]}')"
            )
    return store


def crawled(
    store: Store, dispatcher: InProcess, concurrency: int = 1, **wished: object
) -> tuple[StartedPlan, CrawlEnd]:
    """Crawl until the plan ends; return the dispatcher and the end."""

    async def run() -> tuple[StartedPlan, CrawlEnd]:
        begun = begin(store, wished)
        if begun.ended:
            return begun, CrawlEnd(begun.ended, True)
        planner = Planner(store, 1 if concurrency == 1 else 4 * concurrency)
        return begun, await Engine(planner, dispatcher, pauses=()).run()

    return asyncio.run(run())


def visited(store: Store) -> list[str]:
    """Return the addresses of the last plan's visits, in order."""
    with store.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT p.address FROM visits v JOIN pages p ON p.id = v.page WHERE v.plan = "
            "(SELECT max(number) FROM plans) ORDER BY v.number"
        )
        return [row[0] for row in rows]


__all__ = ["InProcess", "Recording", "Source", "answers_of", "crawled", "new_store", "visited"]
