"""Running code in the study of the window protocol: driven by a trace, explored, and recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from counterpoint.histories.recording.catalogue import SUBJECTS, find
from counterpoint.histories.recording.interface import RecordingError, Subject
from counterpoint.histories.recording.load import Load
from counterpoint.histories.recording.survey import Surveyed, survey
from counterpoint.memories.driving import Followed, follow
from counterpoint.memories.driving.trace import Trace
from counterpoint.memories.driving.window import WindowSubject
from counterpoint.memories.exploring import Explored, explored
from counterpoint.memories.exploring.window import window_cases
from counterpoint.memories.recorded import PublishedWindowInC
from counterpoint.models.explore.compiled.compiler import NoCompiler

from .study import Tell

CODE = ("window", "window-c")
"""The corrected protocol as code, in Python and in C."""
TIMES = 20
"""How often the code follows the counterexample."""
SECONDS = 3.0
"""How long histories of each real memory are recorded."""
PUBLISHED = "window-c as published"
"""The name of the code with the old value under load, which is recorded beside real memories."""
LOAD = Load(transactions=300, objects=5)
"""Few objects, so that transactions meet; many short histories."""
EXPECTED = {
    "faulty": ("", "its fault is planted"),
    PUBLISHED: ("", "it is wrong"),
    "libitm:serial": ("gcc 12.", "a known fault of gcc 12"),
    "libitm:gl_wt": ("gcc 12.", "a known fault of gcc 12"),
}
"""Memories that are known to break a promise: the versions of which it is known, and how so."""


@dataclass(frozen=True)
class Driven:
    """The counterexample in a memory of real code.

    Attributes
    ----------
    code : str
    agrees : int
        In how many of `TIMES` runs the code with the old value did what the trace says.
    seen : dict of str to object
        What its transactions saw then.
    taken : int
        How many steps of the trace the corrected code takes.
    why : str
        Why it does not take the next one; "" if it follows the whole trace.
    explored : dict of str to int
        Programs, schedules, histories and faults of the corrected code under all schedules.
    control : int
        The faults that the same exploration finds with the old value; it ends at the first.
    missing : str
        What is missing to run it; "" if nothing is.
    """

    code: str
    agrees: int = 0
    seen: dict[str, Any] | None = None
    taken: int = 0
    why: str = ""
    explored: dict[str, int] | None = None
    control: int = 0
    missing: str = ""

    def fell(self) -> list[str]:
        """Return what contradicts the claims, if it was run."""
        faults = (self.explored or {}).get("faults", 0)
        said = {
            f"{self.code} follows the counterexample {self.agrees} of {TIMES} times only":
                self.agrees < TIMES,
            f"{self.code} follows the counterexample with the new value, too": not self.why,
            f"{self.code} has {faults} schedules with the new value that are wrong": faults > 0,
            f"{self.code} shows no fault with the old value under any schedule":
                not self.control,
        }  # fmt: skip
        return [sentence for sentence, wrong in said.items() if wrong]


def missing_for(name: str) -> str:
    """Return what this machine lacks for a memory; "" if nothing."""
    try:
        return _subject(name).missing()
    except NoCompiler as error:  # $CC is no command
        return str(error)


def driven(code: str, trace: Trace) -> Driven:
    """Let a memory follow the counterexample, and explore the corrected one."""
    if missing := missing_for(code):
        return Driven(code, missing=missing)
    runs = [follow(trace, WindowSubject(code)) for _ in range(TIMES)]
    right: Followed = follow(trace, WindowSubject(code, fetch_and_increment="new"))
    found: Explored = explored(window_cases(2, 2, 2, code))
    control = explored(window_cases(2, 2, 2, code, fetch_and_increment="old"))
    counts = {"programs": found.cases, "schedules": found.schedules,
              "histories": found.histories, "faults": len(found.faults)}  # fmt: skip
    why = "" if right.agrees else right.reason or "what it sees differs"
    return Driven(code, sum(run.agrees for run in runs), dict(runs[0].observed), right.taken, why,
                  counts, len(control.faults))  # fmt: skip


def recorded(seed: int, tell: Tell | None) -> tuple[tuple[Surveyed, ...], dict[str, str]]:
    """Record and judge histories of all subjects that are here; say what the others miss.

    The code with the old value is among them.
    """
    found: list[Surveyed] = []
    absent: dict[str, str] = {}
    for name in (*SUBJECTS, PUBLISHED):
        if missing := missing_for(name):
            absent[name] = missing
            continue
        try:
            if tell is not None:
                tell(f"recording {name}")
            found.append(survey(name, _subject(name), replace(LOAD, seed=seed), SECONDS))
        except RecordingError as error:
            absent[name] = str(error)
    return tuple(found), absent


def _subject(name: str) -> Subject:
    """Return a subject by its name in the report."""
    return PublishedWindowInC() if name == PUBLISHED else find(name)


def expected(one: Surveyed) -> str:
    """Return how so a memory is known to break a promise; "" if it is not known to."""
    version, why = EXPECTED.get(one.name, ("", ""))
    return why if one.version.startswith(version) else ""


def broken_promise(one: Surveyed) -> str:
    """Return that a memory breaks what it promises; "" if it does not, or is expected to."""
    if expected(one) or not one.broken_in():
        return ""
    return (f"{one.name} breaks its promise of {', '.join(one.promises)} in {one.broken_in()} "
            f"of {one.histories} histories")  # fmt: skip
