"""The dispatcher on a web with every fault, judged by the referee from the server's log."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.documents.exchange import Exchange, with_links
from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.fetching.manners import Limits, Manners, Patience
from counterpoint.crawler.fetching.network import Network
from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web import record
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.referee import Judgment
from counterpoint.sim_web.referee.known import truth
from counterpoint.sim_web.referee.opening import Selection, judge_file
from counterpoint.sim_web.sections import Faults
from counterpoint.sim_web.sections import Limits as Bears
from counterpoint.sim_web.server import AccessLog, RealClock, Server
from counterpoint.sim_web.world.site import SyntheticSite
from tests.examples import one_in
from tests.sim_web.serving import QUICK

LIMITS = Limits(seconds=3.0, body=300_000)
PATIENCE = Patience(tries=3, backoff=0.1, longest=60.0)


def strict(mean_pages: float, **bears: float) -> Profile:
    """Return `hostile` with hosts of a given size, most of which set a crawl delay or a limit."""
    hostile = profiles.load("hostile")
    hosts = replace(hostile.hosts, mean_pages=mean_pages, exponent=0.3)
    rules = replace(hostile.robots, disallow=0.6, crawl_delay=0.6, delay_seconds=0.2)
    faults: Faults = replace(hostile.faults, unavailable=0.1, retry_after=1.0, robots_timeout=0.01)
    return replace(hostile, hosts=hosts, robots=rules, faults=faults, limits=Bears(**bears))


async def crawled(
    web: Web, log: Path, starts: Sequence[str], most: int, **more: Any
) -> list[Fetched]:
    """Crawl breadth first through the server; it writes the log."""
    header = record.Header(profiles.to_mapping(web.profile), web.pages, web.seed, {}, True)
    server = Server(
        SyntheticSite(web), RealClock(), limits=web.profile.limits, log=AccessLog(log, header),
        settings=QUICK,
    )  # fmt: skip
    await server.start()
    there = PoliteDispatcher(
        Network(server.proxy, limits=LIMITS), limits=LIMITS, patience=PATIENCE,
        manners=Manners(delay=0.02), **more,
    )  # fmt: skip
    queue = dict.fromkeys(starts[:most])
    jobs = [Job(number, one) for number, one in enumerate(queue)]
    for job in jobs:
        there.submit(job)
    found: list[Fetched] = []
    while len(found) < len(jobs):
        one = await there.completed()
        found.append(one)
        page = Exchange(one.job.address, one.status, one.final)
        for link in with_links(page, one.body, one.content_type).links:
            if link not in queue and len(jobs) < most:
                queue[link] = None
                jobs.append(Job(len(jobs), link))
                there.submit(jobs[-1])
    await there.close(grace=0)
    await server.stop()
    return found


def judge(log: Path, least: int) -> Judgment:
    """Judge a log, and check what holds of every crawl."""
    report = judge_file(log, Selection(), truth)
    assert report.disallowed.judged > least and report.disallowed.requests == 0
    assert report.crawl_delay.waits > least / 5 and report.crawl_delay.broken == 0
    assert report.retry_after.waits > least / 50 and report.retry_after.broken == 0
    assert report.concurrency.greatest == 1
    return report


@pytest.mark.long
@pytest.mark.parametrize("concurrency", one_in(2, [16, 1]))
def test_a_hostile_web(concurrency: int, tmp_path: Path) -> None:
    """A disallowed request, a delay or a Retry-After that is ignored, or a lost page."""
    web = Web(strict(40, requests_per_second=8, burst=3), 2000, 5)
    starts = [address(web, web.pages_of(host).start) for host in range(0, web.hosts, 5)]
    most = 400 if concurrency > 1 else 60
    found = asyncio.run(crawled(web, tmp_path / "log", starts, most, concurrency=concurrency))
    assert sorted(one.job.number for one in found) == list(range(len(found)))
    judge(tmp_path / "log", most // 2)
    problems = {one.problem.partition(":")[0] for one in found}
    assert "forbidden by robots.txt" in problems
    fetched = [one for one in found if one.status == 200]
    assert len(fetched) > len(found) / 3


@pytest.mark.slow
def test_a_thousand_hosts(tmp_path: Path) -> None:
    """Politeness that works with a few hosts only."""
    web = Web(strict(4, requests_per_second=5, burst=2), 6000, 8)
    starts = [address(web, web.pages_of(host).start) for host in range(web.hosts)]
    assert len(starts) > 1000
    found = asyncio.run(crawled(web, tmp_path / "log", starts, 6000, concurrency=64))
    assert len(found) == 6000
    report = judge(tmp_path / "log", 3000)
    assert report.hosts.fetched > 1000
