"""A job of the gate: one run of one engine, with the expected results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from counterpoint.models.checking.engines import Options
from counterpoint.spec.notation import Model, Property

from .outcome import Place


@dataclass(frozen=True)
class Job:
    """One run of one engine, with the expected results.

    Attributes
    ----------
    reference : str
        The spec.
    parameters : mapping
        The parameters that differ from the spec's defaults.
    engine : str
        The engine's name.
    why : str
        The statement that the job shows, in one sentence.
    violated : mapping of str to (int or None)
        The properties that must be violated, with the number of steps; None where the engine does
        not look for a shortest counterexample.
    states : int or None
        The exact number of reachable states.
    only : tuple of str
        The properties to check; all, if empty.
    options : Options
        Options of the engine.
    shown : tuple of str
        The violations that the report shows as pages; all, if empty.
    least_budget : float
        The job is run if the gate's budget, in seconds, is at least this.
    place : Place or None
        The row of the configuration that it comes from.
    holds : tuple of str
        Properties that are said to hold; all that are not named must hold, too.
    temporal : bool
        Whether properties of whole runs are checked, too, if `only` is empty. They are not where
        the exhaustive engine, which judges them, has a job of its own.
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
    place: Place | None = None
    holds: tuple[str, ...] = ()
    temporal: bool = True

    def wanted(self, model: Model) -> list[Property]:
        """Return the properties to check."""
        if self.only:
            return [one for one in model.all_properties if one.name in self.only]
        return list(model.all_properties if self.temporal else model.properties)

    @property
    def name(self) -> str:
        """The job in one line."""
        given = "".join(f" {name}={value}" for name, value in self.parameters.items())
        return f"{self.reference}{given} · {self.engine}"
