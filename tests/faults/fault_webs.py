"""Small webs that a crawl of the laboratory fetches, and what it must find on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.crawling import crawl
from counterpoint.crawler.store.lists import Seed
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.seeds import add_all
from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web import record
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.sections import Faults
from counterpoint.sim_web.server import AccessLog, RealClock
from counterpoint.sim_web.world.site import SyntheticSite
from tests.crawler.beebot.test_planner import links_of, totals_are_right
from tests.sim_web.serving import QUICK
from tests.sim_web.threaded import running

PAGES = 150
DELAY = 0.05
"""Seconds between two requests to a host that asks for no delay."""
CRAWL_DELAY = 0.1
"""Seconds that the robots.txt of most hosts asks for."""


@lru_cache(maxsize=16)
def web(seed: int, delays: float = 0.7) -> Web:
    """Return a web of about fifteen hosts in which nothing changes.

    Parameters
    ----------
    seed : int
    delays : float
        The share of hosts that ask for a delay.
    """
    of = profiles.load("broder-1999")
    return Web(replace(
        of, hosts=replace(of.hosts, mean_pages=10, exponent=0.3),
        robots=replace(of.robots, present=1.0, disallow=0.5, crawl_delay=delays,
                       delay_seconds=CRAWL_DELAY),
        change=replace(of.change, static=1.0), faults=replace(Faults(), slow_headers=0.2),
    ), PAGES, seed)  # fmt: skip


@contextmanager
def served(of: Web, log: Path) -> Iterator[str]:
    """Serve a web in real time; yield the proxy."""
    header = record.Header(profiles.to_mapping(of.profile), of.pages, of.seed, {}, True)
    with running(SyntheticSite(of), clock=RealClock(), limits=of.profile.limits,
                 log=AccessLog(log, header), settings=QUICK) as proxy:  # fmt: skip
        yield proxy


def starts(of: Web) -> list[str]:
    """Return the start page of each host."""
    return [address(of, of.pages_of(host).start) for host in range(of.hosts)]


@lru_cache(maxsize=64)
def expected(seed: int, policy: str) -> frozenset[Any]:
    """Return what one process finds that nothing disturbs."""
    of = web(seed, 0.0)
    with TemporaryDirectory() as folder, served(of, Path(folder) / "log") as proxy, open_store(
        Path(folder) / "crawl.db", create=True
    ) as store:  # fmt: skip
        add_all(store, [("the web", Seed(start)) for start in starts(of)])
        ended = crawl(store, begin(store, {
            "scheduler": policy, "budget": "100000", "proxy": proxy, "delay": 0.0,
            "concurrency": 16, "stay": True,
        }))  # fmt: skip
        assert ended.over, ended.why
        return found(store)


def found(store: Store) -> frozenset[Any]:
    """Return all pages and links by addresses, and the totals of each site.

    Pages that robots.txt forbids are left out: whether they are known depends on whether a page
    that links to them was read before their host's robots.txt.
    """
    assert totals_are_right(store), "the totals of sites differ from their pages and links"
    with store.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT address FROM pages WHERE problem LIKE 'forbidden%%'"
            if store.dialect == "postgresql"
            else "SELECT address FROM pages WHERE problem LIKE 'forbidden%'"
        )
        forbidden = {row[0] for row in rows}
    return frozenset(row for row in links_of(store) if row[0] not in forbidden)
