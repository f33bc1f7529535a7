"""Compares our exhaustive engine with Spin on the same specs, as whole processes.

    python benchmarks/against_spin.py --repeats 5 --json benchmarks/against_spin.json

Spin gets the model that ``counterpoint export`` prints. Both visit all states and check the same
properties; our engine also checks the witnesses. Every figure is the median of the repeats, in
which the subjects take turns. Needs ``spin`` and ``gcc``.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Case:
    """A spec under parameters, with the number of its states."""

    spec: str
    settings: tuple[str, ...]
    states: int

    @property
    def name(self) -> str:
        """The case in one line."""
        return " ".join([self.spec, *self.settings])


CASES = (
    Case("window-stm", ("transactions=3",), 804_480),
    Case("philosophers", ("philosophers=10",), 1_860_497),
    Case("filter-lock", ("processes=5",), 179_408),
)

SPIN = {
    "spin -DNOREDUCE": ("-DSAFETY", "-DNOREDUCE"),
    "spin": ("-DSAFETY",),
    "spin -DBFS": ("-DBFS", "-DNOREDUCE"),
}
"""The flags of the compiler. By default Spin searches depth-first with partial-order reduction."""

OURS = {
    "counterpoint": (),
    "counterpoint, in Python": ("--explorer", "python"),
    "counterpoint --reduce symmetry": ("--reduce", "symmetry"),
}


@dataclass
class Spent:
    """The wall time and the processor time of a process in seconds, and its output."""

    wall: float
    processor: float
    output: str


def run(command: Sequence[str], folder: Path) -> Spent:
    """Run a command in a folder to its end."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(wall, used, done.stdout)


def counterpoint(case: Case, *more: str) -> list[str]:
    """Return one of our commands on a case."""
    given = [part for setting in case.settings for part in ("--set", setting)]
    return [sys.executable, "-m", "counterpoint", *more, case.spec, *given]


def ours(case: Case, options: Sequence[str]) -> dict[str, float]:
    """Check a case in a new process, which traces the spec, prints C and compiles it."""
    spent = run([*counterpoint(case, "check"), "--format", "json", *options], ROOT)
    verdicts = json.loads(spent.output)
    states = verdicts[0]["states"]
    if "symmetry" not in options and states != case.states:
        raise SystemExit(f"{case.name}: {states} states, not {case.states}")
    return {"states": states, "verdict": spent.wall, "verdict processor": spent.processor}


def ours_alone(case: Case) -> dict[str, float]:
    """Measure only the exploration of a case in C, in a process of its own."""
    spent = run([sys.executable, __file__, "--alone", case.spec, *case.settings], ROOT)
    found: dict[str, float] = json.loads(spent.output)
    return found


def alone(reference: str, settings: Sequence[str]) -> None:
    """Print the figures of the compiled explorer alone; runs in a process of its own."""
    from counterpoint.models.explore.compiled.explorer import CompiledExplorer
    from counterpoint.models.limits import Limits
    from counterpoint.models.loading import load
    from counterpoint.models.symbolic.trace import trace

    model = load(reference, settings)
    compiled = CompiledExplorer(trace(model), model.properties)
    begun = time.monotonic()
    while not compiled.ready():
        time.sleep(0.01)
    waited = time.monotonic() - begun
    found: dict[str, float] = {"compiling": waited}
    for threads in (1, 2):
        begun, used = time.monotonic(), time.process_time()
        explored = compiled.explore(Limits(), threads)
        wall, processor = time.monotonic() - begun, time.process_time() - used
        states = len(explored.states)
        key = "" if threads == 1 else " on two cores"
        found[f"states/s{key}"] = states / wall
        if threads == 1:
            found["states/s of processor"] = states / processor
        found["bytes/state"] = explored.machine.memory() / states
        del explored
    print(json.dumps(found))


