"""The referee's knowledge of a generated web agrees with the server's answers."""

from __future__ import annotations

import asyncio
import io
import random
from pathlib import Path

import aiohttp

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.answer import Kind, Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import change, robots, traps, truth
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.record import Header
from counterpoint.sim_web.referee import read, read_header
from counterpoint.sim_web.referee.known import truth_of
from counterpoint.sim_web.server import AccessLog, Server, VirtualClock
from counterpoint.sim_web.world.site import SyntheticSite

from .webs import hostile

WEB = Web(
    profiles.read(
        "[limits]\nrequests_per_second = 0.3\nburst = 4\n[hosts]\nmean_pages = 60\n"
        "[faults]\nunavailable = 0.3\nretry_after = 2.5\n[robots]\ncrawl_delay = 0.5\n",
        "the test",
        "limited",
    ),
    pages=300,
    seed=3,
)


async def _answers_of_server(log: Path) -> list[tuple[float, float]]:
    """Request pages in random order; return the time and the Retry-After of each answer."""
    header = Header(profiles.to_mapping(WEB.profile), WEB.pages, WEB.seed, {}, False)
    site, clock = SyntheticSite(WEB), VirtualClock(0.2)
    server = Server(site, clock, limits=WEB.profile.limits, log=AccessLog(log, header))
    await server.start()
    chance, found = random.Random(5), []
    async with aiohttp.ClientSession() as session:
        for _ in range(400):
            url = address(WEB, chance.randrange(300))
            async with session.get(url, proxy=server.proxy, allow_redirects=False) as answer:
                found.append((clock.now(), float(answer.headers.get("Retry-After", 0))))
    await server.stop()
    return found


def test_retry_after_is_what_the_server_said(tmp_path: Path) -> None:
    """A wait that the server did not demand, for which an obedient crawler would be blamed."""
    log = tmp_path / "log"
    answers = asyncio.run(_answers_of_server(log))
    file = io.BytesIO(log.read_bytes())
    found = read(file, "log", read_header(file, "log"), truth_of(WEB)).requests
    assert sum(b"retry_after" in line for line in log.read_bytes().splitlines()[1:]) == sum(
        wait > 0 for _, wait in answers
    )
    assert list(zip(found.started.tolist(), found.wait.tolist(), strict=True)) == answers
    waits = {(int(s), w) for s, w in zip(found.status, found.wait, strict=True) if w}
    assert {status for status, _ in waits} == {429, 503}
    assert len({wait for status, wait in waits if status == 429}) > 1


def test_one_client_of_several_is_judged_by_all_requests(tmp_path: Path) -> None:
    """A token bucket filled from the chosen client's requests alone."""
    log = tmp_path / "log"
    asyncio.run(_answers_of_server(log))
    lines = log.read_text().splitlines(keepends=True)
    lines[1:] = [line.replace("aiohttp", "x" if k % 2 else "y") for k, line in enumerate(lines[1:])]
    some, every = (
        read(file, "log", read_header(file, "log"), truth_of(WEB), agent=agent).requests
        for agent in ("x/", "")
        for file in [io.BytesIO("".join(lines).encode())]
    )
    assert 0 < len(some) < len(every)
    kept = dict(zip(every.started.tolist(), every.wait.tolist(), strict=True))
    assert [kept[t] for t in some.started.tolist()] == some.wait.tolist()


def test_the_truth_is_the_pages() -> None:
    """The truth of another host, page or time."""
    known = truth_of(WEB)
    chance = random.Random(2)
    for _ in range(50):
        page, time = chance.randrange(300), chance.random() * 1e7
        assert known.next_change(page, time) == change.next_change(WEB, page, time)
        url = address(WEB, page)
        for agent in ("any", "greedybot/1.0"):
            assert known.disallowed(url, agent) == robots.disallowed(WEB, url, agent)
            host = WEB.host(page)
            assert known.crawl_delay(host, agent) == robots.crawl_delay(WEB, host, agent)
    assert sum(known.sizes) == 300
    assert list(known.sizes) == [int((WEB.components() == k).sum()) for k in range(6)]


def test_what_a_server_says_is_of_its_web() -> None:
    """An alias, a redirect, a frame or a session read as an address of another web."""
    web, other = hostile(1), hostile(2)
    site, holds, elsewhere = SyntheticSite(web), truth_of(web).holds, truth_of(other).holds
    kinds, strange = set(), 0
    for page in range(0, web.pages, 2):
        start = f"http://{web.name(web.host(page))}"
        session = traps.session(web, page, b"/", 3.0).decode()
        for url in {*truth.links(web, page), *truth.documents(web, page), start + session}:
            answer = site.answer(Question(url, 7.0))
            name = url.split("/")[2]
            assert holds(name, url, answer.page), url
            assert answer.page is None or not holds(name, url, answer.page + 1)
            kinds.add(answer.kind)
            strange += not elsewhere(name, url, answer.page)
    assert {Kind.PAGE, Kind.ALIAS, Kind.REDIRECT, Kind.FRAME, Kind.TRAP} <= kinds
    assert strange > web.pages
    assert not holds("no-such.test", "http://no-such.test/", None)
