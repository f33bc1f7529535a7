"""Rehearsals: a stored crawl that keeps the pages of a planted web fresh, for a virtual day."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.crawling import crawl
from counterpoint.crawler.documents.scope import LEFT_OUT, ScopeRules
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.network import PageRequest
from counterpoint.crawler.store.broken import broken
from counterpoint.crawler.store.lists import Seed, checked
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.seeds import add_all
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import life
from counterpoint.sim_web.pages.resolve import host_named, resolve, split
from counterpoint.sim_web.pages.sizes import TextSizes
from counterpoint.studies.comparison.comparison import as_json, compare
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.rehearsal import first_start, rehearsal, rehearsed_web

DAY = 86_400.0
ROUNDS = 4
"""How often each page is visited in a day, on average."""
PROFILE = """
about = "pages that change, are born and die, and all reach each other"
source = "none"
pages = 300

[shares]
scc = 1.0
in = 0.0
out = 0.0
tendrils = 0.0
tubes = 0.0
disconnected = 0.0

[change]
static = 0.4
per_day = 2.0
spread = 1.2
passing = 0.3
life_days = 2.0
births_days = 2.0

[style]
frames = 0.0
aliases = 0.0
"""
SEEDS = range(10)


class Asked(NamedTuple):
    """A visit to a page of the web."""

    time: float
    page: int
    status: int


@pytest.fixture(scope="module")
def web_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of the profile."""
    file = tmp_path_factory.mktemp("webs") / "passing.toml"
    file.write_text(PROFILE)
    return file


def rehearsed(folder: Path, web: str, policy: str, **wished: object) -> Store:
    """Return the store of a crawl that keeps the pages of a web fresh for a day."""
    store = open_store(str(folder / f"{policy}.db"), create=True)
    add_all(store, [("", checked(Seed(first_start(web))))])
    settings = {"scheduler": "breadth-first", "web": web, "concurrency": 1, "revisit": policy,
                "every": f"{24 / ROUNDS}h", "budget": "3000,1d"}  # fmt: skip
    crawl(store, begin(store, settings | wished), webs=rehearsal)
    return store


def page_of(web: Web, address: str) -> int | None:
    """Return the page of an address; None if it is that of no page."""
    parts = split(address)
    host = None if parts is None else host_named(web, parts[0])
    return None if parts is None or host is None else resolve(web, host, parts[1]).page


def visits(store: Store, web: Web) -> list[Asked]:
    """Return the visits to pages of the web, in the order of their answers."""
    with store.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT v.time, p.address, v.status FROM visits v JOIN pages p ON p.id = v.page "
            "WHERE NOT v.recalled AND v.status IS NOT NULL ORDER BY v.plan, v.observed"
        ).all()
    found = [Asked(when, -1 if (page := page_of(web, address)) is None else page, status)
             for when, address, status in rows]  # fmt: skip
    return [one for one in found if one.page >= 0]


def freshness(asked: list[Asked], web: Web, points: int = 200) -> float:
    """Return the mean over a day of the share of known pages whose copy is as the page is then."""
    born, dies = life.lives(web)
    texts, pages = TextSizes(web), np.arange(web.pages)

    def versions(some: Any, times: Any) -> Any:
        there = (born[some] <= times) & (times < dies[some])
        return np.where(there, texts.versions(some, times), -1)

    numbers = np.array([one.page for one in asked])
    learnt = versions(numbers, np.array([one.time for one in asked]))
    unknown, done, shares = -2, 0, []
    copies = np.full(web.pages, unknown)
    for time_ in np.arange(1, points) * DAY / points:
        while done < len(asked) and asked[done].time <= time_:
            copies[numbers[done]] = learnt[done]
            done += 1
        known = copies != unknown
        now = versions(pages[known], np.full(int(known.sum()), time_))
        shares.append(float((copies[known] == now).mean()))
    return float(np.mean(shares))


