"""Writes a report as a self-contained HTML page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from counterpoint.files.outputs import replacing

from .drawing import svg
from .report import Report


def page(report: Report) -> str:
    """Return a complete page."""
    return _template().render(
        report=report, body=Markup(body(report))
    )  # the body is escaped already


def body(report: Report) -> str:
    """Return the content of a page below its heading, to be put into any page."""
    figures = {
        figure: Markup(svg(figure, f"{report.name}-{k}-{n}"))  # matplotlib has escaped it
        for k, section in enumerate(report.sections)
        for n, figure in enumerate(section.figures)
    }
    return _template("paper-body.html.j2").render(report=report, figures=figures)


def write(folder: Path, report: Report) -> Path:
    """Write the page ``NAME.html`` into a folder, complete or not at all, and return its path."""
    path = folder / f"{report.name}.html"
    with replacing(path) as unfinished:
        unfinished.write_text(page(report), encoding="utf-8", newline="\n")
    return path


@cache
def environment() -> Environment:
    """Return the templates of pages."""
    return Environment(
        loader=FileSystemLoader(Path(__file__).parents[1] / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _template(name: str = "paper.html.j2") -> Template:
    return environment().get_template(name)
