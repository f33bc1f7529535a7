"""Says in words why a formula is false on a lasso."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.models.symbolic.statements import Statements
from counterpoint.models.symbolic.trace import System
from counterpoint.spec.notation import Model, Property, Shape
from counterpoint.spec.notation.nodes import Cell, Node

from .on_lassos import OnLasso

LONGEST = 60
"""A condition with a longer text is called by its number."""

MOST_PARTS = 30
"""So is a condition with more parts."""

FROM_THEN, BEGINNING = "from then on", "in the initial state"

SIGNS = {"always": "always", "sometime": "sometime", "strong until": "strong_until",
         "weak until": "weak_until", "release": "release", "implies": "implies",
         "not": "no"}  # fmt: skip


class Names(Statements):
    """The conditions of a property as text.

    Parameters
    ----------
    model : Model
    claim : Property
        A property marked ``temporal``.
    """

    def __init__(self, model: Model, claim: Property) -> None:
        super().__init__()
        self._model = model
        formulas = System(model).formulas(claim.method)
        self.conditions = [self._condition(k, node) for k, node in enumerate(formulas, 1)]

    def of(self, shape: Shape) -> str:
        """Return the text of a formula."""
        if shape.op == "condition":
            return self.conditions[shape.number]
        parts = [self.of(part) for part in shape.parts]
        if shape.op in ("and", "or"):
            sign = " & " if shape.op == "and" else " | "
            return sign.join(f"({part})" if " " in part else part for part in parts)
        return f"{SIGNS[shape.op]}({', '.join(parts)})"

    def _condition(self, number: int, node: Node) -> str:
        text = self.show(node) if _is_small(node) else ""
        if text.startswith("(") and text.endswith(")"):
            text = text[1:-1]
        return text if 0 < len(text) <= LONGEST else f"condition {number}"

    def show(self, node: Node) -> str:
        """Return an expression; a comparison shows values as people see them."""
        if node.op == "not" and node.args[0].op in ("equal", "less"):
            sign = "!=" if node.args[0].op == "equal" else ">="
            return self._compared(node.args[0], sign)
        if node.op in ("equal", "less"):
            return self._compared(node, "==" if node.op == "equal" else "<")
        return super().show(node)

    def cell(self, cell: Cell) -> str:
        """Return the label of a cell."""
        return cell.label

    def _compared(self, node: Node, sign: str) -> str:
        left, right = node.args
        cells = [side.args[0] for side in (left, right) if side.op == "cell"]
        if len(cells) == 1 and sign in ("==", "!=") and "constant" in (left.op, right.op):
            value = (left if left.op == "constant" else right).args[0]
            if cells[0].low <= value <= cells[0].high:
                return f"({cells[0].label} {sign} {self._model.show_value(cells[0], value)})"
        return f"({self.show(left)} {sign} {self.show(right)})"


def _is_small(root: Node) -> bool:
    todo, seen = [root], 0
    while todo and seen <= MOST_PARTS:
        seen += 1
        todo += [part for part in todo.pop().args if isinstance(part, Node)]
    return seen <= MOST_PARTS


def why_false(
    model: Model, claim: Property, conditions: Sequence[Sequence[bool]], loop: int
) -> str:
    """Return which part of a formula fails on a lasso, and where; "" if it is true.

    Parameters
    ----------
    model : Model
    claim : Property
        A property marked ``temporal``.
    conditions : sequence of sequence of bool
        For each state of the lasso, the conditions of its formula.
    loop : int
        The place from which on the states are repeated for ever.
    """
    shape = model.shapes.of(model, claim.method)
    lasso = OnLasso(conditions, loop)
    if lasso.truth(shape)[0]:
        return ""
    return _Sentence(lasso, Names(model, claim)).of(shape, 0, False)


class _Sentence:
    """Finds what makes a formula true or false."""

    def __init__(self, lasso: OnLasso, names: Names) -> None:
        self._lasso, self._names = lasso, names

    def of(self, shape: Shape, place: int, true: bool) -> str:
        """Return why a formula is true, or false, at a place."""
        if shape.op == "condition":
            return f"{self._names.of(shape)} is {str(true).lower()} {self._when(place)}"
        if shape.constant:
            return f"the formula is always {str(true).lower()} for these parameters"
        if shape.op == "not":
            return self.of(shape.parts[0], place, not true)
        if shape.op in ("and", "or", "implies"):
            return self._joined(shape, place, true)
        if shape.op in ("always", "sometime"):
            return self._for_ever(shape.parts[0], place, shape.op == "always", true)
        return self._of_two(shape, place, true)

    def _joined(self, shape: Shape, place: int, true: bool) -> str:
        """Return the one part that decides, or all of them."""
        wanted = [(part, shape.op == "implies" and k == 0) for k, part in enumerate(shape.parts)]
        one_decides = true != (shape.op == "and")
        signs = [(part, true != negated) for part, negated in wanted]
        if one_decides:
            found = next((p, t) for p, t in signs if self._lasso.truth(p)[place] == t)
            return self.of(found[0], place, found[1])
        return ", and ".join(self.of(part, place, sign) for part, sign in signs)

    def _for_ever(self, part: Shape, place: int, always: bool, true: bool) -> str:
        if always != true:  # one place decides
            truth = self._lasso.truth(part)
            at = next(k for k in self._lasso.later(place) if truth[k] == true)
            return self.of(part, at, true)
        how = "always" if true else "never"
        return f"{self._names.of(part)} is {how} true{self._since(place)}"

    def _of_two(self, shape: Shape, place: int, true: bool) -> str:
        """Return why an until or a release is true or false."""
        first, second = shape.parts
        if true:
            return f"{self._names.of(shape)} is true {self._when(place)}"
        if shape.op == "release":
            return self._breaks(second, first, place, "is not true before")
        waits = self._lasso.truth(second)
        if not any(waits[k] for k in self._lasso.later(place)):
            holds = self._lasso.truth(first)
            if shape.op == "strong until" and all(holds[k] for k in self._lasso.later(place)):
                return f"{self._names.of(second)} is never true{self._since(place)}"
        return self._breaks(first, second, place, "is not true by then")

    def _breaks(self, stays: Shape, ends: Shape, place: int, how: str) -> str:
        truth = self._lasso.truth(stays)
        at = next(k for k in self._lasso.later(place) if not truth[k])
        return f"{self.of(stays, at, False)}, and {self._names.of(ends)} {how}"

    def _when(self, place: int) -> str:
        if place == 0:
            return BEGINNING
        return f"after {place} step{'' if place == 1 else 's'}"

    def _since(self, place: int) -> str:
        return f" {FROM_THEN}" if place else ""
