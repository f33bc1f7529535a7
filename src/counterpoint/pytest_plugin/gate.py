"""The checks of ``counterpoint.toml``, or of ``[tool.counterpoint]``, as items of pytest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from counterpoint.ci import configuration as configurations
from counterpoint.ci import scenarios
from counterpoint.ci.checks import jobs
from counterpoint.ci.configuration import Configuration, ConfigurationError
from counterpoint.testing.isolation import isolated

from .checks import Check
from .scenarios import ScenarioItem, items


class ConfigurationFile(pytest.File):
    """A configuration of the gate."""

    def collect(self) -> Iterator[Check | ScenarioItem]:
        """Yield the checks that the budget allows, and the scenarios."""
        try:
            found = configurations.load(self.path)
            with _entered(found):
                made = jobs(found)
                files = list(scenarios.files(found))
        except ConfigurationError as error:
            raise self.CollectError(str(error)) from None
        settings, names = found.document, Counter[str]()
        for job in made:
            if job.least_budget > settings.gate.budget:
                continue
            names[job.name] += 1
            again = f" ({names[job.name]})" if names[job.name] > 1 else ""
            yield Check.from_parent(
                self,
                name=(job.name + again).replace("::", ":"),
                job=job,
                seconds=settings.gate.budget,
                unknown=self.config.getini("counterpoint_unknown") or settings.pytest.unknown,
                entered=lambda: _entered(found),
                whole=True,
            )
        for file in files:
            yield from items(self, file.path, lambda: _entered(found), f"{file.name} · ")


@contextmanager
def _entered(configuration: Configuration) -> Iterator[None]:
    with isolated(), configuration.entered():
        yield
