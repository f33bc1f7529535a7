"""The checks of the catalogue's own specs, as the configuration of Counterpoint's repository."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from . import checks, configuration
from .job import Job


@cache
def jobs() -> tuple[Job, ...]:
    """Return the jobs of the catalogue, in the order in which the gate starts them."""
    with resources.as_file(resources.files("counterpoint.ci") / "counterpoint.toml") as path:
        return tuple(checks.jobs(configuration.load(Path(path))))
