"""Formulas as temporal formulas of TLA+, which has always and eventually, but no until."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.spec.notation import TEMPORAL, Model, Property, Shape, SpecError

WITHOUT = ("strong until", "weak until", "release")
"""The operators that TLA+ does not have."""


def written(model: Model, claim: Property, conditions: Sequence[str]) -> str:
    """Return the formula of a property.

    Parameters
    ----------
    model : Model
    claim : Property
        A property marked ``temporal``, and `sayable`.
    conditions : sequence of str
        Its conditions, in brackets if they have several parts.
    """
    return _shown(model.shapes.of(model, claim.method), conditions)


def why_unsaid(model: Model, claim: Property) -> str:
    """Return why a module cannot have a property; "" if it can."""
    if claim.kind in TEMPORAL and model.spec.endless:
        return f"{model.name} is endless, and the ranges of a module have ends"
    if claim.kind != "temporal":
        return ""
    operators = _operators(model.shapes.of(model, claim.method))
    return "TLA+ has no until and no release" if set(operators) & set(WITHOUT) else ""


def sayable(model: Model, claim: Property) -> bool:
    """Return whether a module can have a property."""
    return not why_unsaid(model, claim)


def must_be_sayable(model: Model, wanted: Sequence[Property]) -> None:
    """Raise SpecError for a property that a module cannot have."""
    for claim in wanted:
        if why := why_unsaid(model, claim):
            other = "" if model.spec.endless else \
                "; a property marked @until, or --to promela, is exported"  # fmt: skip
            raise SpecError(f"--to tla cannot say {claim.name}: {why}{other}")


def _operators(shape: Shape) -> list[str]:
    return [shape.op, *(op for part in shape.parts for op in _operators(part))]


def _shown(shape: Shape, conditions: Sequence[str]) -> str:
    if shape.op == "condition":
        return conditions[shape.number]
    parts = [_shown(part, conditions) for part in shape.parts]
    if shape.op in ("always", "sometime"):
        return f"{'[]' if shape.op == 'always' else '<>'}{parts[0]}"
    if shape.op == "not":
        return f"(~{parts[0]})"
    sign = {"and": "/\\", "or": "\\/", "implies": "=>"}[shape.op]
    if not parts:
        return "[]TRUE" if shape.op == "and" else "[]FALSE"
    return f"({f' {sign} '.join(parts)})"
