"""Random formulas and random lassos."""

from __future__ import annotations

import random

from counterpoint.spec.notation import Shape

ONE = ("not", "always", "sometime")
TWO = ("and", "or", "implies", "strong until", "weak until", "release")


def formula(chance: random.Random, size: int, conditions: int) -> Shape:
    """Return a random formula with so many operators, over so many conditions."""
    if size == 0:
        return Shape("condition", number=chance.randrange(conditions))
    if size == 1 or chance.random() < 0.5:
        return Shape(chance.choice(ONE), (formula(chance, size - 1, conditions),))
    left = chance.randrange(size)
    parts = (formula(chance, left, conditions), formula(chance, size - 1 - left, conditions))
    return Shape(chance.choice(TWO), parts)


def lasso(chance: random.Random, conditions: int, most: int = 6) -> tuple[list[int], int]:
    """Return a mask of true conditions for each state of a random lasso, and its loop."""
    truths = [chance.randrange(1 << conditions) for _ in range(chance.randint(1, most))]
    return truths, chance.randrange(len(truths))


def unfolded(truths: list[int], conditions: int) -> list[list[bool]]:
    """Return the conditions of each state as truth values."""
    return [[bool(truth >> k & 1) for k in range(conditions)] for truth in truths]


def in_spin(shape: Shape) -> str:
    """Return a formula as Spin reads it."""
    if shape.op == "condition":
        return f"p{shape.number}"
    parts = [in_spin(part) for part in shape.parts]
    signs = {"not": "!", "always": "[]", "sometime": "<>"}
    if shape.op in signs:
        return f"({signs[shape.op]} {parts[0]})"
    if shape.op == "weak until":
        return f"(({parts[0]} U {parts[1]}) || [] {parts[0]})"
    signs = {"and": "&&", "or": "||", "implies": "->", "strong until": "U", "release": "V"}
    return f"({f' {signs[shape.op]} '.join(parts)})"
