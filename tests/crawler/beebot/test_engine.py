"""The loop of a crawl: stops, stores that fail, other plans, policies that misbehave."""

from __future__ import annotations

import asyncio
import gc
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.beebot import engine
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.engine import STOPPED, TIME, Ended, Engine
from counterpoint.crawler.beebot.holding import held, holder
from counterpoint.crawler.beebot.plan import Site, Wishes, budget, planned
from counterpoint.crawler.beebot.planner import CHANGED, Planner, Step
from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.fetching.job import ClosedError, Fetched, Job
from counterpoint.crawler.policy.protocol import Outcome, Request, Scope, Setting
from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Recording
from counterpoint.crawler.store.schema import State
from tests.crawler.webs import Web

from .inprocess import InProcess, address_of, answers_of, crawled, new_store, visited

TREE = Web(
    2, (0, 1, *([0] * 8), *([1] * 8)),
    ((2, 3), (10, 11), (4, 5), (6, 7), (8,), (9,), (), (), (), (),
     (12, 13), (14, 15), (16,), (17,), (), (), (), ()),
    (1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0), frozenset(),
)  # fmt: skip
"""Two sites of nine pages, four levels each."""


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Make a store with the sites of `TREE`."""
    made = new_store(place, [address_of(TREE, page) for page in TREE.starts])
    with made:
        yield made


def addresses(*pages: int) -> list[str]:
    """Return addresses of pages of `TREE`."""
    return [address_of(TREE, page) for page in pages]


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    """Read the store."""
    with store.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


class Stopping(InProcess):
    """Stops the crawl when so many pages were asked for."""

    engine: Engine
    after = 3

    def answer(self, job: Job) -> Fetched:
        """Answer, and stop."""
        if len(self.asked) + 1 == self.after:
            self.engine.stop()
        return super().answer(job)


def run(store: Store, dispatcher: Any, ahead: int = 1, **more: Any) -> Ended:
    """Run the store's plan."""

    async def running() -> Ended:
        planner = more.get("planner") or Planner(store, ahead)
        made = Engine(planner, dispatcher, pauses=more.get("pauses", ()),
                      gather=more.get("gather", 60.0))  # fmt: skip
        dispatcher.engine = made
        return await made.run()

    return asyncio.run(running())


@pytest.mark.parametrize("ahead", [1, 6])
def test_a_crawl_that_is_stopped_goes_on(store: Store, ahead: int) -> None:
    """A page lost with the stop, or fetched twice though it was stored."""
    begin(store, {"scheduler": "breadth-first", "stay": True})
    dispatcher = Stopping(answers_of(TREE))
    assert run(store, dispatcher, ahead) == Ended(STOPPED, False)
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

    def step(self, answers: Sequence[Fetched] = (), **told: Any) -> Step:
        """Count."""
        self.counts.append(len(answers))
        return super().step(answers, **told)


