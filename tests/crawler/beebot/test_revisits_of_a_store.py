"""Pages of a store that are visited again: whether they changed, and by how much."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.contents import unpacked
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.policy.protocol import Content, Scope
from counterpoint.crawler.schedulers.finding import POLICIES
from counterpoint.crawler.store.deleting import delete
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.views import Kind

from .inprocess import InProcess, crawled, new_store, visited

ROOT = "http://a.test/"
OLD = {
    ROOT: (200, b"<p>first</p><a href=/x>x</a><a href=http://b.test/>b</a>"),
    f"{ROOT}x": (200, b"<p>never changes</p>"),
}
NEW = {
    **OLD,
    ROOT: (200, b"<p>second!</p><a href=/x>x</a><a href=/y>y</a>"),
}


class Versions(InProcess):
    """A dispatcher that sends validators, and answers 304 if they match."""

    def __init__(self, answers: Mapping[str, tuple[int, bytes]]) -> None:
        super().__init__(answers)
        self.conditional: list[str] = []

    def answer(self, job: Job) -> Fetched:
        """Answer with the page, or with 304."""
        found = super().answer(job)
        etag = f'"{hash(found.body)}"'
        if job.etag:
            self.conditional.append(job.address)
        if job.etag == etag:
            return found._replace(status=304, body=b"", content_type="", etag=etag)
        return found._replace(etag=etag)


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with store.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


def test_what_pages_said_before_they_changed(tmp_path: Path) -> None:
    """Old words and anchors next to new links; an unchanged page that is fetched completely."""
    reading = {"scheduler": "tfidf", "stay": True, "budget": "9"}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, Versions(OLD), **reading)
        crawled(store, Versions(OLD), scheduler="uniform", budget="2")
        crawled(store, Versions(OLD), **reading)
        crawled(store, Versions(NEW), scheduler="uniform", budget="2")
        crawled(store, last := Versions(NEW), **reading)
        assert last.asked == [ROOT, f"{ROOT}y"]
        ((packed,),) = rows(store, "SELECT packed FROM contents WHERE page = 0")
        assert unpacked(packed) == Content("", "second! xy", ("x", "y"))


def test_a_page_that_is_read_again_counts_once(tmp_path: Path) -> None:
    """Links that count twice, or that are lost because the page fails this time."""
    reading = {"scheduler": "tfidf", "stay": True, "budget": "9"}
    totals = "SELECT fetched, internal, external, bad FROM seeds"
    links = "SELECT count(*) FROM internal_links"
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, Versions(OLD), **reading)
        before = rows(store, totals)
        crawled(store, Versions(NEW), scheduler="uniform", budget="2")
        crawled(store, Versions(OLD), **reading)
        assert rows(store, totals) == before
        assert rows(store, links) == [(before[0][1],)]
        third = {**OLD, ROOT: (200, b"<p>third</p><a href=/x>x</a>")}
        crawled(store, Versions(third), scheduler="uniform", budget="2")
        there = rows(store, f"{totals} UNION ALL SELECT id, status, state, size FROM pages")
        down = dict.fromkeys(OLD, (503, b""))
        crawled(store, last := Versions(down), **reading)
        assert ROOT in last.asked
        assert rows(store, f"{totals} UNION ALL SELECT id, status, state, size FROM pages") == there


def test_a_link_that_stays_deleted_does_not_count(tmp_path: Path) -> None:
    """A page that is read again and gives its site the links back that the user deleted."""
    totals = "SELECT internal FROM seeds"
    reading = {"scheduler": "tfidf", "stay": True, "budget": "9"}
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, Versions(OLD), **reading)
        ((before,),) = rows(store, totals)
        ((at,),) = rows(store, "SELECT min(position) FROM internal_links WHERE page = 0")
        assert delete(store, Kind.INTERNAL, [(0, at)]) == 1
        assert rows(store, totals) == [(before - 1,)]
        crawled(store, Versions(NEW), scheduler="uniform", budget="2")
        crawled(store, Versions(OLD), **reading)
        deleted = rows(store, "SELECT count(*) FROM internal_links WHERE deleted")
        assert (deleted, rows(store, totals)) == ([(1,)], [(before - 1,)])


def test_what_has_changed_counts(tmp_path: Path) -> None:
    """An unchanged page that is loaded, uncounted new links, stale links."""
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        with pytest.raises(CrawlError, match="no page is known yet"):
            begin(store, {"scheduler": "uniform"})
        crawled(store, InProcess(OLD), scheduler="one-by-one")
        before = rows(store, "SELECT * FROM internal_links")
        crawled(store, same := Versions(OLD), scheduler="uniform", budget="4")
        assert visited(store) == [ROOT, f"{ROOT}x"] * 2
        assert same.conditional == visited(store)[2:]
        query = "SELECT status, difference FROM visits WHERE plan = (SELECT max(plan) FROM visits)"
        assert rows(store, query) == [(200, 0), (200, 0), (304, 0), (304, 0)]
        assert rows(store, "SELECT * FROM internal_links") == before
        begin(store, {"scheduler": "uniform", "budget": "6"})
        planner, come, asked = Planner(store, 1), [], 0
        while not (step := planner.step(come)).ended:
            world = Versions(OLD if asked < 2 else NEW)
            come, asked = [world.answer(step.jobs[0])], asked + 1
        # "first" and "b" are gone; "second!" and "y" are new.
        changed = len("first") + len("second!") + len("xb") + len("xy")
        assert rows(store, query) == [
            (304, 0),
            (304, 0),
            (200, changed),
            (304, 0),
            (304, 0),
            (304, 0),
        ]
        assert rows(store, "SELECT internal, external FROM seeds") == [(2, 0)]
        assert rows(store, "SELECT count(*) FROM internal_links") == [(2,)]
        crawled(store, last := InProcess(NEW), scheduler="one-by-one", budget="10")
        assert last.asked == [f"{ROOT}y"]


def test_a_visit_that_fails_takes_nothing_away(tmp_path: Path) -> None:
    """Links that are lost because a server was down for a moment."""
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(OLD), scheduler="one-by-one")
        before = rows(store, "SELECT * FROM internal_links"), rows(store, "SELECT * FROM pages")
        crawled(store, InProcess({ROOT: (503, b"")}), scheduler="scent", budget="4")
        after = rows(store, "SELECT * FROM internal_links"), rows(store, "SELECT * FROM pages")
        assert after == before


KNOWN = [name for name, policy in POLICIES.items() if policy.scope is Scope.KNOWN]


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("ahead", [1, 4])
def test_revisits_stopped_at_every_step_are_the_same(name: str, ahead: int, tmp_path: Path) -> None:
    """State that a policy of revisits has only in memory."""
    web = {ROOT: (200, "".join(f"<a href=/{n}>{n}</a>" for n in range(9)).encode())} | {
        f"{ROOT}{n}": (200, f"<p>{n}</p>".encode()) for n in range(9)
    }
    orders = []
    for anew in (False, True):
        with new_store(tmp_path / f"{anew}.db", [ROOT]) as store:
            crawled(store, InProcess(web), scheduler="one-by-one")
            begin(store, {"scheduler": name, "budget": "40"})
            planner, come, flying, time = Planner(store, ahead, lambda: 0.0), [], [], 0
            while not (step := planner.step(come)).ended:
                flying += [job for job in step.jobs
                           if job.number not in [other.number for other in flying]]  # fmt: skip
                job, time = flying.pop(len(flying) // 2), time + 1
                body = web[job.address][1] + b"<p>%d</p>" % (time // 7)
                come = [Fetched(job, 200, "", body, "text/html", time=float(time))]
                if anew:
                    planner = Planner(store, ahead, lambda: 0.0)
            orders.append((visited(store), rows(store, "SELECT page, difference FROM visits")))
    assert orders[0] == orders[1]
    assert len(orders[0][0]) == 40
