"""A state, the possible steps and the properties of a run, as lines for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from counterpoint.spec.notation import Model, Property, SpecError, Values
from counterpoint.spec.notation.data.composite import Part
from counterpoint.spec.notation.nodes import Cell

from .steps import alike, written
from .walk import Option, Truth, Walk

_BESIDE = 24
"""The widest name of a variable that leaves its values on the same line."""
_ONE_EACH = 12
"""As many possible steps get a line each; more are grouped by action."""
_ROWS = 4
"""How many lines the steps of one action may take, unless all are wanted."""


@dataclass(frozen=True)
class Shown:
    """A variable as people see it.

    Attributes
    ----------
    name : str
        ``net.vote`` for a part of another variable.
    cells : tuple of (str, Cell, int)
        For each cell, what follows the name in its label, as in ``[T0, x]``, the cell, and its
        place in a state.
    """

    name: str
    cells: tuple[tuple[str, Cell, int], ...]


def variables(model: Model) -> list[Shown]:
    """Return the variables of a spec, in the order of declaration."""
    found: dict[str, list[tuple[Cell, int]]] = {}
    for place, cell in enumerate(model.cells):
        found.setdefault(cell.variable, []).append((cell, place))
    made = []
    for cells in found.values():
        name = re.sub(r"\[.*?\]", "", cells[0][0].label)
        made.append(Shown(name, tuple((c.label.removeprefix(name), c, k) for c, k in cells)))
    return made


def state_lines(
    model: Model, values: Values, before: Values | None, width: int, chosen: Iterable[Shown] = ()
) -> list[str]:
    """Return a state, a variable a line; a star marks those that the last step has changed.

    Parameters
    ----------
    model : Model
    values : Values
        The state.
    before : Values or None
        The state before the last step.
    width : int
        Columns.
    chosen : iterable of Shown
        The variables that are shown with all of their cells. By default all are shown, and of an
        array with many equal elements only the others.
    """
    whole = list(chosen)
    every = whole or variables(model)
    beside = max((len(v.name) for v in every if len(v.name) <= _BESIDE), default=0)
    rows: list[str] = []
    for one in every:
        parts, changed = _elements(model, one, values, before, bool(whole))
        head = f"{'*' if changed else ' '} {one.name:{beside}}  "
        indent = " " * (beside + 4)
        rows += _folded(head, parts, indent, width)
    return rows


def _elements(
    model: Model, one: Shown, values: Values, before: Values | None, whole: bool
) -> tuple[list[str], bool]:
    """Return the elements of a variable as text, and whether one of them has changed."""
    changed = {k for _, _, k in one.cells if before is not None and before[k] != values[k]}
    counted = Counter(values[k] for _, _, k in one.cells if k not in changed)
    usual, number = counted.most_common(1)[0] if counted else (None, 0)
    if not whole and is_set(model, one):
        was = f" (was {_as_set(one, before)})" if before and changed else ""
        return [_as_set(one, values) + was], bool(changed)
    parts = []
    for rest, cell, k in one.cells:
        if not whole and number > 1 and values[k] == usual and k not in changed:
            continue
        was = f" (was {model.show_value(cell, before[k])})" if before and k in changed else ""
        parts.append(f"{rest} {model.show_value(cell, values[k])}{was}".strip())
    if not whole and number > 1:
        cell = one.cells[0][1]
        word = "all" if not parts else "others"
        parts.append(f"{word} {model.show_value(cell, int(usual or 0))}")
    return parts, bool(changed)


def is_set(model: Model, one: Shown) -> bool:
    """Return whether a variable is a set, or messages that are there or not."""
    declared = model.spec.declared_variables[one.cells[0][1].variable]
    return isinstance(declared, Part) and all(
        cell.boolean and re.fullmatch(r"\[[^\[\]]*\]", rest) for rest, cell, _ in one.cells
    )


def member_text(rest: str, cell: Cell) -> str:
    """Return a member of a set, from what follows the set's name in the label of its cell."""
    return rest[1:-1] if len(cell.index) == 1 else f"({rest[1:-1]})"


def _as_set(one: Shown, values: Values) -> str:
    inside = [member_text(rest, cell) for rest, cell, k in one.cells if values[k]]
    return "{" + ", ".join(inside) + "}"