def spin(case: Case, text: str, flags: Sequence[str]) -> dict[str, float]:
    """Let Spin verify a case: generate, compile and run; return the figures.

    Parameters
    ----------
    case : Case
    text : str
        The model in Promela.
    flags : sequence of str
        The flags of the compiler.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.pml").write_text(text)
        slots = str(case.states.bit_length())
        made = run(["spin", "-a", "-o2", "model.pml"], folder)
        built = run(["gcc", "-O2", "-w", "-DNOFAIR", *flags, "-o", "pan", "pan.c"], folder)
        pan = run(["./pan", "-m4000000", "-c0", f"-w{slots}"], folder)
    states = number(r"(\d+) states, stored", pan.output)
    if "NOREDUCE" in "".join(flags) and states != case.states:
        raise SystemExit(f"{case.name}: Spin counts {states:.0f} states, not {case.states}")
    for_states = number(r"([\d.]+)\s+(?:actual )?memory usage for states", pan.output)
    for_table = number(r"([\d.]+)\s+memory used for hash table", pan.output)
    return {
        "states": states,
        "states/s": states / pan.wall,
        "states/s of processor": states / pan.processor,
        "bytes/state": (for_states + for_table) * 2**20 / states,
        "compiling": made.wall + built.wall,
        "verdict": made.wall + built.wall + pan.wall,
        "verdict processor": made.processor + built.processor + pan.processor,
    }


def number(pattern: str, text: str) -> float:
    """Return the first number that a pattern captures in Spin's output."""
    found = re.search(pattern, text)
    if found is None:
        raise SystemExit(f"Spin prints no {pattern}:\n{text}")
    return float(found[1])


def measured(cases: Sequence[Case], repeats: int) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield the names of case and subject, and the median figures."""
    for case in cases:
        text = run([*counterpoint(case, "export"), "--to", "promela"], ROOT).output
        found: dict[str, list[dict[str, float]]] = {}
        for _ in range(repeats):
            for name, options in OURS.items():
                got = ours(case, options)
                if name == "counterpoint":
                    got |= ours_alone(case)
                found.setdefault(name, []).append(got)
            for name, flags in SPIN.items():
                found.setdefault(name, []).append(spin(case, text, flags))
        for name, several in found.items():
            yield case.name, name, {k: median(one[k] for one in several) for k in several[0]}


COLUMNS = {
    "states": ("states", "{:,.0f}"),
    "states/s": ("states/s", "{:,.0f}"),
    "states/s of processor": ("of proc.", "{:,.0f}"),
    "bytes/state": ("bytes", "{:.1f}"),
    "compiling": ("comp. s", "{:.2f}"),
    "verdict": ("verdict s", "{:.2f}"),
    "verdict processor": ("of proc.", "{:.2f}"),
}
"""For each figure its heading and its format."""


def arguments(description: str, cases: Sequence[str]) -> argparse.ArgumentParser:
    """Return the options of a comparison with Spin, for cases with these names."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--case", choices=list(cases), action="append")
    return parser


def tabulate(
    found: Iterator[tuple[str, str, dict[str, float]]],
    columns: Mapping[str, tuple[str, str]],
    given: argparse.Namespace,
) -> None:
    """Print figures as a table while they are measured, and write them as JSON.

    Parameters
    ----------
    found : iterator of (str, str, dict)
        The names of case and subject, and the figures.
    columns : mapping of str to (str, str)
        For each figure its heading and its format.
    given : argparse.Namespace
        The options.
    """
    rows: dict[str, dict[str, Any]] = {}
    for case, subject, values in found:
        if case not in rows:
            heads = " ".join(f"{head:>11}" for head, _ in columns.values())
            print(f"\n{case}\n{'':30} {heads}", flush=True)
        rows.setdefault(case, {})[subject] = values
        cells = [form.format(values[k]) if k in values else "" for k, (_, form) in columns.items()]
        print(f"{subject:30} " + " ".join(f"{c:>11}" for c in cells), flush=True)
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version(), "repeats": given.repeats}  # fmt: skip
        given.json.write_text(json.dumps({"machine": machine, "cases": rows}, indent=2) + "\n")


def must_have_tools() -> None:
    """End if Spin or a compiler is missing."""
    for tool in ("spin", "gcc"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is needed (Debian package {tool})")


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    parser = arguments(__doc__ or "", [c.spec for c in CASES])
    parser.add_argument("--alone", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        alone(given.alone[0], given.alone[1:])
        return
    must_have_tools()
    cases = [c for c in CASES if not given.case or c.spec in given.case]
    tabulate(measured(cases, given.repeats), COLUMNS, given)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()
