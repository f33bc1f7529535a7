"""What a study has to say, for a terminal of 80 columns and for a page alike."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

WIDTH = 80

REPRODUCED, NOT_REPRODUCED, IN_PART = "reproduced", "not reproduced", "in part"


@dataclass(frozen=True)
class Line:
    """A line of a figure.

    Attributes
    ----------
    name : str
    xs, ys : tuple of float
    halves : tuple of float
        Half of the interval's width at each point; empty: none is drawn.
    dashed : bool
        Whether it is theory, or something to hold the others against; such dots are hollow.
    dots : bool
        Points that are not joined.
    colour : int, optional
        The place of its colour; by default its own place in the figure.
    """

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    halves: tuple[float, ...] = ()
    dashed: bool = False
    dots: bool = False
    colour: int | None = None


@dataclass(frozen=True)
class Figure:
    """A diagram.

    Attributes
    ----------
    title, across, up : str
        Its heading, and what its axes are.
    lines : tuple of Line
    levels : tuple of (str, float)
        Heights at which a line goes across, with their names.
    logarithmic : str
        Which axes are: "", "x", "y" or "xy"; an "x" axis keeps a place for 0 at its left.
    share : bool
        Whether heights are shares: the axis goes from 0 to 1.
    places : tuple of str
        What stands at 1, 2, ... of the x axis in the place of numbers, if anything does.
    """

    title: str
    across: str
    up: str
    lines: tuple[Line, ...]
    levels: tuple[tuple[str, float], ...] = ()
    logarithmic: str = ""
    share: bool = False
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table; the first column is text, the others are figures."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a report: paragraphs, then tables, then figures."""

    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A claim of a paper, and what became of it.

    Attributes
    ----------
    claim, paper, here : str
        What is claimed; what the paper has; what was found.
    answer : str
        `REPRODUCED`, `NOT_REPRODUCED` or `IN_PART`.
    why : str
        In one sentence; for what is not reproduced always.
    """

    claim: str
    paper: str
    here: str
    answer: str
    why: str = ""


@dataclass(frozen=True)
class Report:
    """A study, told.

    Attributes
    ----------
    name : str
        As users name the study.
    title, source : str
        What it is about; whose result it is.
    setting : str
        What was run.
    findings : tuple of Finding
    sections : tuple of Section
    command : str
        That reproduces it.
    """

    name: str
    title: str
    source: str
    setting: str
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    command: str


def text(of: Report) -> str:
    """Return a report without its figures, no line longer than 80 columns."""
    lines = [of.title, *_folded(of.source), *_folded(of.setting), ""]
    for one in of.findings:
        lines += _folded(f"{one.answer}: {one.claim}: paper {one.paper}; here {one.here}", 0)
        lines += _folded(one.why) if one.why else []
    for section in of.sections:
        lines += ["", section.title]
        for paragraph in section.paragraphs:
            lines += _folded(paragraph)
        for k, table in enumerate(section.tables):
            lines += [""] if k else []
            lines += _table(table)
            lines += _folded(table.note) if table.note else []
    return "\n".join([*lines, "", f"To reproduce: {of.command}"]) + "\n"


def _folded(text: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=" " * indent, subsequent_indent="  ", break_on_hyphens=False
    )


def _table(of: Table) -> list[str]:
    rows = [of.columns, *of.rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(of.columns))]
    return [_row(row, widths) for row in rows]


def _row(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [f"  {row[0]:<{widths[0]}}"]
    cells += [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join(cells).rstrip()
