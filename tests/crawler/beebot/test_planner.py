"""A crawl in a store makes the same visits as the crawl in memory, however often it is killed."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.beebot.planner_step import PlannerStep
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import POLICIES, find
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.recording import Recording
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.crawler.worlds.web_world import WebWorld
from tests.crawler.webs import QUERY, Web, webs
from tests.examples import few_and_many

from .inprocess import Source, address_of, answers_of, new_store, visited

CRAWLING = [name for name, policy in POLICIES.items()
            if policy.scope is not Scope.KNOWN and not policy.oracle]  # fmt: skip
ANEW: dict[str, Any] = {"suppress_health_check": [HealthCheck.function_scoped_fixture]}
FOR_ALL = pytest.mark.parametrize("name", CRAWLING)
numbers = itertools.count()

Answers = dict[str, tuple[int, bytes]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where stores are."""
    return tmp_path_factory.mktemp("stores")


@pytest.fixture
def fresh(folder: Path) -> Callable[[Web], Store]:
    """Return a function that makes new stores quickly, as copies."""
    template = folder / "template.db"
    if not template.exists():
        open_store(template, create=True).close()

    def make(web: Web) -> Store:
        where = folder / f"{next(numbers)}.db"
        shutil.copy(template, where)
        return new_store(where, [address_of(web, page) for page in web.starts])

    return make


class Killed(BaseException):
    """Raised in place of a killed process."""


class Trap:
    """Kills the crawl at one of its writes or commits, before it or after it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
        self.left = at
        write, transaction = Recording.write, Store.transaction

        def trapped(recording: Recording, kind: str, rows: Any) -> None:
            self.pass_by()
            write(recording, kind, rows)

        def closing(store: Store) -> Any:
            return _Closing(transaction(store), self.pass_by)

        monkeypatch.setattr(Recording, "write", trapped)
        monkeypatch.setattr(Store, "transaction", closing)

    def pass_by(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Killed


class _Closing:
    def __init__(self, within: Any, passing: Callable[[], None]) -> None:
        self._within, self._passing = within, passing

    def __enter__(self) -> Any:
        return self._within.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._within.__exit__(*error)
        if error[0] is None:
            self._passing()  # it is committed, and no worker knows it yet


def answer(job: Job, answers: Answers, time: float = 5.0) -> Fetched:
    """Return the answer of a job."""
    status, body = answers.get(job.address, (404, b""))
    return Fetched(job, status, "", body, "text/html; charset=utf-8", time=time)


def some(flying: list[Job], answers: Answers, chance: random.Random) -> list[Fetched]:
    """Answer one or two of the open jobs; exactly one at a concurrency of 1."""
    most = min(len(flying), chance.randint(1, 2))
    return [answer(flying.pop(chance.randrange(len(flying))), answers) for _ in range(most)]


def drive(
    store: Store, answers: Answers, concurrency: int = 1, seed: int = 0, steps: int = 10**6,
    asked: list[str] | None = None, **wished: Any,
) -> PlannerStep:  # fmt: skip
    """Crawl for some steps, and answer open jobs in any order."""
    begin(store, {"query": QUERY} | wished)
    planner = Planner(store, concurrency, lambda: 0.0)
    chance = random.Random(seed)
    flying: list[Job] = []
    come: list[Fetched] = []
    for _ in range(steps):
        step = planner.step(come)
        if asked is not None:
            asked += [one.job.address for one in come]
        flying += step.jobs
        come = []
        if step.ended:
            break
        if not step.more:
            come = some(flying, answers, chance)
    return step


def in_memory(
    name: str, web: Web, budget: int, answers: Answers, *, stay: bool = False
) -> tuple[list[str], str]:
    """Return the visits of the crawl in memory, and why it ends."""
    chosen = find(name)
    starts = [address_of(web, page) for page in web.starts]
    reads = chosen.policy.reads
    source = Source(answers, contents=reads)
    world = WebWorld(source, starts, chosen.policy.scope, stay=stay, reads=reads)
    scheduler = chosen.scheduler(world.starts, budget, query=QUERY, hosts=world.host)
    ended = crawl(name, scheduler, world, world.starts, budget, chosen.policy.scope,
                  may_overspend=chosen.policy.overspends)  # fmt: skip
    return [world.handles.address(int(page)) for page in ended.order], ended.why


TABLES = ("pages", "internal_links", "external_links", "bad_links", "visits", "seeds", "plans",
          "contents", "sitemaps")  # fmt: skip


def dump(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Return the content of a store, without times."""
    with store.reading() as connection:
        return {
            table: sorted(map(tuple, connection.exec_driver_sql(f"SELECT * FROM {table}")),
                          key=repr)
            for table in TABLES
        }  # fmt: skip


