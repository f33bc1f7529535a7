"""Stores and analyses a web of the size of the Connectivity Server's on one small machine.

    python benchmarks/cs2.py --folder BIG                          203 million pages
    python benchmarks/cs2.py --folder BIG --pages 20354904         a tenth

The planted web (`planted.py`) has as many pages and links as CS2 had in May 1999. It is generated
while its store is built. Then BFS, WCC, SCC and the bow-tie are computed from the store, each in a
process of its own, and compared with the planted ones. The folder records the finished steps: after
an interruption, run the same command again to resume, even in the middle of the build. It needs 30
GB of disk.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

PAGES = 203_549_046
"""The number of pages of the crawl of May 1999 ([WEB])."""

STEPS = ("build", "open", "bfs", "wcc", "scc", "bowtie")


def _print_line(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


def step(name: str, given: argparse.Namespace) -> dict[str, Any]:
    """Do a step in this process; return its results."""
    from planted import Planted

    from counterpoint.graph.storage.build import BuildSettings, build
    from counterpoint.graph.storage.store import GraphStore

    planted = Planted(given.pages, given.addresses)
    store = given.folder / "web.graph"
    if name == "build":
        settings = BuildSettings(threads=given.threads)
        build(planted, store, settings, _print_line)
    begun = time.perf_counter()
    graph = GraphStore(store)
    opened = time.perf_counter() - begun
    if name == "build":
        return {"links": graph.links, "pages": graph.nodes}
    if name == "open":
        sizes = graph.sizes
        per_link = (sizes.out + sizes.into) / graph.links
        return {"seconds to open": opened, "bytes": sum(sizes), "bytes per link": per_link,
                "bytes per address": sizes.addresses / graph.nodes}  # fmt: skip
    return _computed(name, graph, planted.truth())


def _computed(name: str, graph: Any, truth: dict[str, int]) -> dict[str, Any]:
    from counterpoint.graph.search.bfs import bfs
    from counterpoint.graph.search.bowtie import bowtie
    from counterpoint.graph.search.scc import scc
    from counterpoint.graph.search.wcc import wcc

    in_one = graph.nodes - truth["disconnected"]
    if name == "bfs":
        found = bfs(graph, [0])
        return _compared({"reached": found.reached}, {"reached": truth["scc"] + truth["out"]})
    if name == "wcc":
        weak = wcc(graph)
        return _compared(
            {"largest": int(weak.sizes.max()), "number": weak.number}, {"largest": in_one}
        )
    if name == "scc":
        strong = scc(graph)
        largest = {"largest": truth["scc"]}
        return _compared({"largest": int(strong.sizes.max()), "number": strong.number}, largest)
    return _compared(dict(bowtie(graph).counts), truth)


def _compared(found: dict[str, Any], truth: dict[str, int]) -> dict[str, Any]:
    """Return the results; stop the script if one differs from the planted number."""
    for what, planted in truth.items():
        if found[what] != planted:
            raise SystemExit(f"{what}: {found[what]} found, {planted} planted")
    return found


class Watch(threading.Thread):
    """Measures the size of a folder with its subfolders, once a second."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self._folder, self._over, self.most = folder, threading.Event(), 0

    def run(self) -> None:
        """Measure until `end` is called."""
        while not self._over.wait(1.0):
            self.most = max(self.most, sum(map(_bytes, self._folder.rglob("*"))))

    def end(self) -> int:
        """Stop measuring; return the largest size in bytes."""
        self._over.set()
        self.join()
        return self.most


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_blocks * 512
    except OSError:
        return 0


def run(name: str, given: argparse.Namespace) -> dict[str, Any]:
    """Do a step in a process of its own; return its results, times, memory and disk."""
    arguments = [f"--pages={given.pages}", f"--folder={given.folder}", f"--step={name}",
                 f"--threads={given.threads}"]  # fmt: skip
    watch = Watch(given.folder)
    watch.start()
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, __file__, *arguments, *(["--addresses"] if given.addresses else [])],
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    disk = watch.end()
    if done.returncode:
        raise SystemExit(f"{name}: failed; {done.stdout}")
    found: dict[str, Any] = json.loads(done.stdout)
    found["seconds"] = time.perf_counter() - begun
    found["processor seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**found, "most GB on disk": disk / 1e9}


def _memory() -> dict[str, float]:
    """Return the peak memory of this process, in GB."""
    fields = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith(("VmHWM", "RssAnon"))
    )  # fmt: skip
    return {"GB of memory": int(fields["VmHWM"].split()[0]) / 1e6}


def main() -> None:
    """Do all steps that are not done yet, print a table, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--addresses", action="store_true", help="store addresses, too")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--step", choices=STEPS, help="do only this step, in this process")
    given = parser.parse_args()
    if given.step:
        print(json.dumps({**step(given.step, given), **_memory()}))
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    notes = given.folder / f"done-{given.pages}-{int(given.addresses)}.json"
    done: dict[str, Any] = json.loads(notes.read_text()) if notes.exists() else {}
    for name in STEPS:
        if name not in done:
            print(name, file=sys.stderr, flush=True)
            done[name] = run(name, given)
            notes.write_text(json.dumps(done, indent=2) + "\n")
        found = done[name]
        columns = ("seconds", "processor seconds", "GB of memory", "most GB on disk")
        print(name, *(f"{column} {found[column]:.2f}" for column in columns), sep="  ", flush=True)
    print(json.dumps(done["open"]))
    if given.json:
        given.json.write_text(json.dumps(done, indent=2) + "\n")


if __name__ == "__main__":
    main()
