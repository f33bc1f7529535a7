"""Formulas as temporal formulas of TLA+, which has always and eventually, but no until."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.spec.notation import Model, Property, Shape, SpecError

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


def sayable(model: Model, claim: Property) -> bool:
    """Return whether TLA+ has all operators of a temporal property."""
    if claim.kind != "temporal":
        return True
    return not any(op in WITHOUT for op in _operators(model.shapes.of(model, claim.method)))


def must_be_sayable(model: Model, wanted: Sequence[Property]) -> None:
    """Raise SpecError for a formula with an operator that TLA+ does not have."""
    for claim in wanted:
        if not sayable(model, claim):
            raise SpecError(f"--to tla cannot say {claim.name}: TLA+ has no until and no release; "
                            "a property marked @until, or --to promela, is exported")  # fmt: skip


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
