"""Curves of a policy's measures, now and as in its baseline."""

from __future__ import annotations

from functools import cache

from jinja2 import Template
from markupsafe import Markup

from counterpoint.studies.comparison.measures import BY_NAME
from counterpoint.studies.comparison.page import environment
from counterpoint.studies.comparison.plots import Plot, Series, diagram

from ..regression.judging import PolicyResult

NOW, BEFORE = 0, 7
"""Colours of the curves."""


def figures(result: PolicyResult) -> list[Markup]:
    """Return a figure for each measure whose curve changed: dashed before, solid now."""
    module = _template().module  # its macros are attributes that mypy cannot know
    return [module.figure(_plot(result, name)) for name in result.moved]  # type: ignore[attr-defined]


def _plot(result: PolicyResult, name: str) -> Plot:
    assert result.now is not None and result.before is not None
    series = (
        Series("before", BEFORE, True, result.before.curves[name]),
        Series("now", NOW, False, result.now.curves[name]),
    )
    return diagram(BY_NAME[name], "pages fetched", result.now.steps, series)


@cache
def _template() -> Template:
    return environment().get_template("plot.html.j2")
