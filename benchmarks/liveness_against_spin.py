"""Compares our verdicts on temporal properties with Spin's, as whole processes.

    python benchmarks/liveness_against_spin.py --repeats 3 --json FILE

Spin gets the model that ``counterpoint export --property NAME`` prints: a never claim and the
promises of fairness. It is generated, compiled with -O2 and run with ``-a``; it stops at the first
acceptance cycle, as a user would let it. Ours reads the spec, explores and judges. Every figure is
the median of the repeats, in which the subjects take turns. The script ends if the verdicts differ.
Needs ``spin`` and ``gcc``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from against_spin import ROOT, arguments, must_have_tools, number, run, tabulate

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
    "states": ("states", "{:,.0f}"),
    "compiling": ("comp. s", "{:.2f}"),
    "verdict": ("verdict s", "{:.2f}"),
    "processor": ("of proc.", "{:.2f}"),
}
"""For each figure its heading and its format."""


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    given = arguments(__doc__ or "", [c.claim for c in CASES]).parse_args()
    must_have_tools()
    cases = [c for c in CASES if not given.case or c.claim in given.case]
    tabulate(measured(cases, given.repeats), COLUMNS, given)


if __name__ == "__main__":
    main()
