"""Detectors of traps in crawls of a store, from memory: counts, kills, other plans, workers."""

from __future__ import annotations

import random
import re
import signal
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.worlds.crawl import crawl as crawl_in_memory
from counterpoint.crawler.worlds.web_world import WebWorld
from tests.postgres import Server

from .inprocess import InProcess, Source, crawled, new_store, visited
from .killing import Answers, Crawl, Points, contents, in_child
from .test_planner import totals_are_right
from .together import Member, Network, replayed
from .tree import rows

A = "http://a.test/"
MONTH = re.compile(r"http://a\.test/cal/(\d{4})/(\d\d)")
WORDS = [f"http://a.test/p{number}" for number in range(6)]


def page(*links: str) -> tuple[int, bytes]:
    """Return an answer with links."""
    return 200, "".join(f'<a href="{one}">x</a>' for one in links).encode()


class Endless(dict[str, tuple[int, bytes]]):
    """A site with six pages, and a calendar, session ids and a list that never end."""

    def get(self, address: str, default: Any = None) -> Any:
        """Return the answer of an address."""
        if address == A:
            return page(*WORDS[:3], "/cal/2000/01", f"/?sid={self._token(address)}", "/l?n=1")
        if found := MONTH.fullmatch(address):
            count = int(found[1]) * 12 + int(found[2]) - 1
            return page("/", *(f"/cal/{month // 12}/{month % 12 + 1:02}"
                               for month in (count - 1, count + 1, count + 12)))  # fmt: skip
        if "sid=" in address:
            return page(WORDS[4], f"/?sid={self._token(address)}")
        if (number := address.removeprefix(f"{A}l?n=")).isdigit():
            return page(f"/l?n={int(number) + 1}", WORDS[5])
        return page(*WORDS[3:4]) if address in WORDS else default

    @staticmethod
    def _token(address: str) -> str:
        return f"a{random.Random(address).getrandbits(60):015x}"


