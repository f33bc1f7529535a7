"""Compares the window memory in C with gcc's libitm and with one mutex, in one run.

    python benchmarks/memories_against_libitm.py --json benchmarks/memories_against_libitm.json

All programs are compiled from ``memories.c``. Each figure is the median of the repeats, in which
the subjects take turns. A program that ends with a wrong sum ends the benchmark. Needs gcc with
libitm.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
WINDOW = HERE.parent / "memories" / "window"
OBJECTS = 1024

LOADS = {
    "read-mostly": ("8", "1", "90", "8"),
    "write-heavy": ("4", "4", "0", "1"),
    "long readers": ("4", "2", "10", "512"),
}
"""Reads and writes of a transaction, how many of 100 only scan, and how much they scan."""


@dataclass(frozen=True)
class Subject:
    """A memory: how it is compiled, and libitm's method."""

    flags: tuple[str, ...]
    method: str = ""


SUBJECTS = {
    "window": Subject(("-DMEMORY_WINDOW", f"-I{WINDOW}", str(WINDOW / "window.c"))),
    "libitm ml_wt": Subject(("-DMEMORY_ITM", "-fgnu-tm"), "ml_wt"),
    "libitm gl_wt": Subject(("-DMEMORY_ITM", "-fgnu-tm"), "gl_wt"),
    "libitm serial": Subject(("-DMEMORY_ITM", "-fgnu-tm"), "serial"),
    "one mutex": Subject(("-DMEMORY_MUTEX",)),
}


class Figures(NamedTuple):
    """Transactions a second, and a second of processor; aborted runs of 1,000 transactions."""

    rate: float
    of_processor: float
    aborts: float


def compiled(subject: Subject, folder: Path) -> Path:
    """Compile the program of a subject."""
    program = folder / f"program{len(list(folder.iterdir()))}"
    command = ["gcc", "-std=gnu11", "-O2", "-pthread", str(HERE / "memories.c"), *subject.flags]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def measured(program: Path, subject: Subject, load: str, threads: int, seconds: float) -> Figures:
    """Run a program; return what `Figures` has."""
    environment = os.environ | ({"ITM_DEFAULT_METHOD": subject.method} if subject.method else {})
    command = [str(program), str(threads), str(seconds), *LOADS[load], str(OBJECTS)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: the sum is wrong, or it failed: {done.stdout}")
    transactions, bodies, took, processor, _ = done.stdout.split()
    runs = int(transactions)
    aborts = 1000 * (int(bodies) - runs) / max(1, runs)
    return Figures(runs / float(took), runs / float(processor), aborts)


def rows(seconds: float, repeats: int, loads: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each load, number of threads and subject."""
    with tempfile.TemporaryDirectory() as folder:
        programs = {name: compiled(one, Path(folder)) for name, one in SUBJECTS.items()}
        for load in loads:
            for threads in (1, 2):
                found: dict[str, list[Figures]] = {name: [] for name in SUBJECTS}
                for turn in range(repeats):
                    names = list(SUBJECTS)
                    for name in names[turn % len(names) :] + names[: turn % len(names)]:
                        one = SUBJECTS[name]
                        found[name].append(measured(programs[name], one, load, threads, seconds))
                for name, values in found.items():
                    rates = sorted(one.rate for one in values)
                    yield {
                        "load": load, "threads": threads, "memory": name,
                        "transactions/s": round(median(rates)),
                        "least": round(rates[0]), "most": round(rates[-1]),
                        "per s of processor": round(median(one.of_processor for one in values)),
                        "aborts of 1,000": round(median(one.aborts for one in values), 3),
                    }  # fmt: skip


def main() -> None:
    """Print a table, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--load", action="append", choices=LOADS, help="repeatable; all by default")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = []
    for row in rows(given.seconds, given.repeats, given.load or list(LOADS)):
        found.append(row)
        between = f"({row['least']:,} to {row['most']:,})"
        print(f"{row['load']:13} {row['threads']} {row['memory']:14} {row['transactions/s']:12,} "
              f"{between:26} {row['per s of processor']:12,} {row['aborts of 1,000']:7.3f}",
              )  # fmt: skip
        sys.stdout.flush()
    if given.json:
        machine = {"machine": platform.machine(), "cores": os.cpu_count()}
        given.json.write_text(json.dumps({**machine, "rows": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
