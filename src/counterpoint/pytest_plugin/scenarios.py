"""Files ``*.scenario``: each scenario in them is a test."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from counterpoint.models.scenarios import Scenario, play, read_scenarios
from counterpoint.models.scenarios.files import text_of
from counterpoint.spec.notation import SpecError
from counterpoint.testing.isolation import isolated, load
from counterpoint.testing.messages import width

from .checks import Differs


class ScenarioFile(pytest.File):
    """A file with scenarios."""

    def collect(self) -> Iterator[ScenarioItem]:
        """Yield an item for each scenario."""
        yield from items(self, _shown(self.path), isolated)


def items(
    parent: pytest.Collector,
    path: Path,
    entered: Callable[[], AbstractContextManager[None]],
    before: str = "",
) -> Iterator[ScenarioItem]:
    """Yield an item for each scenario of a file.

    Parameters
    ----------
    parent : Collector
    path : Path
        As it is found in the context, and named in messages.
    entered : callable
        Returns a context in which the file and its spec are found.
    before : str
        What stands before each name.
    """
    with entered():
        try:
            found = read_scenarios(text_of(path), str(path))
        except SpecError as error:
            raise pytest.Collector.CollectError(str(error)) from None
    names: list[str] = []
    for one in found:
        names.append((one.title or path.stem).replace("::", ":"))
        again = f" ({names.count(names[-1])})" if names.count(names[-1]) > 1 else ""
        name = f"{before}{names[-1]}{again}"
        yield ScenarioItem.from_parent(parent, name=name, scenario=one, entered=entered)


class ScenarioItem(pytest.Item):
    """A scenario.

    Parameters
    ----------
    scenario : Scenario
    entered : callable
        Returns a context in which its spec is found.
    """

    def __init__(
        self,
        name: str,
        parent: pytest.Collector,
        *,
        scenario: Scenario,
        entered: Callable[[], AbstractContextManager[None]],
    ) -> None:
        super().__init__(name, parent)
        self.scenario, self.entered = scenario, entered

    def runtest(self) -> None:
        """Fail if the scenario is not met."""
        with self.entered():
            folder = Path.cwd()
            try:
                played = play(self.scenario, load)
            except SpecError as error:
                raise Differs(str(error)) from None
        if played.failure is not None:
            rows = [played.outcome, "", *played.details(width()), "", *played.chart(width())]
            again = f"counterpoint replay {shlex.quote(self.scenario.name)}"
            if folder != Path.cwd():
                again = f"cd {shlex.quote(os.path.relpath(folder))} && {again}"
            raise Differs("\n".join([*rows, "", f"To reproduce: {again}"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the message alone for a scenario that is not met."""
        if isinstance(excinfo.value, Differs):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return file, line (from 0) and name."""
        return self.path, self.scenario.number - 1, self.name


def _shown(path: Path) -> Path:
    """Return a path as a command in the current folder names it."""
    return Path(os.path.relpath(path)) if path.is_relative_to(Path.cwd()) else path
