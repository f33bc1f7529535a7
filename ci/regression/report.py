"""What the gate says of policies: a page with plots, JUnit, Markdown, annotations, JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from ci.comparison.measures import BY_NAME
from ci.comparison.plots import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Curve, Plot, axis, label
from models.formats import Case, annotation
from sim_web.referee.plots import Tick

from .baseline import Baseline
from .judging import Judged

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
    told = ((of.before, "before", BEFORE), (of.now, "now", NOW))
    values = [v for baseline, _, _ in told for v in baseline.curves[name]]
    uppers = axis(min(0.0, *values), max(values))
    rights = axis(0.0, float(of.now.steps[-1]))

    def x(value: float) -> float:
        return LEFT + value / rights[-1] * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        share = (value - uppers[0]) / (uppers[-1] - uppers[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def line(of: Baseline) -> str:
        pairs = zip(of.steps, of.curves[name], strict=True)
        return " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in pairs)

    measure = BY_NAME[name]
    return Plot(
        measure.title.removesuffix(", mean over time"),
        "pages fetched",
        tuple(Curve(said, colour, said == "before", line(b), "") for b, said, colour in told),
        tuple(Tick(x(value), label(value, rights)) for value in rights),
        tuple(Tick(y(value), label(value, uppers, measure.share)) for value in uppers),
    )


@cache
def _template() -> Template:
    text = resources.files("ci").joinpath("templates/policies.html.j2").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.from_string(text)
