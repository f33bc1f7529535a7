"""A trace as a sequence chart for the terminal: a lane for each member of an index."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from itertools import zip_longest

from counterpoint.models.verdict import Trace, Verdict
from counterpoint.spec.notation import Index, Model, SpecError, Step

NARROWEST = 40
"""Columns below which no chart is drawn."""

_LANE = 12
"""Columns that a lane keeps, if it needs them, when changes stand beside the lanes."""
_CROWDED = 6
"""Columns of a lane below which the lanes without a step are left out."""


@dataclass(frozen=True)
class Move:
    """A step as it is shown.

    Attributes
    ----------
    lane : int
        Where it stands.
    text : str
        The action with the parameters that the lane does not tell.
    changes : tuple of str
        What it changes, as in ``date[x] 0→1``; nothing where there is no state after it.
    """

    lane: int
    text: str
    changes: tuple[str, ...]


def traced(verdict: Verdict) -> Trace:
    """Return the verdict's trace.

    Raises
    ------
    SpecError
        If it has none.
    """
    if verdict.trace is None:
        raise SpecError(f"{verdict.model.name}: {verdict.claim.name} has no trace to show")
    return verdict.trace


def arrange(verdict: Verdict) -> tuple[tuple[str, ...], tuple[Move, ...]]:
    """Return the labels of the lanes, and the steps of the trace in them.

    Every member of the lane index has a lane; steps that have no parameter of that index share one
    more.
    """
    model, trace = verdict.model, traced(verdict)
    index = _lane_index(model)
    labels = [index.label(model.spec, m) for m in range(index.size(model.spec))] if index else []
    moves = []
    for i, step in enumerate(trace.steps):
        lane, text = _place(model, step, index)
        ends = trace.states[i : i + 2]
        moves.append(Move(lane, text, _changes(model, *ends) if len(ends) == 2 else ()))
    if not labels or any(m.lane == len(labels) for m in moves):
        labels.append("environment" if labels else model.name)
    return tuple(labels), tuple(moves)


def _lane_index(model: Model) -> Index | None:
    if model.spec.lane:
        named = model.spec.declared_parameters.get(model.spec.lane)
        if not isinstance(named, Index):
            raise SpecError(f"{model.name} has no index {model.spec.lane!r} for its lanes")
        return named
    return next((a.parameters[0][1] for a in model.actions if a.parameters), None)


def _place(model: Model, step: Step, index: Index | None) -> tuple[int, str]:
    """Return a step's lane and its text; a single parameter beside the lane goes without name."""
    parameters = next(a.parameters for a in model.actions if a.name == step.action)
    own = next((k for k, (_, i) in enumerate(parameters) if i is index), None)
    shown = model.show_binding(step)
    if own is None:
        lane = index.size(model.spec) if index else 0
    else:
        lane = step.binding[own]
        del shown[parameters[own][0]]
    if len(shown) == 1:
        return lane, f"{step.action}({next(iter(shown.values()))})"
    inside = ", ".join(f"{name}={label}" for name, label in shown.items())
    return lane, f"{step.action}({inside})" if inside else step.action


def _changes(model: Model, before: tuple[int, ...], after: tuple[int, ...]) -> tuple[str, ...]:
    """Return what differs; the old one of two truth values goes without saying."""
    return tuple(
        f"{label}→{new}" if isinstance(new, bool) else f"{label} {old}→{new}"
        for label, (old, new) in model.changes(before, after).items()
    )


def chosen(verdict: Verdict) -> tuple[str, ...]:
    """Return the initial values that could have been others, as in ``lock=1``."""
    model = verdict.model
    start = traced(verdict).states[0]
    return tuple(
        f"{cell.label}={model.show_value(cell, value)}"
        for cell, value, allowed in zip(model.cells, start, model.initial_values(), strict=True)
        if len(allowed) > 1
    )


def outcome(verdict: Verdict) -> str:
    """Return where the trace ends, in one sentence."""
    trace, claim = traced(verdict), verdict.claim
    what = "is reached" if claim.kind == "sometimes" else "is violated"
    if not trace.steps:
        where = "in an initial state"
    else:
        by_step = claim.kind == "transition" or len(trace.states) == len(trace.steps)
        where = f"{'by' if by_step else 'after'} step {len(trace.steps)}"
    return f"{claim.name} {what} {where}" + (f": {verdict.reason}." if verdict.reason else ".")


