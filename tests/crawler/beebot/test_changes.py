"""Changes that a user makes between plans, or while a plan runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.beebot import answers, discovery
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.planner import CHANGED, Planner
from counterpoint.crawler.documents.robots import rules
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.store import recording, seeds
from counterpoint.crawler.store.deleting import delete
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.views import Kind

from .inprocess import InProcess, crawled, new_store, visited

ROOT, OTHER = "http://a.test/", "http://b.test/"
WEB = {
    ROOT: (200, b"<a href=/x>x</a><a href=http://b.test/>b</a><a href=/x>again</a>"),
    f"{ROOT}x": (200, b"<a href=/>home</a>"),
    OTHER: (
        200,
        b"<a href=/1>1</a><a href=/2>2</a><a href=http://a.test/>a</a><a href=javascript:no>",
    ),
    f"{OTHER}1": (200, b"<a href=http://c.test/>c</a>"),
    f"{OTHER}2": (404, b""),
}


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with store.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


def test_a_start_page_that_was_another_one_before(place: str) -> None:
    """Links of a former start page that are lost when the user changes the start page."""
    answers = WEB | {f"{ROOT}new": (503, b"")}
    with new_store(place, [ROOT]) as store:
        crawled(store, InProcess(answers), scheduler="one-by-one")
        seeds.edit(store, 1, start=f"{ROOT}new")
        crawled(store, InProcess(answers), scheduler="one-by-one")
        seeds.retry(store, 1)
        assert rows(store, "SELECT fetched FROM seeds") == [(2,)]
        again = InProcess(WEB | {f"{ROOT}new": (200, b"<a href=/>home</a>")})
        _, ended = crawled(store, again, scheduler="one-by-one")
        assert ended.over and again.asked == [f"{ROOT}new"]
        assert visited(store) == [f"{ROOT}new", ROOT, f"{ROOT}x"]


class Forbidding(InProcess):
    """A dispatcher that reports what robots.txt forbids, if it reads it."""

    def __init__(self, answers: Any, robots: str = "") -> None:
        super().__init__(answers)
        self._rules = rules(200, robots, "", "counterpoint") if robots else None

    def answer(self, job: Job) -> Fetched:
        """Answer."""
        return super().answer(job)._replace(rules=self._rules)


def test_robots_that_do_not_count_any_more(place: str) -> None:
    """Pages that stay forbidden although the user now ignores robots.txt."""
    with new_store(place, [ROOT]) as store:
        first = Forbidding(WEB, "User-agent: *\nDisallow: /x")
        crawled(store, first, scheduler="one-by-one")
        assert first.asked == [ROOT]
        crawled(store, InProcess(WEB), scheduler="one-by-one", budget="30")
        assert visited(store) == [ROOT]  # what it forbade then counts
        crawled(store, again := InProcess(WEB), scheduler="one-by-one", robots=False)
        assert again.asked == [f"{ROOT}x"]


def test_the_last_site_is_removed_while_it_is_crawled(place: str) -> None:
    """A failure that is blamed on the policy or the store."""
    with new_store(place, [ROOT]) as store:
        begin(store, {"scheduler": "R3"})
        planner = Planner(store, 4)
        job = planner.step().jobs[0]
        seeds.remove(store, 1)
        assert planner.step([InProcess(WEB).answer(job)]).ended == CHANGED
        with pytest.raises(CrawlError, match="there is no site to crawl"):
            begin(store)


def test_a_site_that_was_crawled_before_it_was_one(place: str) -> None:
    """Pages and links of a new site that do not count for it because they were stored before."""
    with new_store(place, [ROOT]) as store:
        crawled(store, InProcess(WEB), scheduler="breadth-first")
        assert OTHER in visited(store)
        seeds.add(store, OTHER)
        crawled(store, InProcess(WEB), scheduler="equal-quanta")
        assert rows(store, "SELECT known, fetched, internal, external, bad FROM seeds "
                           "WHERE number = 2") == [(3, 3, 2, 2, 1)]  # fmt: skip
        for table, count in (("internal_links", 2), ("external_links", 2), ("bad_links", 1)):
            assert rows(store, f"SELECT count(*) FROM {table} WHERE seed = 2") == [(count,)]


def test_links_deleted_by_hand_stay_deleted(place: str) -> None:
    """A link that comes back because its page was visited again."""
    with new_store(place, [ROOT]) as store:
        crawled(store, InProcess(WEB), scheduler="one-by-one")
        delete(store, Kind.INTERNAL, [(0, 2)])
        delete(store, Kind.EXTERNAL, [(0, 1)])
        again = WEB | {ROOT: (200, b"<a href=/y>y</a><base href=/>" + WEB[ROOT][1])}
        crawled(store, InProcess(again), scheduler="uniform", budget="2")
        marks = ("SELECT position, deleted FROM {} WHERE page = 0 ORDER BY position").format
        assert rows(store, marks("internal_links")) == [(0, False), (1, False), (3, True)]
        assert rows(store, marks("external_links")) == [(2, True)]


def test_links_of_a_page_that_are_stored_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Totals or deleted links of the last part only, or of internal links for all kinds."""
    for module in (answers, discovery, recording):
        monkeypatch.setattr(module, "ROWS", 3)
    equal = b"<a href=http://b.test/>b</a><a href=javascript:no>no</a>"
    page = b"".join(b"<a href=/%d>x</a>" % number + equal for number in range(4))
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess({ROOT: (200, page)}), scheduler="one-by-one", budget="1")
        totals = "SELECT known, internal, external, bad FROM seeds"
        assert rows(store, totals) == [(5, 4, 4, 4)]
        assert delete(store, Kind.EXTERNAL, [(0, 4)]) == 1
        assert delete(store, Kind.BAD, [(0, 2), (0, 8)]) == 2
        more = InProcess({ROOT: (200, b"<a href=/new>new</a>" + page)})
        crawled(store, more, scheduler="uniform", budget="1")
        assert more.asked == [ROOT]
        marks = "SELECT position, deleted FROM {} WHERE page = 0 ORDER BY position".format
        for kind, positions, deleted in (
            ("internal", [0, 1, 4, 7, 10], []),
            ("external", [2, 5, 8, 11], [5]),
            ("bad", [3, 6, 9, 12], [3, 9]),
        ):
            found = [(position, position in deleted) for position in positions]
            assert rows(store, marks(f"{kind}_links")) == found
        assert rows(store, totals) == [(6, 5, 3, 2)]


