"""How much a crawl holds in memory, and how it stops while a transaction takes long."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.beebot import crawling, engine, planner, replay
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.crawling import _stopped_by_signals
from counterpoint.crawler.beebot.engine import STOPPED, TIME, CrawlEnd, Engine
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.beebot.planner_step import PlannerStep
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Recording

from .inprocess import InProcess, answers_of, visited
from .tree import TREE, Stopping, run, tree_store

EVERYTHING = {"scheduler": "breadth-first", "stay": True}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a store with the sites of `TREE`."""
    with tree_store(str(tmp_path / "a.db")) as store:
        yield store


class Watching(Planner):
    """Records the bytes of the answers of each step, and how many of them it took."""

    def __init__(self, store: Store, *arguments: Any) -> None:
        super().__init__(store, *arguments)
        self.sizes: list[list[int]] = []
        self.taken: list[int] = []

    def step(self, answers: Sequence[Fetched] = (), **arguments: Any) -> PlannerStep:
        """Record a step."""
        step = super().step(answers, **arguments)
        self.sizes.append([len(one.body) for one in answers])
        self.taken.append(step.taken)
        return step


def must_be_whole(store: Store) -> None:
    """Check that each page of `TREE` was visited once."""
    assert len(visited(store)) == len(set(visited(store))) == 18


def test_answers_wait_within_a_limit_of_bytes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers of many megabytes that are taken faster than they are stored; a large transaction."""
    most, queued = 300, list[int]()
    monkeypatch.setattr(engine, "TOGETHER_BYTES", most)

    class Looking(Stopping):
        after = -1

        async def completed(self) -> Fetched:
            queued.append(self.engine._bytes)
            return await super().completed()

    begin(store, EVERYTHING)
    watching = Watching(store, 6)
    assert run(store, Looking(answers_of(TREE)), planner=watching, gather=0.0).over
    must_be_whole(store)
    assert max(queued) < most < max(map(sum, watching.sizes)) + 200
    assert all(sum(sizes[:-1]) < most for sizes in watching.sizes)
    assert max(map(len, watching.sizes)) > 1


def test_a_transaction_takes_few_documents_with_many_links(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The links of 64 documents in memory at once; a document that is left and never stored."""
    monkeypatch.setattr(planner, "TOGETHER_LINKS", 1)
    begin(store, EVERYTHING)
    watching = Watching(store, 6)
    assert run(store, InProcess(answers_of(TREE)), planner=watching).over
    must_be_whole(store)
    assert sum(watching.taken) == 18 < sum(map(len, watching.sizes))
    # Leaves without links still share a transaction.
    assert max(watching.taken) > 1 in watching.taken


def test_a_transaction_takes_no_document_after_its_time(store: Store) -> None:
    """A crawl that does not stop for minutes, since 64 documents take seconds each."""
    begin(store, EVERYTHING)
    clock = iter(range(0, 10**6, 5))
    watching = Watching(store, 6, lambda: float(next(clock)))
    assert run(store, InProcess(answers_of(TREE)), planner=watching).over
    must_be_whole(store)
    assert set(watching.taken) <= {0, 1}


def test_the_time_can_end_while_the_queue_is_full(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl that waits for ever for room, because nothing is stored any more."""
    monkeypatch.setattr(engine, "TOGETHER_BYTES", 1)
    begin(store, {"budget": "10s"})
    clock = iter(range(10**6))
    late = Watching(store, 6, lambda: float(next(clock)))

    async def running() -> CrawlEnd:
        return await Engine(late, InProcess(answers_of(TREE)), pauses=()).run()

    assert asyncio.run(asyncio.wait_for(running(), 60)) == CrawlEnd(TIME, True)


def test_answers_that_cannot_be_stored_in_time_are_fetched_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stop that takes as long as all answers do that have come; a page that it loses."""
    begin(store, EVERYTHING)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "CLOSING", -1.0)
        dispatcher = Stopping(answers_of(TREE))
        watching = Watching(store, 6)
        assert run(store, dispatcher, planner=watching) == CrawlEnd(STOPPED, False)
    stored = sum(watching.taken)
    again = InProcess(answers_of(TREE))
    assert run(store, again, 6).over
    must_be_whole(store)
    assert len(again.asked) == 18 - stored and stored < len(dispatcher.asked)


@pytest.mark.parametrize("second", [True, False])
def test_a_transaction_does_not_delay_the_end(
    second: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second signal, or the time after the first, that waits for a long transaction."""
    monkeypatch.setattr(crawling, "LEAVING", 3600.0 if second else 0.0)
    begin(store, EVERYTHING)
    entered, left = threading.Event(), threading.Event()
    calls: list[str] = []

    class Endless(Planner):
        def step(self, answers: Sequence[Fetched] = (), **arguments: Any) -> PlannerStep:
            if answers and not left.is_set():
                entered.set()
                assert left.wait(60)
            return super().step(answers, **arguments)

    def leave() -> None:
        calls.append("left" if entered.is_set() else "too early")
        left.set()

    async def running() -> CrawlEnd:
        made = Engine(Endless(store, 1), InProcess(answers_of(TREE)), pauses=())
        with _stopped_by_signals(made, leave):
            task = asyncio.ensure_future(made.run())
            await asyncio.to_thread(entered.wait)
            for _ in range(1 + second):
                os.kill(os.getpid(), signal.SIGTERM)
                await asyncio.sleep(0)
            return await task

    assert asyncio.run(running()) == CrawlEnd(STOPPED, False)
    assert calls == ["left"]
    assert run(store, InProcess(answers_of(TREE)), 6).over
    must_be_whole(store)


def test_the_links_of_large_pages_are_replayed_in_groups(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The links of a thousand large pages in memory when a crawl is resumed."""
    monkeypatch.setattr(replay, "TOGETHER_BYTES", 400)
    begin(store, {"scheduler": "hits", "stay": True})
    dispatcher = Stopping(answers_of(TREE))
    dispatcher.after = 12
    run(store, dispatcher, 1)
    read, groups = Recording.read, list[int]()

    def reading(recording: Recording, kind: str, **given: Any) -> list[Any]:
        found = read(recording, kind, **given)
        if kind in ("site links", "all links"):
            groups.append(len({row.observed for row in found}))
        return found

    monkeypatch.setattr(Recording, "read", reading)
    again = InProcess(answers_of(TREE))
    assert run(store, again, 1).over
    must_be_whole(store)
    assert len(groups) > 3 and 0 < max(groups) <= 4
