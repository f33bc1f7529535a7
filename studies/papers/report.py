"""The report of a study: findings, tables and figures, for a terminal and for an HTML page."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

WIDTH = 80

REPRODUCED, NOT_REPRODUCED, IN_PART = "reproduced", "not reproduced", "in part"
ANSWERED = "answered"
"""For what a paper leaves open."""
PLANTED = "by construction"
"""For what a web is given, or fitted to: that it comes out is no evidence."""


@dataclass(frozen=True)
class Line:
    """A line of a figure.

    Attributes
    ----------
    name : str
    xs, ys : tuple of float
    halves : tuple of float
        Half of the interval's width at each point; empty if no interval is drawn.
    dashed : bool
        Whether the line is a theory or a reference for the others; its dots are hollow.
    dots : bool
        Whether the points are not joined.
    colour : int, optional
        The number of its colour; by default its place in the figure.
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
        The heading, and the labels of the two axes.
    lines : tuple of Line
    levels : tuple of (str, float)
        Names and heights of horizontal lines.
    logarithmic : str
        The logarithmic axes: "", "x", "y" or "xy"; an "x" axis has room for 0 at its left.
    share : bool
        Whether the values are shares: the axis goes from 0 to 1.
    places : tuple of str
        Labels at 1, 2, ... of the x axis instead of numbers; empty for numbers.
    rows : tuple of str
        Labels at 0, 1, ... of the y axis instead of numbers.
    """

    title: str
    across: str
    up: str
    lines: tuple[Line, ...]
    levels: tuple[tuple[str, float], ...] = ()
    logarithmic: str = ""
    share: bool = False
    places: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table; the first column is text, the other columns are numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a report: paragraphs, then a listing, tables and figures.

    Attributes
    ----------
    title : str
    paragraphs : tuple of str
    tables : tuple of Table
    figures : tuple of Figure
    listing : tuple of str
        Lines that are shown as they are.
    ablation : bool
        Whether its tables show what changes if a part of the experiment is removed or changed. A
        sentence of a report that names a cause refers to such a section by its title, in quotation
        marks: “The title”.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    ablation: bool = False
    listing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A claim of a paper, and whether it is reproduced.

    Attributes
    ----------
    claim, paper, here : str
        The claim, the paper's value, and the value of this study.
    answer : str
        `REPRODUCED`, `NOT_REPRODUCED` or `IN_PART`; `ANSWERED` for an open question, and `PLANTED`
        for what the webs are given.
    why : str
        The reason in one sentence; always given if the claim is not reproduced.
    """

    claim: str
    paper: str
    here: str
    answer: str
    why: str = ""


@dataclass(frozen=True)
class Report:
    """The report of a study.

    Attributes
    ----------
    name : str
        The study's name on the command line.
    title, source : str
        The topic, and the paper.
    setting : str
        The description of the experiment.
    findings : tuple of Finding
    sections : tuple of Section
    command : str
        The command line that repeats the study.
    fell : tuple of str
        What contradicts a claim that the study checks, a sentence each; the command then ends with
        code 1. Empty for a study that only measures.
    """

    name: str
    title: str
    source: str
    setting: str
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    command: str
    fell: tuple[str, ...] = ()


def text(report: Report) -> str:
    """Return a report as text without its figures; lines have at most 80 columns."""
    lines = [report.title, *_folded(report.source), *_folded(report.setting), ""]
    for one in report.findings:
        lines += _folded(f"{one.answer}: {one.claim}: paper {one.paper}; here {one.here}", 0)
        lines += _folded(one.why) if one.why else []
    for sentence in report.fell:
        lines += _folded(f"does not hold: {sentence}", 0)
    for section in report.sections:
        lines += ["", section.title]
        for paragraph in section.paragraphs:
            lines += _folded(paragraph)
        lines += (
            [f"  {line}".rstrip() for line in ("", *section.listing)] if section.listing else []
        )
        for k, table in enumerate(section.tables):
            lines += [""] if k else []
            lines += _table(table)
            lines += _folded(table.note) if table.note else []
    return "\n".join([*lines, "", f"To reproduce: {report.command}"]) + "\n"


def _folded(text: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=" " * indent, subsequent_indent="  ", break_on_hyphens=False
    )


def _table(table: Table) -> list[str]:
    """Return the lines of a table; columns that do not fit follow below, with the first column."""
    rows = [table.columns, *table.rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table.columns))]
    parts: list[list[int]] = [[]]
    for k in range(1, len(widths)):
        if parts[-1] and 2 + widths[0] + sum(2 + widths[j] for j in (*parts[-1], k)) > WIDTH:
            parts.append([])
        parts[-1].append(k)
    lines: list[str] = []
    for part in parts:
        lines += [""] if lines else []
        lines += [_row(row, widths, part) for row in rows]
    return lines


def _row(row: tuple[str, ...], widths: list[int], part: list[int]) -> str:
    cells = [f"  {row[0]:<{widths[0]}}", *(f"{row[k]:>{widths[k]}}" for k in part)]
    return "  ".join(cells).rstrip()
