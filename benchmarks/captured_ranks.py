"""Compares how policies rank on a captured web and on the synthetic web that is fitted to it.

    counterpoint web fit captured.toml --out fitted.toml
    python benchmarks/captured_ranks.py captured.toml fitted.toml --json benchmarks/ranks_x.json

Then each of some properties of the captured web is taken away, with all others kept as far as
possible, and the web that is left is compared with the same synthetic web. If the webs agree better
without a property, the property is a reason why they differ:

- order: the links of a page in another order, and each once;
- links: within each pair of sites, the targets of all links are exchanged at random. Sites, degrees
  and the links between sites stay; which pages of a site are near each other does not;
- sites: the targets of all links are exchanged at random. Degrees and sizes of sites stay; the
  share of links that leave a site no longer depends on the page;
- sizes: sites with more pages than the largest site of the synthetic web are cut into parts;
- turns: the sites come in the order of their sizes, the largest first, as in the synthetic web, and
  not in that of their names. It matters to policies that take sites in turn;
- hubs: each link moves to a page that is drawn from the site of its page, so that no page has many
  more links than others. Sites, in-degrees and the links between sites stay.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from counterpoint.sim_web import profile
from counterpoint.studies.captured.arrays import CapturedArrays
from counterpoint.studies.captured.building import arrays_of
from counterpoint.studies.captured.settings import CapturedSource, source_of
from counterpoint.studies.comparison.agreement import agreements, as_json
from counterpoint.studies.comparison.agreement_lines import summary
from counterpoint.studies.comparison.comparison import Comparison, compare
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted

POLICIES = ("breadth-first", "depth-first", "random", "opic", "hits", "one-by-one", "equal-quanta",
            "R1", "R2", "R3", "thompson")  # fmt: skip
SHOWN = ("external", "quality", "top")
SEED = 7

Array = np.ndarray[Any, Any]
Links = tuple[Array, Array, Array]
"""The sources and the targets of links, and the site of each page."""


def pages_of(arrays: CapturedArrays) -> Links:
    """Return the links between the captured pages of HTML, each once."""
    kept = np.flatnonzero(arrays.html)
    new = np.full(arrays.pages, -1)
    new[kept] = np.arange(len(kept))
    sources = new[np.repeat(np.arange(arrays.pages), np.diff(arrays.offsets))]
    targets = new[arrays.targets]
    there = (sources >= 0) & (targets >= 0) & (sources != targets)
    return sources[there], targets[there], arrays.host[kept]


def exchanged(links: Links, groups: Array) -> Links:
    """Return links whose targets are exchanged at random within groups of links."""
    sources, targets, site = links
    chance = np.random.default_rng(SEED)
    order = np.lexsort((chance.random(len(targets)), groups))
    mixed = np.empty_like(targets)
    mixed[np.argsort(groups, kind="stable")] = targets[order]
    kept = sources != mixed
    return sources[kept], mixed[kept], site


def in_pairs(links: Links) -> Links:
    """Exchange targets within each pair of sites."""
    sources, targets, site = links
    return exchanged(links, site[sources].astype(np.int64) * (site.max() + 1) + site[targets])


def anywhere(links: Links) -> Links:
    """Exchange the targets of all links."""
    return exchanged(links, np.zeros(len(links[0]), dtype=np.int64))


def cut(links: Links, most: int) -> Links:
    """Return the links with sites of at most so many pages."""
    sources, targets, site = links
    counts = np.bincount(site)
    starts = np.concatenate([[0], np.cumsum(counts)])[site]
    parts = (np.arange(len(site)) - starts) // most
    _, numbers = np.unique(site.astype(np.int64) * len(site) + parts, return_inverse=True)
    return sources, targets, numbers.reshape(-1)


def without_hubs(links: Links) -> Links:
    """Move each link to a page that is drawn from the site of its page."""
    sources, targets, site = links
    order = np.argsort(site, kind="stable")
    counts = np.bincount(site)
    starts = np.concatenate([[0], np.cumsum(counts)])
    drawn = np.random.default_rng(SEED).random(len(sources)) * counts[site[sources]]
    moved = order[starts[site[sources]] + drawn.astype(np.int64)]
    kept = moved != targets
    return moved[kept], targets[kept], site


def by_size(links: Links) -> Links:
    """Return the links with the sites in the order of their sizes, the largest first."""
    sources, targets, site = links
    largest = np.argsort(-np.bincount(site), kind="stable")
    places = np.empty_like(largest)
    places[largest] = np.arange(len(largest))
    return sources, targets, places[site]


def stored(links: Links, folder: Path) -> CapturedSource:
    """Store links as a graph, and return it as a world."""
    sources, targets, site = links
    names = [f"http://s{site[page]:05}.test/{page:07}" for page in range(len(site))]
    text = "".join(f"{names[a]} {names[b]}\n" for a, b in zip(sources, targets, strict=True))
    (folder / "links.txt").write_text(text)
    store = folder / "links.graph"
    subprocess.run([sys.executable, "-m", "counterpoint", "graph", "build",
                    str(folder / "links.txt"), str(store)], check=True)  # fmt: skip
    return CapturedSource("graph", (), graph=str(store))


def crawled(source: CapturedSource, of: ComparisonPlan) -> Comparison:
    """Crawl a captured web."""
    kind = profile.from_mapping({}, source.name, source.name)
    plan = replace(of, captured=source, profile=kind, web_pages=arrays_of(source).pages)
    return compare(plan, 2)


def variants(arrays: CapturedArrays, most: int) -> Iterator[tuple[str, Callable[[], Links]]]:
    """Yield the webs without a property."""
    links = pages_of(arrays)
    yield "order", lambda: links
    yield "links", lambda: in_pairs(links)
    yield "sites", lambda: anywhere(links)
    yield "sizes", lambda: cut(links, most)
    yield "turns", lambda: by_size(links)
    yield "hubs", lambda: without_hubs(links)


def main() -> None:
    """Compare, and print a line for each web and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("captured", type=Path)
    parser.add_argument("fitted")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sites", type=int, default=1000)
    parser.add_argument("--only", nargs="*", help="only the webs without these properties")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    source = source_of(given.captured)
    assert source is not None, f"{given.captured} has no table [captured]"
    plan = ComparisonPlan(POLICIES, profile.load(given.fitted), given.pages, None,
                          range(given.seeds), given.sites, draws=True)  # fmt: skip
    synthetic = compare(plan, 2)
    most = int(np.bincount(Planted(plan, 0).host).max())
    found: dict[str, Any] = {}

    def report(name: str, one: Comparison) -> None:
        rows = agreements(one, synthetic)
        found[name] = [
            row | {"same": len(row["same"]), "undecided": len(row["undecided"])}
            for row in as_json(rows) if row["measure"] in SHOWN
        ]  # fmt: skip
        for row in rows:
            if row.measure.name in SHOWN:
                print(f"{name:10} {row.measure.name:9} {summary(row)}", flush=True)

    report("captured", crawled(source, plan))
    for name, made in variants(arrays_of(source), most):
        if given.only and name not in given.only:
            continue
        with TemporaryDirectory() as folder:
            report(f"no {name}", crawled(stored(made(), Path(folder)), plan))
    if given.json is not None:
        about = {"pages": given.pages, "seeds": given.seeds,
                 "machine": platform.machine(), "python": platform.python_version()}  # fmt: skip
        given.json.write_text(json.dumps({"about": about, "webs": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
