"""Measures the memory of a crawl that stores the links of a million pages.

    python benchmarks/crawl_memory.py --budget 1000000 --json benchmarks/crawl_memory.json

The engine, the planner and the SQLite store are those of `counterpoint crawl --db`. The pages of a
synthetic web are answered in process, without HTTP. The web fills its cache of host names before
the first page, because a server would have memory of its own. At the end the crawl is resumed as
after a kill: all calls of the scheduler are replayed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import platform
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CONCURRENCY = 16


def resident() -> float:
    """Return the resident memory of this process, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise OSError("the system reports no resident memory")


class Answering:
    """A `Dispatcher` that answers jobs from a synthetic web."""

    def __init__(self, web: Any) -> None:
        from counterpoint.sim_web.world.fetcher import Simulated
        from counterpoint.sim_web.world.site import SyntheticSite

        self._web, self._jobs = Simulated(SyntheticSite(web)), asyncio.Queue[Any]()

    def under_way(self) -> int:
        """Return the number of unanswered jobs."""
        return self._jobs.qsize()

    def submit(self, job: Any) -> None:
        """Take a job."""
        self._jobs.put_nowait(job)

    async def completed(self) -> Any:
        """Return an answer."""
        from counterpoint.crawler.documents.addresses import site
        from counterpoint.crawler.fetching.job import ClosedError, Fetched, HostState

        await asyncio.sleep(0)  # other tasks get their turn, even if there are many jobs
        job = await self._jobs.get()
        if job is None:
            self._jobs.put_nowait(None)
            raise ClosedError("closed")
        answer, now = self._web.get(job.address), time.time()
        headers = {name.lower(): value for name, value in answer.headers}
        return Fetched(
            job, answer.status, "", answer.body, headers.get("content-type", ""), time=now,
            hosts=(HostState(site(job.address), now),),
        )  # fmt: skip

    def waiting(self) -> str:
        """Return the reason for waiting: none."""
        return ""

    async def close(self, *, grace: float) -> None:
        """Drop the unanswered jobs."""
        while not self._jobs.empty():
            self._jobs.get_nowait()
        self._jobs.put_nowait(None)


class Watch:
    """Records memory and time of each block of pages.

    Parameters
    ----------
    every : int
        The number of pages in a block.
    """

    def __init__(self, every: int) -> None:
        self.every, self.pages, self.links = every, 0, 0
        self.rows: list[dict[str, float]] = []
        self._begun, self._cpu = time.monotonic(), time.process_time()
        self._seen: list[float] = []

    def __call__(self, taken: Any) -> None:
        """Count a page."""
        self.pages += 1
        self.links += taken.internal + taken.external
        if self.pages % (self.every // 10) == 0:
            self._seen.append(resident())
        if self.pages % self.every == 0:
            now, cpu = time.monotonic(), time.process_time()
            row = {
                "pages": self.pages, "links": self.links, "MB": max(self._seen),
                "MB, least": min(self._seen), "pages/s": self.every / (now - self._begun),
                "pages/s of processor": self.every / (cpu - self._cpu),
            }  # fmt: skip
            self.rows.append(row)
            self._begun, self._cpu, self._seen = now, cpu, []
            print("  ".join(f"{name} {value:,.0f}" for name, value in row.items()), flush=True)


def begin_plan(store: Any, web: Any, sites: int, budget: int, policy: str) -> None:
    """Begin a plan for the largest hosts of a web.

    Parameters
    ----------
    store : open store
        An empty one.
    web : Web
    sites : int
        The number of hosts whose start pages are seeds.
    budget : int
        The number of pages to fetch.
    policy : str
        The name of the scheduler.
    """
    from counterpoint.crawler.beebot.beginning import begin
    from counterpoint.crawler.store.lists import Seed
    from counterpoint.crawler.store.seeds import add_all

    starts = [f"http://{web.name(host)}/" for host in range(sites)]
    add_all(store, [(start, Seed(start)) for start in starts])
    begin(store, {"scheduler": policy, "budget": str(budget), "stay": True})


async def crawled(engine: Any, seconds: float | None) -> Any:
    """Run an engine, and stop it after some seconds, if any are given."""
    if seconds is not None:
        asyncio.get_running_loop().call_later(seconds, engine.stop)
    return await engine.run()


def remember_names(web: Any) -> None:
    """Fill the cache of host names, so that it does not grow during the crawl."""
    from counterpoint.sim_web.pages import render

    for host in range(min(web.hosts, render._name.cache_info().maxsize or 0)):
        render._name(web, host)


def crawl(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Crawl, then resume the crawl as after a kill; return the figures."""
    from counterpoint.crawler.beebot.engine import Engine
    from counterpoint.crawler.beebot.planner import Planner
    from counterpoint.crawler.fetching.memory import keep_memory, look_seldom
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.sim_web import profile
    from counterpoint.sim_web.generator import Web

    keep_memory()
    look_seldom()
    web = Web(profile.load("broder-1999"), given.pages, 7)
    remember_names(web)
    watch = Watch(given.every)
    with open_store(folder / "crawl.db", create=True) as store:
        begin_plan(store, web, given.sites, given.budget, given.policy)
        planner = Planner(store, 4 * CONCURRENCY)
        ended = asyncio.run(crawled(Engine(planner, Answering(web), watch), given.seconds))
        print(f"{watch.pages:,} pages, {watch.links:,} links; ended: {ended.why}")
        size = sum(file.stat().st_size for file in folder.iterdir())
    del planner
    gc.collect()
    with open_store(folder / "crawl.db") as store:
        with store.transaction() as connection:  # as if the crawl had been killed before its end
            connection.exec_driver_sql("UPDATE plans SET ended = ''")
        clock = time.process_time()
        planner = Planner(store, 4 * CONCURRENCY)
        planner.open()
        planner.step(ask=False)
        planner.close()
        resumed = time.process_time() - clock
    print(f"store: {size / 2**20:,.0f} MB; replayed in {resumed:.1f} s")
    return {"rows": watch.rows, "pages": watch.pages, "links": watch.links, "ended": ended.why,
            "store, MB": size / 2**20, "replay, s of processor": resumed}  # fmt: skip


def main() -> None:
    """Measure, print the figures, and write them as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--budget", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=4_000_000)
    parser.add_argument("--sites", type=int, default=1000)
    parser.add_argument("--policy", default="equal-quanta")
    parser.add_argument("--seconds", type=float, help="stop the crawl after this many seconds")
    parser.add_argument("--every", type=int, default=100_000)
    parser.add_argument(
        "--folder", type=Path, help="the folder for the store, which takes gigabytes"
    )
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(dir=given.folder) as name:
        found = crawl(Path(name), given)
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version()}  # fmt: skip
        asked = {"policy": given.policy, "budget": given.budget, "web": given.pages,
                 "sites": given.sites}  # fmt: skip
        text = json.dumps({"machine": machine, "asked": asked, **found}, indent=2)
        given.json.write_text(text + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()
