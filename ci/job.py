"""What a job of the gate is: one run of one engine, with what must come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from counterpoint.models.checking.engines import Options


@dataclass(frozen=True)
class Job:
    """One run of one engine.

    Attributes
    ----------
    reference : str
        The spec.
    parameters : mapping
        What differs from the spec's defaults.
    engine : str
        The engine's name.
    why : str
        What the job shows.
    violated : mapping of str to (int or None)
        The properties that must be violated, with the number of steps; None where the engine does
        not look for a shortest counterexample.
    states : int or None
        The exact number of reachable states.
    only : tuple of str
        The properties to check; all, if empty.
    options : Options
        What the engine takes.
    shown : tuple of str
        The violations that the report shows as pages; all, if empty.
    least_budget : float
        The gate's budget, in seconds, from which on the job is run.
    """

    reference: str
    parameters: Mapping[str, Any]
    engine: str
    why: str
    violated: Mapping[str, int | None] = field(default_factory=dict)
    states: int | None = None
    only: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    shown: tuple[str, ...] = ()
    least_budget: float = 0.0

    @property
    def name(self) -> str:
        """The job in one line."""
        given = "".join(f" {name}={value}" for name, value in self.parameters.items())
        return f"{self.reference}{given} · {self.engine}"
