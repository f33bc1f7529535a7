"""The index of a crawl that was killed at any point equals that of an uninterrupted crawl."""

from __future__ import annotations

import random
import signal
from functools import partial
from pathlib import Path

import pytest

from counterpoint.crawler.beebot.indexed import index
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.indices import index_of as in_memory
from counterpoint.crawler.policy.protocol import Outcome, Pages, Request, Setting
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.crawler.worlds.web_world import WebWorld
from tests.crawler.webs import Web

from .inprocess import Source, address_of, answers_of, visited
from .killing import Crawl, Points, contents, in_child

POLICY = "hits,c=2,internal=0.5"


def some_web() -> Web:
    """Return a web of which a crawl expands a part."""
    numbers = random.Random(8)
    pages = range(40)
    site = (0, 1, 2, *(numbers.randrange(3) for _ in pages[3:]))
    links = tuple(tuple(numbers.sample(pages, numbers.choice([0, 1, 2, 5]))) for _ in pages)
    return Web(3, site, ((3, 4, 5), (6, 7), (8, 9), *links[3:]), (0,) * 40, frozenset({6, 17, 23}))


WEB = some_web()
SOME = 37
"""One point in so many is tried where not all are."""


def crawl_of(where: Path, concurrency: int = 1, order: int | None = None) -> Crawl:
    """Return a crawl of the web; with a seed, answers arrive in random order."""
    starts = tuple(address_of(WEB, page) for page in WEB.starts)
    wished = {"scheduler": POLICY, "budget": "24", "stay": True}
    return Crawl(str(where), starts, answers_of(WEB), wished, concurrency, order)


def index_of(where: str) -> list[str]:
    """Return the index of the crawl in a store."""
    with open_store(where) as store:
        return index(store).pages


def test_the_index_is_that_of_the_crawl_in_memory(tmp_path: Path) -> None:
    """A page in the index with other weights, or another order, where pages are addresses."""
    kept = crawl_of(tmp_path / "kept.db")
    kept.run(Points())
    chosen = find(POLICY)
    world = WebWorld(Source(kept.answers), kept.starts, chosen.policy.scope, stay=True)
    scheduler = chosen.scheduler(world.starts, 24, hosts=world.host)
    ended = crawl(POLICY, scheduler, world, world.starts, 24, chosen.policy.scope)
    found = [world.handles.address(page) for page in scheduler.index()]  # type: ignore[attr-defined]
    assert len(found) > 6
    assert index_of(kept.where) == found
    with open_store(kept.where) as store:
        assert visited(store) == [world.handles.address(int(page)) for page in ended.order]


@pytest.mark.parametrize(
    "every", [pytest.param(SOME, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)]
)
def test_killed_at_every_point(tmp_path: Path, every: int) -> None:
    """A resumed crawl with other weights, or without the former pages of the index."""
    whole, points = crawl_of(tmp_path / "whole.db"), Points()
    whole.run(points)
    wanted, wanted_index = contents(whole.where), index_of(whole.where)
    assert len(points.passed) > 400
    for at in range(1, len(points.passed) + 1, every):
        again = crawl_of(tmp_path / f"{at}.db")
        assert in_child(partial(again.run, Points(at))) == -signal.SIGKILL
        assert in_child(partial(again.run, Points())) == 0
        assert contents(again.where) == wanted, f"killed at point {at}, {points.passed[at - 1]}"
        assert index_of(again.where) == wanted_index


def test_killed_again_and_again_with_many_under_way(tmp_path: Path) -> None:
    """A step that begins before all answers of the previous step are stored."""
    whole, again = crawl_of(tmp_path / "whole.db"), crawl_of(tmp_path / "again.db", 6, 3)
    whole.run(Points())
    chance, kills = random.Random(4), 0
    while in_child(partial(again.run, Points(chance.randint(1, 400)))):
        kills += 1
    assert kills > 1
    with open_store(again.where) as store:
        fetched = set(visited(store))
    found = index_of(again.where)
    assert len(set(found)) == len(found) > 6 and set(found) <= fetched


@pytest.mark.parametrize("policy", ["opic", "breadth-first", "R3"])
@pytest.mark.parametrize("stay", [True, False])
def test_what_was_collected_without_an_index(tmp_path: Path, policy: str, stay: bool) -> None:
    """A ranking by links that the policy did not receive, or of pages that failed."""
    wished = {"scheduler": policy, "budget": "24", "stay": stay}
    kept = crawl_of(tmp_path / "kept.db")._replace(wished=wished)
    kept.run(Points())
    chosen = find(policy)
    world = WebWorld(Source(kept.answers), kept.starts, chosen.policy.scope, stay=stay)
    scheduler = chosen.scheduler(world.starts, 24, hosts=world.host)
    links: dict[int, Pages] = {}

    def keep(outcome: Outcome) -> None:
        if outcome.status == 200:
            links[outcome.page] = outcome.links

    crawl(policy, scheduler, world, world.starts, 24, chosen.policy.scope, on_outcome=keep)
    found = in_memory(scheduler, list(links), links.__getitem__)
    wanted = [world.handles.address(page) for page in found]
    assert len(wanted) > 4
    assert wanted != [world.handles.address(page) for page in links]
    assert index_of(kept.where) == wanted


class Breaks:
    """A scheduler with an index that raises an exception after the start pages."""

    why = ""

    def __init__(self, setting: Setting) -> None:
        self._pages = list(setting.starts)

    def next(self) -> Request:
        """Request a start page, or raise an exception."""
        return Request(self._pages.pop())

    def observe(self, outcome: Outcome) -> None:
        """Ignore the outcome."""

    def index(self) -> list[int]:
        """Return no pages."""
        return []


def test_a_policy_that_failed_has_no_index(tmp_path: Path) -> None:
    """A repeatable policy that is called unrepeatable; a traceback."""
    name = f"{__name__}:Breaks"
    kept = crawl_of(tmp_path / "kept.db")._replace(wished={"scheduler": name, "budget": "9"})
    kept.run(Points())
    with pytest.raises(CrawlError, match=r"Breaks: step 4: .*; it has no index"):
        index_of(kept.where)


def test_no_index(tmp_path: Path) -> None:
    """A traceback where the policy has no index."""
    open_store(tmp_path / "new.db", create=True).close()
    with pytest.raises(CrawlError, match="nothing was crawled yet"):
        index_of(str(tmp_path / "new.db"))
    other = crawl_of(tmp_path / "other.db")
    other.run(Points())
    other._replace(wished={"scheduler": "uniform", "budget": "5"}).run(Points())
    with pytest.raises(CrawlError, match="uniform visits known pages again"):
        index_of(other.where)
