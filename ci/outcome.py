"""Outcomes of the gate: one for each check, file of scenarios, policy, crawler, unused baseline.

Reports, annotations and JUnit files are made from these alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Kind = Literal["check", "scenario", "policy", "crawler", "baseline"]
Level = Literal["fell", "unknown", "warning"]
Answer = Literal["as expected", "fell", "unknown"]


@dataclass(frozen=True)
class Place:
    """A line of a file.

    Attributes
    ----------
    path : str
        Relative to the folder of the configuration where the file is in it.
    line : int
        From 1 on.
    """

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Finding:
    """Something that differs from what is expected, or a warning.

    Attributes
    ----------
    text : str
        One sentence; further lines explain it.
    level : str
        ``fell``, ``unknown``, or ``warning``, which leaves the answer as it is.
    of : str
        The property or the measure; "" for the whole.
    place : Place or None
        Where a user would mend it: the property, the policy, or the row of the configuration.
    """

    text: str
    level: Level = "fell"
    of: str = ""
    place: Place | None = None


@dataclass(frozen=True)
class Case:
    """One property of a check, or one measure, for JUnit.

    Attributes
    ----------
    name : str
    seconds : float
    place : Place or None
    """

    name: str
    seconds: float = 0.0
    place: Place | None = None


@dataclass(frozen=True)
class Outcome:
    """What one entry of the configuration came to.

    Attributes
    ----------
    kind : str
        ``check``, ``scenario``, ``policy``, ``crawler`` or ``baseline``.
    group : str
        The spec, the web of a policy, or "" .
    name : str
        One line that no other outcome of its kind has.
    why : str
        What it shows, in one sentence; may be empty.
    findings : tuple of Finding
        What is not as expected, the cause first.
    seconds : float
        Wall time.
    again : str
        The command that runs it alone.
    place : Place or None
        The row of the configuration.
    cases : tuple of Case
        Its parts, whether as expected or not.
    detail : object
        The `JobOutcome`, `PolicyResult` or `CrawlerResult` that it was made from, or a tuple of
        the scenarios that were played.
    """

    kind: Kind
    group: str
    name: str
    why: str = ""
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    again: str = ""
    place: Place | None = None
    cases: tuple[Case, ...] = ()
    detail: Any = None

    @property
    def answer(self) -> Answer:
        """``fell``, ``unknown`` or ``as expected``."""
        levels = {finding.level for finding in self.findings}
        return "fell" if "fell" in levels else "unknown" if "unknown" in levels else "as expected"


class Answered(Protocol):
    """Anything that has an answer, as an `Outcome` does."""

    @property
    def answer(self) -> str:
        """``fell``, ``unknown`` or ``as expected``."""


def exit_code(outcomes: Iterable[Answered]) -> int:
    """Return the exit code of a command: 1 if anything fell, else 3 if anything is unknown, else 0.

    Every command that ends with outcomes ends with this code.
    """
    answers = {o.answer for o in outcomes}
    return 1 if "fell" in answers else 3 if "unknown" in answers else 0
