"""A judgment as a single HTML file without external resources."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from counterpoint.files.outputs import replacing

from .judgment import Judgment
from .plots import coverage_bars, outcome_bars, plots
from .sections import heading, number, per_cent, sections


def page(judgment: Judgment) -> str:
    """Return the page: the most important figures, plots as SVG, and all sections."""
    quality = "-" if judgment.quality is None else per_cent(judgment.quality.mass)
    tiles = (
        (number(judgment.coverage.fetched), f"pages, {per_cent(judgment.coverage.share)} of all"),
        (number(judgment.hosts.fetched), f"hosts, {per_cent(judgment.hosts.share)} of all"),
        (quality, "of the PageRank mass"),
        (per_cent(judgment.freshness.last_fresh), "of the copies are fresh at the end"),
        (per_cent(judgment.outcomes.wasted_share), "of the requests wasted"),
        (number(judgment.disallowed.requests), "disallowed requests"),
    )
    return _template().render(
        about=judgment.about,
        heading=heading(judgment),
        tiles=tiles,
        plots=plots(judgment),
        coverage=coverage_bars(judgment),
        outcomes=outcome_bars(judgment),
        sections=sections(judgment),
    )


def write(path: Path, judgment: Judgment) -> None:
    """Write the page to a file atomically: another process sees the whole page or none."""
    with replacing(path) as unfinished:
        unfinished.write_text(page(judgment), encoding="utf-8", newline="\n")


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parents[1] / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("judgment.html")
