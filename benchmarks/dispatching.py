"""Compares the processor time of our dispatcher with that of a plain aiohttp client.

    python benchmarks/dispatching.py --repeats 5 --json benchmarks/dispatching.json

A server of the synthetic web runs on loopback in a process of its own. Each client is a whole
process with uvloop and 64 requests at a time, without delays and robots.txt. The clients take
turns; the ratio of a turn compares clients that ran one after the other.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
AT_ONCE = 64
CLIENTS = ("bare aiohttp", "dispatcher")


def addresses(pages: int, wanted: int) -> list[str]:
    """Return addresses of pages in random order."""
    import numpy as np

    from counterpoint.sim_web import profile
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.pages.address import address

    web = Web(profile.load("broder-1999"), pages, 7)
    order = np.random.default_rng(1).permutation(web.pages)[:wanted].tolist()
    return [address(web, page) for page in order]


async def bare(proxy: str, wanted: list[str]) -> int:
    """Fetch with aiohttp alone; return the number of bytes received."""
    import aiohttp

    rest, size = iter(wanted), 0
    connector = aiohttp.TCPConnector(limit=0)

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal size
        for address in rest:
            async with session.get(address, proxy=proxy, allow_redirects=False) as response:
                size += len(await response.read())

    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(work(session) for _ in range(AT_ONCE)))
    return size


async def dispatched(proxy: str, wanted: list[str]) -> int:
    """Fetch with the dispatcher; return the number of bytes received."""
    from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
    from counterpoint.crawler.fetching.job import Job
    from counterpoint.crawler.fetching.manners import Manners
    from counterpoint.crawler.fetching.network import Network

    manners = Manners(robots=False, delay=0.0)
    there = PoliteDispatcher(Network(proxy), concurrency=AT_ONCE, manners=manners)
    size, jobs = 0, [Job(number, address) for number, address in enumerate(wanted)]
    for job in jobs[: 4 * AT_ONCE]:
        there.submit(job)
    for done in range(len(jobs)):
        size += len((await there.completed()).body)
        if done + 4 * AT_ONCE < len(jobs):
            there.submit(jobs[done + 4 * AT_ONCE])
    await there.close(grace=0)
    return size


def client(name: str, proxy: str, file: str) -> None:
    """Run one client, and print its bytes and times as JSON; ``file`` lists the addresses."""
    import uvloop

    wanted = Path(file).read_text().split()
    work = bare(proxy, wanted) if name == CLIENTS[0] else dispatched(proxy, wanted)
    begun = time.perf_counter()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        size = runner.run(work)
    took = time.perf_counter() - begun
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"bytes": size, "seconds": took, "cpu": used.ru_utime + used.ru_stime}))


@contextlib.contextmanager
def server(pages: int) -> Iterator[str]:
    """Serve the web in a process of its own; yield the proxy's address."""
    command = [sys.executable, "-m", "counterpoint", "web", "serve", "--profile", "broder-1999",
               "--pages", str(pages), "--seed", "7"]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                break
        else:
            raise SystemExit("the server did not start")
        try:
            yield found[0]
        finally:
            process.terminate()


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--fetches", type=int, default=5_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--client", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.client:
        client(*given.client)
        return
    file = Path(os.environ.get("TMPDIR", "/tmp")) / f"addresses-{os.getpid()}"
    file.write_text("\n".join(addresses(given.pages, given.fetches)))
    found: dict[str, list[float]] = {name: [] for name in CLIENTS}
    sizes: list[int] = []
    with server(given.pages) as proxy:
        for _ in range(given.repeats):
            for name in CLIENTS:
                command = [sys.executable, __file__, "--client", name, proxy, str(file)]
                ran = subprocess.run(command, check=True, stdout=subprocess.PIPE)
                figures = json.loads(ran.stdout)
                found[name].append(figures["cpu"] / given.fetches * 1000)
                sizes.append(figures["bytes"])
    file.unlink()
    if max(sizes) > 1.001 * min(sizes):  # pages change a little from one moment to the next
        raise SystemExit(f"the clients did not fetch the same: {sizes} bytes")
    ratio = median(b / a for a, b in zip(*found.values(), strict=True))
    for name, costs in found.items():
        print(f"{name:14}{median(costs):>8.3f} s of processor for 1,000 pages")
    print(f"ratio         {ratio:>8.2f}")
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version(), "repeats": given.repeats}  # fmt: skip
        costs = {name: median(each) for name, each in found.items()}
        written = {"machine": machine, "cpu seconds for 1,000 pages": costs, "ratio": ratio}
        given.json.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()
