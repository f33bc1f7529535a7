"""Recordings for tests."""

from __future__ import annotations

from pathlib import Path

from counterpoint.histories.checking import check
from counterpoint.histories.history import History
from counterpoint.histories.reading.files import read_history
from counterpoint.histories.recording.interface import Subject
from counterpoint.histories.recording.load import Load
from counterpoint.histories.recording.recording import record


def recorded(folder: Path, subject: Subject, load: Load, seconds: float | None = None) -> History:
    """Record a history and read it."""
    path = folder / "history.jsonl"
    record("subject", subject, load, path, seconds)
    return read(path)


def read(path: Path) -> History:
    """Read the history in a file."""
    with path.open("rb") as file:
        return read_history(file)


def answers(history: History) -> dict[str, str]:
    """Return the answer for each criterion."""
    return {one.criterion.name: one.answer for one in check(history).results}