def _folded(head: str, parts: Sequence[str], indent: str, width: int) -> Iterator[str]:
    """Yield a head with parts between commas, on lines that break between the parts."""
    line, room = head, False
    if len(head) > len(indent):
        yield head.rstrip()
        line = indent
    for place, part in enumerate(parts):
        text = part + ("," if place < len(parts) - 1 else "")
        if room and len(line) + 1 + len(text) > width:
            yield line.rstrip()
            line, room = indent, False
        line += f" {text}" if room else text
        room = True
    yield line.rstrip()


def named(model: Model, name: str) -> list[Shown]:
    """Return the variables, or the cell, with a name; of ``net`` all parts.

    Raises
    ------
    SpecError
        If there are none.
    """
    every = variables(model)
    wanted = alike(name)
    if found := [v for v in every if v.name == name or v.name.startswith(f"{name}.")]:
        return found
    for one in every:
        cells = tuple(cell for cell in one.cells if alike(cell[1].label) == wanted)
        if cells:
            return [Shown(one.name, cells)]
    known = ", ".join(dict.fromkeys(v.name for v in every))
    raise SpecError(f"{model.name} has no variable {name!r} (it has: {known})")


def possible_lines(
    model: Model, options: Sequence[Option], width: int, only: str = ""
) -> list[str]:
    """Return the possible steps with their numbers; many of them are grouped by action.

    Parameters
    ----------
    model : Model
    options : sequence of Option
    width : int
        Columns.
    only : str
        The action whose steps are all shown; "" for those of each action, as many as have room.
    """
    shown = [one for one in options if only in ("", one.step.action)]
    margin = len(str(len(options))) + 2
    if len(shown) <= _ONE_EACH and not only:
        return [f"{one.number:{margin}} {_said(model, one)}" for one in shown]
    rows: list[str] = []
    for action in dict.fromkeys(one.step.action for one in shown):
        own = [one for one in shown if one.step.action == action]
        rows += _group(model, action, own, width, bool(only))
    return rows


def _said(model: Model, option: Option) -> str:
    return written(model, option.step) + ("  (leaves a range)" if option.fault else "")


def _group(
    model: Model, action: str, own: Sequence[Option], width: int, whole: bool
) -> list[str]:  # fmt: skip
    """Return the steps of one action in columns, below its name."""
    if len(own) == 1:
        return [f"  {own[0].number} {_said(model, own[0])}"]
    cells = [f"{one.number} {_said(model, one).removeprefix(action).strip()}".strip()
             for one in own]  # fmt: skip
    longest = max(map(len, cells)) + 2
    columns = max(1, (width - 2) // longest)
    if not whole and len(cells) > columns * _ROWS:
        left = len(cells) - columns * _ROWS
        cells = cells[: columns * _ROWS]
        more = [f"    and {left:,} more: steps {action} shows all"]
    else:
        more = []
    rows = [cells[k : k + columns] for k in range(0, len(cells), columns)]
    lines = ["    " + "".join(f"{cell:{longest}}" for cell in row).rstrip() for row in rows]
    return [f"  {action}", *lines, *more]


WORDS = {True: "true", False: "false"}


def property_lines(walk: Walk, width: int, changed_only: bool = False) -> list[str]:
    """Return each property with its truth in the last state of a run.

    Parameters
    ----------
    walk : Walk
    width : int
        Columns.
    changed_only : bool
        Whether to leave out those whose truth the last step did not change.
    """
    rows = []
    for claim in walk.model.all_properties:
        now, was = walk.truths.get(claim.name), walk.truths_before.get(claim.name)
        if changed_only and (now is None or was is None or now == was):
            continue
        head = f"  {_in_words(now):12} {claim.name}"
        note = f"was {_in_words(was)}" if changed_only else _note(claim)
        rows += textwrap.wrap(f"{head}  ({note})", width, subsequent_indent=" " * 15)
    return rows


def _in_words(truth: Truth | None) -> str:
    return "no step yet" if truth is None else ", ".join(WORDS[one] for one in truth)


def _note(claim: Property) -> str:
    """Return the kind of a property; of temporal ones, what their truth is the truth of."""
    if claim.kind in ("leads-to", "until"):
        return f"{claim.kind}: its two conditions"
    if claim.kind == "temporal":
        return "temporal: the conditions of its formula"
    if claim.kind in ("eventually", "infinitely-often", "stays"):
        return f"{claim.kind}: its condition"
    return {"range": "of each step", "transition": "of the last step"}.get(claim.kind, claim.kind)
