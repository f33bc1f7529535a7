"""Repeats the measurements of the Connectivity Server 2 (CS2) of [WEB] on synthetic webs.

CS2 held 203 million addresses and 1,466 million links in the memory of an AlphaServer of 465 MHz.
Here a store with addresses is built for each web of the profile ``broder-1999``. All figures are
those of an address, a link or a page, so that they can be compared with other sizes. The times are
processor times of one thread, on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from counterpoint.graph.csr import Both, Graph
from counterpoint.graph.search.bfs import bfs
from counterpoint.graph.search.bowtie import bowtie
from counterpoint.graph.search.scc import scc
from counterpoint.graph.search.wcc import wcc
from counterpoint.graph.storage.build import BuildSettings, build
from counterpoint.graph.storage.store import GraphStore
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.statistics import Mean, mean
from counterpoint.studies.connectivity.webs import WebSource

from .statistics import as_json
from .study import Tell

PRINTED_PAGES, PRINTED_LINKS = 203_000_000, 1_466_000_000
"""The pages and the links of the crawl of May 1999."""

PRINTED = {
    "bytes an address": 10.0,
    "bytes a link": 3.4,
    "GB": 9.5,
    "page of an address": 75.0,
    "address of a page": 75.0,
    "a link of a random page": 0.15,
    "BFS": 2.4,
}
"""CS2's figures. Times are in microseconds; those of single queries are printed in milliseconds
(`counterpoint errata cs2-milliseconds`), 70 to 80 for addresses. The search through 100 million
pages took about four minutes on one processor."""

WEBS = 3
"""The most webs that are built: a web takes as long as hundreds of crawls."""
BATCH, ROUNDS = 10_000, 3
PAGES = 500_000

QUERIES = ("page of an address", "address of a page", "a link of a random page", "an in-link",
           "an in-link from another host")  # fmt: skip
SEARCHES = ("BFS", "WCC", "SCC", "bow-tie")


@dataclass(frozen=True)
class CS2:
    """The measured figures; each list has one figure for each web.

    Attributes
    ----------
    seeds : range
    pages : int
        The pages of each web.
    links : int
        The links of the first web.
    packed, expanded : dict of str to list of float
        The figures where links stay packed, and where all are unpacked in memory.
    bowties : list of dict of str to float
        The shares of the bow-tie that was found on each web.
    planted : dict of str to float
        The shares in the profile.
    """

    seeds: range
    pages: int
    links: int
    packed: dict[str, list[float]]
    expanded: dict[str, list[float]]
    bowties: list[dict[str, float]]
    planted: dict[str, float]

    def mean(self, name: str, *, expanded: bool = False) -> Mean:
        """Return the mean of a figure over the webs."""
        return mean((self.expanded if expanded else self.packed)[name])

    def gigabytes(self) -> float:
        """Return what a store of as many pages and links as CS2 had would take at these figures."""
        addresses = PRINTED_PAGES * self.mean("bytes an address").value
        return (addresses + PRINTED_LINKS * self.mean("bytes a link").value) / 1e9

    def to_json(self) -> dict[str, Any]:
        """Return all figures; those of time are the machine's."""
        return {
            "seeds": [self.seeds.start, self.seeds.stop - 1],
            "pages": self.pages,
            "links": self.links,
            "packed": {name: as_json(self.mean(name)) for name in self.packed},
            "expanded": {name: as_json(self.mean(name, expanded=True)) for name in self.expanded},
            "GB for as many pages as CS2 had": self.gigabytes(),
            "bow-ties": self.bowties,
            "paper": PRINTED,
        }


def microseconds(task: Callable[[], Any], count: int) -> float:
    """Return the median processor time of a task, divided by a count, in microseconds.

    The task runs once before the first time is taken: it may load compiled code.
    """
    task()
    found = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        task()
        found.append(time.process_time() - begun)
    return median(found) / count * 1e6