@few_and_many(
    given(web=webs(), budget=st.integers(1, 40), stay=st.booleans()), 5, 15, FOR_ALL, **ANEW
)
def test_the_order_is_that_of_the_crawl_in_memory(
    name: str, web: Web, budget: int, stay: bool, fresh: Callable[[Web], Store]
) -> None:
    """A frontier with another page, a page that is not queued or counts for another site."""
    answers = answers_of(web)
    with fresh(web) as store:
        step = drive(store, answers, scheduler=name, budget=str(budget), stay=stay)
        assert (visited(store), step.ended) == in_memory(name, web, budget, answers, stay=stay)


@few_and_many(
    given(web=webs(), budget=st.integers(1, 30), concurrency=st.sampled_from([1, 1, 8]),
          chance=st.integers(0, 2**32)),
    5, 15, FOR_ALL, **ANEW,
)  # fmt: skip
def test_a_crawl_stopped_at_every_step_is_the_same(
    name: str, web: Web, budget: int, concurrency: int, chance: int,
    fresh: Callable[[Web], Store],
) -> None:  # fmt: skip
    """State that only the scheduler has in memory and that the log lacks.

    At each step a new planner goes on; those that fly are answered in the order of the other run.
    """
    answers = answers_of(web)
    with fresh(web) as whole, fresh(web) as parts:
        wished = {"scheduler": name, "budget": str(budget)}
        drive(whole, answers, concurrency, chance, **wished)
        begin(parts, wished | {"query": QUERY})
        numbers = random.Random(chance)
        flying: list[Job] = []
        come: list[Fetched] = []
        ended = ""
        while not ended:
            step = Planner(parts, concurrency, lambda: 0.0).step(come)
            come, ended = [], step.ended
            # A new planner hands out again what is under way.
            flying += [job for job in step.jobs if job not in flying]
            if not ended and not step.more:
                come = some(flying, answers, numbers)
        assert dump(parts) == dump(whole)


def crawled_with_kills(
    store: Store, answers: Answers, concurrency: int, chance: random.Random, every: int,
    monkeypatch: pytest.MonkeyPatch, **wished: Any,
) -> None:  # fmt: skip
    """Crawl, and kill and resume the crawl many times."""
    for _ in range(10_000):
        with monkeypatch.context() as patch:
            Trap(patch, chance.randint(1, every))
            try:
                drive(store, answers, concurrency, chance.randrange(2**32), **wished)
                return
            except Killed:
                every += 1  # a crawl cannot go on if no transaction ever ends
        with store.reading() as connection:
            last = Recording(connection).read("last plan")
        if last and last[0].ended:
            return  # it has ended; had its policy failed, another plan would begin
    raise AssertionError("the crawl does not end")


@few_and_many(
    given(web=webs(), budget=st.integers(1, 30), chance=st.integers(0, 2**32)),
    5, 15, FOR_ALL, **ANEW,
)  # fmt: skip
def test_a_crawl_killed_anywhere_is_the_same(
    name: str, web: Web, budget: int, chance: int, fresh: Callable[[Web], Store]
) -> None:
    """A write outside of the page's transaction, or a repeated write."""
    answers = answers_of(web)
    with fresh(web) as whole, fresh(web) as parts:
        wished = {"scheduler": name, "budget": str(budget)}
        drive(whole, answers, **wished)
        with pytest.MonkeyPatch.context() as patch:
            crawled_with_kills(parts, answers, 1, random.Random(chance), 40, patch, **wished)
        assert dump(parts) == dump(whole)


def links_of(store: Store) -> set[tuple[Any, ...]]:
    """Return all links and statuses by addresses."""
    with store.reading() as connection:
        read = connection.exec_driver_sql
        return {
            *map(
                tuple,
                read("""
                SELECT p.address, l.position, q.address FROM internal_links l
                JOIN pages p ON p.id = l.page JOIN pages q ON q.id = l.target"""),
            ),
            *map(
                tuple,
                read("""
                SELECT p.address, l.position, l.address, l.anchor FROM external_links l
                JOIN pages p ON p.id = l.page"""),
            ),
            *map(tuple, read("SELECT address, seed, level, state, status FROM pages")),
        }


