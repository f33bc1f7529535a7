"""A judgment as text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap

from .judgment import Judgment
from .sections import ReportSection, heading, sections

WIDTH = 80


def text(judgment: Judgment) -> str:
    """Return the judgment as aligned text, no line longer than 80 columns."""
    lines = []
    for name, value in heading(judgment):
        first = f"{name:<9}"
        lines += textwrap.wrap(value, WIDTH, initial_indent=first, subsequent_indent=" " * 9)
    for section in sections(judgment):
        lines += ["", section.title, *_table(section)]
        lines += textwrap.wrap(section.note, WIDTH, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def _table(section: ReportSection) -> list[str]:
    table = [section.columns, *section.rows] if section.columns else []
    widths = [max(len(row[k]) for row in table) for k in range(len(section.columns))]
    return [_line(row, widths) for row in table]


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [f"  {row[0]:<{widths[0]}}"]
    cells += [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join(cells).rstrip()