@pytest.mark.parametrize(("ahead", "most"), [(1, 1), (6, 6), (6, 2)])
def test_answers_that_come_together(
    store: Store, ahead: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction for each of many pages, or for more than may be; one page that waits alone."""
    monkeypatch.setattr(engine, "TOGETHER", most)
    begin(store, {"scheduler": "breadth-first", "stay": True})
    planner = Counting(store, ahead)
    assert run(store, InProcess(answers_of(TREE)), planner=planner).over
    assert max(planner.counts) == most
    assert len(visited(store)) == len(set(visited(store))) == sum(planner.counts) == 18


def test_an_answer_does_not_wait_for_ever(store: Store) -> None:
    """A page that is not stored as long as another one does not come."""

    class Hanging(InProcess):
        def under_way(self) -> int:
            return 1

    begin(store, {"scheduler": "breadth-first", "stay": True})
    assert run(store, Hanging(answers_of(TREE)), 6, gather=0.01).over
    assert len(visited(store)) == 18


def test_time_that_is_over(store: Store) -> None:
    """A budget of time that is not kept, or not kept over a restart."""
    begin(store, {"budget": "10s"})
    clock = [0.0]

    class Slow(InProcess):
        def answer(self, job: Job) -> Fetched:
            clock[0] += 2.0
            return super().answer(job)

    async def running() -> Ended:
        planner = Planner(store, 1, lambda: clock[0])
        return await Engine(planner, Slow(answers_of(TREE)), pauses=()).run()

    ended = asyncio.run(running())
    assert ended == Ended(TIME, True)
    assert len(visited(store)) in (5, 6)
    assert begin(store).ended == TIME


def test_a_store_that_fails_for_a_while(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that is ahead of its store after a transaction that failed."""
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
    """A crawl that hangs or says nothing; a store that is not what it was."""
    begin(store, {"scheduler": "R3"})
    run(store, Stopping(answers_of(TREE)))
    before = rows(store, "SELECT * FROM visits")

    def failing(recording: Recording, kind: str, given: Any) -> None:
        raise store.engine.dialect.loaded_dbapi.OperationalError("disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Recording, "write", failing)
        with pytest.raises(StoreError, match=r": disk is full"):
            run(store, InProcess(answers_of(TREE)), pauses=(0.0,))
    assert rows(store, "SELECT * FROM visits") == before
    assert run(store, InProcess(answers_of(TREE))).over
    assert len(set(visited(store))) == 18


def test_levels_and_caps(store: Store) -> None:
    """A page beyond a limit that is fetched, or whose link is not stored."""
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
    """A level that depends on which answer came first; a page that only a late answer admits."""
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


def test_what_is_dropped_is_not_fetched(store: Store) -> None:
    """A page taken out by hand that is asked for all the same, or that stops the crawl."""
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


def test_what_is_dropped_although_it_was_stored(store: Store) -> None:
    """A page taken out by hand that a policy reads, or whose links it is told of.

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
    """A site that is given up for ever, or asked for again and again."""
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
    """A site that is removed and crawled all the same; one that is added and not noticed."""

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


class Strange:
    """Breaks a rule for policies, when it is told to."""

    scope = Scope.SITE

    def __init__(self, setting: Setting) -> None:
        self.why, self.pages = "", list(setting.starts)
        self.does = setting.parameters.get("does", "")
        self.count = 0

    def next(self) -> Request | None:
        """Ask for pages, then do it."""
        self.count += 1
        if self.count == 3:
            return self.strange()
        return Request(self.pages.pop(0)) if self.pages else None

    def strange(self) -> Any:
        """Do it."""
        if self.does == "raise":
            raise KeyError("x")
        return {"text": "page", "far": Request(10**30), "again": Request(0), "type": Request("a")}[  # type: ignore[arg-type]
            self.does
        ]

    def observe(self, outcome: Outcome) -> None:
        """Take what was found."""
        if self.does == "observe" and self.count == 2:
            raise RuntimeError("no")
        self.pages += [page for page in outcome.links.tolist() if page not in self.pages]


@pytest.mark.parametrize(("does", "said"), [
    ("raise", r"step 3: KeyError: 'x' \(test_engine.py"),
    ("text", "step 3: returned 'page', which is no Request"),
    ("far", "step 3: asked for page 10{30}, which was never offered"),
    ("again", "step 3: asked for page 0 again"),
    ("type", "step 3: asked for 'a', which is no page"),
    ("observe", r"step 2: RuntimeError: no \(test_engine.py"),
])  # fmt: skip
def test_a_policy_that_misbehaves(store: Store, does: str, said: str) -> None:
    """A crash, or a page that is lost with the policy's failure."""
    name = f"tests.crawler.beebot.test_engine:Strange,does={does}"
    _, ended = crawled(store, InProcess(answers_of(TREE)), scheduler=name)
    assert ended.failed and ended.over
    assert re.match(f"{name}: {said}", ended.why)
    assert len(rows(store, "SELECT 1 FROM pages WHERE status = 200")) == 2
    assert rows(store, "SELECT failed FROM plans") == [(True,)]


_unsteady = [0]


class Unsteady(Strange):
    """Asks for another page each time it is made."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        _unsteady[0] += 1
        if _unsteady[0] > 1:
            self.pages.reverse()

    def strange(self) -> Any:
        """Do nothing strange."""
        return Request(self.pages.pop(0))


def test_a_policy_that_does_not_repeat_itself_is_named(store: Store) -> None:
    """A crawl that goes on from another state than it was in."""
    _unsteady[0] = -1  # one is made when it begins
    name = "tests.crawler.beebot.test_engine:Unsteady"
    begin(store, {"scheduler": name})
    _unsteady[0] = 0
    run(store, Stopping(answers_of(TREE)))
    with pytest.raises(CrawlError, match=r"Unsteady: does not repeat itself .* asks for page 1 in "
                                         r"place of page 0"):  # fmt: skip
        run(store, InProcess(answers_of(TREE)))


def test_a_file_has_one_crawler(store: Store) -> None:
    """Two crawlers of one file, or a lock that stays when its holder is gone."""
    assert holder(store.where) is None
    with held(store):
        is_file = store.dialect == "sqlite"
        assert (holder(store.where) is not None) == is_file
        refused = pytest.raises(CrawlError, match="is being crawled by another process")
        with refused if is_file else nullcontext(), held(store):
            pass
    assert holder(store.where) is None
    with held(store):
        pass


@pytest.mark.parametrize(("text", "pages", "seconds"), [
    ("2000", 2000, None), ("30min", None, 1800.0), ("5, 1.5h", 5, 5400.0), ("1d", None, 86400.0),
])  # fmt: skip
def test_budgets(text: str, pages: int | None, seconds: float | None) -> None:
    """A budget read wrongly."""
    assert budget(text) == (pages, seconds)


@pytest.mark.parametrize("text", ["", "0", "x", "-1", "5,6", "1min,2h", "0s", "1e9", "10 pages",
                                  "²", "99999999999"])  # fmt: skip
def test_budgets_that_are_none(text: str) -> None:
    """A budget that is guessed."""
    with pytest.raises(CrawlError, match="budget"):
        budget(text)


@pytest.mark.parametrize(("wishes", "pages"), [
    (Wishes(), 12), (Wishes(delay=3.0), 4), (Wishes(delay=0.0), 1200),
    (Wishes(proxy="http://127.0.0.1:8080"), 1200), (Wishes(proxy="http://proxy.test:8080"), 12),
])  # fmt: skip
def test_a_time_is_not_over_because_pages_are(wishes: Wishes, pages: int) -> None:
    """A crawl of six seconds that ends after one: where nobody waits, more pages fit."""
    sites = [Site(1, "a.test", "http://a.test/"), Site(2, "b.test", "http://b.test/")]
    assert planned(replace(wishes, budget="6s"), sites).budget == pages


def test_the_kind_of_sites_chooses_the_policy() -> None:
    """Another rule than the paper names."""
    assert [Wishes(kind=kind).policy() for kind in ("universities", "institutes", "unknown")] == [
        "R3", "R2", "equal-quanta"
    ]  # fmt: skip
    with pytest.raises(CrawlError, match="no site"):
        planned(Wishes(), [])


def test_memory_does_not_grow_with_pages(tmp_path: Path) -> None:
    """A frontier, or pages that were seen, kept in memory as well."""

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
    """Count the objects that a planner holds, but for the store and modules."""
    seen, left = {id(root)}, [root]
    skipped = (type, type(sys), Store, type(_reachable))
    while left:
        for one in gc.get_referents(left.pop()):
            if id(one) not in seen and not isinstance(one, skipped):
                seen.add(id(one))
                left.append(one)
    return len(seen)


def test_a_clock_that_is_a_little_early(store: Store) -> None:
    """Requests that are handed out again because waiting ended before the time was over."""

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
