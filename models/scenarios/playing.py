"""Plays scenarios of a file, and says where one of them fails."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterpoint.models.loading import load
from counterpoint.models.present.chart import drawn
from counterpoint.models.runs.showing import possible_lines, state_lines
from counterpoint.models.runs.walk import Walk
from counterpoint.models.verdict import Trace, in_steps
from counterpoint.spec.notation import Model, SpecError

from .files import text_of
from .notation import Line, Scenario, ScenarioError, read_scenarios
from .player import Player, Unmet

Load = Callable[[str, Sequence[str]], Model]


@dataclass(frozen=True)
class Failure:
    """Where a scenario is not met.

    Attributes
    ----------
    line : int
    reason : str
        One sentence.
    """

    line: int
    reason: str


@dataclass(frozen=True)
class Played:
    """A scenario that was played.

    Attributes
    ----------
    scenario : Scenario
    walk : Walk
        The run as far as it came.
    trace : Trace
        The same, perhaps as a lasso.
    expectations : int
        How many were judged.
    failure : Failure or None
    """

    scenario: Scenario
    walk: Walk
    trace: Trace
    expectations: int
    failure: Failure | None = None

    @property
    def title(self) -> str:
        """The title, or the spec, after the file."""
        one = self.scenario
        return f"{one.name}: {one.title or self.walk.model.name}"

    @property
    def outcome(self) -> str:
        """What came of it, in one line."""
        if self.failure is not None:
            return f"{self.scenario.name}:{self.failure.line}: {self.failure.reason}"
        number = self.expectations
        met = "1 expectation is" if number == 1 else f"all {number} expectations are"
        return f"{in_steps(self.walk.length)}" + (f", {met} met" if number else "")

    def details(self, width: int = 80) -> list[str]:
        """Return the state in which it failed, and what is possible there; empty if it did not."""
        return [] if self.failure is None else standing(self.walk, width)

    def chart(self, width: int = 80) -> list[str]:
        """Return the run as a chart."""
        return drawn(self.walk.model, self.trace, width)


def standing(walk: Walk, width: int) -> list[str]:
    """Return the last state of a run and what is possible there, as lines."""
    model = walk.model
    rows = [walk.heading, *state_lines(model, walk.here, walk.before, width)]
    if walk.end:
        return [*rows, walk.end]
    return [*rows, "Possible then:", *possible_lines(model, walk.options, width)]


def play_file(path: Path, loading: Load = load) -> list[Played]:
    """Play all scenarios of a file.

    Parameters
    ----------
    path : Path
    loading : callable
        Loads a spec of a reference and settings.

    Raises
    ------
    SpecError
        If the file cannot be read, or a scenario is wrong; see `play`.
    """
    return [play(one, loading) for one in read_scenarios(text_of(path), str(path))]


def play(scenario: Scenario, loading: Load = load) -> Played:
    """Play a scenario.

    Parameters
    ----------
    scenario : Scenario
    loading : callable
        Loads a spec of a reference and settings.

    Raises
    ------
    ScenarioError
        If its spec does not exist, or a line names something that the spec does not have.
    """
    player = player_of(scenario, loading)
    last = scenario.number
    try:
        for line in scenario.lines:
            last = line.number
            say(player, line)
        player.close()
    except Unmet as unmet:
        failure = Failure(last, str(unmet))
        return Played(scenario, player.walk, player.trace, player.expectations, failure)
    except SpecError as error:
        raise scenario.error(str(error), last) from error
    return Played(scenario, player.walk, player.trace, player.expectations)


def say(player: Player, line: Line) -> None:
    """Let a player do what a line says."""
    if line.kind == "for ever":
        player.begin_cycle()
    else:
        {"step": player.take, "expect": player.expect, "must": player.must}[line.kind](line.text)


def player_of(scenario: Scenario, loading: Load = load) -> Player:
    """Return a player in the initial state of a scenario.

    Raises
    ------
    ScenarioError
        If its spec does not exist, or the initial state is not one.
    """
    try:
        model = loading(reference_beside(scenario.spec, Path(scenario.name)), scenario.settings)
        return Player(model, scenario.initial)
    except ScenarioError:
        raise
    except SpecError as error:
        raise scenario.error(str(error)) from error


def reference_beside(reference: str, file: Path) -> str:
    """Return a reference to a spec for the present folder; its file may stand beside another one.

    Examples
    --------
    >>> reference_beside("window-stm", Path("scenarios/old.scenario"))
    'window-stm'
    """
    found = re.match(r"(.*?\.py)(:.*|/.*)?$", reference)
    if found is None:
        return reference
    beside = file.parent / found[1]
    if not beside.is_file():
        return reference
    return os.path.normpath(beside) + (found[2] or "")
