"""Measures how long ``counterpoint trace`` takes, as a whole process.

    python benchmarks/log_against_spec.py --lines 17000 --json benchmarks/log_against_spec.json

The log is one of a lock, whose spec has 64 states between two lines, since the log does not note
who asks for it. With ``--source`` another checkout is measured, such as one of an older version.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
SPEC = '''\
from counterpoint import Array, Boolean, Index, Integer, Spec, action, no, require

class Lock(Spec):
    """Workers ask for a lock, get it and free it."""
    workers = Index(6, names="w", labels="W")
    waits = Array(workers, Boolean())
    has = Array(workers, Boolean())
    {counter}

    @action
    def ask(s, w):
        require(no(s.waits[w]), no(s.has[w]))
        s.waits[w] = True

    @action
    def grant(s, w):
        require(s.waits[w], no(s.has[u] for u in s.workers))
        s.waits[w], s.has[w] = False, True
        {counts}

    @action
    def free(s, w):
        require(s.has[w])
        s.has[w] = False
'''
FORMS = {
    "states that come again": ("", ""),
    "a counter, so that no state comes again": (
        "grants = Integer(0, 1_000_000)", "s.grants = s.grants + 1",
    ),
}  # fmt: skip


def seconds(command: list[str], folder: Path, source: Path) -> float:
    """Return the processor time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONPATH": str(source / "src")})  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=17_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--source", type=Path, default=ROOT, help="the checkout that is measured")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, object] = {"python": platform.python_version(), "lines": given.lines}
    for name, (counter, counts) in FORMS.items():
        with tempfile.TemporaryDirectory() as folder:
            spec, log = Path(folder, "lock.py"), Path(folder, "lock.log")
            spec.write_text(SPEC.format(counter=counter, counts=counts))
            chance = random.Random(1)
            with log.open("w") as file:
                for _ in range(given.lines // 2):
                    w = chance.randrange(6)
                    file.write(f'{{"step": "grant W{w}"}}\n{{"step": "free W{w}"}}\n')
            command = [sys.executable, "-m", "counterpoint", "trace", spec.name, log.name]
            times = [seconds(command, Path(folder), given.source) for _ in range(given.rounds)]
        found[name] = {"median": round(median(times), 2), "best": round(min(times), 2)}
        print(f"{name}: {median(times):.2f} s", flush=True)
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
