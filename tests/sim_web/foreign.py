"""Runs foreign crawlers, Scrapy and wget, unmodified against a served web."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import robots
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.record import Header
from counterpoint.sim_web.server import AccessLog, Server, VirtualClock
from counterpoint.sim_web.world.site import SyntheticSite
from tests.needs import need

SPIDER = Path(__file__).with_name("foreign_spider.py")


@dataclass(frozen=True)
class Crawler:
    """A crawler: its command for a list of seeds, and its User-Agent."""

    agent: str
    command: Callable[[list[str]], list[str]]


SCRAPY = Crawler(
    "Scrapy",
    lambda seeds: [
        sys.executable, "-W", "ignore", "-m", "scrapy", "runspider", str(SPIDER),
        "-a", f"seeds={','.join(seeds)}", "-s", "ROBOTSTXT_OBEY=1", "-s", "LOG_LEVEL=ERROR",
        "-s", "RETRY_ENABLED=0", "-s", "TELNETCONSOLE_ENABLED=0", "-s", "CONCURRENT_REQUESTS=8",
    ],
)  # fmt: skip
WGET = Crawler(
    "Wget",
    lambda seeds: [
        "wget", "--no-config", "-q", "-r", "-l", "inf", "-H", "--tries=1", "--timeout=20",
        "-nd", "--delete-after", *seeds,
    ],
)  # fmt: skip


def require_wget() -> None:
    """Skip a test where wget is missing; fail it in CI."""
    need("wget")


def crawl(web: Web, crawler: Crawler, seeds: list[str], log: Path, *, seconds: float = 0.1) -> None:
    """Serve a web, run a crawler on it until it stops by itself, and keep the log.

    Parameters
    ----------
    web : Web
        The served web.
    crawler : Crawler
        The crawler; it runs in its own process and knows only the proxy's address.
    seeds : list of str
        Start addresses.
    log : Path
        A new file.
    seconds : float
        The seconds by which each request advances the virtual clock.
    """
    asyncio.run(asyncio.wait_for(_crawl(web, crawler, seeds, log, seconds), 120))


async def _crawl(web: Web, crawler: Crawler, seeds: list[str], log: Path, seconds: float) -> None:
    header = Header(profiles.to_mapping(web.profile), web.pages, web.seed, {}, False)
    site, clock = SyntheticSite(web), VirtualClock(seconds)
    server = Server(site, clock, limits=web.profile.limits, log=AccessLog(log, header))
    await server.start()
    kept = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}
    folder = log.parent / "crawler"
    folder.mkdir()
    process = await asyncio.create_subprocess_exec(
        *crawler.command(seeds),
        cwd=folder,
        env=kept | {"http_proxy": server.proxy},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await server.stop()


def reachable(web: Web, seeds: list[int], agent: str) -> set[int]:
    """Return the pages that a crawler which obeys robots.txt can reach from the seeds."""
    reached = {page for page in seeds if not _forbidden(web, page, agent)}
    waiting = deque(reached)
    while waiting:
        for target in web.out_links(waiting.popleft()).tolist():
            if target not in reached and not _forbidden(web, target, agent):
                reached.add(target)
                waiting.append(target)
    return reached


def _forbidden(web: Web, page: int, agent: str) -> bool:
    return robots.disallowed(web, address(web, page), agent)