def test_addresses_are_compared_in_one_way(tmp_path: Path) -> None:
    """Pages that exist twice, under keys of two kinds."""
    with new_store(tmp_path / "a.db", [ROOT]) as store:
        crawled(store, InProcess(WEB), scheduler="one-by-one")
        before = rows(store, "SELECT * FROM settings"), rows(store, "SELECT * FROM plans")
        with pytest.raises(CrawlError, match="normalize"):
            begin(store, {"normalize": "paper"})
        assert (rows(store, "SELECT * FROM settings"), rows(store, "SELECT * FROM plans")) == before


def test_a_page_beyond_the_limits_is_taken_out(place: str) -> None:
    """A page whose only link was deleted, and that is fetched after the level was raised."""
    with new_store(place, [OTHER]) as store:
        crawled(store, InProcess(WEB), scheduler="one-by-one", level=0)
        assert delete(store, Kind.INTERNAL, [(0, 0)]) == 1
        crawled(store, again := InProcess(WEB), scheduler="one-by-one", level=1)
        assert again.asked == [f"{OTHER}2"]
        assert visited(store) == [OTHER, f"{OTHER}1", f"{OTHER}2"]
        assert rows(store, "SELECT status, problem FROM pages WHERE id = 1") == [
            (0, "taken out by hand")
        ]
