"""Expectations of values: ``clock == 1``, ``status[T0] != LIVE``, ``ready == {A, C}``."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterpoint.models.runs.showing import Shown, member_text, variables
from counterpoint.models.runs.steps import alike, pieces
from counterpoint.spec.notation import Model, SpecError, Values
from counterpoint.spec.notation.nodes import Cell

_TEXT = re.compile(r"(.*?[^=!<>\s])\s*(==|!=|<=|>=|<|>)\s*([^=<>].*)")
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
_MOST = 4096
"""As many values of a cell are compared with a text."""

Reading = Callable[[Values], Any]


@dataclass(frozen=True)
class Comparison:
    """A comparison of a cell, or a set, with a value or another cell.

    Attributes
    ----------
    text : str
    left, right : callable
        Return the compared values of a state.
    sign : str
    shown : callable
        Returns in words what a state has instead.
    """

    text: str
    left: Reading
    sign: str
    right: Reading
    shown: Callable[[Values], str]

    def holds(self, values: Values) -> bool:
        """Return whether it is true in a state."""
        return _SIGNS[self.sign](self.left(values), self.right(values))


def comparison(model: Model, text: str) -> Comparison | None:
    """Return what a text compares; None if it is no comparison.

    Raises
    ------
    SpecError
        If it names no cell, or a value that the cell cannot have.
    """
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        return None
    name, sign, value = found[1].strip(), found[2], found[3].strip()
    if value.startswith("{") and (one := _set(model, name)):
        members = _members(one, value)
        if sign not in ("==", "!="):
            raise SpecError(f"{text}: sets are compared by == and !=")
        return Comparison(text, lambda v: _inside(one, v), sign, lambda _: members,
                          lambda v: f"{name} is {{{', '.join(sorted(_inside(one, v)))}}}",
                          )  # fmt: skip
    place, cell = _cell(model, name)

    def shown(values: Values) -> str:
        return f"{cell.label} is {model.show_value(cell, values[place])}"

    if (other := _other(model, value)) is not None:
        second, of = other
        return Comparison(
            text, lambda v: v[place], sign, lambda v: v[second],
            lambda v: f"{shown(v)}, {of.label} is {model.show_value(of, v[second])}",
        )  # fmt: skip
    if sign not in ("==", "!=") and not isinstance(model.show_value(cell, cell.low), int):
        raise SpecError(f"{text}: only numbers are compared by {sign}")
    number = _value(model, cell, value)
    return Comparison(text, lambda v: v[place], sign, lambda _: number, shown)


def initial_value(model: Model, text: str) -> tuple[int, int]:
    """Return the place of a cell and its value that a text such as ``lock = 1`` names.

    Raises
    ------
    SpecError
        If there is no such cell, or it cannot have that value.
    """
    name, _, value = text.partition("=")
    place, cell = _cell(model, name.strip())
    return place, _value(model, cell, value.strip("= "))


def _cell(model: Model, name: str) -> tuple[int, Cell]:
    for place, cell in enumerate(model.cells):
        if alike(cell.label) == alike(name):
            return place, cell
    labels = [cell.label for cell in model.cells]
    near = difflib.get_close_matches(name, labels, 1, 0.5)
    known = ", ".join(labels[:8]) + (", ..." if len(labels) > 8 else "")
    hint = f"did you mean {near[0]}?" if near else f"there are: {known}"
    raise SpecError(f"{model.name} has no variable {name}; {hint}")


def _other(model: Model, text: str) -> tuple[int, Cell] | None:
    found = [(k, cell) for k, cell in enumerate(model.cells) if alike(cell.label) == alike(text)]
    return found[0] if found else None


def _value(model: Model, cell: Cell, text: str) -> int:
    """Return the value of a cell that a text shows."""
    if isinstance(model.show_value(cell, cell.low), bool):
        known: dict[str, int] = {"True": 1, "False": 0, "true": 1, "false": 0}
    else:
        high = min(cell.high, cell.low + _MOST) if cell.high is not None else cell.low + _MOST
        known = {str(model.show_value(cell, v)): v for v in range(cell.low, high + 1)}
    if text in known:
        return known[text]
    if (
        re.fullmatch(r"-?\d{1,18}", text)
        and str(cell.low) in known
        and cell.low <= int(text) <= cell.high
    ):
        return int(text)
    near = difflib.get_close_matches(text, known, 1)
    names = list(known)
    few = ", ".join(names) if len(names) <= 8 else f"{names[0]}, {names[1]}, ... {names[-1]}"
    hint = f"did you mean {near[0]}?" if near else f"it is one of: {few}"
    raise SpecError(f"{cell.label} cannot be {text}; {hint}")


def _set(model: Model, name: str) -> Shown | None:
    """Return a variable that has a truth value for each member of something."""
    for one in variables(model):
        if one.name == name and all(c.boolean and c.index for _, c, _ in one.cells):
            return one
    return None


def _members(one: Shown, text: str) -> frozenset[str]:
    if not text.endswith("}"):
        raise SpecError(f"{one.name}: {text} is no set, as in {{A, B}}")
    found = frozenset(alike(piece) for piece in pieces(text[1:-1], ","))
    known = {alike(member_text(rest, cell)) for rest, cell, _ in one.cells}
    if wrong := sorted(found - known):
        members = ", ".join(member_text(rest, cell) for rest, cell, _ in one.cells)
        raise SpecError(f"{one.name} has no member {wrong[0]} (it can have: {members})")
    return found


def _inside(one: Shown, values: Values) -> frozenset[str]:
    return frozenset(alike(member_text(rest, cell)) for rest, cell, k in one.cells if values[k])