@pytest.mark.long
@pytest.mark.parametrize("policy", ["uniform", "optimal-freshness", "scent"])
def test_a_day_is_as_fresh_as_in_the_simulation(
    policy: str, web_file: Path, tmp_path: Path
) -> None:
    """A crawl that loses visits, rates or new pages on its way through the store."""
    found = []
    for seed in SEEDS:
        text = f"{web_file},seed={seed}"
        folder = tmp_path / str(seed)
        folder.mkdir()
        with rehearsed(folder, text, policy) as store:
            found.append(freshness(visits(store, web := rehearsed_web(text).web), web))
    plan = ComparisonPlan((policy,), profile.load(str(web_file)), 300 * ROUNDS, seeds=SEEDS,
                          visits_per_day=300 * ROUNDS)  # fmt: skip
    simulated = as_json(compare(plan, 1))["policies"][0]["measures"]["freshness"]
    low, high = simulated["interval"]
    assert low <= float(np.mean(found)) <= high
    assert np.abs(np.array(found) - simulated["values"]).max() < 0.02


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_broken_links_are_those_that_are_planted(seed: int, web_file: Path, tmp_path: Path) -> None:
    """A broken link that is not told, or one that is not broken; a wrong time or address."""
    text = f"{web_file},seed={seed}"
    with rehearsed(tmp_path, text, "uniform") as store:
        web = rehearsed_web(text).web
        asked = visits(store, web)
        told = list(broken(store))
    last = {one.page: one for one in asked}
    links, (born, dies) = web.explicit(), life.lives(web)
    held = [page for page, one in last.items() if one.status in (200, 304)]
    planted = {
        (page, target) for page in held
        for target in links.targets[links.offsets[page] : links.offsets[page + 1]].tolist()
        if target in last and not born[target] <= last[target].time < dies[target]
    }  # fmt: skip
    assert {(page_of(web, one.page), page_of(web, one.target.address)) for one in told} == planted
    assert len(planted) > 50
    for one in told:
        page = page_of(web, one.target.address)
        assert page is not None
        own = [visit for visit in asked if visit.page == page]
        came = [visit.time for visit in own if visit.status in (200, 304)]
        failed = [visit.time for visit in own if not came or visit.time > came[-1]]
        assert one.target.came == (came[-1] if came else None)
        assert (one.target.since, one.target.seen, one.target.failures) == (
            failed[0], failed[-1], len(failed))  # fmt: skip


def test_a_rehearsal_takes_no_time(web_file: Path, tmp_path: Path) -> None:
    """A rehearsal that waits for real, which never ends, or in which time does not pass."""
    text = f"{web_file},pages=40,seed=1"
    with rehearsed(tmp_path, text, "uniform", budget="400,7d") as store:
        asked = visits(store, rehearsed_web(text).web)
    assert 6.9 * DAY < asked[-1].time <= 7 * DAY
    assert 0.9 < len([one for one in asked if one.time]) / (7 * ROUNDS * 40) < 1.3
    assert all(later.time >= one.time for one, later in pairwise(asked))


def test_a_rehearsal_goes_on_where_it_ended(web_file: Path, tmp_path: Path) -> None:
    """A crawl that is resumed at another time of its web."""
    text = f"{web_file},pages=40,seed=1"
    with rehearsed(tmp_path, text, "uniform", budget="400,1d") as store:
        crawl(store, begin(store, {"budget": "400,2d"}), webs=rehearsal)
        asked = visits(store, rehearsed_web(text).web)
    gaps = [later.time - one.time for one, later in pairwise(asked)]
    assert 2.9 * DAY < asked[-1].time <= 3 * DAY and max(gaps) < 2 * DAY / ROUNDS


@pytest.mark.parametrize("text", ["living,pages=x", "living,size=3", "no-such-web", "living,seed"])
def test_a_web_that_cannot_be_rehearsed(text: str) -> None:
    """A mistake in --web that is found out when the store exists."""
    with pytest.raises(CrawlError, match="--web"):
        _ = rehearsed_web(text).web


def test_rules_of_size_are_for_documents(web_file: Path) -> None:
    """A page that is missing and seems to be left out by a rule, since its message is long."""
    rules = ScopeRules((), ("size:>5",))
    one = rehearsal(str(web_file), lambda: 0.0, Limits(rules=rules.answers))
    start = first_start(str(web_file))
    missing = asyncio.run(one.fetch(PageRequest(f"{start}nothing-is-here")))
    assert (missing.status, missing.problem) == (404, "")
    found = asyncio.run(one.fetch(PageRequest(start)))
    assert (found.status, found.body) == (200, b"") and found.problem.startswith(LEFT_OUT)
    robots = asyncio.run(one.fetch(PageRequest(f"{start}robots.txt", of_robots=True)))
    assert not robots.problem
