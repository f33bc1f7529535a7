r"""Compares graph algorithms with those of scipy, NetworKit, igraph and graph-tool.

    python benchmarks/graph_algorithms.py --pages 5000000 --peers VENV/bin/python \
        --graph-tool /usr/bin/python3

The tasks are the bow-tie, components, searches and rankings of a web of `broder-1999` with 9.4
links a page, so that 5 million pages have 47 million links. The subjects run one after the other,
each in a process of its own on one core. A subject loads the graph in its own form, then runs every
task in rounds. Times are processor times, the median of the rounds. All subjects must find the
planted bow-tie.

NetworKit and igraph come from PyPI (networkit, igraph), graph-tool from Debian
(python3-graph-tool); a subject whose interpreter is not given is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

DEGREE = 9.4

TASKS = ("bow-tie", "scc", "wcc", "bfs", "pagerank", "hits", "links backward")


LACKING = {"counterpoint-packed": ("pagerank", "hits", "links backward"),
           "networkit": ("hits",), "igraph": ("pagerank", "hits", "links backward"),
           "graph-tool": ("links backward",)}  # fmt: skip
"""The tasks that a subject does not have."""


def planted(pages: int, path: Path) -> list[int]:
    """Write a web's links unless the file exists; return the sizes of its six components."""
    import numpy as np

    from counterpoint.sim_web import profile
    from counterpoint.sim_web.generator import Web

    loaded = profile.load("broder-1999")
    web = Web(replace(loaded, degrees=replace(loaded.degrees, mean=DEGREE)), pages, 7)
    if not path.exists():
        web.explicit().save(path)
    return np.bincount(web.components(), minlength=6).tolist()


def run(
    python: str, subject: str, path: Path, rounds: int, tasks: Sequence[str] = ()
) -> dict[str, Any]:
    """Run a subject in a process of its own; return its figures.

    Parameters
    ----------
    python : str
        The interpreter.
    subject : str
    path : Path
        The file of links.
    rounds : int
    tasks : sequence of str
        The tasks; all tasks of the subject, if empty.
    """
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    script = str(ROOT / "benchmarks" / "graph_peers.py")
    command = [python, script, subject, str(path), str(rounds), *tasks]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **one}, preexec_fn=_one_core)  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{subject}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def _one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    sys.path.insert(0, str(ROOT / "src"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument(
        "--graph", type=Path, help="the file of links, which is written if it does not exist"
    )
    parser.add_argument("--peers", help="a Python with networkit and igraph")
    parser.add_argument("--graph-tool", help="a Python with graph-tool")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--task", action="append", choices=TASKS, default=[])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    subjects = {"counterpoint": sys.executable, "counterpoint-packed": sys.executable,
                "scipy": sys.executable, "networkit": given.peers, "igraph": given.peers,
                "graph-tool": given.graph_tool}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = given.graph or Path(folder) / "web.npz"
        truth = planted(given.pages, path)
        found = {}
        small = Path(folder) / "small.npz"
        planted(1000, small)
        for name in ("counterpoint", "counterpoint-packed"):
            run(sys.executable, name, small, 1)  # compiles
        for name, python in subjects.items():
            if python and set(given.task or TASKS) - set(LACKING.get(name, ())):
                print(f"{name} ...", file=sys.stderr, flush=True)
                found[name] = run(python, name, path, given.rounds, given.task)
                print(json.dumps(found[name]), file=sys.stderr, flush=True)
                bowtie = found[name]["found"].get("bow-tie", truth)
                if bowtie != truth:
                    raise SystemExit(f"{name}: {bowtie}, not {truth}")
    print(f"{'':22}" + "".join(f"{task:>16}" for task in TASKS) + f"{'held MB':>10}{'peak MB':>10}")
    for name, one in found.items():
        cells = [f"{median(one['seconds'][t]):.2f}" if t in one["seconds"] else "" for t in TASKS]
        print(f"{name:22}" + "".join(f"{cell:>16}" for cell in cells)
              + f"{one['held']:>10,.0f}{one['peak']:>10,.0f}")  # fmt: skip
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version()}  # fmt: skip
        written = {"machine": machine, "pages": given.pages, "bow-tie": truth, "subjects": found}
        given.json.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
