"""Measures fetches per second in process: as numbers, as bytes, and as bytes that are parsed.

    python benchmarks/fetching.py --repeats 5 --json benchmarks/fetching.json

Pages of `broder-1999` are fetched in random order on one core. Every figure is the median of the
repeats, in which the subjects take turns. Times are processor times of the process.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent


def subjects(pages: int, fetches: int) -> dict[str, Callable[[], None]]:
    """Return the measured functions by name; each does the given number of fetches."""
    import numpy as np

    from counterpoint.sim_web import profile
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.pages.address import address
    from counterpoint.sim_web.world.fetcher import Simulated, keep_memory, read
    from counterpoint.sim_web.world.site import SyntheticSite

    keep_memory()
    web = Web(profile.load("broder-1999"), pages, 7)
    site = SyntheticSite(web)
    order = np.random.default_rng(1).integers(0, web.pages, fetches).tolist()
    urls = [address(web, page) for page in order]
    written, computed = Simulated(site, explicit=web.explicit()), Simulated(site)

    def every(work: Callable[..., object], inputs: Sequence[object]) -> Callable[[], None]:
        def run() -> None:
            for one in inputs:
                work(one)

        return run

    return {
        "by numbers, links written out": every(written.fetch, order),
        "by numbers, links computed": every(computed.fetch, order),
        "rendered": every(computed.get, urls),
        "rendered and parsed": every(lambda url: read(computed.get(url).body, url), urls),
    }


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--fetches", type=int, default=50_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, list[float]] = {}
    works = subjects(given.pages, given.fetches)
    for turn in range(given.repeats + 1):
        for name, work in works.items():
            begun = time.process_time()
            work()
            if turn:  # the first turn compiles
                rate = given.fetches / (time.process_time() - begun)
                found.setdefault(name, []).append(rate)
    medians = {name: median(rates) for name, rates in found.items()}
    for name, rate in medians.items():
        print(f"{name:34}{rate:>12,.0f} fetches/s")
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version(), "repeats": given.repeats}  # fmt: skip
        written = {"machine": machine, "fetches/s": medians}
        given.json.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()
