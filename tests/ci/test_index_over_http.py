"""The focused crawler in process and over HTTP, killed and resumed: the same order and index."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from counterpoint.crawler.beebot.indexed import index
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.world import World
from tests.ci.test_worlds import QUERY, one_address_each, start_addresses
from tests.crawler.beebot.inprocess import visited
from tests.sim_web.threaded import running

BUDGET = 120


def in_process(policy: str, planted: Planted) -> tuple[list[str], list[str]]:
    """Return the order of visits and the index of a crawl in process, as numbers of pages."""
    starts, chosen = planted.starts(Scope.WEB), find(policy)
    world = World(planted, Scope.WEB, 0.1, BUDGET, reads=chosen.policy.reads)
    scheduler = chosen.scheduler(starts, BUDGET, query=QUERY, hosts=planted.host.item)
    ended = crawl(policy, scheduler, world, starts, BUDGET, Scope.WEB)
    assert not ended.failed
    found = scheduler.index()  # type: ignore[attr-defined]
    return ([address(planted.web, int(page)) for page in ended.order],
            [address(planted.web, page) for page in found])  # fmt: skip


def count_visits(where: Path) -> int:
    """Return the number of visits in a store."""
    try:
        with closing(sqlite3.connect(where, timeout=10)) as connection:
            return int(connection.execute("SELECT count(observed) FROM visits").fetchone()[0])
    except sqlite3.OperationalError:  # no such table yet
        return 0


@pytest.mark.long
@pytest.mark.parametrize(
    "policy",
    [
        "hits,c=3",
        pytest.param("tfidf", marks=pytest.mark.slow),
        pytest.param("tfidf+hits,expand=5,internal=0.5", marks=pytest.mark.slow),
        "link-bandit",
    ],
)
def test_a_killed_crawl_over_http_has_the_same_index(policy: str, tmp_path: Path) -> None:
    """Another order or index over HTTP than in process, or after a killed process was resumed."""
    planted = one_address_each(4, 0.2, False, declared=True)
    order, wanted = in_process(policy, planted)
    assert len(order) == BUDGET and len(wanted) > 10
    where = tmp_path / "crawl.db"
    with running(SyntheticSite(planted.web)) as proxy:
        starts = [one for start in start_addresses(planted) for one in ("--start", start)]
        command = [sys.executable, "-m", "counterpoint", "crawl", "--db", str(where), *starts,
                   "--scheduler", policy, "--query", QUERY, "--budget", str(BUDGET),
                   "--concurrency", "1", "--proxy", proxy]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            until = time.monotonic() + 120
            while count_visits(where) < 50 and process.poll() is None and time.monotonic() < until:
                time.sleep(0.002)
            process.kill()
        assert 50 <= count_visits(where) < BUDGET
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    with open_store(where) as store:
        assert visited(store) == order
        assert index(store).pages == wanted