SITE: Mapping[str, tuple[int, bytes]] = Endless()
TRAPS = "calendar=5,session,queries=4"
WANTED = {A, *(word for word in WORDS if word != WORDS[4])}


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Yield a store with the site."""
    with new_store(place, [A]) as store:
        yield store


def asked(found: list[str], what: str) -> int:
    """Return how many of some addresses have a text."""
    return sum(what in one for one in found)


@pytest.mark.parametrize("policy", ["R3", "breadth-first", "one-by-one", "opic", "random", "tfidf"])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_endless_sites_end(policy: str, concurrency: int, store: Store) -> None:
    """A trap that is entered beyond its limit, or a page that is lost with it."""
    dispatcher = InProcess(SITE, None if concurrency == 1 else 5)
    ended = crawled(store, dispatcher, concurrency, scheduler=policy, budget="500", traps=TRAPS,
                    query="x")[1]  # fmt: skip
    assert ended.over and not ended.failed and len(dispatcher.asked) < 500
    assert set(dispatcher.asked) >= WANTED
    assert len(set(dispatcher.asked)) == len(dispatcher.asked)
    assert asked(dispatcher.asked, "/cal/") == 5
    assert asked(dispatcher.asked, "l?n=") == 4
    assert not asked(dispatcher.asked, "sid="), "the page without a session id is the start page"
    problems = dict(rows(store, "SELECT problem, count(*) FROM pages WHERE place = -1 "
                                "GROUP BY problem"))  # fmt: skip
    assert set(problems) == {
        "left out: --traps calendar=5 (more pages differ only by their date)",
        "left out: --traps session (sid: the page is known without it, or with another one)",
        "left out: --traps queries=4 (more pages differ only by their query)",
    }
    assert totals_are_right(store)
    replayed(store)


def test_without_detectors_the_site_has_no_end(store: Store) -> None:
    """A test whose site has no traps."""
    dispatcher = InProcess(SITE)
    crawled(store, dispatcher, scheduler="one-by-one", budget="200")
    assert len(dispatcher.asked) == 200
    assert asked(dispatcher.asked, "/cal/") > 50 < asked(dispatcher.asked, "sid=") * 10
    assert not rows(store, "SELECT * FROM alike")


def test_one_page_of_those_with_session_ids(store: Store, tmp_path: Path) -> None:
    """A page that is lost since all links to it have session ids; one that is fetched twice."""
    one, other = "x?sid=a123456789abcdef", "x?sid=b123456789abcdef"
    same = {A: page("/z", "/z?sid=a123456789abcdef"), f"{A}z": page()}
    answers = {A: page(f"{A}{one}", f"{A}{other}"), f"{A}{one}": page(f"{A}y?sid=c123456789abcdef"),
               f"{A}y?sid=c123456789abcdef": page(f"{A}x", f"{A}y?sid=d123456789abcdef"),
               f"{A}x": page()}  # fmt: skip
    dispatcher = InProcess(answers)
    crawled(store, dispatcher, scheduler="breadth-first", traps="session")
    assert dispatcher.asked == [A, f"{A}{one}", f"{A}y?sid=c123456789abcdef", f"{A}x"]
    with new_store(tmp_path / "same.db", [A]) as another:
        dispatcher = InProcess(same)
        crawled(another, dispatcher, scheduler="breadth-first", traps="session")
    assert dispatcher.asked == list(same), "a document has both links"


def test_limits_of_form_hold_for_all_links(store: Store) -> None:
    """A detector that looks at the address alone and is not asked."""
    answers = {A: page("/more/"), f"{A}more/": page("/more/more/"),
               f"{A}more/more/": page("/more/more/more/", "/a/b/c/d", "/?1&2&3")}  # fmt: skip
    dispatcher = InProcess(answers)
    crawled(store, dispatcher, scheduler="R3", traps="repeats=2,depth=3,parameters=2")
    assert dispatcher.asked == list(answers)
    assert {row[0] for row in rows(store, "SELECT problem FROM pages WHERE problem <> ''")} == {
        "left out: --traps repeats=2 (3 times more)", "left out: --traps depth=3 (4 segments)",
        "left out: --traps parameters=2 (3 parameters)",
    }  # fmt: skip


def test_pages_beyond_other_limits_do_not_count(store: Store) -> None:
    """Months that use up the limit although the level or the cap leaves them out."""
    found = InProcess(SITE)
    crawled(store, found, scheduler="breadth-first", traps=TRAPS, level=1)
    assert asked(found.asked, "/cal/") == 1
    assert rows(store, "SELECT name, pages FROM alike ORDER BY name") == [
        ("calendar http://a.test/cal/{date}", 1), ("queries http://a.test/l", 1)
    ]  # fmt: skip
    then = InProcess(SITE)
    crawled(store, then, scheduler="breadth-first", traps=TRAPS, level=None)
    assert asked(then.asked, "/cal/") == 4, "a new plan counts anew, also what the store has"
    assert totals_are_right(store)


def test_other_detectors_make_another_plan(store: Store) -> None:
    """Detectors that are forgotten, a reason that outlives them, or a plan for equal ones."""
    first, then, last = InProcess(SITE), InProcess(SITE), InProcess(SITE)
    plan = crawled(store, first, scheduler="breadth-first", traps=TRAPS)[0].plan
    again = crawled(store, then, traps="queries=4, session=1,calendar=5")[0]
    assert again.plan == plan and not then.asked, "the same detectors in other words"
    two = InProcess(SITE)
    more = crawled(store, two, traps="calendar=7,session,queries=4")[0].plan
    assert more.number == plan.number + 1
    assert len(two.asked) == asked(two.asked, "/cal/") == 2
    crawled(store, last, traps="", budget="60")
    assert asked(last.asked, "sid=")
    found = rows(store, "SELECT problem FROM pages WHERE place >= 0")
    assert not [problem for (problem,) in found if problem.startswith("left out")]


def test_known_traps_are_not_visited_again(store: Store) -> None:
    """A policy that revisits what a detector leaves out by its form."""
    answers = {A: page("/a/b/c"), f"{A}a/b/c": page()}
    crawled(store, InProcess(answers), scheduler="breadth-first")
    dispatcher = InProcess(answers)
    crawled(store, dispatcher, scheduler="uniform", traps="depth=2", budget="4")
    assert set(dispatcher.asked) == {A}


def test_a_canonical_page_in_a_trap_does_not_stand_for_a_copy(store: Store) -> None:
    """Links that are lost since they are those of a page that a detector leaves out."""
    head = f'<link rel="canonical" href="{A}cal/2000/02">'.encode()
    answers = {A: page("/cal/2000/01", "/x"), f"{A}cal/2000/01": page(), f"{A}y": page(),
               f"{A}x": (200, head + b'<a href="/y">y</a>')}  # fmt: skip
    dispatcher = InProcess(answers)
    crawled(store, dispatcher, scheduler="breadth-first", canonical=True, traps="calendar=1")
    assert set(dispatcher.asked) == set(answers)


@pytest.mark.parametrize("policy", ["breadth-first", "opic", "one-by-one", "random"])
def test_a_crawl_without_a_store_decides_the_same(policy: str, tmp_path: Path) -> None:
    """`try` and `compare` with other pages than `crawl`."""
    with new_store(tmp_path / "a.db", [A]) as store:
        crawled(store, InProcess(SITE), scheduler=policy, traps=TRAPS, budget="60", seed=3)
        expected = visited(store)
    scope = find(policy).policy.scope
    world = WebWorld(Source(SITE), [A], scope, rules=ScopeRules(traps=TRAPS))
    scheduler = find(policy).scheduler(world.starts, 60, 3, hosts=world.host)
    ended = crawl_in_memory(policy, scheduler, world, world.starts, 60, Scope(scope))
    assert not ended.failed
    assert [world.handles.address(page) for page in ended.order] == expected


def crawl_of(where: str | Path, policy: str) -> Crawl:
    """Return a crawl with detectors that can be killed, of what is near the start page."""
    near: Answers = {A: SITE.get(A, (404, b""))}
    for _ in range(4):
        links = {urljoin(A, one) for _, body in near.values()
                 for one in re.findall('href="([^"]+)"', body.decode())}  # fmt: skip
        near |= {one: found for one in sorted(links) if (found := SITE.get(one))}
    wished = {"scheduler": policy, "budget": "40", "traps": TRAPS}
    return Crawl(str(where), (A,), near, wished)


@pytest.mark.parametrize(
    ("policy", "every"),
    [("R3,initial=1", 150), pytest.param("breadth-first", 30, marks=pytest.mark.long),
     pytest.param("R3,initial=1", 3, marks=pytest.mark.slow)],
)  # fmt: skip
def test_killed_and_resumed(policy: str, every: int, tmp_path: Path) -> None:
    """Counts that a kill loses or writes twice, so that a resumed crawl decides otherwise."""
    whole, again = crawl_of(tmp_path / "whole.db", policy), crawl_of(tmp_path / "a.db", policy)
    points = Points()
    whole.run(points)
    wanted = contents(whole.where)
    assert {row["pages"] for row in wanted["alike"]} == {4, 5}
    for at in range(every // 2, len(points.passed) + 1, every):
        assert in_child(partial(again.run, Points(at))) == -signal.SIGKILL
        assert in_child(partial(again.run, Points())) == 0
        assert contents(again.where) == wanted, f"killed at point {at}, {points.passed[at - 1]}"
        for file in tmp_path.glob("a.db*"):
            file.unlink()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_several_workers(seed: int, postgres: Server) -> None:
    """Workers that count apart, so that together they go too far into a trap."""
    wished = {"scheduler": "breadth-first", "stay": True, "traps": TRAPS, "budget": "500"}
    with open_store(postgres.database(), create=True) as store:
        with store.transaction() as connection:
            connection.exec_driver_sql(
                f"INSERT INTO seeds (number, start, site) VALUES (1, '{A}', 'a.test')"
            )
        begin(store, wished)
        network, chance = Network(SITE), random.Random(seed)
        members = [Member(store, network, f"worker {k}", 2) for k in range(3)]
        while not all(one.step.ended for one in members):
            member = chance.choice(members)
            network.now += 0.5
            if not member.ask(chance.randrange(9)) and not member.step.ended:
                member.plan(chance.randrange(9))
        found = list(network.asked)
        assert set(found) >= WANTED
        assert (asked(found, "/cal/"), asked(found, "l?n="), asked(found, "sid=")) == (5, 4, 0)
        replayed(store)
