"""Compares our crawler with Scrapy: crawls over HTTP that store links, as whole processes.

    python benchmarks/crawling.py --rounds 3 --json benchmarks/crawling.json

A server of a synthetic web runs in a process of its own, and each subject crawls it in turn. All
crawl the same sites together, with robots.txt, without delays, with 16 requests at a time and one
to each host. Sites with a Crawl-delay are left out, because Scrapy does not keep it; --delays
includes them. Pages per second per core are the fetched pages divided by the processor time of the
whole process, from its start to its end.

There are four subjects: our crawler with a link store in SQLite, which stores pages whole and loses
nothing when it is killed; Scrapy, which stores links in SQLite with a transaction per page; the
same with its queue on disk (JOBDIR), so that it can be resumed, although not after a kill; and a
plain aiohttp client, which fetches the same pages and parses nothing, as the lower bound.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
CONCURRENCY = 16

BARE = """
import asyncio, sys
import aiohttp, uvloop

async def run():
    addresses = iter(open(sys.argv[2]).read().split())
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        async def one():
            for address in addresses:
                async with session.get(address, proxy=sys.argv[1]) as answer:
                    await answer.read()
        await asyncio.gather(*(one() for _ in range(16)))

uvloop.run(run())
"""


@contextmanager
def served(folder: Path, pages: int, sites: int, *, delays: bool) -> Iterator[str]:
    """Serve a web; yield the proxy's address.

    Parameters
    ----------
    folder : Path
        Gets the file ``seeds`` with the start addresses.
    pages : int
        The size of the web.
    sites : int
        The number of seeds.
    delays : bool
        Whether sites with a Crawl-delay stay among the seeds.
    """
    command = [sys.executable, "-m", "counterpoint", "web", "serve", "--profile", "broder-1999",
               "--pages", str(pages), "--seed", "7", "--seeds", str(sites), "--seeds-from", "any",
               "--seeds-file", str(folder / "seeds")]  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found is not None:
                if not delays:
                    leave_out_delays(folder / "seeds", found[0])
                yield found[0]
                return
        raise SystemExit("the server did not start")
    finally:
        process.terminate()
        process.wait()


def leave_out_delays(seeds: Path, proxy: str) -> None:
    """Keep the start pages of sites without a Crawl-delay."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
    kept = []
    for start in seeds.read_text().split():
        try:
            with opener.open(urllib.parse.urljoin(start, "/robots.txt"), timeout=60) as answer:
                asks = b"crawl-delay" in answer.read().lower()
        except urllib.error.HTTPError:
            asks = False
        if not asks:
            kept.append(start)
    seeds.write_text("\n".join(kept) + "\n")


def ours(folder: Path, proxy: str, budget: int) -> tuple[list[str], Path]:
    """Return our command, and the path of its store; ``budget`` is the number of pages."""
    store = folder / "ours.db"
    return [sys.executable, "-m", "counterpoint", "crawl", "--db", str(store),
            "--seeds", str(folder / "seeds"), "--scheduler", "breadth-first", "--stay",
            "--budget", str(budget), "--proxy", proxy, "--delay", "0",
            "--concurrency", str(CONCURRENCY)], store  # fmt: skip


def scrapy(folder: Path, proxy: str, budget: int, *, disk: bool) -> tuple[list[str], Path]:
    """Return Scrapy's command, and the path of its store.

    Parameters
    ----------
    folder : Path
        The folder of the seeds and of the store.
    proxy : str
        The address of the proxy.
    budget : int
        The number of pages.
    disk : bool
        Whether the queue is on disk.
    """
    store = folder / "scrapy.db"
    settings = {
        "ROBOTSTXT_OBEY": 1, "LOG_LEVEL": "CRITICAL", "TELNETCONSOLE_ENABLED": 0,
        "RETRY_ENABLED": 0, "COOKIES_ENABLED": 0, "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": 0,
        "CLOSESPIDER_PAGECOUNT": budget,
    }  # fmt: skip
    if disk:
        settings["JOBDIR"] = str(folder / "job")
    options = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    return [sys.executable, "-W", "ignore", "-m", "scrapy", "runspider",
            str(HERE / "crawling_spider.py"), "-a", f"seeds={folder / 'seeds'}",
            "-a", f"out={store}", *options], store  # fmt: skip


