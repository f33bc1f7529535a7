"""All figures of all papers in one table: printed, ours, whether they agree, and what shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from counterpoint.files.outputs import replacing

from .page import environment
from .papers import PAPERS
from .report import IN_PART, NOT_REPRODUCED, REPRODUCED, WIDTH, Report

ANSWERS = (REPRODUCED, IN_PART, NOT_REPRODUCED)


class Row(NamedTuple):
    """A claim of a paper.

    Attributes
    ----------
    paper : str
        The paper's short name in the bibliography.
    claim, printed, here, answer : str
        As in `report.Finding`.
    shown_by : str
        The command that shows it.
    why : str
        The reason, if it does not agree.
    """

    paper: str
    claim: str
    printed: str
    here: str
    answer: str
    shown_by: str
    why: str = ""


def rows(reports: Sequence[Report]) -> list[Row]:
    """Return the rows of all findings of some reports, sorted by paper."""
    found = [
        Row(PAPERS[report.name].paper, one.claim, one.paper, one.here, one.answer,
            f"counterpoint papers {report.name}", one.why)
        for report in reports
        for one in report.findings
    ]  # fmt: skip
    return sorted(found, key=lambda row: row.paper)


def summary(table: Sequence[Row]) -> str:
    """Return how many claims have each answer, in one line."""
    count = Counter(row.answer for row in table)
    known = [answer for answer in ANSWERS if count[answer]]
    return ", ".join(
        f"{count[answer]} {answer}" for answer in [*known, *sorted({*count} - {*known})]
    )


def markdown(table: Sequence[Row], command: str) -> str:
    """Return the table as a page of the documentation.

    Parameters
    ----------
    table : sequence of Row
    command : str
        The command that makes the page.
    """
    lines = [
        "# Each claim of each paper", "",
        f"This page was written by `{command}`. A claim is *reproduced* if our figure agrees with "
        "the printed one, *in part* if it does so under conditions that are named. Intervals are "
        "95%. Our labels of papers stand in the [bibliography](../reference/bibliography.md).", "",
        f"In all: {summary(table)}.", "",
    ]  # fmt: skip
    for paper in dict.fromkeys(row.paper for row in table):
        lines += [
            f"## {paper}",
            "",
            "| Claim | Printed | Here | | Shown by |",
            "|---|---|---|---|---|",
        ]
        for row in table:
            if row.paper == paper:
                claim = f"{row.claim}. *{row.why}*" if row.why else row.claim
                cells = (claim, row.printed, row.here, row.answer, f"`{row.shown_by}`")
                lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def index(table: Sequence[Row], reports: Sequence[Report]) -> str:
    """Return the page with the table, which leads to the pages of the reports."""
    template = environment().get_template("papers.html.j2")
    return template.render(table=table, reports=reports, summary=summary(table))


def write_index(folder: Path, table: Sequence[Row], reports: Sequence[Report]) -> Path:
    """Write ``index.html`` into a folder, complete or not at all, and return its path."""
    path = folder / "index.html"
    with replacing(path) as unfinished:
        unfinished.write_text(index(table, reports), encoding="utf-8", newline="\n")
    return path


def text(table: Sequence[Row]) -> str:
    """Return the number of claims by paper and answer; lines have at most 80 columns."""
    papers = list(dict.fromkeys(row.paper for row in table))
    width = max((len(paper) for paper in papers), default=0)
    lines = ["All claims"]
    for paper in papers:
        part = [row for row in table if row.paper == paper]
        lines.append(f"  {paper:<{width}}  {summary(part)}"[:WIDTH])
    return "\n".join([*lines, f"  in all: {summary(table)}"]) + "\n"
