"""Crawls that keep their pages fresh, in odd cases: redirects, rests, pages taken out, traps."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.fetching.clock import VirtualClock
from counterpoint.crawler.fetching.job import Fetched, Tuning
from counterpoint.crawler.store.broken import broken
from counterpoint.crawler.store.schema import State

from .inprocess import InProcess, crawled, new_store
from .test_keeping import ROOT, kept, linking, rows


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_page_that_leads_elsewhere_is_gone(status: int, tmp_path: Path) -> None:
    """A redirect out of the crawl that leaves the page and its links for ever."""
    there = {ROOT: linking("x"), f"{ROOT}x": linking("y"), f"{ROOT}y": linking()}
    moved = {**there, f"{ROOT}x": (status, b"")}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(there), scheduler="breadth-first", budget="9")
        kept(store, 4, lambda visit: moved)
        assert rows(store, "SELECT status FROM pages ORDER BY id") == [(200,), (status,), (200,)]
        assert rows(store, "SELECT internal FROM seeds") == [(1,)]


REST = "a.test must be left alone until tomorrow"


@pytest.mark.parametrize("before", [404, 503])
def test_what_was_not_asked_shows_nothing(before: int, tmp_path: Path) -> None:
    """A broken link that is forgotten, or its page, since its host must be left alone."""
    web = {ROOT: linking("x"), f"{ROOT}x": linking()}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(web), scheduler="breadth-first", budget="9")
        begin(store, {"revisit": "uniform", "every": "1s"})
        clock, come = VirtualClock(1e9), list[Fetched]()
        planner = Planner(store, 1, clock.now, clock=clock.now)
        for visit in range(7):
            while not (step := planner.step(come)).jobs:
                clock.sleep(step.again or 0.0)
                come = []
            job = step.jobs[0]
            status, body = web[job.address]
            problem = ""
            if job.address != ROOT:
                status, problem = (before, "") if visit < 4 else (0, REST)
            come = [Fetched(job, status, "", body, "text/html", time=clock.now(), problem=problem)]
        (link,) = broken(store)
        assert (link.target.status, link.target.failures) == (before, 2)
        status = 200 if before == 503 else 404
        assert rows(store, "SELECT status FROM pages WHERE id = 1") == [(status,)]
        again = begin(store, {"every": "2s"})
        assert again.plan.starts == (0, 1)


def test_a_new_page_of_a_host_that_rests(tmp_path: Path) -> None:
    """A page that no plan visits, since its host had to be left alone when it was new."""
    web = {ROOT: linking("x"), f"{ROOT}x": linking()}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess({ROOT: linking()}), scheduler="breadth-first", budget="9")
        begin(store, {"revisit": "uniform", "every": "1s"})
        clock, come = VirtualClock(1e9), list[Fetched]()
        planner = Planner(store, 1, clock.now, clock=clock.now)
        for _ in range(4):
            while not (step := planner.step(come)).jobs:
                clock.sleep(step.again or 0.0)
                come = []
            job = step.jobs[0]
            status, problem = (200, "") if job.address == ROOT else (0, REST)
            come = [Fetched(job, status, "", web[ROOT][1], "text/html", time=clock.now(),
                            problem=problem)]  # fmt: skip
        assert list(broken(store)) == []
        assert begin(store, {"every": "2s"}).plan.starts == (0, 1)


def test_a_page_that_was_taken_out_stays_out(tmp_path: Path) -> None:
    """A page that the user has taken out, and that is requested in the next round."""
    old = {ROOT: linking("x")}
    new = {ROOT: linking("x", "y"), f"{ROOT}x": linking("secret"), f"{ROOT}y": linking()}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(old), scheduler="breadth-first", budget="1")
        with store.transaction() as connection:
            connection.exec_driver_sql("UPDATE plans SET budget = 9")
            connection.exec_driver_sql("UPDATE settings SET value = '\"9\"' WHERE name = 'budget'")
        begun = begin(store, {"revisit": "uniform", "every": "1s"})
        assert begun.plan.keeps
        with store.transaction() as connection:
            connection.exec_driver_sql(
                f"UPDATE pages SET place = 1, state = {int(State.DROPPED)} WHERE id = 1"
            )
            connection.exec_driver_sql("UPDATE plans SET pages = 2 WHERE number = 1")
        clock, come, asked = VirtualClock(1e9), list[Fetched](), list[str]()
        planner = Planner(store, 1, clock.now, clock=clock.now)
        for _ in range(40):
            step = planner.step(come)
            come = []
            for job in step.jobs:
                asked.append(job.address)
                status, body = new[job.address]
                come = [Fetched(job, status, "", body, "text/html", time=clock.now())]
            clock.sleep(step.again or 0.0)
        assert f"{ROOT}x" not in asked and f"{ROOT}secret" not in asked
        assert asked.count(f"{ROOT}y") > 3


def test_traps_are_counted_from_plan_to_plan(tmp_path: Path) -> None:
    """A calendar of which each new plan takes as many pages again, or one beside the start page."""
    days = {f"{ROOT}2024/01/{day:02}/" for day in range(1, 29)}
    web = {ROOT: linking(*(day.removeprefix(ROOT) for day in sorted(days)))} | {
        day: linking() for day in days
    }
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        traps = "calendar=5"
        crawled(store, InProcess(web), scheduler="breadth-first", budget="99", traps=traps)
        for every in ("1s", "2s", "3s"):
            kept(store, 12, lambda visit: web, every=every)
        assert rows(store, "SELECT count(*) FROM pages WHERE status = 200") == [(6,)]
    with new_store(tmp_path / "b.db", [f"{ROOT}?PHPSESSID=aaa1"]) as store:
        first = f"{ROOT}?PHPSESSID=aaa1"
        web = {first: linking("?PHPSESSID=bbb2"), f"{ROOT}?PHPSESSID=bbb2": linking()}
        world = InProcess(web)
        crawled(store, world, scheduler="breadth-first", budget="9", traps="session")
        assert world.asked == [first]


def test_time_before_a_pause_counts(tmp_path: Path) -> None:
    """A budget of time that begins anew with each pause; a pause that asks again and again."""
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess({ROOT: linking()}), scheduler="breadth-first", budget="9,1000s")
        begin(store, {"revisit": "uniform", "every": "1h"})
        clock = VirtualClock(0.0)
        planner = Planner(store, 1, clock.now, clock=clock.now)
        first = planner.step()
        come = [Fetched(first.jobs[0], 200, "", b"x", "text/html", time=0.0)]
        assert planner.step(come).again == 3600.0
        clock.sleep(600.0)
        assert planner.left() == 400.0
        planner.tune(Tuning(1, None, paused=True))
        clock.sleep(5000.0)
        assert planner.step().again is None
        assert planner.left() == 400.0
        planner.tune(Tuning(1, None, paused=False))
        assert planner.left() == 400.0
        clock.sleep(100.0)
        assert planner.left() == 300.0


def test_a_page_says_that_its_last_visit_failed(tmp_path: Path) -> None:
    """A page that fails for weeks and looks like all others; a note that stays when it comes."""
    web = {ROOT: linking("x"), f"{ROOT}x": linking()}
    down = {**web, f"{ROOT}x": (503, b"")}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(web), scheduler="breadth-first", budget="9")
        kept(store, 4, lambda visit: down)
        note = "SELECT status, problem FROM pages WHERE id = 1"
        assert rows(store, note) == [(200, "the last visit failed: HTTP 503")]
        kept(store, 2, lambda visit: web, every="2s")
        assert rows(store, note) == [(200, "")]


def test_a_document_that_a_rule_leaves_out_has_not_failed(tmp_path: Path) -> None:
    """A page that seems to fail, or that loses its links, since its document is too large now."""
    web = {ROOT: linking("x"), f"{ROOT}x": linking()}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(web), scheduler="breadth-first", budget="9")
        before = rows(store, "SELECT id, status, size, problem FROM pages")
        begin(store, {"revisit": "uniform", "every": "1s"})
        clock, come = VirtualClock(1e9), list[Fetched]()
        planner = Planner(store, 1, clock.now, clock=clock.now)
        for _ in range(4):
            while not (step := planner.step(come)).jobs:
                clock.sleep(step.again or 0.0)
                come = []
            come = [Fetched(step.jobs[0], 200, "", b"", "text/html", time=clock.now(),
                            problem="left out: size:>5MB")]  # fmt: skip
        assert rows(store, "SELECT id, status, size, problem FROM pages") == before
        assert rows(store, "SELECT internal FROM seeds") == [(1,)]