def chart(verdict: Verdict, width: int = 80) -> str:
    """Return the verdict's trace as plain text, with the explanation below.

    Every step stands in its lane with all of its parameters, folded where the lane is too narrow.
    Of its changes there are as many as fit, and ``+2`` says that two more do not.

    Parameters
    ----------
    verdict : Verdict
        With a trace.
    width : int
        Columns, at least `NARROWEST`; no line is longer.

    Raises
    ------
    SpecError
        If the verdict has no trace.
    """
    width = max(width, NARROWEST)
    labels, moves = arrange(verdict)
    margin = len(str(len(moves))) + 2
    if len(labels) * (_CROWDED + 1) > width - margin:
        used = sorted({m.lane for m in moves}) or [0]
        labels = tuple(labels[lane] for lane in used)
        moves = tuple(replace(m, lane=used.index(m.lane)) for m in moves)
    page = _Page(width, margin, *_widths(labels, moves, width - margin))
    rows = page.header(labels)
    if chosen(verdict):
        rows += page.row("0", None, "", chosen(verdict))
    for number, move in enumerate(moves, start=1):
        rows += page.row(str(number), move.lane, move.text, move.changes)
    rows += ["", *textwrap.wrap(outcome(verdict), width)]
    for line in verdict.explanation.lines:
        rows += textwrap.wrap(line, width, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(rows) + "\n"


def _widths(labels: tuple[str, ...], moves: tuple[Move, ...], room: int) -> tuple[list[int], int]:
    """Return the widths of the lanes, and of the changes beside them: 0 if they go below."""
    wanted = [
        max([len(label), *(len(m.text) for m in moves if m.lane == lane)])
        for lane, label in enumerate(labels)
    ]
    least = max((min(map(len, m.changes)) for m in moves if m.changes), default=0)
    beside = _capped(wanted, room - least - 1)
    if all(got >= min(want, _LANE) for got, want in zip(beside, wanted, strict=True)):
        return beside, room - sum(beside) - len(beside) - 1
    return _capped(wanted, room), 0


def _capped(wanted: list[int], room: int) -> list[int]:
    """Cut the widest lanes to one width, until all lanes, each with a space after it, fit."""
    for cap in range(max(wanted), 0, -1):
        widths = [min(want, cap) for want in wanted]
        if sum(widths) + len(widths) <= room:
            return widths
    return [1] * len(wanted)


@dataclass(frozen=True)
class _Page:
    """The columns of a chart: the number's margin, the lanes, the changes."""

    width: int
    margin: int
    lanes: list[int]
    beside: int

    def header(self, labels: tuple[str, ...]) -> list[str]:
        folded = [_fold(label, width) for label, width in zip(labels, self.lanes, strict=True)]
        return [self._line("", list(cells), "") for cells in zip_longest(*folded, fillvalue="")]

    def row(self, number: str, lane: int | None, text: str, changes: tuple[str, ...]) -> list[str]:
        """Return a step's lines: one, more where its text is folded or its changes go below."""
        pieces = [""] if lane is None else _fold(text, self.lanes[lane])
        notes = _fit(changes, self.beside, len(pieces)) if self.beside else []
        lines = []
        for k, (piece, note) in enumerate(zip_longest(pieces, notes, fillvalue="")):
            cells = [piece if at == lane else "│" for at in range(len(self.lanes))]
            lines.append(self._line("" if k else number, cells, note))
        if changes and not self.beside:
            below = _fit(changes, self.width - self.margin - 2, 1)
            lines += [" " * self.margin + "· " + line for line in below]
        return lines

    def _line(self, number: str, cells: list[str], note: str) -> str:
        spread = "".join(c.ljust(w + 1) for c, w in zip(cells, self.lanes, strict=True))
        return f"{number:>{self.margin - 2}}  {spread} {note}".rstrip()


def _fold(text: str, width: int) -> list[str]:
    """Break a text into lines: after a space or an underscore or before a bracket, if possible."""
    lines = [""]
    for piece in re.split(r"(?<=[ _])|(?=\()", text):
        if len((lines[-1] + piece).rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.rstrip() for line in lines]


def _fit(changes: tuple[str, ...], width: int, rows: int) -> list[str]:
    """Return as many changes as fit, and the number of the others."""

    def fits(items: list[str]) -> bool:
        lines = _pack(items, width)
        return len(lines) <= rows and all(len(line) <= width for line in lines)

    if fits([*changes]):
        return _pack([*changes], width)
    kept: list[str] = []
    for change in changes:
        if fits([*kept, change, f"+{len(changes) - len(kept) - 1}"]):
            kept.append(change)
    return _pack([*kept, f"+{len(changes) - len(kept)}"], width)


def _pack(items: list[str], width: int) -> list[str]:
    """Put items behind one another, separated by commas, on as few lines as they need."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 3 <= width:
            lines[-1] += f", {item}"
        else:
            lines[-1:] = [*(f"{line}," for line in lines[-1:]), item]
    return lines
