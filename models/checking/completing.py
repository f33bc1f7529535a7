"""What a verdict says beyond its engine: initial states of refinements, and constraints."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from counterpoint.models.verdict import Trace, Verdict, in_steps
from counterpoint.spec.notation import Model

MOST_STARTS = 10_000
"""The most initial states of which a refinement is judged."""


def completed(model: Model, verdict: Verdict) -> Verdict:
    """Return a verdict that also knows the initial states and the constraints of its spec."""
    if model.constraints and verdict.reason == "there is no initial state":
        return replace(verdict, reason=f"{verdict.reason} that satisfies {_names(model)}")
    if verdict.claim.method in model.refinements and verdict.answer != "unknown":
        verdict = _from_the_start(model, verdict)
    if model.constraints and verdict.extent and verdict.answer == "holds":
        return replace(verdict, extent=f"{verdict.extent}, bounded by {_names(model)}")
    return verdict


def _names(model: Model) -> str:
    return ", ".join(name.replace("_", "-") for name in model.constraints)


def _from_the_start(model: Model, verdict: Verdict) -> Verdict:
    """Return the verdict on a refinement, which an initial state may violate."""
    refinement = model.refinements[verdict.claim.method]
    starts = list(islice(model.initial_states(), MOST_STARTS + 1))
    for values in starts:
        if fault := refinement.fault_of_start(values):
            return replace(
                verdict, answer="violated", extent=in_steps(0), depth=0,
                trace=Trace((values,), ()), reason=fault,
            )  # fmt: skip
    if len(starts) > MOST_STARTS and verdict.answer == "holds":
        reason = f"there are more than {MOST_STARTS:,} initial states"
        return replace(verdict, answer="unknown", extent="", reason=reason)
    return verdict
