"""A judgment as one HTML page that needs nothing else."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from .judgment import Judgment
from .plots import coverage_bars, outcome_bars, plots
from .sections import heading, number, per_cent, sections


def page(of: Judgment) -> str:
    """Return the page: the figures that matter most, plots as SVG, and every section."""
    quality = "-" if of.quality is None else per_cent(of.quality.mass)
    tiles = (
        (number(of.coverage.fetched), f"pages, {per_cent(of.coverage.share)} of all"),
        (number(of.hosts.fetched), f"hosts, {per_cent(of.hosts.share)} of all"),
        (quality, "of the PageRank mass"),
        (per_cent(of.freshness.last_fresh), "of the copies fresh at the end"),
        (per_cent(of.outcomes.wasted_share), "of the requests wasted"),
        (number(of.disallowed.requests), "disallowed requests"),
    )
    return _template().render(
        about=of.about,
        heading=heading(of),
        tiles=tiles,
        plots=plots(of),
        coverage=coverage_bars(of),
        outcomes=outcome_bars(of),
        sections=sections(of),
    )


def write(path: Path, of: Judgment) -> None:
    """Write the page to a file: wholly, or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(page(of), encoding="utf-8", newline="\n")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


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
