"""Compares HITS on a growing graph with the plain matrix products of scipy.

    python benchmarks/hits.py --rounds 9 --json benchmarks/hits.json

There are two graphs, each with the links of a web of `broder-1999` in the order of a breadth-first
crawl. The first has 10^6 pages, all fetched, and 10^7 links. On it, 20 iterations from all ones,
with scaling and residuals, are compared with 40 products of scipy, whose matrices for both
directions are prepared before. The second is a part of a crawl that knows 180,000 pages by 700,000
links. On it, a step of the focused crawler is measured: HITS from the previous weights, after ten
hubs were expanded.

The subjects take turns in one process on one thread. Times are processor times. The ratio is the
median of the ratios of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
ROOT = Path(__file__).resolve().parent.parent

ITERATIONS = 20
EXPANDED = 100
"""About how many pages a step of the focused crawler fetches: ten hubs with ten new links each."""


def planted(pages: int, degree: float) -> tuple[Any, Any]:
    """Return the offsets and the targets of a web's links; ``degree`` is the mean out-degree."""
    from counterpoint.sim_web import profile
    from counterpoint.sim_web.generator import Web

    loaded = profile.load("broder-1999")
    web = Web(replace(loaded, degrees=replace(loaded.degrees, mean=degree)), pages, 7)
    links = web.explicit()
    return links.offsets, links.targets


def crawled(offsets: Any, targets: Any, hits: Any, links: int) -> Any:
    """Add pages to a growing graph in the order of a breadth-first crawl.

    A crawl that has fetched all pages it found continues with the first page not found.

    Parameters
    ----------
    offsets, targets : arrays
        The links of the web, from `planted`.
    hits : GrowingHits
        Gets the pages.
    links : int
        The crawl ends when ``hits`` has so many links.

    Yields
    ------
    int
        Each page, after it was added.
    """
    import numpy as np

    from counterpoint.crawler.policy.tables import FoundPages

    found = FoundPages([0])
    place = other = 0
    while hits.links < links:
        if place == found.end:
            other += int(np.argmin(found.seen[other : len(offsets) - 1]))
            found.add(np.array([other]))
        page = int(found.pages[place])
        place += 1
        row = targets[offsets[page] : offsets[page + 1]].astype(np.int64)
        found.add(row)
        hits.add(page, row)
        yield page


def timed(call: Callable[[], Any]) -> float:
    """Return the processor time of a call."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def whole(pages: int, rounds: int) -> dict[str, Any]:
    """Return the times of 20 iterations of ours, and those of scipy's products."""
    import numpy as np
    from scipy.sparse import csr_matrix

    from counterpoint.crawler.schedulers.weights import GrowingHits
    from counterpoint.graph.ranking.hits import hits as stored

    offsets, targets = planted(pages, 10.0)
    growing = GrowingHits(tolerance=0, most=ITERATIONS)
    for _ in crawled(offsets, targets, growing, len(targets)):
        pass
    rows = growing.graph
    shape = growing.rows, len(growing.pages)
    into = csr_matrix((np.ones(rows.links), rows.targets.astype(np.int32),
                       rows.offsets.astype(np.int32)), shape=shape)  # fmt: skip
    back = into.T.tocsr()
    graph = growing.by_number()

    def products() -> None:
        weights = np.full(shape[0], 1e-3)
        for _ in range(ITERATIONS):
            weights = into @ (back @ weights)

    subjects: dict[str, Callable[[], Any]] = {
        "growing": lambda: growing.weigh(from_ones=True),
        "scipy's products": products,
        "stored": lambda: stored(graph, tolerance=0, most=ITERATIONS),
    }
    for subject in subjects.values():
        subject()
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, subject in subjects.items():
            seconds[name].append(timed(subject))
    peer = seconds["scipy's products"]
    return {"pages": shape[1], "links": rows.links, "seconds": seconds,
            "ratio": {name: median(a / b for a, b in zip(of, peer, strict=True))
                      for name, of in seconds.items()}}  # fmt: skip


def steps(links: int, rounds: int) -> dict[str, Any]:
    """Return the times of the last steps of a crawl, up to a number of known links."""
    from counterpoint.crawler.schedulers.weights import GrowingHits

    offsets, targets = planted(400_000, 4.3)
    growing = GrowingHits()
    crawl = crawled(offsets, targets, growing, links)
    seconds, iterations = [], []
    last = links - rounds * int(EXPANDED * 4.3)
    for place, _ in enumerate(crawl):
        measured = growing.links >= last
        if place % (EXPANDED if measured else 50 * EXPANDED) == 0:
            begun = time.process_time()
            run = growing.weigh()
            if measured:
                seconds.append(time.process_time() - begun)
                iterations.append(run.iterations)
    from_ones = timed(lambda: growing.weigh(from_ones=True))
    return {"pages": len(growing.pages), "fetched": growing.rows, "links": growing.links,
            "seconds": seconds, "iterations": iterations, "anew": from_ones}  # fmt: skip


def main() -> None:
    """Measure, print the figures, and write them as JSON."""
    sys.path.insert(0, str(ROOT / "src"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument(
        "--links", type=int, default=700_000, help="the number of links that the crawl knows"
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    one, two = whole(given.pages, given.rounds), steps(given.links, given.rounds)
    print(f"{one['pages']:,} pages, {one['links']:,} links, {ITERATIONS} iterations")
    for name, of in one["seconds"].items():
        print(f"  {name:20}{median(of):8.2f} s{one['ratio'][name]:8.2f}")
    print(f"{two['pages']:,} pages known, {two['fetched']:,} fetched, {two['links']:,} links")
    middle, slowest = median(two["seconds"]), max(two["seconds"])
    print(f"  a step {middle:.4f} s, {median(two['iterations']):.0f} iterations; "
          f"the slowest {slowest:.4f} s; from all ones {two['anew']:.4f} s")  # fmt: skip
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version()}  # fmt: skip
        given.json.write_text(json.dumps({"machine": machine, "whole": one, "steps": two},
                                         indent=2) + "\n")  # fmt: skip


if __name__ == "__main__":
    main()
