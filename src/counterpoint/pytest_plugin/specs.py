"""Files ``*_spec.py``: each spec in them is checked with its default parameters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.ci.job import Job
from counterpoint.models.loading import specs_in
from counterpoint.spec.notation import SpecError
from counterpoint.testing.isolation import isolated

from .checks import Check


class SpecFile(pytest.File):
    """A file with specs."""

    def collect(self) -> Iterator[Check]:
        """Yield a check for each spec that the file defines; mutants are left out."""
        config = self.config
        with isolated():
            try:
                names = specs_in(self.path)
            except SpecError as error:
                raise self.CollectError(str(error)) from None
        for name in names:
            yield Check.from_parent(
                self,
                name=name,
                job=Job(f"{_shown(self.path)}:{name}", {}, "exhaustive", ""),
                seconds=float(config.getini("counterpoint_time_limit")),
                unknown=config.getini("counterpoint_unknown") or "fail",
                entered=isolated,
                whole=False,
            )


def _shown(path: Path) -> Path:
    """Return a path as a command in the current folder names it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
