"""All rows of a study as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from counterpoint.files.outputs import replacing

from .readings import KINDS, ReadingsStudy
from .results import ModelOutcome


def page(study: ReadingsStudy, sentences: Sequence[str]) -> str:
    """Return the study as a page, whose rows can be filtered by the value of a choice.

    Parameters
    ----------
    study : ReadingsStudy
        The rows to show.
    sentences : sequence of str
        The summary above the table.
    """
    criterion = study.claim.criterion
    rows = [
        {
            "values": list(row.choices.values()),
            "changed": [v != study.choices[n][0] for n, v in row.choices.items()],
            "broken": _depths(study, row.broken),
            "clean": _depths(study, row.clean),
            "kind": row.kind(criterion),
        }
        for row in study.rows
    ]
    return _template().render(study=study, rows=rows, kinds=KINDS, sentences=sentences)


def _depths(study: ReadingsStudy, outcome: ModelOutcome) -> list[Any]:
    missing = "?" if outcome.unknown else "·"
    return [outcome.violated.get(name, missing) for name in study.criteria]


def write(path: Path, study: ReadingsStudy, sentences: Sequence[str]) -> None:
    """Write the page to a file; if writing fails, an existing file stays as it was.

    Parameters
    ----------
    path : Path
        The file, which is replaced if it exists.
    study, sentences
        As for `page`.
    """
    with replacing(path) as unfinished:
        unfinished.write_text(page(study, sentences), encoding="utf-8", newline="\n")


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parents[1] / "present" / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("readings.html.j2")
