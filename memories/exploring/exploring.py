"""Explores the schedules of cases, and judges each history."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterpoint.histories import HistoryError, anomaly, check, steps
from counterpoint.histories.reading.json_lines import history_of_events
from counterpoint.memories.conforming.comparing import RunDiffers
from counterpoint.memories.controller import After, Controlled, Deadlock, Endless, Unreached
from counterpoint.memories.points import Point
from counterpoint.memories.recording import Recorder
from counterpoint.models.limits import LimitReached, Limits

from .cases import Case, Run
from .conforming import Conforming
from .random_schedules import RandomSchedules
from .schedules import Schedules, touches_everything

Search = Schedules | RandomSchedules

MOST_STEPS = 2_000
"""A schedule with more steps is taken for one that never ends."""


@dataclass(frozen=True)
class Fault:
    """A schedule after which something is wrong.

    Attributes
    ----------
    case : str
        What the threads did.
    kind : str
        A violated criterion, ``deadlock``, ``endless``, ``error``, ``fault`` or ``differs``.
    why : tuple of str
        What is wrong, in words.
    schedule : tuple of Point
        The steps, in order.
    differed : RunDiffers or None
        If it differs from a spec: after which step, and how.
    """

    case: str
    kind: str
    why: tuple[str, ...]
    schedule: tuple[Point, ...]
    differed: RunDiffers | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether it is not known to be a fault: a thread took too long, or a judgement failed."""
        return self.kind == "unreached" or self.kind.endswith(": unknown")


@dataclass
class Explored:
    """What came of an exploration.

    Attributes
    ----------
    cases, schedules, histories : int
        How many cases and schedules were run, and how many different histories they made.
    faults : list of Fault
    reason : str
        Why not all was explored; "" if all was.
    steps : int
        How many steps were taken.
    judged : bool
        Whether a run showed anything that can be wrong: a record, or a method ``fault``.
    """

    cases: int = 0
    schedules: int = 0
    histories: int = 0
    faults: list[Fault] = field(default_factory=list)
    reason: str = ""
    steps: int = 0
    judged: bool = False


def explored(
    cases: Iterable[Case],
    criterion: str = "opacity",
    *,
    preemptions: int | None = None,
    at_random: int = 0,
    seed: int = 0,
    most_faults: int = 1,
    limit: float = 10.0,
    limits: Limits | None = None,
    conforming: Conforming | None = None,
) -> Explored:
    """Run all schedules of cases, and judge what the threads did.

    Parameters
    ----------
    cases : iterable of Case
    criterion : str
        What each history must satisfy.
    preemptions : int, optional
        How often a schedule may leave a thread that could go on; without a limit by default. With
        a limit, no steps commute.
    at_random : int
        So many random schedules of each case instead of all; 0: all.
    seed : int
        Of the random schedules.
    most_faults : int
        After so many the exploration ends.
    limit : float
        How many seconds a thread may take from one point to the next.
    limits : Limits, optional
        Of the whole exploration.
    conforming : Conforming, optional
        The spec with which the code is compared after each step. Then histories are not judged.
    """

    def search(case: Case) -> Search:
        if at_random:
            return RandomSchedules(at_random, seed)
        if preemptions is not None:
            return Schedules(touches_everything, preemptions)
        return Schedules(getattr(case, "touches", touches_everything))

    exploration = _Exploration(criterion, search, most_faults, limit, limits or Limits(),
                               conforming)  # fmt: skip
    try:
        for case in cases:
            exploration.explore(case)
            if len(exploration.found.faults) >= most_faults:
                exploration.found.reason = "it ended with the fault"
                break
    except LimitReached as reached:
        exploration.found.reason = str(reached)
    exploration.found.histories = len(exploration.judged)
    return exploration.found


class _Exploration:
    def __init__(
        self, criterion: str, search: Callable[[Case], Search], most: int, limit: float,
        limits: Limits, conforming: Conforming | None,
    ) -> None:  # fmt: skip
        self._criterion, self._search, self._most = criterion, search, most
        self._conforming = conforming
        self._limit, self._limits = limit, limits
        self.found = Explored()
        self.judged: dict[str, tuple[str, tuple[str, ...]] | None] = {}

    def explore(self, case: Case) -> None:
        """Run all schedules of a case."""
        self.found.cases += 1
        search = self._search(case)
        watch = self._conforming and self._conforming.watches(case)
        while search.more() and len(self.found.faults) < self._most:
            self._limits.check(f"{self.found.schedules:,} schedules, {case.name}")
            self.found.schedules += 1
            run = case.threads()
            controlled = Controlled(list(run.programs), limit=self._limit, most=MOST_STEPS,
                                    after=self._after(watch(run) if watch else None))  # fmt: skip
            try:
                wrong = self._wrong(search, run, controlled)
            except RunDiffers as found:
                differed = found.of(controlled)
                why = ("differs", (str(differed),), tuple(controlled.passed), differed)
                self.found.faults.append(Fault(case.name, *why))
                continue
            self.found.steps += len(controlled.passed)
            if wrong is not None:
                schedule = tuple(controlled.passed)
                self.found.faults.append(Fault(case.name, *wrong, schedule))

    def _after(self, watch: After | None) -> After:
        """Return what is called after each step: a schedule can be as long as an exploration."""

        def after(passed: Point | None, in_vain: bool) -> None:
            self._limits.check()
            if watch is not None:
                watch(passed, in_vain)

        return after

    def _wrong(
        self, search: Search, run: Run, controlled: Controlled
    ) -> tuple[str, tuple[str, ...]] | None:
        """Run the next schedule; return what is wrong with it."""
        try:
            if not search.run(controlled):
                return None
        except Deadlock as error:
            return "deadlock", (str(error),)
        except Endless as error:
            return "endless", (str(error),)
        except Unreached as error:
            return "unreached", (str(error),)
        return self._ended(run, controlled)

    def _ended(self, run: Run, controlled: Controlled) -> tuple[str, tuple[str, ...]] | None:
        """Return what is wrong with threads that have ended."""
        for number, outcome in enumerate(controlled.outcomes):
            if outcome.error is not None:
                kind = type(outcome.error).__name__
                return "error", (f"thread {number} raised {kind}: {outcome.error}",)
        fault: str = getattr(run, "fault", str)()
        if fault:
            return "fault", (fault,)
        record: Recorder | None = getattr(run, "record", _nothing)()
        self.found.judged |= record is not None or hasattr(run, "fault")
        if record is None or self._conforming is not None:
            return None
        return self._judge([{"type": "history", **record.facts}, *record.events])

    def _judge(self, events: Sequence[dict[str, Any]]) -> tuple[str, tuple[str, ...]] | None:
        """Return what is wrong with a history; each one is judged once."""
        key = json.dumps(events[1:])
        if key not in self.judged:
            self.judged[key] = judged(events, self._criterion)
        return self.judged[key]


def _nothing() -> None:
    return None


def judged(
    events: Sequence[dict[str, Any]], criterion: str
) -> tuple[str, tuple[str, ...]] | None:  # fmt: skip
    """Return why a history does not satisfy a criterion; None if it does.

    Parameters
    ----------
    events : sequence of dict
        The facts of the recording, and its events.
    criterion : str
    """
    try:
        report = check(history_of_events(events), [criterion])
    except HistoryError as error:
        return "no history", (str(error),)
    (result,) = report.results
    if result.answer == "holds":
        return None
    found = result.judgement
    if result.answer == "unknown":
        return f"{criterion}: unknown", (found.reason,)
    why = [found.finding.text] if found.finding else steps(report.sources, found.cycle)
    return f"{criterion}: {anomaly(found)}", tuple(why)
