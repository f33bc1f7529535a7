"""Scenarios of the gate: which files there are, and what came of each."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from counterpoint.models.named_specs import own_modules
from counterpoint.models.scenarios import Played, files_of, play_file
from counterpoint.spec.notation import SpecError

from ..configuration import Configuration, ConfigurationError
from ..outcome import Case, Finding, Outcome, Place

COLUMNS = 100
"""The width of a state that is shown as text."""


@dataclass(frozen=True)
class ScenarioFile:
    """A file of scenarios that the gate plays.

    Attributes
    ----------
    path : Path
        Relative to the folder of the configuration.
    why : str
    place : Place
        The row of the configuration.
    """

    path: Path
    why: str
    place: Place

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)


def files(configuration: Configuration) -> Iterator[ScenarioFile]:
    """Yield the files of a configuration, in its order; its folder must be the current one.

    Raises
    ------
    ConfigurationError
        If a row names no file, or one that another row names.
    """
    seen: dict[Path, Place] = {}
    for number, row in enumerate(configuration.document.scenario):
        place = configuration.place("scenario", number)
        try:
            found = files_of([row.file] if isinstance(row.file, str) else row.file)
        except SpecError as error:
            raise ConfigurationError(f"{place}: {error}") from error
        for path in found:
            if before := seen.get(path):
                raise ConfigurationError(f"{place}: {path} is in {before} already")
            seen[path] = place
            yield ScenarioFile(path, row.why, place)


def run(file: ScenarioFile) -> Outcome:
    """Play the scenarios of a file."""
    begun = time.monotonic()
    played: list[Played] = []
    try:
        with own_modules():
            played = play_file(file.path)
        findings = tuple(_failures(played))
    except SpecError as error:
        findings = (_wrong(error, file),)
    cases = tuple(
        Case(one.scenario.title or one.walk.model.name, 0.0, Place(file.name, one.scenario.number))
        for one in played
    )
    again = f"counterpoint replay {shlex.quote(file.name)}"
    seconds = time.monotonic() - begun
    return Outcome(
        "scenario", "", file.name, file.why, findings, seconds, again, file.place,
        cases or (Case(file.name),), tuple(played),
    )  # fmt: skip


def _failures(played: list[Played]) -> Iterator[Finding]:
    for one in played:
        if one.failure is not None:
            name = one.scenario.title or one.walk.model.name
            text = "\n".join([f"{one.outcome} ({name})", *one.details(COLUMNS)])
            place = Place(one.scenario.name, one.failure.line)
            yield Finding(text, "fell", name, place)


def _wrong(error: SpecError, file: ScenarioFile) -> Finding:
    """Return the finding for a file that cannot be read."""
    text = str(error)
    place, _, _ = text.removeprefix(f"{file.name}:").partition(": ")
    if text.startswith(f"{file.name}:") and place.isdecimal():
        return Finding(text, place=Place(file.name, int(place)))
    return Finding(text, place=Place(file.name, 1))


def drawn(outcome: Outcome) -> str:
    """Return the chart of the first scenario that is not met; "" if there is none."""
    for one in outcome.detail or ():
        if one.failure is not None and one.walk.length:
            return "\n".join(one.chart(COLUMNS))
    return ""
