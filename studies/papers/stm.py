"""Repeats the verification of the window protocol [STM], and goes on to running code.

The document has the study's conclusion alone: with the clock's old value inside commit the protocol
is incorrect, with the new one no fault was found, and the corrected protocol may be recommended for
implementation. Here the spec is checked by several engines and by Spin, the reading is varied with
all others, the counterexample is followed by real threads, and real memories and databases are
recorded and judged by the same criteria.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from counterpoint.histories.recording.programs import installed
from counterpoint.histories.recording.survey import Surveyed
from counterpoint.histories.recording.tables import as_json
from counterpoint.memories.driving.trace import trace_of
from counterpoint.models.checking.engines import check
from counterpoint.models.explore.compiled import compiler
from counterpoint.models.export.formats import FORMATS, ExportRequest
from counterpoint.models.loading import load
from counterpoint.models.present.chart import drawn
from counterpoint.models.sweeps import readings
from counterpoint.models.sweeps.results import ModelOutcome
from counterpoint.models.verdict import Verdict

from .stm_code import CODE, Driven, broken_promise, driven, missing_for, recorded
from .study import Tell, run_all

SPEC, OLD = "window-stm", "fetch-and-increment=old"
FINDERS = ("exhaustive", "bounded", "any-number", "stateful")
"""The engines that look for a violation."""
REFUTER = "induction"
"""The engine that looks for no violation of opacity, but judges the lemmas of its proof."""
PROVERS = ("exhaustive", "induction", "any-number")
"""The engines that show that there is none: in all states of the bounds, in every run of the
bounds, and in every run of any number of transactions and objects."""
MEMORIES = {
    "window-stm": (), "tl2": (), "norec": (), "jvstm": (),
    "dstm": ("validation=owners",), "mcrt": ("read-check=all-records",),
}  # fmt: skip
"""The specs of memories, as corrected."""
PUBLISHED = {"dstm": (), "mcrt": ()}
"""Specs of memories that were published with an error, as published."""
CHANGES = 2
"""In how many choices readings may differ from the default at once, where each value is counted."""
NOTIONS = ("livelock-freedom", "obstruction-freedom", "lock-freedom", "local-progress")


@dataclass(frozen=True)
class Lemma:
    """A lemma of the proof that is false: a run reaches a state in which it does not hold.

    Attributes
    ----------
    name : str
    steps : int
        The length of that run.
    action : str
        The step that breaks it.
    transactions, objects : int
        The bounds in which the run exists.
    """

    name: str
    steps: int
    action: str
    transactions: int
    objects: int


@dataclass(frozen=True)
class Answer:
    """A verdict of an engine.

    Attributes
    ----------
    by : str
        The engine, or ``Spin``.
    answer : str
    steps : int or None
        The length of the counterexample.
    reach : str
        How far a verdict without a counterexample reaches.
    seconds : float
    lemmas : tuple of Lemma
        The lemmas that it has found to be false.
    """

    by: str
    answer: str
    steps: int | None
    reach: str
    seconds: float
    lemmas: tuple[Lemma, ...] = ()


@dataclass(frozen=True)
class Kept:
    """In how many models with a value of a reading opacity holds.

    Attributes
    ----------
    reading, value : str
    models : int
        How many combinations have this value, each with the old and with the new clock value.
    old, new : int
        In how many of them opacity holds with the old and with the new clock value.
    """

    reading: str
    value: str
    models: int
    old: int
    new: int


@dataclass(frozen=True)
class Stm:
    """The figures of the study.

    Attributes
    ----------
    broken, clean : tuple of Answer
        On opacity with the old value, and with the new one.
    unproved : Answer
        Of the engine that proves, with the old value.
    spin : str
        Why Spin was not asked; "" if it was.
    chart : tuple of str
        The shortest counterexample.
    moves : tuple of (str, int)
        Its steps, each with its transaction.
    readings : dict of str to int
        How many combinations of readings keep the claim, and how the others fail; of those that
        differ from the default in at most one choice.
    kept : tuple of Kept
        For all combinations and then for each value of each reading; of those that differ from the
        default in at most `CHANGES` choices.
    driven : tuple of Driven
    criteria : dict of str to dict of str to str
        For each spec, the answer for each criterion.
    progress : dict of str to dict of str to str
        For each memory, the answer for each notion.
    real : tuple of Surveyed
    absent : dict of str to str
        What is missing for other subjects.
    """

    broken: tuple[Answer, ...]
    clean: tuple[Answer, ...]
    unproved: Answer
    spin: str
    chart: tuple[str, ...]
    moves: tuple[tuple[str, int], ...]
    readings: dict[str, int]
    kept: tuple[Kept, ...]
    driven: tuple[Driven, ...]
    criteria: dict[str, dict[str, str]]
    progress: dict[str, dict[str, str]]
    real: tuple[Surveyed, ...]
    absent: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return all figures, ready for JSON."""
        return {
            "old": [asdict(one) for one in (*self.broken, self.unproved)],
            "new": [asdict(one) for one in self.clean],
            "spin": self.spin,
            "counterexample": [{"step": step, "transaction": t} for step, t in self.moves],
            "readings": self.readings,
            "values": [asdict(one) for one in self.kept],
            "code": [asdict(one) for one in self.driven],
            "criteria": self.criteria,
            "progress": self.progress,
            "recorded": [as_json(one) for one in self.real],
            "missing": self.absent,
            "fell": list(self.fell()),
        }

    def fell(self) -> tuple[str, ...]:
        """Return which claims do not hold, a sentence for each thing that says so.

        What could not be asked on this machine says nothing.
        """
        return (
            *(f"{one.by} answers {one.answer} with the old value, which is wrong"
              for one in self.broken if one.answer != "violated"),
            *((f"{self.unproved.by} proves opacity with the old value, which is wrong",)
              if self.unproved.answer == "holds" else ()),
            *(f"{one.by} answers {one.answer} with the new value"
              for one in self.clean if one.answer != "holds"),
            *(said for one in self.driven if not one.missing for said in one.fell()),
            *(said for one in self.real if (said := broken_promise(one))),
        )  # fmt: skip


