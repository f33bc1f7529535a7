"""What a spec allows beside what the code has: the first difference as two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterpoint.models.logs.explaining import Obstacle
from counterpoint.spec.notation import Model, Values

from .mapped import Row

MOST_ROWS = 24
"""With more rows, those that agree and did not change are left out."""

MOST_NAMED = 8
"""How many possible steps are named."""


@dataclass(frozen=True)
class Column:
    """A variable in the state of the spec and in that of the code.

    Attributes
    ----------
    label, spec, code : str
    differs : bool
    moved : bool
        Whether the step changed it in the code.
    """

    label: str
    spec: str
    code: str
    differs: bool
    moved: bool = False


@dataclass(frozen=True)
class Difference:
    """The first step after which code is in no state that the spec allows.

    Attributes
    ----------
    step : str
        What the code did, as a call.
    reason : str
        What is wrong, in words.
    columns : tuple of Column
        The nearest state of the spec beside the code's.
    allowed : tuple of str
        The steps that the spec allows instead, if it does not allow this one.
    states : int
        In how many states the spec could be.
    """

    step: str
    reason: str
    columns: tuple[Column, ...] = ()
    allowed: tuple[str, ...] = ()
    states: int = 1


def difference(
    model: Model, step: str, obstacle: Obstacle, before: Values, now: Sequence[Row],
    earlier: Sequence[Row] = (), reason: str = "",
) -> Difference:  # fmt: skip
    """Return why the code is in no state that a spec allows.

    Parameters
    ----------
    model : Model
    step : str
        What the code did.
    obstacle : Obstacle
        Why no state agrees.
    before : Values
        A state of the spec before the step.
    now, earlier : sequence of Row
        What the code has after and before the step.
    reason : str
        What is wrong; by default as the obstacle says.
    """
    values = before if obstacle.nearest is None else obstacle.nearest
    old = {row.label: row.code for row in earlier}
    columns = tuple(_column(model, row, values, old) for row in now)
    wrong = [column.label for column in columns if column.differs]
    allowed: tuple[str, ...] = ()
    if not reason and obstacle.reason:
        reason = f"the spec does not allow this step: {obstacle.reason}"
        allowed = tuple(model.show_step(one) for one in obstacle.allowed)
    if not reason:
        more = [f"{len(wrong) - 3} more"] if len(wrong) > 4 else wrong[3:]
        reason = f"the spec allows no state with this {_listed([*wrong[:3], *more])}"
    return Difference(step, reason, columns, allowed, obstacle.states)


def _column(model: Model, row: Row, values: Values, old: dict[str, str]) -> Column:
    spec = row.in_spec(model, values)
    differs = any(str(model.show_value(model.cells[k], values[k])) != text for k, text in row.facts)
    moved = old.get(row.label, row.code) != row.code
    return Column(row.label, spec, row.code, differs, moved)


def _listed(names: Sequence[str]) -> str:
    """Return names as people list them: ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def table(found: Difference) -> list[str]:
    """Return the lines of the two columns; those that differ are marked."""
    shown = list(found.columns)
    if len(shown) > MOST_ROWS:
        shown = [column for column in shown if column.differs or column.moved]
    if not shown:
        return []
    rows = [("", "spec", "code"), *((c.label, c.spec, c.code) for c in shown)]
    wide = [max(len(row[k]) for row in rows) for k in range(3)]
    marks = ["", *("  differs" * column.differs for column in shown)]
    lines = [
        ("  ".join(text.ljust(w) for text, w in zip(row, wide, strict=True)) + mark).rstrip()
        for row, mark in zip(rows, marks, strict=True)
    ]
    if left := len(found.columns) - len(shown):
        lines.append(f"({left} more agree, and the step did not change them)")
    return lines


def instead(found: Difference) -> str:
    """Return what the spec allows instead, as a sentence; "" if the step itself is allowed."""
    if not found.allowed:
        return ""
    more = len(found.allowed) - MOST_NAMED
    names = ", ".join(found.allowed[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"The spec allows here: {names}."