def timed(command: Sequence[str], folder: Path, proxy: str) -> tuple[float, float]:
    """Run a command in a folder; return its seconds of the processor and of the clock."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = os.environ | {"http_proxy": proxy, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - begun


def counted(store: Path, *, of_ours: bool) -> tuple[int, int]:
    """Return the numbers of pages and of links in a store."""
    with sqlite3.connect(store) as connection:

        def one(query: str) -> int:
            return int(connection.execute(query).fetchone()[0])

        if of_ours:
            links = sum(
                one(f"SELECT count(*) FROM {kind}_links") for kind in ("internal", "external")
            )
            return one("SELECT count(*) FROM visits WHERE status = 200"), links
        return one("SELECT count(DISTINCT page) FROM links"), one("SELECT count(*) FROM links")


def round_of(pages: int, sites: int, budget: int, *, delays: bool) -> dict[str, dict[str, float]]:
    """Let all subjects crawl once; return their figures.

    Parameters
    ----------
    pages, sites, delays
        As in `served`.
    budget : int
        The number of pages to fetch.
    """
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder, pages, sites, delays=delays) as proxy:
            for subject in ("ours", "scrapy", "scrapy, queue on disk"):
                disk = subject != "scrapy"
                command, store = (ours(folder, proxy, budget) if subject == "ours"
                                  else scrapy(folder, proxy, budget, disk=disk))  # fmt: skip
                cpu, wall = timed(command, folder, proxy)
                got, links = counted(store, of_ours=subject == "ours")
                found[subject] = {"pages": got, "links": links, "cpu": cpu, "wall": wall}
                if subject == "ours":
                    addresses(store, folder / "asked")
                for file in folder.glob(f"{store.name}*"):
                    file.unlink()
            asked = len((folder / "asked").read_text().split())
            command = [sys.executable, "-c", BARE, proxy, str(folder / "asked")]
            cpu, wall = timed(command, folder, proxy)
            found["bare aiohttp"] = {"pages": asked, "links": 0, "cpu": cpu, "wall": wall}
    return found


def addresses(store: Path, out: Path) -> None:
    """Write the addresses that our crawler fetched to a file."""
    with sqlite3.connect(store) as connection:
        rows = connection.execute("SELECT p.address FROM visits v JOIN pages p ON p.id = v.page")
        out.write_text("\n".join(row[0] for row in rows))


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--budget", type=int, default=10_000)
    parser.add_argument("--delays", action="store_true", help="include sites with a Crawl-delay")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rounds = [
        round_of(given.pages, given.sites, given.budget, delays=given.delays)
        for _ in range(given.rounds)
    ]
    table = {
        subject: {
            "pages": median(one[subject]["pages"] for one in rounds),
            "links": median(one[subject]["links"] for one in rounds),
            "pages/s per core": median(
                one[subject]["pages"] / one[subject]["cpu"] for one in rounds
            ),
            "pages/s": median(one[subject]["pages"] / one[subject]["wall"] for one in rounds),
        }
        for subject in rounds[0]
    }
    for subject, row in table.items():
        figures = "".join(f"{value:>12,.0f} {name}" for name, value in row.items())
        print(f"{subject:24}{figures}")
    ratio = median(
        (one["ours"]["pages"] / one["ours"]["cpu"])
        / (one["scrapy"]["pages"] / one["scrapy"]["cpu"])
        for one in rounds
    )
    print(f"ours / scrapy, pages/s per core, median of rounds: {ratio:.2f}")
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version(), "rounds": given.rounds}  # fmt: skip
        written = {"machine": machine, "subjects": table, "ours/scrapy": ratio}
        given.json.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
