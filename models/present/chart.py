"""A trace as a sequence chart for the terminal: a column for each member that takes steps."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from itertools import zip_longest

from counterpoint.models.verdict import Trace, Verdict
from counterpoint.spec.notation import Model

from .lanes import Move, arranged, traced

NARROWEST = 40
"""The narrowest chart, in columns."""

_LANE = 12
"""The columns that a lane may need before the changes move from beside the lanes to below them."""
_CROWDED = 6
"""If lanes would be narrower than this, lanes without steps are left out."""


def chosen(verdict: Verdict) -> tuple[str, ...]:
    """Return the values of the cells with several possible initial values, as in ``lock=1``."""
    return _chosen(verdict.model, traced(verdict))


def _chosen(model: Model, trace: Trace) -> tuple[str, ...]:
    return tuple(f"{n}={value}" for n, value in model.show_open_cells(trace.states[0]).items())


def outcome(verdict: Verdict) -> str:
    """Return one sentence that says where the trace ends."""
    trace, claim = traced(verdict), verdict.claim
    if trace.loop is not None:
        return f"{claim.name} is violated{f': {verdict.reason}' if verdict.reason else ''}."
    what = "is reached" if claim.kind == "sometimes" else "is violated"
    if not trace.steps:
        where = "in an initial state"
    else:
        by_step = claim.kind == "transition" or len(trace.states) == len(trace.steps)
        where = f"{'by' if by_step else 'after'} step {len(trace.steps)}"
    return f"{claim.name} {what} {where}" + (f": {verdict.reason}." if verdict.reason else ".")


def chart(verdict: Verdict, width: int = 80, whole: bool = False) -> str:
    """Return the verdict's trace as plain text, with the explanation below.

    Every step is written in its lane with all of its parameters, on several lines if the lane is
    too narrow. As many of its changes are shown as fit; ``+2`` stands for two more.

    Parameters
    ----------
    verdict : Verdict
        With a trace.
    width : int
        Columns, at least `NARROWEST`; no line is longer.
    whole : bool
        Whether all changes are shown, on as many lines as they need.

    Raises
    ------
    SpecError
        If the verdict has no trace.
    """
    width = max(width, NARROWEST)
    rows = drawn(verdict.model, traced(verdict), width, whole)
    rows += ["", *textwrap.wrap(outcome(verdict), width)]
    for line in verdict.explanation.lines:
        rows += textwrap.wrap(line, width, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(rows) + "\n"


def drawn(model: Model, trace: Trace, width: int = 80, whole: bool = False) -> list[str]:
    """Return a run as the lines of a chart, without a sentence about its end; see `chart`."""
    width = max(width, NARROWEST)
    labels, moves = arranged(model, trace)
    margin = len(str(len(moves))) + 2
    if len(labels) * (_CROWDED + 1) > width - margin:
        used = sorted({m.lane for m in moves}) or [0]
        labels = tuple(labels[lane] for lane in used)
        moves = tuple(replace(m, lane=used.index(m.lane)) for m in moves)
    page = _Page(width, margin, *_widths(labels, moves, width - margin), whole)
    rows = page.header(labels)
    if start := _chosen(model, trace):
        rows += page.row("0", None, "", start)
    loop = trace.loop
    for number, move in enumerate(moves, start=1):
        rows += [page.rule("for ever:")] if loop == number - 1 else []
        rows += page.row(str(number), move.lane, move.text, move.changes)
    rows += [page.rule("for ever: no step")] if loop == len(moves) else []
    return rows


def _widths(labels: tuple[str, ...], moves: tuple[Move, ...], room: int) -> tuple[list[int], int]:
    """Return the widths of the lanes, and of the changes beside them: 0 if changes go below."""
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
    """Limit the widest lanes until all lanes fit, each followed by a space."""
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
    whole: bool

    def header(self, labels: tuple[str, ...]) -> list[str]:
        folded = [_fold(label, width) for label, width in zip(labels, self.lanes, strict=True)]
        return [self._line("", list(cells), "") for cells in zip_longest(*folded, fillvalue="")]

    def rule(self, text: str) -> str:
        """Return a line with a text, for what follows."""
        return " " * self.margin + text

    def row(self, number: str, lane: int | None, text: str, changes: tuple[str, ...]) -> list[str]:
        """Return the lines of a step.

        Parameters
        ----------
        number : str
            The number of the step.
        lane : int or None
            Its lane; None for the initial state.
        text : str
            The action; it takes several lines if the lane is too narrow.
        changes : tuple of str
            Beside the lanes or below the step.
        """
        pieces = [""] if lane is None else _fold(text, self.lanes[lane])
        notes = self._fit(changes, self.beside, len(pieces)) if self.beside else []
        lines = []
        for k, (piece, note) in enumerate(zip_longest(pieces, notes, fillvalue="")):
            acts = lane if k < len(pieces) else None
            cells = [piece if at == acts else "│" for at in range(len(self.lanes))]
            lines.append(self._line("" if k else number, cells, note))
        if changes and not self.beside:
            below = self._fit(changes, self.width - self.margin - 2, 1)
            lines += [" " * self.margin + "· " + line for line in below]
        return lines

    def _fit(self, changes: tuple[str, ...], width: int, rows: int) -> list[str]:
        """Return the changes on lines of a width, of which there may be so many unless `whole`."""
        if not self.whole:
            return _fit(changes, width, rows)
        return [piece for line in _pack([*changes], width) for piece in _fold(line, width)]

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
    """Join items by commas, on as few lines as possible."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 3 <= width:
            lines[-1] += f", {item}"
        else:
            lines[-1:] = [*(f"{line}," for line in lines[-1:]), item]
    return lines