Task = tuple[str, tuple[str, ...]]
"""What to do, and its arguments."""


def study(seeds: range, processes: int = 1, tell: Tell | None = None) -> Stm:
    """Do the study.

    Parameters
    ----------
    seeds : range
        The first is that of the loads under which real memories are recorded.
    processes : int
        How many checks run at the same time; the result does not depend on it.
    tell : callable, optional
        Shows the progress.
    """
    say = tell or (lambda text: None)
    tasks = list(_tasks())
    found = dict(zip(tasks, run_all(_done, tasks, processes, tell, "check"), strict=True))
    spin = _no_spin()
    broken = [found["old", (engine,)] for engine in FINDERS]
    broken += [] if spin else [_by_spin()]
    say("readings")
    varied = readings.study(SPEC, changes=CHANGES, processes=processes)
    verdict = _counterexample()
    assert verdict.trace is not None
    steps = verdict.trace.steps
    chart = drawn(verdict.model, verdict.trace, 76)
    trace = trace_of(verdict.model, verdict.trace.states[0], steps, verdict.claim.name)
    followed = []
    for code in CODE:
        say(f"driving {code}")
        followed.append(driven(code, trace))
    real, absent = recorded(seeds.start, tell)
    return Stm(
        tuple(broken), tuple(found["new", (engine,)] for engine in PROVERS),
        found["old", (REFUTER,)], spin, tuple(chart),
        tuple((step.action, step.arguments["t"]) for step in trace.steps),
        dict(Counter(row.kind("opacity") for row in varied.rows if len(varied.changes(row)) < 2)),
        _kept(varied), tuple(followed),
        {" ".join(a): found[w, a] for w, a in tasks if w == "criteria"},
        {name: {a[1]: found[w, a] for w, a in tasks if w == "progress" and a[0] == name}
         for name in MEMORIES},
        real, absent,
    )  # fmt: skip


