"""Measures the steps per second of each scheduler, by the number of pages.

    python benchmarks/schedulers.py --pages 10000 100000 1000000 10000000

A web of ten sites with seven links a page is crawled to its last page. The loop is that of every
crawl, with the checks of the policy; the world answers from arrays. Policies that revisit known
pages visit each twice on average. All run on one core, and times are processor times. The policies
take turns in up to five rounds; the median and the best round are printed.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

SITES, DEGREE = 10, 7

MOST = {"hits": 100_000, "uniform": 10**6, "random-revisit": 10**6, "proportional": 10**6,
        "optimal-freshness": 10**6, "scent": 10**6}  # fmt: skip
"""The largest webs of policies that recompute all weights in each step, or keep objects by page."""

READING = ("tfidf", "tfidf+hits", "bm25", "link-bandit")
"""Policies that `reading.py` measures."""
LEFT_OUT = (*READING, "R1-printed", "R2-printed", "R3-printed", "scent-printed")


class Arrays:
    """Sites of equal size: page i links to 2 i + 1 and 2 i + 2, and to others at random."""

    def __init__(self, pages: int) -> None:
        import numpy as np

        from counterpoint.crawler.policy.protocol import Outcome

        chance = np.random.default_rng(1)
        size = pages // SITES
        self.pages = size * SITES
        self.starts = list(range(0, self.pages, size))
        inside = np.tile(np.arange(size), SITES)
        first = np.arange(self.pages) - inside
        links = chance.integers(0, size, (self.pages, DEGREE)) + first[:, None]
        for child in (1, 2):
            links[:, child] = first + np.minimum(2 * inside + child, size - 1)
        self._targets = links.reshape(-1)
        self._offsets = np.arange(0, self.pages * DEGREE + 1, DEGREE).data
        external = chance.poisson(0.1 + 0.4 * (np.arange(self.pages) // size))
        self._external = external.astype(np.int64).data
        self._outcome = Outcome

    def fetch(self, page: int) -> Any:
        """Return the outcome of fetching a page."""
        offsets = self._offsets
        links = self._targets[offsets[page] : offsets[page + 1]]
        return self._outcome(page, 200, links, self._external[page])

    def external(self, page: int) -> int:
        """Return the number of a page's external links."""
        return self._external[page]

    def rate(self, page: int) -> float:
        """Return the rate at which a page changes, per second."""
        return 1e-3 * (1 + page % 5)


def rate(name: str, world: Arrays) -> float:
    """Return the steps per second of a policy."""
    from counterpoint.crawler.policy.protocol import Scope
    from counterpoint.crawler.schedulers.finding import find
    from counterpoint.crawler.worlds.crawl import crawl

    chosen = find(name)
    scope = chosen.policy.scope
    known = scope is Scope.KNOWN
    starts = range(world.pages) if known else world.starts
    budget = 2 * world.pages if known else world.pages
    scheduler = chosen.scheduler(starts, budget, 1, world)
    begun = time.process_time()
    end = crawl(name, scheduler, world, starts, budget, scope)
    taken = time.process_time() - begun
    if end.failed or end.steps != budget:
        raise SystemExit(f"{name}: {end.steps} of {budget} steps: {end.why}")
    return budget / taken


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    sys.path.insert(0, str(ROOT / "src"))
    from counterpoint.crawler.schedulers.finding import POLICIES

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("policies", nargs="*", metavar="POLICY")
    parser.add_argument("--pages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument(
        "--steps",
        type=int,
        default=3_000_000,
        help="about how many steps all rounds of a policy have",
    )
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    names = given.policies or [name for name in POLICIES if name not in LEFT_OUT]
    found: dict[str, dict[int, dict[str, float]]] = {name: {} for name in names}
    for pages in sorted(given.pages):
        world = Arrays(pages)
        fit = [name for name in names if pages <= MOST.get(name.partition(",")[0], pages)]
        rates: dict[str, list[float]] = {name: [] for name in fit}
        for _ in range(max(1, min(5, given.steps // pages))):
            for name in fit:
                rates[name].append(rate(name, world))
                print(f"{name} {pages} {rates[name][-1]:.0f}", file=sys.stderr, flush=True)
        for name, of_rounds in rates.items():
            found[name][pages] = {"median": median(of_rounds), "best": max(of_rounds)}
            print(f"{name:20}{pages:>12,}{median(of_rounds):>12,.0f}{max(of_rounds):>12,.0f}",
                  flush=True)  # fmt: skip
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version()}  # fmt: skip
        written = {"machine": machine, "steps/s": found}
        given.json.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
