"""The loop of a crawl: stops, failing stores, other plans, changes during the crawl."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.beebot import engine
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.engine import STOPPED, TIME, CrawlEnd, Engine
from counterpoint.crawler.beebot.holding import crawler_lock, locking_process
from counterpoint.crawler.beebot.planner import CHANGED, Planner
from counterpoint.crawler.beebot.planner_step import PlannerStep
from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.fetching.job import ClosedError, Fetched, Job
from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Recording
from counterpoint.crawler.store.schema import State
from tests.crawler.webs import Web

from .inprocess import InProcess, address_of, answers_of, crawled, new_store, visited
from .tree import TREE, Stopping, addresses, rows, run, tree_store


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Yield a store with the sites of `TREE`."""
    with tree_store(place) as store:
        yield store


@pytest.mark.parametrize("ahead", [1, 6])
def test_a_stopped_crawl_is_resumed(store: Store, ahead: int) -> None:
    """A page that the stop loses, or that is fetched twice although it was stored."""
    begin(store, {"scheduler": "breadth-first", "stay": True})
    dispatcher = Stopping(answers_of(TREE))
    assert run(store, dispatcher, ahead) == CrawlEnd(STOPPED, False)
    stored = rows(store, "SELECT count(*) FROM pages WHERE status = 200")[0][0]
    assert stored in (2, 3)
    again = InProcess(answers_of(TREE))
    assert run(store, again, ahead).over
    assert len(visited(store)) == len(set(visited(store))) == 18
    assert len(again.asked) == 18 - stored
    assert not rows(store, "SELECT 1 FROM visits WHERE observed IS NULL")


class Counting(Planner):
    """Counts the answers of each transaction."""

    def __init__(self, store: Store, ahead: int) -> None:
        super().__init__(store, ahead)
        self.counts: list[int] = []

    def step(self, answers: Sequence[Fetched] = (), **arguments: Any) -> PlannerStep:
        """Count."""
        self.counts.append(len(answers))
        return super().step(answers, **arguments)


