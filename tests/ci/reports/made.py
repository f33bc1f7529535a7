"""Outcomes for the tests of reports: made by hand, and of real checks and baselines."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from counterpoint.ci import gate
from counterpoint.ci.job import Job
from counterpoint.ci.outcome import Case, Finding, Kind, Outcome, Place
from counterpoint.ci.regression import baseline
from counterpoint.ci.regression.judging import PolicyResult

ROW = Place("counterpoint.toml", 7)
GOOD = Outcome("check", "buffer", "buffer · exhaustive", "It is right.", (), 2.0, place=ROW)
FELL = Outcome(
    "check",
    "buffer",
    "buffer capacity=9 · bounded",
    "It is wrong.",
    (
        Finding("all-wait is violated (8 steps); it should hold", "fell", "all-wait",
                Place("specs/buffer.py", 31)),
        Finding("the spec has no property all-sleep"),
    ),
    5.0,
    "counterpoint check specs/buffer.py --set capacity=9 --engine bounded",
    ROW,
    (Case("all-wait", 1.5, Place("specs/buffer.py", 31)),
     Case("ranges", 0.25, Place("specs/buffer.py", 2))),
)  # fmt: skip
UNKNOWN = Outcome(
    "policy", "universities", "greedy on universities", "",
    (Finding("step 7: it used 31 s of processor time", "unknown"),),
    31.0, "counterpoint compare greedy", Place("counterpoint.toml", 12),
)  # fmt: skip
WARNED = Outcome(
    "crawler", "sample", "spider", "",
    (Finding("the band of quality is narrower than the noise", "warning", "quality"),),
    9.0, "counterpoint gate spider", Place("counterpoint.toml", 20), (Case("quality"),),
)  # fmt: skip
MISPLACED = Outcome(
    "baseline", "", "baselines/old.json", "", (Finding("nothing uses it", "warning"),),
    place=Place("baselines/old.json", 1),
)  # fmt: skip
ALL = (GOOD, WARNED, UNKNOWN, FELL, MISPLACED)


def many(number: int, level: str = "fell", kind: Kind = "check") -> list[Outcome]:
    """Return outcomes with one finding each."""
    return [
        Outcome(kind, "stairs", f"stairs height={k}", "", (Finding("it is wrong", level),),  # type: ignore[arg-type]
                1.0, f"counterpoint check stairs --set height={k}", Place("counterpoint.toml", k))
        for k in range(1, number + 1)
    ]  # fmt: skip


def checked(parameters: Mapping[str, str], violated: Mapping[str, int | None]) -> Outcome:
    """Return the outcome of a check of Peterson's algorithm."""
    job = Job("peterson", parameters, "exhaustive", "Peterson's algorithm.", violated)
    found = gate.run_job(job, time.monotonic() + 60)
    assert found.verdicts
    found = replace(
        found, seconds=1.0, verdicts=tuple(replace(v, seconds=1.0) for v in found.verdicts)
    )
    findings = [Finding(text, "fell", of) for of, text in found.surprises]
    cases = tuple(Case(v.claim.name, v.seconds) for v in found.verdicts)
    return Outcome("check", "peterson", job.name, job.why, tuple(findings), 1.0,
                   "counterpoint check peterson", ROW, cases, found)  # fmt: skip


def crawled(name: str, moved: float) -> Outcome:
    """Return the outcome of a policy whose curves have moved, from a committed baseline."""
    folder = Path(__file__).resolve().parents[3] / "ci" / "baselines"
    before = baseline.load(folder, "sample", name)
    assert before is not None
    curves = {of: [value * moved for value in values] for of, values in before.curves.items()}
    result = PolicyResult(before.name, (), replace(before, curves=curves), before, "")
    findings = (Finding("the order of visits changed on 3 of 3 webs"),) if moved != 1 else ()
    return Outcome("policy", "sample", before.name, "", findings, 1.0, f"compare {name}", ROW,
                   detail=result)  # fmt: skip
