"""Compares what subjects promise with what many short histories of them show.

How often an anomaly is met is the share of histories in which it breaks the weakest criterion that
is violated there.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from counterpoint.histories.checking import check
from counterpoint.histories.ladder import LADDER
from counterpoint.histories.reading.files import read_history
from counterpoint.histories.report import Report, all_implied
from counterpoint.histories.showing.anomalies import anomaly
from counterpoint.models.limits import Limits

from .interface import Subject
from .load import Load
from .recording import must_fit, record_open

PATIENCE = 20.0
"""Seconds to judge one history; then what is undecided is unknown."""

Say = Callable[[str], None]


@dataclass
class Surveyed:
    """What the histories of a subject show.

    Attributes
    ----------
    name : str
    version : str
    promises : tuple of str
    histories, transactions, aborted : int
        How many there are.
    violated, unknown : Counter
        For each criterion, in how many histories it is violated or undecided.
    anomalies : Counter
        In how many histories each anomaly breaks the weakest criterion that is violated.
    broken : Load or None
        The load of the first history that violates a promise.
    """

    name: str
    version: str
    promises: tuple[str, ...]
    histories: int = 0
    transactions: int = 0
    aborted: int = 0
    violated: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    anomalies: Counter[str] = field(default_factory=Counter)
    broken: Load | None = None

    def strongest(self) -> list[str]:
        """Return the criteria that hold in all histories while no stronger one does."""
        holding = [one for one in LADDER if not self.violated[one.name] + self.unknown[one.name]]
        weaker = {name for one in holding for name in all_implied(one)}
        return [one.name for one in holding if one.name not in weaker]

    def weakest_violated(self) -> list[tuple[str, int]]:
        """Return criteria, weakest to strongest, each violated in more histories than those before.

        With each one in how many.
        """
        found: list[tuple[str, int]] = []
        for one in LADDER:
            if self.violated[one.name] > (found[-1][1] if found else 0):
                found.append((one.name, self.violated[one.name]))
        return found

    def broken_in(self) -> int:
        """Return in how many histories a promise is broken."""
        return max((self.violated[name] for name in self.promises), default=0)


def survey(
    name: str,
    subject: Subject,
    load: Load,
    seconds: float,
    kinds: Sequence[str] = (),
    keep: Path | None = None,
    say: Say = lambda _: None,
) -> Surveyed:
    """Record and judge histories of a subject until a time is over; at least two.

    Parameters
    ----------
    name : str
        Its name.
    subject : Subject
        It is closed at the end.
    load : Load
        The seed is that of the first history; the next ones get those after it.
    seconds : float
        No further history is recorded after so many.
    kinds : sequence of str, optional
        ``registers``, ``lists`` or both; by default what the subject has. They take turns.
    keep : Path, optional
        The folder for the first history that breaks a promise.
    say : callable, optional
        Shows how far it is.

    Raises
    ------
    RecordingError
        If the subject is not there, or fails.
    """
    chosen = kinds or subject.holds
    for kind in chosen:
        must_fit(name, subject, replace(load, lists=kind == "lists"))
    end = time.monotonic() + seconds
    try:
        with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
            path = Path(folder) / "history.jsonl"
            found: Surveyed | None = None
            for number in count():
                kind = chosen[number % len(chosen)]
                one = replace(load, seed=load.seed + number, lists=kind == "lists")
                recorded = record_open(name, subject, one, path)
                found = found or Surveyed(name, subject.version(), subject.promises)
                found.transactions += recorded.begun
                found.aborted += recorded.ends["abort"]
                _add(found, one, _judged(path), path, keep)
                say(f"{found.histories:,} histories, {found.broken_in():,} break a promise")
                if found.histories > 1 and time.monotonic() > end:
                    break
    finally:
        subject.close()
    assert found is not None
    return found


def _judged(path: Path) -> Report:
    with path.open("rb") as file:
        return check(read_history(file), limits=Limits(PATIENCE))


def _add(found: Surveyed, load: Load, report: Report, path: Path, keep: Path | None) -> None:
    """Add what a history shows."""
    found.histories += 1
    for result in report.results:
        if result.answer == "violated":
            found.violated[result.criterion.name] += 1
        elif result.answer == "unknown":
            found.unknown[result.criterion.name] += 1
    if weakest := report.first_violated():
        found.anomalies[anomaly(weakest.judgement)] += 1
    if found.broken is None and found.broken_in():
        found.broken = load
        if keep is not None:
            shutil.copy(path, keep / f"{found.name.replace(':', '-').replace('/', '-')}.jsonl")
