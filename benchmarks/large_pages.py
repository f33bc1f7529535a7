"""Measures the memory of a crawl of large pages, and how fast it stops.

    python benchmarks/large_pages.py --json benchmarks/large_pages.json

A server in a process of its own serves several sites on loopback addresses. Each page has 5 MB and
200,000 links to pages of its own site, most of them known from the page before. The crawl is a
process of its own; its memory is that of all its processes. A sample is taken every half
second: the sum of their proportional set sizes (PSS) and of their resident set sizes (RSS). The
high-water mark of each process (VmHWM) cannot miss a peak.

First the crawl runs to its end. Then a crawl of start pages gets one SIGINT, is resumed and gets
two, several times. At last it is resumed to its end, and must have stored what an uninterrupted
crawl of them stores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FRESH = 1_000
"""How many links of a page are not on the page before."""
SAMPLE = 0.5
"""Seconds between two samples of memory."""


def page(number: int, links: int) -> bytes:
    """Return a page with links of 25 bytes to the pages of its site."""
    first = number * FRESH
    return b"".join(b"<a href=/%07d>abc</a>\n" % one for one in range(first, first + links))


def serve(port: int, sites: int, links: int) -> None:
    """Serve pages on the first loopback addresses until the process is killed."""
    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        name = request.path.strip("/")
        if name and not name.isdecimal():
            return web.Response(status=404)
        return web.Response(body=page(int(name or 0), links), content_type="text/html")

    async def run() -> None:
        application = web.Application()
        application.router.add_get("/{name:.*}", answer)
        runner = web.AppRunner(application)
        await runner.setup()
        for host in range(1, sites + 1):
            await web.TCPSite(runner, f"127.0.0.{host}", port).start()
        print("ready", flush=True)
        await asyncio.Event().wait()

    asyncio.run(run())


@contextmanager
def served(sites: int, links: int) -> Iterator[list[str]]:
    """Serve the sites in a process; yield their start pages."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(Path(__file__).resolve()), "--serve", str(port),
               "--sites", str(sites), "--links", str(links)]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise SystemExit("the server did not start")
        yield [f"http://127.0.0.{host}:{port}/" for host in range(1, sites + 1)]
    finally:
        process.kill()
        process.wait()


def tree(root: int) -> list[int]:
    """Return a process and all processes below it."""
    found = [root]
    for one in found:
        for children in Path("/proc", str(one), "task").glob("*/children"):
            with suppress(OSError):
                found += map(int, children.read_text().split())
    return found


def _megabytes(path: Path, name: str) -> float:
    with suppress(OSError):
        for line in path.read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) / 1024
    return 0.0  # the process has ended


class Peak:
    """The most memory that a process and those below it had, in MB."""

    def __init__(self) -> None:
        self.pss = self.rss = 0.0
        self.marks: dict[int, float] = {}

    def sample(self, root: int) -> None:
        """Look at all processes once."""
        pss = rss = 0.0
        for one in tree(root):
            folder = Path("/proc", str(one))
            pss += _megabytes(folder / "smaps_rollup", "Pss")
            rss += _megabytes(folder / "status", "VmRSS")
            mark = _megabytes(folder / "status", "VmHWM")
            self.marks[one] = max(mark, self.marks.get(one, 0.0))
        self.pss, self.rss = max(pss, self.pss), max(rss, self.rss)

    def figures(self) -> dict[str, Any]:
        """Return the figures for the report."""
        marks = sorted((round(mark) for mark in self.marks.values()), reverse=True)
        return {"PSS, MB": round(self.pss), "RSS, MB": round(self.rss), "VmHWM, MB": marks}


class Crawl:
    """One process of ``counterpoint crawl``.

    Parameters
    ----------
    db : str
        The store.
    folder : Path
        Gets the log and the output.
    options : sequence of str
    """

    def __init__(self, db: str, folder: Path, *options: str) -> None:
        self.log, self._output = folder / "crawl.log", folder / "output"
        self._pages = self.pages()
        self.peak, self.begun = Peak(), time.monotonic()
        command = [sys.executable, "-m", "counterpoint", "crawl", "--db", db, "--log",
                   str(self.log), *options]  # fmt: skip
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output)

    def pages(self) -> int:
        """Return how many pages were stored, by the log."""
        return self.log.read_text().count('"event": "page"') if self.log.exists() else 0

    def until(self, pages: int) -> float:
        """Wait until more pages are stored, or the crawl ends; return the seconds it took."""
        while self.process.poll() is None and self.pages() < self._pages + pages:
            self.peak.sample(self.process.pid)
            time.sleep(SAMPLE)
        return time.monotonic() - self.begun

    def stop(self) -> None:
        """Send SIGINT."""
        self.process.send_signal(signal.SIGINT)

    def ended(self) -> float:
        """Wait until the process has ended; return the seconds that it took."""
        since = time.monotonic()
        sampled = 0.0
        while self.process.poll() is None:
            if time.monotonic() - sampled > SAMPLE:
                self.peak.sample(self.process.pid)
                sampled = time.monotonic()
            time.sleep(0.01)
        return time.monotonic() - since

    def output(self) -> str:
        """Return what the process has printed."""
        return self._output.read_text(errors="replace")

    def must_end_with(self, *codes: int) -> None:
        """Exit if the process ended otherwise, or with a traceback."""
        text = self.output()
        if self.process.returncode not in codes or "Traceback" in text:
            raise SystemExit(f"the crawl ended with {self.process.returncode}:\n{text[-3000:]}")