def queried(store: GraphStore, seed: int) -> dict[str, float]:
    """Return the microseconds of each kind of query, in batches of random pages."""
    pages = np.random.default_rng(seed).integers(0, store.nodes, BATCH)
    names = store.names(pages)
    if store.ids(names) != pages.tolist():
        raise RuntimeError("a page was not found by its address")
    out, into = store.out_lists(pages).offsets[-1], store.in_lists(pages).offsets[-1]
    remote = store.in_lists(pages, remote=True).offsets[-1]
    return {
        "page of an address": microseconds(lambda: store.ids(names), BATCH),
        "address of a page": microseconds(lambda: store.names(pages), BATCH),
        "a link of a random page": microseconds(lambda: store.out_lists(pages), int(out)),
        "an in-link": microseconds(lambda: store.in_lists(pages), int(into)),
        "an in-link from another host": microseconds(
            lambda: store.in_lists(pages, remote=True), max(1, int(remote))
        ),
    }


def searched(graph: Graph, start: int) -> dict[str, float]:
    """Return the microseconds that each search takes for a page.

    Parameters
    ----------
    graph : Graph
    start : int
        Where the breadth-first search begins; its time is divided by the pages that it reaches.
    """
    reached = bfs(graph, [start]).reached
    return {
        "BFS": microseconds(lambda: bfs(graph, [start]), reached),
        "WCC": microseconds(lambda: wcc(graph), graph.nodes),
        "SCC": microseconds(lambda: scc(graph), graph.nodes),
        "bow-tie": microseconds(lambda: bowtie(graph), graph.nodes),
    }


def measured(pages: int, seed: int, folder: Path) -> tuple[dict[str, float], dict[str, float],
                                                           dict[str, float], int]:  # fmt: skip
    """Build a store, and measure it.

    Returns
    -------
    dict, dict
        The figures with packed and with expanded links.
    dict
        The shares of the bow-tie.
    int
        The number of links.
    """
    path = folder / f"{seed}.graph"
    begun = time.process_time()
    build(WebSource(Web(load("broder-1999"), pages, seed)), path, BuildSettings(threads=1))
    built = time.process_time() - begun
    store = GraphStore(path)
    sizes = store.sizes
    tie = bowtie(store)
    start = int(np.flatnonzero(tie.components == 0)[0])
    packed = {
        "bytes an address": sizes.addresses / store.nodes,
        "bytes a link": (sizes.out + sizes.into) / store.links,
        "build": built / store.nodes * 1e6,
        **queried(store, seed),
        **searched(store, start),
    }
    whole = Both(store.out.expanded(), store.into.expanded())
    expanded = {
        "all links in order": microseconds(store.out.expanded, store.links),
        **searched(whole, start),
    }
    links = store.links
    path.unlink()
    return packed, expanded, dict(tie.shares), links


def study(seeds: range, processes: int = 1, tell: Tell | None = None, *, pages: int = PAGES) -> CS2:
    """Build and measure a store for each seed, at most `WEBS`.

    Parameters
    ----------
    seeds : range
    processes : int
        Is not used: the stores are measured one after another, so that none slows another down.
    tell : callable, optional
        Shows the progress.
    pages : int
        The number of pages of each web.
    """
    del processes
    seeds = seeds[:WEBS]
    packed: dict[str, list[float]] = {}
    expanded: dict[str, list[float]] = {}
    bowties, links = [], 0
    with TemporaryDirectory() as folder:
        for seed in seeds:
            if tell is not None:
                tell(f"store {seed - seeds.start + 1} of {len(seeds)}")
            one, other, shares, number = measured(pages, seed, Path(folder))
            for figures, whole in ((one, packed), (other, expanded)):
                for name, value in figures.items():
                    whole.setdefault(name, []).append(value)
            bowties.append(shares)
            links = links or number
    shares = vars(load("broder-1999").shares)
    planted = {name.rstrip("_"): share for name, share in shares.items()}
    return CS2(seeds, pages, links, packed, expanded, bowties, planted)