@pytest.mark.parametrize(("ahead", "most"), [(1, 1), (6, 6), (6, 2)])
def test_answers_that_come_together(
    store: Store, ahead: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction for each page, or one for too many; a single page that is delayed."""
    monkeypatch.setattr(engine, "TOGETHER", most)
    begin(store, {"scheduler": "breadth-first", "stay": True})
    planner = Counting(store, ahead)
    assert run(store, InProcess(answers_of(TREE)), planner=planner).over
    assert max(planner.counts) == most
    assert len(visited(store)) == len(set(visited(store))) == sum(planner.counts) == 18


def test_an_answer_does_not_wait_for_ever(store: Store) -> None:
    """A page that is not stored before another answer arrives."""

    class Hanging(InProcess):
        def under_way(self) -> int:
            return 1

    begin(store, {"scheduler": "breadth-first", "stay": True})
    assert run(store, Hanging(answers_of(TREE)), 6, gather=0.01).over
    assert len(visited(store)) == 18


def test_a_budget_of_time(store: Store) -> None:
    """A budget of time that is exceeded, or forgotten by a restart."""
    begin(store, {"budget": "10s"})
    clock = [0.0]

    class Slow(InProcess):
        def answer(self, job: Job) -> Fetched:
            clock[0] += 2.0
            return super().answer(job)

    async def running() -> CrawlEnd:
        planner = Planner(store, 1, lambda: clock[0])
        return await Engine(planner, Slow(answers_of(TREE)), pauses=()).run()

    ended = asyncio.run(running())
    assert ended == CrawlEnd(TIME, True)
    assert len(visited(store)) in (5, 6)
    assert begin(store).ended == TIME


def test_a_store_that_fails_for_a_while(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that is ahead of its store after a failed transaction."""
    write, count = Recording.write, iter(range(10**6))

    def failing(recording: Recording, kind: str, given: Any) -> None:
        if next(count) % 37 == 20:
            raise store.engine.dialect.loaded_dbapi.OperationalError("disk is full")
        write(recording, kind, given)

    begin(store, {"scheduler": "R3"})
    with monkeypatch.context() as patch:
        patch.setattr(Recording, "write", failing)
        ended = run(store, InProcess(answers_of(TREE)), pauses=(0.0,) * 20)
    assert ended.over and not ended.failed
    assert len(set(visited(store))) == len(visited(store)) == 18


def test_a_store_that_fails_for_ever(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl that hangs or ends without a message; a store that was changed."""
    begin(store, {"scheduler": "R3"})
    run(store, Stopping(answers_of(TREE)))
    before = rows(store, "SELECT * FROM visits")
    driver: Any = store.engine.dialect.loaded_dbapi
    full = driver.OperationalError if store.dialect == "sqlite" else driver.errors.DiskFull

    def failing(recording: Recording, kind: str, given: Any) -> None:
        raise full("disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Recording, "write", failing)
        with pytest.raises(StoreError, match=r": disk is full"):
            run(store, InProcess(answers_of(TREE)), pauses=(0.0,))
    assert rows(store, "SELECT * FROM visits") == before
    assert run(store, InProcess(answers_of(TREE))).over
    assert len(set(visited(store))) == 18


def test_levels_and_caps(store: Store) -> None:
    """A fetched page beyond a limit, or one whose link is not stored."""
    answers = answers_of(TREE)
    crawled(store, InProcess(answers), scheduler="one-by-one", level=1)
    assert set(visited(store)) == set(addresses(0, 1, 2, 3, 10, 11))
    beyond = rows(store, f"SELECT address FROM pages WHERE state = {int(State.BEYOND)}")
    assert {row[0] for row in beyond} == set(addresses(4, 5, 6, 7, 12, 13, 14, 15))
    seeds.edit(store, 2, level=2, cap=4)
    dispatcher = InProcess(answers)
    crawled(store, dispatcher, scheduler="one-by-one", level=1)
    assert set(visited(store)) == set(addresses(0, 1, 2, 3, 10, 11, 12))
    assert dispatcher.asked == addresses(12)
    levels = dict(rows(store, "SELECT address, level FROM pages"))
    assert [levels[address] for address in addresses(0, 2, 4, 12)] == [0, 1, 2, 2]


def test_a_shorter_way_brings_pages_within_the_level(tmp_path: Path) -> None:
    """A level that depends on the order of answers; a page that only a later answer admits."""
    web = Web(1, (0, 0, 0, 0, 0), ((1, 2), (3,), (1,), (4,), ()), (0,) * 5, frozenset())
    # Page 1 answers last: page 3 is met by the way 0, 1, 3 only then.
    with new_store(tmp_path / "a.db", addresses_of(web)) as store:
        for seed in range(8):
            crawled(store, InProcess(answers_of(web), seed), 4, scheduler="one-by-one", seed=seed)
            assert rows(store, "SELECT level FROM pages ORDER BY address") == [
                (0,), (1,), (1,), (2,), (3,)
            ]  # fmt: skip


def addresses_of(web: Web) -> list[str]:
    """Return the start pages of a web."""
    return [address_of(web, page) for page in web.starts]


def test_a_dropped_page_is_not_fetched(store: Store) -> None:
    """A page removed by the user that is fetched all the same, or that stops the crawl."""
    begin(store, {"scheduler": "breadth-first", "stay": True})
    dispatcher = Stopping(answers_of(TREE))
    run(store, dispatcher)
    with store.transaction() as connection:
        connection.exec_driver_sql(
            f"UPDATE pages SET state = {int(State.DROPPED)} WHERE address = '{addresses(4)[0]}'"
        )
    again = InProcess(answers_of(TREE))
    assert run(store, again).over
    assert addresses(4)[0] not in [*dispatcher.asked, *again.asked]
    assert rows(store, "SELECT status, problem FROM pages WHERE id IN (SELECT page FROM visits "
                       "WHERE recalled)") == [(0, "taken out by hand")]  # fmt: skip
    assert len(visited(store)) == 17  # what it leads to was not found


def test_a_dropped_page_that_was_stored(store: Store) -> None:
    """A removed page that a policy reads, or whose links it receives.

    An earlier policy has stored it, without what it says.
    """
    crawled(store, InProcess(answers_of(TREE)), scheduler="breadth-first", stay=True)
    begin(store, {"scheduler": "tfidf", "query": "red foxes"})
    dispatcher = Stopping(answers_of(TREE))
    run(store, dispatcher)
    (page,) = addresses(2)
    with store.transaction() as connection:
        connection.exec_driver_sql(
            f"UPDATE pages SET state = {int(State.DROPPED)} WHERE address = '{page}' "
            f"AND state = {int(State.QUEUED)} AND status = 200"
        )
    again = InProcess(answers_of(TREE))
    assert run(store, again).over
    assert page not in [*dispatcher.asked, *again.asked]
    assert rows(store, "SELECT v.status, p.status, v.problem FROM visits v JOIN pages p "
                       f"ON p.id = v.page WHERE p.address = '{page}' AND v.plan = 1") == [
        (0, 0, "taken out by hand")
    ]  # fmt: skip
    assert len(visited(store)) == 14  # what it leads to was not found


def test_a_site_that_is_not_available_is_tried_again(store: Store) -> None:
    """A site that is never tried again, or requested again and again."""
    answers = answers_of(TREE)
    start = addresses(1)[0]
    crawled(store, InProcess(answers | {start: (503, b"")}), scheduler="R3")
    assert rows(store, "SELECT standing, reason FROM seeds ORDER BY number") == [
        ("started", ""), ("not available", "HTTP 503")
    ]  # fmt: skip
    again = InProcess(answers)
    assert crawled(store, again)[1].over and not again.asked
    seeds.retry(store, 2)
    crawled(store, again)
    assert set(again.asked) == set(addresses(1, *range(10, 18)))
    assert rows(store, "SELECT DISTINCT standing FROM seeds") == [("started",)]


def test_sites_that_change_while_the_crawl_runs(store: Store) -> None:
    """A removed site that is still crawled; an added site that is not noticed."""

    class Changing(InProcess):
        def answer(self, job: Job) -> Fetched:
            if len(self.asked) == 3:
                seeds.remove(store, 1)
                seeds.add(store, "http://other.test/")
            return super().answer(job)

    begin(store, {"scheduler": "equal-quanta"})
    dispatcher = Changing(answers_of(TREE) | {"http://other.test/": (200, b"x")}, 5)
    assert run(store, dispatcher, 6).why == CHANGED
    crawled(store, dispatcher2 := InProcess(dispatcher.answers))
    assert set(visited(store)) == {*addresses(1, *range(10, 18)), "http://other.test/"}
    assert not {a for a in dispatcher2.asked if a.startswith("http://site0")}
    assert not rows(store, "SELECT 1 FROM pages WHERE seed = 1")


def test_a_file_has_one_crawler(store: Store) -> None:
    """Two crawlers of one file, or a lock that remains after its holder has ended."""
    assert locking_process(store.where) is None
    with crawler_lock(store):
        is_file = store.dialect == "sqlite"
        assert (locking_process(store.where) is not None) == is_file
        refused = pytest.raises(CrawlError, match="is being crawled by another process")
        with refused if is_file else nullcontext(), crawler_lock(store):
            pass
    assert locking_process(store.where) is None
    with crawler_lock(store):
        pass


def test_memory_does_not_grow_with_pages(tmp_path: Path) -> None:
    """A frontier, or a set of seen pages, that is kept in memory."""

    def kept(pages: int) -> int:
        links = tuple((2 * p + 1, 2 * p + 2) if 2 * p + 2 < pages else () for p in range(pages))
        web = Web(1, (0,) * pages, links, (0,) * pages, frozenset())
        answers = answers_of(web)
        with new_store(tmp_path / f"{pages}.db", addresses_of(web)) as store:
            begin(store, {"scheduler": "R3", "budget": str(pages)})
            planner, come = Planner(store, 1), []
            for _ in range(pages - 1):
                job = planner.step(come).jobs[0]
                body = answers[job.address][1]
                come = [Fetched(job, 200, "", body, "text/html", time=1.0)]
            return _reachable(planner)

    few, many = kept(60), kept(600)
    assert many < few + 200


def _reachable(root: object) -> int:
    """Count the objects that a planner refers to, without the store and modules."""
    seen, left = {id(root)}, [root]
    skipped = (type, type(sys), Store, type(_reachable))
    while left:
        for one in gc.get_referents(left.pop()):
            if id(one) not in seen and not isinstance(one, skipped):
                seen.add(id(one))
                left.append(one)
    return len(seen)


def test_a_clock_that_is_a_little_early(store: Store) -> None:
    """Requests that are dispatched again because a wait ended slightly too early."""

    class Early(Planner):
        count = 0

        def left(self) -> float | None:
            self.count += 1
            return 0.001 if self.count < 6 else -1.0

    class Silent(InProcess):
        closed = asyncio.Event()

        async def completed(self) -> Fetched:
            await self.closed.wait()
            raise ClosedError

        def submit(self, job: Job) -> None:
            self.asked.append(job.address)

        async def close(self, *, grace: float) -> None:
            self.closed.set()

    begin(store, {"budget": "10s"})
    engine = Engine(Early(store, 4), silent := Silent({}), pauses=())
    assert asyncio.run(asyncio.wait_for(engine.run(), 120)).why == TIME
    assert silent.asked == addresses(0)
