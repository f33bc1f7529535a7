"""A report as one HTML page that needs nothing else."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from .drawing import svg
from .report import Report


def page(of: Report) -> str:
    """Return a whole page."""
    return _template().render(report=of, body=Markup(body(of)))  # the body is escaped already


def body(of: Report) -> str:
    """Return what stands in a page below its heading, to be put into any page."""
    figures = {
        figure: Markup(svg(figure, f"{of.name}-{k}-{n}"))  # matplotlib has escaped it
        for k, section in enumerate(of.sections)
        for n, figure in enumerate(section.figures)
    }
    return _template("paper-body.html.j2").render(report=of, figures=figures)


def write(folder: Path, of: Report) -> Path:
    """Write a page to ``NAME.html`` in a folder, wholly or not at all, and return its path."""
    path = folder / f"{of.name}.html"
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(page(of), encoding="utf-8", newline="\n")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


@cache
def _template(name: str = "paper.html.j2") -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parents[1] / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
