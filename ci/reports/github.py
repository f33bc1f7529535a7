"""The outcomes for GitHub: annotations, and the summary of a job."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterpoint.models.present.formats import annotation

from ..outcome import Finding, Outcome, Place
from .order import findings, totals, worst_first
from .places import place_of
from .summary import summary

MOST = 10
"""GitHub shows so many errors, and so many warnings, of a step, and drops the others."""

LONGEST = 3000
"""GitHub cuts longer texts, so that the command to reproduce would be lost."""

LARGEST_SUMMARY = 1024 * 1024 - 4096
"""Bytes that the summary of a step may have; GitHub refuses one of more than 1 MiB."""

NAMED = 20
"""So many outcomes are named in the annotation that counts the rest."""

_LEVELS = {"fell": "error", "unknown": "warning", "warning": "warning"}


@dataclass(frozen=True)
class _Note:
    """An annotation; the findings of an outcome at one place are shown together."""

    level: str
    name: str
    place: Place | None
    texts: tuple[str, ...]
    again: str

    @property
    def line(self) -> str:
        text = "\n".join(self.texts)
        text = text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."
        again = f"\nTo reproduce: {self.again}" if self.again else ""
        file, line = (self.place.path, self.place.line) if self.place else ("", 0)
        return annotation(self.level, self.name, text + again, file, line)


def github(outcomes: Sequence[Outcome], folder: Path | None = None, command: str = "gate") -> str:
    """Return annotations for what is not as expected, and a line with the totals.

    Each is shown at the property, the policy, or the row of the configuration. There are at most
    ten errors and ten warnings, of which the last says how many more there are.

    Parameters
    ----------
    outcomes : sequence of Outcome
    folder : Path, optional
        The folder to which places are relative; by default the present one.
    command : str
        The command of Counterpoint that has the outcomes.
    """
    notes = [list(_notes(one, folder or Path())) for one in worst_first(outcomes)]
    longest = max(map(len, notes), default=0)
    # the first of each outcome, then the second of each: no outcome hides the others
    mixed = [own[k] for k in range(longest) for own in notes if k < len(own)]
    lines = [line for level in ("error", "warning") for line in _shown(level, mixed, command)]
    return "\n".join([*lines, f"counterpoint {command}: {totals(outcomes)}"])


def _notes(outcome: Outcome, folder: Path) -> Iterator[_Note]:
    together: dict[tuple[str, Place | None], list[Finding]] = {}
    for one in findings(outcome):
        key = _LEVELS[one.level], place_of(one, outcome, folder)
        together.setdefault(key, []).append(one)
    for (level, place), own in together.items():
        texts = tuple(one.text for one in own)
        yield _Note(level, outcome.name, place, texts, outcome.again)


def _shown(level: str, notes: Sequence[_Note], command: str) -> list[str]:
    own = [note for note in notes if note.level == level]
    if len(own) <= MOST:
        return [note.line for note in own]
    rest = own[MOST - 1 :]
    names = list(dict.fromkeys(note.name for note in rest))
    others = [f"and {len(names) - NAMED} others"] if len(names) > NAMED else []
    where = ["The report and the summary have all of them."] if command == "gate" else []
    text = "\n".join([*names[:NAMED], *others, *where])
    counted = annotation(level, f"counterpoint {command}: {len(rest)} more", text)
    return [*(note.line for note in own[: MOST - 1]), counted]


def append_step_summary(outcomes: Sequence[Outcome], seconds: float) -> None:
    """Append the summary to the file that ``$GITHUB_STEP_SUMMARY`` names, if it is set.

    The verdict does not depend on it: if the file cannot be written, a line on standard error says
    so.

    Parameters
    ----------
    outcomes : sequence of Outcome
    seconds : float
        The time that the gate took.
    """
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    path = Path(name)
    try:
        before = path.stat().st_size if path.exists() else 0
        text = summary(outcomes, seconds, LARGEST_SUMMARY - before)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        print(f"$GITHUB_STEP_SUMMARY: {name}: {error.strerror}", file=sys.stderr)
