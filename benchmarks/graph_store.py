"""Measures the size of graph stores, and how fast they are built and answer.

    python benchmarks/graph_store.py --pages 1000000 5000000 --json benchmarks/graph_store.json

The stores contain webs of the profile `broder-1999`, with their addresses. The figures are the
bytes of a link, in both directions together, and of an address, with their indices; the times of
the build, of opening, and of queries one by one and in batches. Times are processor times of one
thread: the median and the best of the rounds.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

ASKED, BATCH, ROUNDS = 5_000, 10_000, 5


def measured(task: Callable[[], Any], times: int, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the microseconds of processor time of a task, divided by a count.

    Parameters
    ----------
    task : callable
    times : int
        The count, such as the number of queries in the task.
    rounds : int
        How often the task runs, after a first run that is not measured.
    """
    task()
    found = []
    for _ in range(rounds):
        begun = time.process_time()
        task()
        found.append((time.process_time() - begun) / times * 1e6)
    return {"median": median(found), "best": min(found)}


def built(pages: int, path: Path, addressed: bool) -> tuple[float, float]:
    """Build a store; return its seconds, and its seconds of processor time."""
    from counterpoint.graph.storage.build import BuildSettings, build
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.profile import load
    from counterpoint.studies.connectivity.webs import WebSource

    source = WebSource(Web(load("broder-1999"), pages, 7), addressed)
    begun, used = time.perf_counter(), time.process_time()
    build(source, path, BuildSettings(threads=1), lambda line: print(f"  {line}", file=sys.stderr))
    return time.perf_counter() - begun, time.process_time() - used


def queries(path: Path) -> dict[str, dict[str, float]]:
    """Return the microseconds of each kind of query."""
    import numpy as np

    from counterpoint.graph.storage.store import GraphStore

    store = GraphStore(path)
    chance = np.random.default_rng(1)
    some = chance.integers(0, store.nodes, ASKED)
    hosts = chance.integers(0, store.hosts_count, (ASKED // 10, 2)).tolist()
    names = store.names(some[: ASKED // 5])
    batch = chance.integers(0, store.nodes, BATCH)
    named = store.names(batch)
    many = chance.integers(0, store.nodes, 200_000)
    one_by_one = some.tolist()
    few = one_by_one[: ASKED // 5]
    links = int(store.out_lists(many).offsets[-1])
    return {
        "open": measured(lambda: GraphStore(path), 1),
        "out-links": measured(lambda: [store.out_links(p) for p in one_by_one], ASKED),
        "in-links": measured(lambda: [store.in_links(p) for p in one_by_one], ASKED),
        "remote in-links": measured(lambda: [store.in_links(p, True) for p in one_by_one], ASKED),
        "address of a page": measured(lambda: [store.name(p) for p in few], len(few)),
        "page of an address": measured(lambda: store.ids(names), len(names)),
        "address of a page, in one batch": measured(lambda: store.names(batch), BATCH),
        "page of an address, in one batch": measured(lambda: store.ids(named), BATCH),
        "links between hosts": measured(lambda: [store.between(*h) for h in hosts], len(hosts)),
        "a link, random pages in one batch": measured(lambda: store.out_lists(many), links),
        "a link, all in order": measured(lambda: store.out.expanded(), store.links),
        "a link, host graph": measured(store.host_graph, store.links, 1),
    }


def of_web(pages: int, folder: Path) -> dict[str, Any]:
    """Return the figures of a web."""
    from counterpoint.graph.storage.store import GraphStore

    figures: dict[str, Any] = {"pages": pages}
    for name, addressed in (("in the order of addresses", True), ("in the web's own order", False)):
        path = folder / f"{pages}-{addressed}.graph"
        seconds, used = built(pages, path, addressed)
        store = GraphStore(path)
        sizes = store.sizes
        figures["links"] = store.links
        figures[name] = {
            "out": sizes.out / store.links, "into": sizes.into / store.links,
            "bytes a link": (sizes.out + sizes.into) / store.links,
            "bytes an address": sizes.addresses / store.nodes,
            "build, s": seconds, "build, s of processor": used,
        }  # fmt: skip
        if addressed:
            figures["queries, µs"] = queries(path)
        path.unlink()
    return figures


def main() -> None:
    """Measure, print the figures, and write them as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--folder", type=Path, help="for the stores; by default a temporary one")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        built(1000, Path(folder) / "warm.graph", addressed=True)  # compile
        for pages in given.pages:
            found.append(of_web(pages, Path(folder)))
            print(json.dumps(found[-1], indent=2, ensure_ascii=False), flush=True)
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version()}  # fmt: skip
        written = {"machine": machine, "webs": found}
        given.json.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
