"""All figures of all papers in one table: printed, ours, whether they agree, and what shows it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from counterpoint.files.outputs import replacing

from .elsewhere import ANSWERS, ELSEWHERE
from .page import environment
from .papers import PAPERS
from .report import WIDTH, Report


class Row(NamedTuple):
    """A claim of a paper.

    Attributes
    ----------
    paper : str
        The paper's short name in the bibliography.
    claim, printed, here, answer : str
        As in `report.Finding`.
    shown_by : str
        The commands and pages that show it, with "; " in between; or why nothing does.
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
    """Return the rows of all findings of some reports, by paper.

    With the reports of all studies, the claims that no study answers are there, too (`ELSEWHERE`).
    """
    order = list(dict.fromkeys([*(one.paper for one in ELSEWHERE),
                                *(paper.paper for paper in PAPERS.values())]))  # fmt: skip
    found = [
        Row(PAPERS[report.name].paper, one.claim, one.paper, one.here, one.answer,
            f"counterpoint papers {report.name}", one.why)
        for report in reports
        for one in report.findings
    ]  # fmt: skip
    if {report.name for report in reports} == set(PAPERS):
        found += [Row(**vars(one)) for one in ELSEWHERE]
    return sorted(found, key=lambda row: order.index(row.paper))


def summary(table: Sequence[Row]) -> str:
    """Return how many claims have each answer, in one line."""
    count = Counter(row.answer for row in table)
    return ", ".join(f"{count[answer]} {answer}" for answer in ANSWERS if count[answer])


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
        "the printed one, *in part* if it does so under conditions that are named. A part of a "
        "system, or a formula, is reproduced if it is there as described. A question that a paper "
        "only asks is *answered*, and what our webs are given is so *by construction*, which is no "
        "evidence. Intervals are 95%. The names of papers are those of the "
        "[bibliography](../reference/bibliography.md).", "",
        f"In all: {summary(table)}.", "",
    ]  # fmt: skip
    for paper in dict.fromkeys(row.paper for row in table):
        lines += [
            f"## {paper}",
            "",
            "| Claim | Printed | Here | Answer | Shown by |",
            "|---|---|---|---|---|",
        ]
        for row in table:
            if row.paper == paper:
                claim = f"{row.claim}. *{row.why}*" if row.why else row.claim
                cells = (claim, row.printed, row.here, row.answer, _linked(row.shown_by))
                lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _linked(shown_by: str) -> str:
    """Return commands as code, and pages of the documentation as links from one of its pages."""
    parts = []
    for part in shown_by.split("; "):
        if part.startswith(("counterpoint ", "python ")):
            parts.append(f"`{part}`")
        elif part.startswith("docs/") and part.endswith(".md"):
            name = part.rpartition("/")[2].removesuffix(".md").replace("-", " ")
            parts.append(f"[{name}](../{part.removeprefix('docs/')})")
        else:
            parts.append(part)
    return "; ".join(parts)


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
        begin = f"  {paper:<{width}}  "
        lines += textwrap.wrap(begin + summary(part), WIDTH, subsequent_indent=" " * len(begin))
    return "\n".join([*lines, f"  in all: {summary(table)}"]) + "\n"