@few_and_many(
    given(web=webs(), chance=st.integers(0, 2**32)), 5, 15,
    pytest.mark.parametrize("name", ["R3", "one-by-one", "breadth-first", "opic", "random"]),
    **ANEW,
)  # fmt: skip
def test_many_at_a_time_find_what_one_finds(
    name: str, web: Web, chance: int, fresh: Callable[[Web], Store]
) -> None:
    """Lost or doubled links, or levels that depend on the order, in a complete crawl."""
    answers = answers_of(web)
    with fresh(web) as whole, fresh(web) as parts:
        wished = {"scheduler": name, "budget": "1000"}
        drive(whole, answers, **wished)
        with pytest.MonkeyPatch.context() as patch:
            crawled_with_kills(parts, answers, 8, random.Random(chance), 60, patch, **wished)
        assert links_of(parts) == links_of(whole)
        assert sorted(visited(parts)) == sorted(visited(whole))
        assert totals_are_right(parts)


def totals_are_right(store: Store) -> bool:
    """Compare the running totals of sites with what the tables have."""
    with store.reading() as connection:
        read = connection.exec_driver_sql
        for number, known, fetched, internal, external, bad in read(
            "SELECT number, known, fetched, internal, external, bad FROM seeds"
        ):
            counts = [
                read(f"SELECT count(*) FROM {table} WHERE seed = {number}").scalar()
                for table in ("pages", "internal_links", "external_links", "bad_links")
            ]
            done = read(
                f"SELECT count(*) FROM pages WHERE seed = {number} AND status IS NOT NULL"
            ).scalar()
            if [known, internal, external, bad, fetched] != [*counts, done]:
                return False
    return True


@pytest.mark.long
@pytest.mark.parametrize(("first", "then"), list(itertools.permutations(
    ["R3", "equal-quanta", "breadth-first", "depth-first", "opic"], 2)))  # fmt: skip
@settings(max_examples=4, deadline=None, **ANEW)
@given(web=webs(), steps=st.integers(1, 20), chance=st.integers(0, 2**32), stay=st.booleans())
def test_another_plan_finds_what_it_finds_alone(
    first: str, then: str, web: Web, steps: int, chance: int, stay: bool,
    fresh: Callable[[Web], Store],
) -> None:  # fmt: skip
    """A frontier, levels or statuses of an earlier plan; a page that is fetched again."""
    answers = answers_of(web)
    with fresh(web) as alone, fresh(web) as after:
        wished = {"scheduler": then, "budget": "30", "stay": stay}
        asked: list[str] = []
        drive(alone, answers, **wished)
        drive(after, answers, 8, chance, steps, asked, scheduler=first, budget="25")
        drive(after, answers, asked=asked, **wished)
        assert visited(after) == visited(alone)
        assert len(asked) == len(set(asked))


@pytest.mark.parametrize("first", ["breadth-first", "bm25"])
@settings(max_examples=8, deadline=None, **ANEW)
@given(web=webs(), steps=st.integers(1, 20), chance=st.integers(0, 2**32))
def test_a_policy_that_reads_after_another(
    first: str, web: Web, steps: int, chance: int, fresh: Callable[[Web], Store]
) -> None:
    """A page stored without its text, which the policy reads as an empty page.

    Such a page is fetched again, once; one of which the store has what it says is not.
    """
    answers = answers_of(web)
    with fresh(web) as alone, fresh(web) as after:
        wished = {"scheduler": "tfidf", "budget": "30"}
        asked: list[str] = []
        drive(alone, answers, **wished)
        drive(after, answers, 8, chance, steps, asked, scheduler=first, budget="25")
        again: list[str] = []
        drive(after, answers, asked=again, **wished)
        assert visited(after) == visited(alone)
        assert len(again) == len(set(again))
        if first == "bm25":
            assert not set(again) & set(asked)


def test_another_query_is_another_plan(fresh: Callable[[Web], Store]) -> None:
    """A crawl resumed with another query, or restarted for a query that no policy reads."""
    web = Web(1, (0, 0, 0), ((1, 2), (), ()), (0, 0, 0), frozenset())
    with fresh(web) as store:
        drive(store, answers_of(web), scheduler="tfidf", budget="9")
        for wished, resumed in (
            ({}, True), ({"query": "other"}, False), ({"scheduler": "random"}, False),
            ({"query": "and another"}, True),
        ):  # fmt: skip
            assert begin(store, wished).resumed == resumed
