"""The truth of a formula on a lasso, by the definition of its operators."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.spec.notation import Shape

Truths = list[bool]
"""Whether a formula is true at each place of a lasso."""


class OnLasso:
    """A lasso on which formulas are evaluated.

    Parameters
    ----------
    conditions : sequence of sequence of bool
        For each of its states, the conditions of the formula.
    loop : int
        The place from which on the states are repeated for ever.
    """

    def __init__(self, conditions: Sequence[Sequence[bool]], loop: int) -> None:
        self._conditions, self.loop = conditions, loop
        self._known: dict[Shape, Truths] = {}

    def __len__(self) -> int:
        return len(self._conditions)

    def later(self, place: int) -> list[int]:
        """Return a place and all later ones, in the order in which a run comes to them first."""
        return [*range(place, len(self)), *range(self.loop, min(place, len(self)))]

    def truth(self, shape: Shape) -> Truths:
        """Return whether a formula is true at each place."""
        if shape not in self._known:
            self._known[shape] = self._judged(shape)
        return self._known[shape]

    def _judged(self, shape: Shape) -> Truths:
        if shape.op == "condition":
            return [bool(one[shape.number]) for one in self._conditions]
        if shape.constant:
            return [shape.op == "and"] * len(self)
        parts = [self.truth(part) for part in shape.parts]
        if shape.op in ("not", "and", "or", "implies"):
            return [_joined(shape.op, now) for now in zip(*parts, strict=True)]
        if shape.op == "sometime":
            return self._until([True] * len(self), parts[0])
        if shape.op == "always":
            return _not(self._until([True] * len(self), _not(parts[0])))
        first, second = parts
        if shape.op == "strong until":
            return self._until(first, second)
        if shape.op == "release":
            return _not(self._until(_not(first), _not(second)))
        never = _not(self._until([True] * len(self), _not(first)))
        return [a or b for a, b in zip(self._until(first, second), never, strict=True)]

    def _until(self, first: Truths, second: Truths) -> Truths:
        found = []
        for place in range(len(self)):
            end = next((k for k in self.later(place) if second[k] or not first[k]), None)
            found.append(end is not None and second[end])
        return found


def _not(truths: Truths) -> Truths:
    return [not one for one in truths]


def _joined(op: str, now: Sequence[bool]) -> bool:
    if op == "not":
        return not now[0]
    if op == "implies":
        return not now[0] or now[1]
    return all(now) if op == "and" else any(now)
