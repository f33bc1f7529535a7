"""A crawl that the user pauses, continues and slows down while it runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.crawler.beebot import engine
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.crawling import crawl
from counterpoint.crawler.beebot.engine import TIME, CrawlEnd, Engine
from counterpoint.crawler.beebot.plan import CrawlSettings
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.beebot.stored_answer import StoredAnswer
from counterpoint.crawler.fetching.job import Fetched, Job, Tuning
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Recording
from tests.crawler.scripted import Page, scripted

from .inprocess import InProcess, answers_of, new_store
from .tree import TREE, rows, tree_store


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Yield a store with the sites of `TREE`."""
    with tree_store(place) as store:
        yield store


def test_a_pause_and_another_pace(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A paused crawl that requests pages, or whose time goes on; a change that is not noticed."""
    monkeypatch.setattr(engine, "LOOK", 0.01)
    begin(store, {"scheduler": "breadth-first", "budget": "1000,60s"})
    clock = [0.0]

    class Held(InProcess):
        """The user pauses the crawl at its third page; the fourth is in flight meanwhile."""

        def __init__(self) -> None:
            super().__init__(answers_of(TREE))
            self.noticed, self.in_pause = asyncio.Event(), -1

        async def completed(self) -> Fetched:
            if len(self.asked) == 3:
                await self.noticed.wait()
            return await super().completed()

        def answer(self, job: Job) -> Fetched:
            clock[0] += 2.0
            if len(self.asked) == 2:
                put(store, paused=True, concurrency=3, delay=7.5)
            return super().answer(job)

        def tune(self, tuning: Tuning) -> None:
            super().tune(tuning)
            if tuning.paused:
                self.noticed.set()
            else:
                self.in_pause = len(self.asked)

    held = Held()

    def watch(_: StoredAnswer) -> None:
        if len(held.asked) == 4:
            clock[0] += 1000.0
            put(store, paused=False)

    async def running() -> CrawlEnd:
        planner = Planner(store, 1, lambda: clock[0])
        first = Tuning(CrawlSettings.concurrency, None)
        return await Engine(planner, held, watch, pauses=(), tuning=first).run()

    ended = asyncio.run(running())
    assert ended.over and ended.why != TIME
    assert held.tunings == [Tuning(3, 7.5, True), Tuning(3, 7.5, False)]
    assert held.in_pause == 4 < len(held.asked)
    assert rows(store, "SELECT spent < 60 FROM plans") in ([(1,)], [(True,)])


def test_a_paused_crawl_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A paused crawl that makes a request before it notices, or that never goes on."""
    monkeypatch.setattr(engine, "LOOK", 0.01)
    pages = {"http://a.test/": Page("<a href=x>x</a>"), "http://a.test/x": Page("x")}
    with scripted(pages) as web, new_store(tmp_path / "a.db", ["http://a.test/"]) as store:
        begun = begin(store, {"scheduler": "breadth-first", "proxy": web.proxy, "paused": True})
        asked = []

        def started(one: Engine) -> None:
            def look() -> None:
                asked.append(list(web.asked))
                put(store, paused=False)

            asyncio.get_running_loop().call_later(0.1, look)

        assert crawl(store, begun, started=started).over
        assert asked == [[]]
        assert "http://a.test/x" in web.asked


def put(store: Store, **values: object) -> None:
    """Change settings, as another process does."""
    written = {name: json.dumps(value) for name, value in values.items()}
    store.write(lambda connection: Recording(connection).put_settings(written))
