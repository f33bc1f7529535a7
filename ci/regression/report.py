"""What the gate says of policies: a page with plots, JUnit, Markdown, annotations, JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Template

from counterpoint.models.present.formats import Case, annotation
from counterpoint.studies.comparison.measures import BY_NAME
from counterpoint.studies.comparison.page import environment
from counterpoint.studies.comparison.plots import Plot, Series, diagram

from .judging import Judged

TEMPLATES = Path(__file__).parents[1] / "templates"

NOW, BEFORE = 0, 7
"""Colours of the curves."""


def page(found: Sequence[Judged]) -> str:
    """Return the page: what fell with its plots, then what did not."""
    return _template().render(
        fell=[(one, [_plot(one, name) for name in one.moved]) for one in found if one.changes],
        kept=[one for one in found if not one.changes],
        total=total(found),
    )


def total(found: Sequence[Judged]) -> str:
    """Return the result in one line."""
    fell = sum(bool(one.changes) for one in found)
    text = f"{len(found) - fell} of {len(found)} policies crawl as before"
    return f"{text}, {fell} fell" if fell else text


def cases(found: Sequence[Judged]) -> list[Case]:
    """Return a case of JUnit for each policy and profile."""
    return [
        Case(one.name, "violated" if one.changes else "holds", "; ".join(one.changes),
             "\n".join([*one.changes, f"To reproduce: {one.again}"]), 0.0)
        for one in found
    ]  # fmt: skip


def summary(found: Sequence[Judged]) -> str:
    """Return what fell as Markdown, after the total."""
    lines = ["", "## Policies", "", f"{total(found)}."]
    for one in found:
        if one.changes:
            lines += ["", f"### {one.name}", ""]
            lines += [f"- {change}" for change in one.changes]
            lines += ["", f"    {one.again}"]
    return "\n".join(lines) + "\n"


def github(found: Sequence[Judged]) -> str:
    """Return an annotation for each policy that fell."""
    return "\n".join(
        annotation("error", one.name, "\n".join([*one.changes, f"To reproduce: {one.again}"]))
        for one in found
        if one.changes
    )


def as_json(found: Sequence[Judged]) -> list[dict[str, Any]]:
    """Return what came of each policy, ready for JSON."""
    return [
        {"policy": one.name, "answer": one.answer, "changes": list(one.changes),
         "again": one.again}
        for one in found
    ]  # fmt: skip


def _plot(of: Judged, name: str) -> Plot:
    """Return a measure's curves, now and before."""
    assert of.now is not None and of.before is not None
    series = (
        Series("before", BEFORE, True, of.before.curves[name]),
        Series("now", NOW, False, of.now.curves[name]),
    )
    return diagram(BY_NAME[name], "pages fetched", of.now.steps, series)


@cache
def _template() -> Template:
    return environment(TEMPLATES).get_template("policies.html.j2")
