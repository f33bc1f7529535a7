"""Compares our verdicts on temporal properties with Spin's, as whole processes.

    python benchmarks/liveness_against_spin.py --repeats 3 --json FILE

Spin gets the model that ``counterpoint export --property NAME`` prints: a never claim and the
promises of fairness. It is generated, compiled with -O2 and run with ``-a``; it stops at the first
acceptance cycle, as a user would let it. Ours reads the spec, explores and judges. Every figure is
the median of the repeats, in which the subjects take turns. The script ends if the verdicts differ.
Needs ``spin`` and ``gcc``.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from against_spin import ROOT, number, run

WINDOW = str(ROOT / "benchmarks" / "fair_window.py") + ":FairWindow"

PHILOSOPHERS = ("philosophers=10", "left-handed=all-but-one")


@dataclass(frozen=True)
class Case:
    """A temporal property of a spec under parameters, and the verdict."""

    name: str
    spec: str
    settings: tuple[str, ...]
    claim: str
    answer: str

    def command(self, *more: str) -> list[str]:
        """Return one of our commands on this case."""
        given = [part for setting in self.settings for part in ("--set", setting)]
        start = [sys.executable, "-m", "counterpoint", *more, self.spec, *given]
        return [*start, "--property", self.claim]


CASES = (
    Case("philosophers 10: who eats thinks again, weak", "philosophers",
         (*PHILOSOPHERS, "fairness=weak"), "who-eats-thinks-again", "holds"),
    Case("philosophers 10: who is hungry eats, weak", "philosophers",
         (*PHILOSOPHERS, "fairness=weak"), "who-is-hungry-eats", "violated"),
    Case("window-stm 3 x 2: a commit ends", WINDOW,
         ("transactions=3",), "a-commit-ends", "holds"),
    Case("window-stm 3 x 2: a commit succeeds", WINDOW,
         ("transactions=3",), "a-commit-succeeds", "violated"),
)  # fmt: skip

SPIN = {"spin -DNOREDUCE": ("-DNOREDUCE",), "spin": ()}
"""The flags of the compiler. By default Spin searches with partial-order reduction."""


def ours(case: Case) -> dict[str, float]:
    """Judge a case in a new process."""
    spent = run([*case.command("check"), "--format", "json"], ROOT)
    (verdict,) = json.loads(spent.output)
    must_be(case, verdict["verdict"])
    return {"states": verdict["states"], "verdict": spent.wall, "processor": spent.processor}


def spin(case: Case, text: str, flags: Sequence[str]) -> dict[str, float]:
    """Let Spin judge a case: generate, compile and run.

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
        made = run(["spin", "-a", "-o2", "model.pml"], folder)
        built = run(["gcc", "-O2", "-w", "-DNOFAIR", *flags, "-o", "pan", "pan.c"], folder)
        pan = run(["./pan", "-a", "-m8000000", "-w23"], folder)
    if "max search depth too small" in pan.output:
        raise SystemExit(f"{case.name}: Spin's stack is too small")
    must_be(case, "violated" if number(r"errors: (\d+)", pan.output) else "holds")
    return {
        "states": number(r"(\d+) states, stored", pan.output),
        "compiling": made.wall + built.wall,
        "verdict": made.wall + built.wall + pan.wall,
        "processor": made.processor + built.processor + pan.processor,
    }


def must_be(case: Case, answer: str) -> None:
    """End if a verdict is not the expected one."""
    if answer != case.answer:
        raise SystemExit(f"{case.name}: {answer}, not {case.answer}")


def measured(cases: Sequence[Case], repeats: int) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield the names of case and subject, and the median figures."""
    for case in cases:
        text = run([*case.command("export"), "--to", "promela"], ROOT).output
        found: dict[str, list[dict[str, float]]] = {}
        for _ in range(repeats):
            found.setdefault("counterpoint", []).append(ours(case))
            for name, flags in SPIN.items():
                found.setdefault(name, []).append(spin(case, text, flags))
        for name, several in found.items():
            yield case.name, name, {k: median(one[k] for one in several) for k in several[0]}


COLUMNS = {
    "states": "{:,.0f}", "compiling": "{:.2f}", "verdict": "{:.2f}", "processor": "{:.2f}",
}  # fmt: skip
HEADS = ("states", "comp. s", "verdict s", "of proc.")


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--case", choices=[c.claim for c in CASES], action="append")
    given = parser.parse_args()
    for tool in ("spin", "gcc"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is needed (Debian package {tool})")
    rows: dict[str, dict[str, Any]] = {}
    cases = [c for c in CASES if not given.case or c.claim in given.case]
    for case, subject, values in measured(cases, given.repeats):
        if case not in rows:
            print(f"\n{case}\n{'':20} " + " ".join(f"{h:>11}" for h in HEADS), flush=True)
        rows.setdefault(case, {})[subject] = values
        cells = [form.format(values[k]) if k in values else "" for k, form in COLUMNS.items()]
        print(f"{subject:20} " + " ".join(f"{c:>11}" for c in cells), flush=True)
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version(), "repeats": given.repeats}  # fmt: skip
        given.json.write_text(json.dumps({"machine": machine, "cases": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
