"""Records a history of a subject."""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .events import start
from .interface import Memory, RecordingError, Subject
from .load import Load
from .programs import Program
from .workers import run_memory

ENDS = ("commit", "abort", "indeterminate")

METHODS = ("missing", "version", "open", "connect", "run", "close")
"""What a subject can have as methods, and not as values."""


@dataclass(frozen=True)
class Recorded:
    """What a recording contains.

    Attributes
    ----------
    begun : int
        How many transactions have begun.
    ends : dict
        How many have ended in each way: ``commit``, ``abort``, ``indeterminate``.
    seconds : float
        How long the transactions ran.
    """

    begun: int
    ends: dict[str, int]
    seconds: float


def record(
    name: str,
    subject: Subject,
    load: Load,
    path: Path,
    seconds: float | None = None,
    look: Callable[[], None] = lambda: None,
) -> Recorded:
    """Run a load and write its history while it runs.

    Parameters
    ----------
    name : str
        The name of the subject, for the first line.
    subject : Subject
        It is closed at the end.
    load : Load
    path : Path
        The file; what it contained is lost. It is readable at any moment, also if this process is
        killed.
    seconds : float, optional
        After so many, no transaction begins any more.
    look : callable, optional
        Called several times a second while transactions run.

    Raises
    ------
    RecordingError
        If this machine lacks something, or the subject fails.
    """
    must_fit(name, subject, load)
    try:
        return record_open(name, subject, load, path, seconds, look)
    finally:
        subject.close()


def record_open(
    name: str, subject: Subject, load: Load, path: Path, seconds: float | None = None,
    look: Callable[[], None] = lambda: None,
) -> Recorded:  # fmt: skip
    """Record a history as `record` does, and leave the subject open for the next one."""
    try:
        _open(subject, load)
        _must_keep_methods(subject)
        start(path, facts(name, subject, load))
        begun = time.monotonic()
        if isinstance(subject, Program):
            subject.run(path, seconds, look)
        elif isinstance(subject, Memory):
            run_memory(subject, load, path, seconds, look)
        took = time.monotonic() - begun
    except RecordingError as error:
        raise RecordingError(f"{name}: {error}") from error
    return count(path, took)


def _open(subject: Subject, load: Load) -> None:
    """Open a subject; its error is not one of a file of ours."""
    try:
        subject.open(load)
    except OSError as error:
        said = f"{type(error).__name__}: {error}"
        raise RecordingError(f"open(load) of {type(subject).__name__} raised {said} (it must make "
                             "the objects of the load)") from error  # fmt: skip


def _must_keep_methods(subject: Subject) -> None:
    """Refuse an object that has put a value of its own in the place of a method."""
    for method in METHODS:
        if hasattr(subject, method) and not callable(getattr(subject, method)):
            raise RecordingError(f"{method} is a method of a memory, and {type(subject).__name__} "
                                 "has a value of this name: give it another name")  # fmt: skip


def must_fit(name: str, subject: Subject, load: Load) -> None:
    """Raise a `RecordingError` if a subject cannot run a load on this machine."""
    if missing := subject.missing():
        raise RecordingError(f"{name}: {missing}")
    wanted = "lists" if load.lists else "registers"
    if wanted not in subject.holds:
        raise RecordingError(f"{name}: its objects are no {wanted}; it has "
                             f"{' and '.join(subject.holds)}")  # fmt: skip


def facts(name: str, subject: Subject, load: Load) -> dict[str, Any]:
    """Return what the first line of a history says."""
    return {
        "subject": name,
        "version": subject.version(),
        "promises": list(subject.promises),
        "seed": load.seed,
        "initial": subject.initial,
        "load": load.facts(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "recorded_by": f"counterpoint {version('counterpoint')}",
        "recorded_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


_TYPE = re.compile(r'\{"type": ?"([a-z-]+)"')


def _type(line: str) -> str:
    """Return the type of an event; "" of a line that is none."""
    try:
        event = json.loads(line)
    except ValueError:
        return ""
    return str(event.get("type", "")) if isinstance(event, dict) else ""


def count(path: Path, seconds: float) -> Recorded:
    """Return how many transactions a history has."""
    kinds: Counter[str] = Counter()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            found = _TYPE.match(line)
            kinds[found[1] if found else _type(line)] += 1
    if not kinds["begin"]:
        raise RecordingError(f"{path}: no transaction was recorded")
    return Recorded(kinds["begin"], {end: kinds[end] for end in ENDS}, seconds)
