"""The gate's report: one folder with a page, JUnit XML, a summary, and counterexamples."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, Template

from counterpoint.models.present import page
from counterpoint.models.present.formats import (
    Case,
    annotation,
    as_junit,
    command,
    command_line,
    said,
)
from counterpoint.spec.notation import SpecError

from .gate import Outcome

if TYPE_CHECKING:  # it loads numba, which most commands can do without
    from .regression.judging import Judged

MARKER = ".counterpoint-report"
"""A file by which the gate knows a report of its own, which it may replace."""


def write(
    folder: Path, outcomes: Sequence[Outcome], seconds: float, policies: Sequence[Judged] = ()
) -> None:
    """Write the report; an older one is replaced as a whole, or not at all.

    Raises
    ------
    SpecError
        If the folder holds something else, or cannot be made.
    """
    refuse_foreign(folder)
    folder = folder.resolve()  # where a link leads to; the link stays
    parent = folder.parent
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=parent))
    try:
        new.chmod(0o755)
        _fill(new, outcomes, seconds, policies)
        _exchange(folder, new)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def _exchange(folder: Path, new: Path) -> None:
    """Put a new folder in the place of an older one, which is removed at the end."""
    old = new.with_name(new.name + "-old")
    if folder.exists():
        os.replace(folder, old)
    try:
        os.replace(new, folder)
    except BaseException:
        if old.exists():
            os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def refuse_foreign(folder: Path) -> None:
    """Raise a SpecError if a folder is not one that a report may replace."""
    place = folder.resolve()
    if Path.cwd().is_relative_to(place):
        raise SpecError(f"the report cannot replace the present folder, {place}; name another")
    if not place.parent.is_dir():
        raise SpecError(f"there is no folder {place.parent}")
    if not os.access(place.parent, os.W_OK):
        raise SpecError(f"nothing can be written in {place.parent}")
    if folder.exists() and not folder.is_dir():
        raise SpecError(f"{folder} is no folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARKER).exists():
        raise SpecError(f"{folder} holds something that is no report; choose another --report")


def _fill(
    folder: Path, outcomes: Sequence[Outcome], seconds: float, policies: Sequence[Judged]
) -> None:
    pages = _write_pages(folder, outcomes)
    text, total = summary(outcomes, seconds), ""
    if policies:
        from .regression import report as policies_report

        total = policies_report.total(policies)
        text += policies_report.summary(policies)
        (folder / "policies.html").write_text(policies_report.page(policies), encoding="utf-8")
    (folder / "junit.xml").write_text(junit(outcomes, policies), encoding="utf-8")
    (folder / "summary.md").write_text(text, encoding="utf-8")
    index = _template().render(
        outcomes=outcomes,
        pages=pages,
        seconds=seconds,
        said=said,
        reproduce=reproduce,
        total=totals(outcomes),
        policies=total,
    )
    (folder / "index.html").write_text(index, encoding="utf-8")
    (folder / MARKER).write_text("Made by counterpoint gate, which replaces it.\n")


def _write_pages(folder: Path, outcomes: Sequence[Outcome]) -> dict[tuple[int, str], str]:
    """Write a page for each counterexample; return its name by job and property."""
    pages: dict[tuple[int, str], str] = {}
    for place, outcome in enumerate(outcomes, start=1):
        for verdict in outcome.verdicts:
            wanted = not outcome.job.shown or verdict.claim.name in outcome.job.shown
            if verdict.answer == "violated" and verdict.trace is not None and wanted:
                of = verdict.model.name.replace("/", "-")
                name = f"{place:02}-{of}-{verdict.engine}-{verdict.claim.name}.html"
                page.write(folder / name, verdict, command(verdict))
                pages[place, verdict.claim.name] = name
    return pages


@cache
def _template() -> Template:
    text = (
        resources.files("counterpoint.ci")
        .joinpath("templates/index.html.j2")
        .read_text(encoding="utf-8")
    )
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(text)


def totals(outcomes: Sequence[Outcome]) -> str:
    """Return the result in one line."""
    if not outcomes:
        return "no spec was checked"
    answers = [o.answer for o in outcomes]
    parts = [f"{answers.count('as expected')} of {len(answers)} checks as expected"]
    parts += [f"{answers.count(a)} {a}" for a in ("fell", "unknown") if a in answers]
    return ", ".join(parts)


def junit(outcomes: Sequence[Outcome], policies: Sequence[Judged] = ()) -> str:
    """Return JUnit XML of what was expected: an expected violation passes, its absence fails."""
    suites = [(o.job.name.replace(" · ", " "), _cases(o)) for o in outcomes]
    if policies:
        from .regression import report as policies_report

        suites.append(("policies", policies_report.cases(policies)))
    return as_junit(suites)


def _cases(outcome: Outcome) -> list[Case]:
    """Return a case for each property, and one for the job as a whole."""
    again = f"To reproduce: {reproduce(outcome)}"
    names = [(v.claim.name, v.seconds) for v in outcome.verdicts]
    cases = []
    for name, seconds in [*names, ("", outcome.seconds)]:
        wrong = [text for of, text in outcome.surprises if of == name]
        open_ = [text for of, text in outcome.unknown if of == name]
        answer = "violated" if wrong else "unknown" if open_ else "holds"
        message = "; ".join(wrong + open_)
        title = name or "the whole as expected"
        cases.append(Case(title, answer, message, f"{message}\n{again}", seconds))
    return cases


def summary(outcomes: Sequence[Outcome], seconds: float) -> str:
    """Return the report as Markdown."""
    lines = [
        "# Counterpoint gate",
        "",
        f"{totals(outcomes)}, in {seconds:.0f} s.",
        "",
        "| | check | what it shows | states | seconds |",
        "|---|---|---|---|---|",
    ]
    marks = {"as expected": "✓", "fell": "✗", "unknown": "?"}
    for o in outcomes:
        states = o.verdicts[0].states if o.verdicts else None
        shown = f"{states:,}" if states is not None else ""
        name = o.job.name.replace("|", "\\|")
        lines.append(f"| {marks[o.answer]} | {name} | {o.shown} | {shown} | {o.seconds:.1f} |")
    for o in outcomes:
        if o.answer != "as expected":
            lines += ["", f"## {o.job.name}: {o.answer}", ""]
            lines += [f"- {line}" for _, line in (*o.surprises, *o.unknown)]
            lines += ["", f"    {reproduce(o)}"]
    return "\n".join(lines) + "\n"


def reproduce(outcome: Outcome) -> str:
    """Return the command line that runs a job again."""
    job = outcome.job
    return command_line(job.reference, job.parameters, job.engine, job.only, job.options)


def github(outcomes: Sequence[Outcome]) -> str:
    """Return an annotation for each job that is not as expected, and one for the whole."""
    lines = [annotation("notice", "counterpoint gate", totals(outcomes))]
    for o in outcomes:
        if o.answer != "as expected":
            level = "error" if o.answer == "fell" else "warning"
            said_so = [text for _, text in (*o.surprises, *o.unknown)]
            text = "\n".join([*said_so, f"To reproduce: {reproduce(o)}"])
            lines.append(annotation(level, o.job.name, text))
    return "\n".join(lines)
