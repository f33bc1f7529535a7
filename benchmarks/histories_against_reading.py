"""Compares `counterpoint history check` with merely reading the file, as whole processes.

    python benchmarks/histories_against_reading.py --repeats 3 --json benchmarks/histories.json

The histories are written by ``histories.c`` and, with registers, by this script; both are seeded.
Reading means ``orjson.loads`` of each line. Subjects take turns; figures are medians of processor
time and of wall time. Memory is the largest resident set of a process. Needs ``gcc`` and orjson.
"""

from __future__ import annotations

import argparse
import bisect
import itertools
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent

READING = "import orjson, sys\nfor line in open(sys.argv[1], 'rb'):\n    orjson.loads(line)\n"

CASES = (
    ("append", "strict-serializability"),
    ("append", "snapshot-isolation"),
    ("versions", "opacity"),
    ("versions", "strict-serializability"),
)
"""Which histories are judged by which criteria."""

KINDS = ("known ends", "late ends", "violated")
"""Histories of registers; see `_Store`."""

OPERATIONS = 15
"""Of a transaction with registers, half of them reads."""


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 300_000, 1_000_000])
    parser.add_argument("--registers", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_large(Path(folder), given.sizes, given.repeats))
        rows += _registers(Path(folder), given.registers, given.repeats)
    if given.json:
        report = {"machine": platform.platform(), "processors": os.cpu_count(), "rows": rows}
        given.json.write_text(json.dumps(report, indent=2) + "\n")


def _large(folder: Path, sizes: Sequence[int], repeats: int) -> Iterator[dict[str, Any]]:
    writer = folder / "histories"
    subprocess.run(["gcc", "-O2", HERE / "histories.c", "-o", writer], check=True)
    for form, size in itertools.product(("append", "versions"), sizes):
        file = folder / f"{form}.jsonl"
        with file.open("wb") as out:
            subprocess.run([writer, form, str(size), "1"], stdout=out, check=True)
        commands = {"reading": [sys.executable, "-c", READING, str(file)]}
        commands |= {name: _check(file, name) for kind, name in CASES if kind == form}
        yield from _measured(commands, repeats, form, size, file.stat().st_size)
        file.unlink()


def _check(file: Path, criterion: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "counterpoint", "history", "check", str(file), "--criterion",
            criterion, *more]  # fmt: skip


def _measured(
    commands: dict[str, list[str]], repeats: int, form: str, size: int, length: int
) -> Iterator[dict[str, Any]]:
    runs: dict[str, list[tuple[float, float, int, str]]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            runs[name].append(_run(command))
    reading = median(run[0] for run in runs["reading"]) if "reading" in runs else None
    for name, found in runs.items():
        processor = median(run[0] for run in found)
        row = {
            "history": form, "transactions": size, "bytes": length, "subject": name,
            "processor_seconds": round(processor, 3),
            "wall_seconds": round(median(run[1] for run in found), 3),
            "megabytes": max(run[2] for run in found) // 1024,
            "answer": found[0][3],
        }  # fmt: skip
        if reading:
            row["relative_to_reading"] = round(processor / reading, 2)
        print(json.dumps(row), flush=True)
        yield row


def _run(command: list[str]) -> tuple[float, float, int, str]:
    """Return processor and wall time in seconds, memory in KB, and the answer."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    if process.returncode > 1:
        raise SystemExit(f"{command} ended with {process.returncode}")
    words = ("holds", "violated", "unknown")
    answer = next((line.split()[0] for line in output.splitlines() if line.startswith(words)), "")
    return used.ru_utime + used.ru_stime, wall, used.ru_maxrss, answer


# Registers without recorded order, in the size of PolySI's histories


def _registers(folder: Path, size: int, repeats: int) -> Iterator[dict[str, Any]]:
    for objects, kind in itertools.product((10_000, 1_000), KINDS):
        file = folder / "registers.jsonl"
        with file.open("w") as out:
            for event in _Store(random.Random(1), size, objects, kind).events():
                out.write(json.dumps(event) + "\n")
        commands = {"snapshot-isolation": _check(file, "snapshot-isolation", "--sessions")}
        name = f"registers, {objects:,} objects, {kind}"
        yield from _measured(commands, repeats, name, size, file.stat().st_size)


class _Store:
    """A store with snapshot isolation: the first of two that write the same object commits.

    With "late ends" and "violated" a process notes its commit some time after it took place, so
    that the order of the ends is not that of the versions. "violated": of 1,000 commits one is let
    through though another transaction has written an object that it has read and overwrites.
    """

    PROCESSES = 20

    def __init__(self, chance: random.Random, size: int, objects: int, kind: str) -> None:
        self._chance, self._left, self._kind = chance, size, kind
        self._weights = list(itertools.accumulate(1 / (k + 1) ** 0.99 for k in range(objects)))
        self._versions: dict[int, list[tuple[int, int]]] = {}
        self._running: dict[int, _Running] = {}
        self._late: set[int] = set()
        self._clock = self._value = 0

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the events."""
        process = 0
        while self._left:
            known = process in self._running or process in self._late
            if not known or self._chance.random() < 0.15:
                process = self._chance.randrange(self.PROCESSES)
            if process not in self._late:
                yield from self._step(process)
            elif self._chance.random() < 0.3:
                self._late.remove(process)
                yield {"type": "commit", "process": process}
        for process in self._late:
            yield {"type": "commit", "process": process}

    def _step(self, process: int) -> Iterator[dict[str, Any]]:
        """Let a process begin, go on or commit."""
        one = self._running.get(process)
        if one is None:
            self._running[process] = _Running(self._clock)
            yield {"type": "begin", "process": process}
        elif one.left:
            yield self._operation(process, one)
        else:
            del self._running[process]
            if not self._commits(one):
                yield {"type": "abort", "process": process}
            elif self._kind == "known ends":
                yield {"type": "commit", "process": process}
            else:
                self._late.add(process)

    def _operation(self, process: int, one: _Running) -> dict[str, Any]:
        one.left -= 1
        what = bisect.bisect(self._weights, self._chance.random() * self._weights[-1])
        event = {"process": process, "object": what}
        if self._chance.random() < 0.5:
            value = one.own.get(what, self._at(what, one.begin))
            if what not in one.own:
                one.read.add(what)
            return {"type": "read", **event, "value": value}
        self._value += 1
        one.own[what] = self._value
        return {"type": "write", **event, "value": self._value}

    def _at(self, what: int, clock: int) -> int | None:
        versions = self._versions.get(what, [])
        place = bisect.bisect_right(versions, (clock, self._value))
        return versions[place - 1][1] if place else None

    def _commits(self, one: _Running) -> bool:
        newer = [w for w in one.own if self._versions.get(w, [(0, 0)])[-1][0] > one.begin]
        lost = self._kind == "violated" and self._chance.random() < 0.001
        if newer and not (lost and one.read.intersection(newer)):
            return False
        self._clock += 1
        self._left -= 1
        for what, value in one.own.items():
            self._versions.setdefault(what, []).append((self._clock, value))
        return True


class _Running:
    """A transaction that runs: when it began, what it wrote and read."""

    def __init__(self, begin: int) -> None:
        self.begin, self.left = begin, OPERATIONS
        self.own: dict[int, int] = {}
        self.read: set[int] = set()


if __name__ == "__main__":
    main()