def _kept(varied: readings.ReadingsStudy) -> tuple[Kept, ...]:
    """Count for each value of each reading in how many models opacity holds.

    A model in which opacity is undecided is counted as one in which it does not hold.
    """
    values = [("", "")] + [(name, one) for name, ones in varied.choices.items() for one in ones]

    def holds(outcome: ModelOutcome) -> bool:
        return not outcome.unknown and "opacity" not in outcome.violated

    found = []
    for name, value in values:
        rows = [row for row in varied.rows if not name or row.choices[name] == value]
        found.append(Kept(name, value, len(rows), sum(holds(row.broken) for row in rows),
                          sum(holds(row.clean) for row in rows)))  # fmt: skip
    return tuple(found)


def _tasks() -> Iterator[Task]:
    """Yield all checks."""
    yield from (("old", (engine,)) for engine in (*FINDERS, REFUTER))
    yield from (("new", (engine,)) for engine in PROVERS)
    for settings in (MEMORIES, PUBLISHED):
        yield from (("criteria", (name, *given)) for name, given in settings.items())
    yield from (("progress", (name, notion)) for name in MEMORIES for notion in NOTIONS)


def _done(task: Task) -> Any:
    """Do one check."""
    what, arguments = task
    if what in ("old", "new"):
        return _asked(arguments[0], [OLD] if what == "old" else [])
    if what == "criteria":
        model = load(arguments[0], arguments[1:])
        criteria = [model.property_named(name) for name in type(model.spec).criteria]
        return {v.claim.name: v.answer for v in check(model, wanted=criteria)}
    name, notion = arguments
    model = load(f"{name.removesuffix('-stm')}-progress", [f"notion={notion}"])
    return check(model, wanted=[model.property_named(notion)])[0].answer


def _asked(engine: str, settings: list[str]) -> Answer:
    """Ask an engine about opacity."""
    model = load(SPEC, settings)
    verdicts = check(model, engine, wanted=[model.property_named("opacity")])
    found = next(v for v in verdicts if v.claim.name == "opacity")
    lemmas = tuple(_lemma(v) for v in verdicts if v is not found and v.answer == "violated")
    return Answer(
        engine, found.answer, found.depth, found.reason or found.extent, found.seconds, lemmas
    )


def _lemma(verdict: Verdict) -> Lemma:
    """Return a lemma that a run violates."""
    assert verdict.trace is not None
    bounds = verdict.model.spec.parameters
    steps = verdict.trace.steps
    return Lemma(verdict.claim.name, len(steps), steps[-1].action, bounds["transactions"],
                 bounds["objects"])  # fmt: skip


def _counterexample() -> Verdict:
    """Return the shortest violation of opacity."""
    model = load(SPEC, [OLD])
    return check(model, wanted=[model.property_named("opacity")])[0]


def _no_spin() -> str:
    """Return what is missing for Spin, whose checkers are programs in C."""
    return installed("spin", "spin") or missing_for("window-c")


def _by_spin() -> Answer:
    """Let Spin check the exported model, breadth first, so that its first error is a shortest."""
    model = load(SPEC, [OLD])
    text = FORMATS["promela"].write(ExportRequest(model, [model.property_named("opacity")]))
    in_c = compiler.found() or []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        (Path(folder) / "model.pml").write_text(text)
        for command in (
            ["spin", "-a", "-o2", "model.pml"],
            [*in_c, "-O2", "-w", "-DBFS", "-DNOREDUCE", "-DNOFAIR", "-o", "pan", "pan.c"],
            ["./pan", "-m1000000"],
        ):  # fmt: skip
            ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    errors = re.search(r"errors: (\d+)", ran.stdout)
    if errors is None:
        return Answer("Spin", "unknown", None, "its output has no number of errors", 0.0)
    answer, reach = ("violated", "first error") if int(errors[1]) else ("holds", "all states")
    return Answer("Spin", answer, None, reach, time.monotonic() - begun)
