"""Crawls that keep their pages fresh: new pages, pages that are gone, and the pace of visits."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.beebot.beginning import begin, check
from counterpoint.crawler.beebot.keeping import SLACK, next_due
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.clock import VirtualClock
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import POLICIES
from counterpoint.crawler.store.broken import broken
from counterpoint.crawler.store.opening import Store

from .inprocess import InProcess, crawled, new_store, visited

ROOT = "http://a.test/"
KNOWN = [name for name, policy in POLICIES.items() if policy.scope is Scope.KNOWN]
Web = Mapping[str, tuple[int, bytes]]


def linking(*paths: str, text: str = "") -> tuple[int, bytes]:
    """Return an answer with links to some paths."""
    links = "".join(f"<a href=/{path}>{path}</a>" for path in paths)
    return 200, f"<p>{text}</p>{links}".encode()


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with store.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


def kept(store: Store, visits: int, web_at: Any, **wished: object) -> list[str]:
    """Visit pages of a plan that keeps them fresh, one a second; return them.

    Parameters
    ----------
    store : Store
        Its plan that finds pages has ended.
    visits : int
        How many visits to make.
    web_at : callable
        Returns the answers by address at a visit, from 0 on.
    **wished
        Settings.
    """
    begun = begin(store, {"revisit": "uniform", "every": "1s", **wished})
    assert begun.plan.keeps
    clock, come = VirtualClock(1e9), list[Fetched]()
    planner = Planner(store, 1, clock.now, clock=clock.now)
    for visit in range(visits + 1):
        while not (step := planner.step(come)).jobs:
            assert step.again is not None and not step.ended
            clock.sleep(step.again)
            come = []
        job = step.jobs[0]
        status, body = web_at(visit).get(job.address, (404, b""))
        come = [Fetched(job, status, "", body, "text/html", time=clock.now())]
    return visited(store)[:visits]


def test_a_new_page_is_met_and_visited_next(tmp_path: Path) -> None:
    """A page that only the next plan would meet, or that waits behind all others."""
    old = {ROOT: linking("x", "y"), f"{ROOT}x": linking(), f"{ROOT}y": linking()}
    new = {**old, f"{ROOT}x": linking("z"), f"{ROOT}z": linking("w"), f"{ROOT}w": linking()}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(old), scheduler="breadth-first", budget="9")
        order = kept(store, 8, lambda visit: old if visit < 1 else new)
        x, y, z, w = (f"{ROOT}{name}" for name in "xyzw")
        assert order == [ROOT, x, z, w, y, z, w, ROOT]
        assert rows(store, "SELECT address, status FROM pages ORDER BY id")[3:] == [
            (z, 200), (w, 200)]  # fmt: skip
        assert rows(store, "SELECT known, fetched, internal FROM seeds") == [(5, 5, 4)]


def test_new_pages_end_where_the_budget_does(tmp_path: Path) -> None:
    """A calendar that grows for ever in a crawl that runs for ever."""
    old = {ROOT: linking("1")}
    endless = {ROOT: linking("1")} | {f"{ROOT}{n}": linking(str(n + 1)) for n in range(1, 99)}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(old), scheduler="breadth-first", budget="4")
        kept(store, 20, lambda visit: endless)
        assert rows(store, "SELECT count(*) FROM pages WHERE status = 200") == [(4,)]


def test_a_page_that_is_gone_and_comes_back(tmp_path: Path) -> None:
    """Links of a page that is not there any more; a 304 for a page whose links were removed."""
    there = {ROOT: linking("x"), f"{ROOT}x": linking("y"), f"{ROOT}y": linking()}
    gone = {**there, f"{ROOT}x": (410, b"")}
    conditional = []
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(there), scheduler="breadth-first", budget="9")
        begin(store, {"revisit": "uniform", "every": "1s"})
        clock, come, counts = VirtualClock(1e9), list[Fetched](), []
        planner = Planner(store, 1, clock.now, clock=clock.now)
        for visit in range(10):
            while not (step := planner.step(come)).jobs:
                clock.sleep(step.again or 0.0)
                come = []
            counts += rows(store, "SELECT internal, fetched FROM seeds")
            job = step.jobs[0]
            conditional.append((job.address, job.etag))
            status, body = (gone if 3 <= visit < 6 else there)[job.address]
            etag = f'"{len(body)}"' if status == 200 else ""
            if job.etag and job.etag == etag:
                status, body = 304, b""
            come = [Fetched(job, status, "", body, "text/html", etag=etag, time=clock.now())]
        assert [one for one in conditional if one[0] == f"{ROOT}x"] == [
            (f"{ROOT}x", ""), (f"{ROOT}x", f'"{len(there[f"{ROOT}x"][1])}"'), (f"{ROOT}x", "")
        ]  # fmt: skip
        assert counts == [(2, 3)] * 5 + [(1, 3)] * 3 + [(2, 3)] * 2
        assert rows(store, "SELECT status FROM pages ORDER BY id") == [(200,)] * 3
        assert rows(store, "SELECT standing, reason FROM seeds") == [("started", "")]
        assert rows(store, "SELECT status FROM visits WHERE plan = 1 AND page = 1") == [
            (200,), (410,), (200,)]  # fmt: skip


def test_a_server_that_is_down_takes_nothing_away(tmp_path: Path) -> None:
    """A page or a link that is lost because a server failed; a link that is broken and not told."""
    there = {ROOT: linking("x"), f"{ROOT}x": linking()}
    down = {ROOT: linking("x"), f"{ROOT}x": (503, b"")}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(there), scheduler="breadth-first", budget="9")
        assert list(broken(store)) == []
        kept(store, 6, lambda visit: down if visit > 2 else there)
        assert rows(store, "SELECT status FROM pages") == [(200,), (200,)]
        (link,) = broken(store)
        target = link.target
        assert (link.page, target.address, target.status) == (ROOT, f"{ROOT}x", 503)
        assert (target.failures, target.since - (target.came or 0.0)) == (2, 1.0)
        assert list(broken(store, target.since)) == [link]
        assert list(broken(store, target.since + 0.1)) == []


class Growing:
    """A web of which pages appear, fail and change in the course of visits."""

    def __init__(self, data: st.DataObject) -> None:
        paths = [str(n) for n in range(8)]
        self._links = {one: data.draw(st.lists(st.sampled_from(paths), max_size=3))
                       for one in paths}  # fmt: skip
        self._appears = {one: data.draw(st.integers(0, 20)) for one in paths}
        self._fails = {one: data.draw(st.sampled_from([200, 200, 404, 503])) for one in paths}

    def answer(self, job: Job, visit: int) -> Fetched:
        """Return the answer at a visit."""
        path, now = job.address.removeprefix(ROOT), 10.0 * visit
        if not path:
            return Fetched(job, 200, "", linking("0", "1")[1], "text/html", time=now)
        if visit < self._appears[path]:
            return Fetched(job, 404, time=now)
        if visit % 3 and self._fails[path] != 200:
            return Fetched(job, self._fails[path], time=now)
        body = linking(*self._links[path], text=f"{visit // 9}")[1]
        return Fetched(job, 200, "", body, "text/html", time=now)


def stepped(folder: str, web: Growing, name: str, ahead: int, *, anew: bool) -> list[Any]:
    """Return the visits of a crawl of 40 steps; ``anew``: that is stopped after each."""
    with new_store(Path(folder) / f"{anew}.db", [ROOT]) as store:
        crawled(store, InProcess({ROOT: linking("0")}), scheduler="breadth-first", budget="30")
        begin(store, {"revisit": name, "every": "1s"})
        clock, flying, come = VirtualClock(0.0), list[Job](), list[Fetched]()
        planner = Planner(store, ahead, clock.now, clock=clock.now)
        for visit in range(40):
            step = planner.step(come)
            assert not step.ended
            flying += [job for job in step.jobs if job not in flying]
            clock.sleep(10.0)
            come = [web.answer(flying.pop(len(flying) // 2), visit)] if flying else []
            if anew:
                planner = Planner(store, ahead, clock.now, clock=clock.now)
        return [visited(store), rows(store, "SELECT page, difference, fresh FROM visits")]


@settings(max_examples=12, deadline=None)
@given(data=st.data(), name=st.sampled_from(KNOWN), ahead=st.sampled_from([1, 3]))
def test_stopped_at_every_step(data: st.DataObject, name: str, ahead: int) -> None:
    """A policy that meets new pages in another order when the crawl is resumed."""
    web = Growing(data)
    with TemporaryDirectory() as folder:
        whole = stepped(folder, web, name, ahead, anew=False)
        assert stepped(folder, web, name, ahead, anew=True) == whole


def test_visits_are_spread_over_time(tmp_path: Path) -> None:
    """Visits at once, or at another pace than one of each page in the period."""
    web = {ROOT: linking("x", "y", "z")} | {f"{ROOT}{name}": linking() for name in "xyz"}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(web), scheduler="breadth-first", budget="9")
        kept(store, 12, lambda visit: web, every="1h")
        times = [time for (time,) in rows(store, "SELECT time FROM visits WHERE plan = 1")][:12]
        assert {later - time for time, later in pairwise(times)} == {900.0}


def run(due: float, interval: float) -> Any:
    """Return the run of a plan with one page."""
    plan = SimpleNamespace(keeps=True, options=SimpleNamespace(every=interval))
    return SimpleNamespace(plan=plan, due=due, discovery=SimpleNamespace(places=1))


@given(
    lates=st.lists(st.floats(0.0, 500.0), min_size=1, max_size=50),
    interval=st.floats(0.01, 1000.0),
)
def test_what_was_missed_is_not_made_up_for(lates: list[float], interval: float) -> None:
    """A burst of visits after a stop; a pace that a short delay slows down for good."""
    due = begun = now = 0.0
    for late in lates:
        now = max(now, due) + late
        latest = now - due
        due = next_due(run(due, interval), now)
        assert due >= now - SLACK + interval - 1e-6
        if latest <= SLACK:
            begun += interval
        else:
            begun = now + interval
        assert due == pytest.approx(begun)


def test_the_pace_goes_on_after_a_stop(tmp_path: Path) -> None:
    """A visit at each start of the crawler, though none is due."""
    web = {ROOT: linking()}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(web), scheduler="breadth-first", budget="9")
        begin(store, {"revisit": "uniform", "every": "1h"})
        clock = VirtualClock(1e9)
        step = Planner(store, 1, clock.now, clock=clock.now).step()
        answer = Fetched(step.jobs[0], *web[ROOT][:1], "", web[ROOT][1], "text/html", time=1e9)
        again = Planner(store, 1, clock.now, clock=clock.now)
        assert again.step([answer]).again == 3600.0
        clock.sleep(1800.0)
        assert Planner(store, 1, clock.now, clock=clock.now).step().again == 1800.0


@pytest.mark.parametrize(("wished", "message"), [
    ({"revisit": "opic"}, "finds pages, and revisits none"),
    ({"revisit": "uniform", "scheduler": "uniform"}, "finds no pages"),
    ({"revisit": "uniform", "every": "0s"}, "--every is a time above 0"),
    ({"revisit": "uniform", "every": "soon"}, "--every is a time above 0"),
    ({"revisit": "optimal-freshness,rates=true"}, "needs the truth about pages"),
    ({"revisit": "nothing"}, "nothing"),
])  # fmt: skip
def test_what_cannot_keep_pages_fresh(wished: dict[str, str], message: str) -> None:
    """A crawl that finds out after hours of discovery that nothing follows."""
    with pytest.raises(CrawlError, match=message):
        check(None, {"scheduler": "breadth-first"} | wished, [ROOT])


def test_settings_that_lead_to_another_plan(tmp_path: Path) -> None:
    """A new site that is never found; a new pace that costs a discovery; no end of --revisit."""
    web = {ROOT: linking()}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        begun = begin(store, {"scheduler": "breadth-first", "revisit": "uniform"})
        assert not begun.plan.keeps
        crawled(store, InProcess(web))
        assert (one := begin(store)).plan.keeps and one.plan.number == 1 and not one.resumed
        assert begin(store).resumed
        slower = begin(store, {"every": "9d"})
        assert (slower.plan.keeps, slower.plan.number, slower.plan.options.every) == (
            True, 2, 777_600.0)  # fmt: skip
        with store.transaction() as connection:
            connection.exec_driver_sql(
                "INSERT INTO seeds (number, start, site) VALUES (2, 'http://b.test/', 'b.test')"
            )
        found = begin(store)
        assert (found.plan.keeps, found.plan.policy, found.plan.number) == (
            False, "breadth-first", 3)  # fmt: skip
        crawled(store, InProcess(web))
        assert begin(store).plan.keeps
        assert not begin(store, {"revisit": ""}).plan.keeps


def test_nothing_to_keep(tmp_path: Path) -> None:
    """A crawl of which no page came, and that fails for another reason or never ends."""
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess({}), scheduler="breadth-first", revisit="uniform")
        begun = begin(store)
        assert (begun.plan.keeps, bool(begun.ended)) == (False, True)