def contents(db: str, links: int) -> list[tuple[Any, ...]]:
    """Return the visited pages of a store, each with the number of its links, and two of them."""
    from counterpoint.crawler.store.opening import open_store

    with open_store(db) as store, store.reading() as connection:
        pages = connection.exec_driver_sql(
            "SELECT p.address, p.status, p.size, count(l.target), min(t.address), max(t.address)"
            " FROM pages p JOIN internal_links l ON l.page = p.id JOIN pages t ON t.id = l.target"
            " GROUP BY p.address, p.status, p.size"
        ).fetchall()
        twice = connection.exec_driver_sql(
            "SELECT count(*) FROM (SELECT page FROM visits WHERE observed IS NOT NULL"
            " GROUP BY plan, page HAVING count(*) > 1) AS found"
        ).scalar()
    found = sorted(map(tuple, pages))
    if any(one[3] != links for one in found) or twice:
        raise SystemExit(f"{db}: a page has not all of its links, or was visited twice")
    return found


def measured(given: argparse.Namespace, folder: Path, stores: Sequence[str]) -> dict[str, Any]:
    """Crawl three times, once with interruptions; return the figures.

    Parameters
    ----------
    given : Namespace
        The options.
    folder : Path
        Gets logs and seeds.
    stores : sequence of str
        Where the three stores are made.
    """
    first, second, third = stores
    with served(max(given.sites, given.interrupted), given.links) as starts:
        options = ["--seeds", str(folder / "seeds"), "--scheduler", "breadth-first", "--stay",
                   "--concurrency", str(given.concurrency)]  # fmt: skip
        (folder / "seeds").write_text("\n".join(starts[: given.sites]) + "\n")
        whole = Crawl(first, folder, *options, "--budget", str(given.pages))
        early = whole.until(1)
        seconds = early + whole.ended()
        whole.must_end_with(0)
        found = {"pages": whole.pages(), "first page, s": round(early, 2),
                 "seconds": round(seconds, 1), **whole.peak.figures()}  # fmt: skip
        print(json.dumps(found), flush=True)
        if not given.interrupted:
            return found
        # The start pages alone: each crawl must have all of them, whatever the order is.
        (folder / "seeds").write_text("\n".join(starts[: given.interrupted]) + "\n")
        options += ["--level", "0", "--budget", str(given.interrupted)]
        stops = [interrupted(second, folder, number, options) for number in range(given.rounds)]
        for store in (second, third):
            last = Crawl(store, folder, *options)
            last.ended()
            last.must_end_with(0)
        if contents(second, given.links) != contents(third, given.links):
            raise SystemExit("the resumed crawl has other pages or links")
        return found | {"stops": stops}


def interrupted(store: str, folder: Path, number: int, options: Sequence[str]) -> dict[str, float]:
    """Stop a crawl by one signal, resume it and stop it by two; return the seconds of both stops.

    Parameters
    ----------
    store : str
    folder : Path
        Gets the log.
    number : int
        How many pages are stored before the first signal; it comes in the midst of the next one.
    options : sequence of str
        Those of the crawl.
    """
    found = {}
    for name, signals in (("one signal, s", 1), ("two signals, s", 2)):
        crawl = Crawl(store, folder, *options)
        crawl.until(number + 1)
        crawl.stop()
        if signals == 2:
            time.sleep(0.3)
            crawl.stop()
        found[name] = round(crawl.ended(), 2)
        # A second signal may come while Python ends, and then has its usual effect.
        crawl.must_end_with(130, *([-signal.SIGINT] if signals == 2 else []))
    print(json.dumps(found), flush=True)
    return found


def main() -> None:
    """Measure, print the figures, and write them as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--interrupted", type=int, default=48, metavar="PAGES",
                        help="pages of the crawl that is interrupted; 0: none is")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=3, help="how often it is interrupted")
    parser.add_argument("--links", type=int, default=200_000)
    parser.add_argument("--sites", type=int, default=16)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--postgresql", metavar="URL", nargs=3,
                        help="three empty databases, instead of SQLite")  # fmt: skip
    parser.add_argument("--folder", type=Path, help="the folder for the stores")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        serve(given.serve, given.sites, given.links)
        return
    with TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        stores = given.postgresql or [str(folder / f"{number}.db") for number in range(3)]
        found = measured(given, folder, stores)
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version(), "cores": os.cpu_count()}  # fmt: skip
        asked = {"pages": given.pages, "links": given.links, "sites": given.sites,
                 "concurrency": given.concurrency}  # fmt: skip
        text = json.dumps({"machine": machine, "asked": asked, **found}, indent=2)
        given.json.write_text(text + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()
