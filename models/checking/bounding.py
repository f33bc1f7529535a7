"""What a verdict says about the constraints of a spec."""

from __future__ import annotations

from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model


def bounded_extent(model: Model, verdict: Verdict) -> str:
    """Return how far a verdict reaches, with the constraints that bound what was explored."""
    if not model.constraints or not verdict.extent or verdict.answer != "holds":
        return verdict.extent
    names = ", ".join(name.replace("_", "-") for name in model.constraints)
    return f"{verdict.extent}, bounded by {names}"
