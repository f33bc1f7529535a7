"""Keeps the results of finished studies in a folder, so that they are not repeated.

A kept result is used again only by the same version of the program, with the same number of seeds.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import counterpoint
from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import TooLargeError, whole, without_advice
from counterpoint.files.outputs import replacing

from .report import Figure, Finding, Line, Report, Section, Table

_CODE = (".py", ".toml", ".txt")


@cache
def version() -> str:
    """Return a digest of the program's code, profiles and tables, as they were at the first call.

    Call it before a study begins: its result belongs to the files of that time.
    """
    found = hashlib.blake2b(digest_size=16)
    top = Path(counterpoint.__file__).parent
    files = [
        Path(folder, name)
        for folder, _, names in os.walk(top, followlinks=True)
        for name in names
        if name.endswith(_CODE)
    ]
    for path in sorted(files):
        found.update(f"{path.relative_to(top)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def save(folder: Path, name: str, seeds: int, report: Report, figures: dict[str, Any]) -> None:
    """Write the result of a study into a folder, beside its results with other numbers of seeds."""
    folder.mkdir(exist_ok=True)
    result = {"report": as_json(report), "figures": figures}
    kept = {"version": version(), "seeds": seeds, "digest": _digest(result), **result}
    with replacing(path_of(folder, name, seeds)) as unfinished:
        unfinished.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")


def load(folder: Path, name: str, seeds: int) -> tuple[Report, dict[str, Any]] | None:
    """Return the report and the figures of a study that a folder has; None if it has none.

    Raises
    ------
    CrawlError
        If its file is not the result of a study, or was changed after it was written.
    """
    path = path_of(folder, name, seeds)
    if not path.exists():
        return None
    try:
        with path.open("rb") as file:
            kept = json.loads(whole(file))
        if (kept["version"], kept["seeds"]) != (version(), seeds):
            return None
        if kept["digest"] != _digest({name: kept[name] for name in ("report", "figures")}):
            raise CrawlError(f"{path}: was changed after it was written; {_ADVICE}")
        return from_json(kept["report"]), dict(kept["figures"])
    except TooLargeError as error:
        raise CrawlError(f"{path}: {error}") from None
    except CrawlError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = without_advice(error) if isinstance(error, ValueError) else "parts are missing"
        raise CrawlError(f"{path}: is not the result of a study ({reason}); {_ADVICE}") from None


_ADVICE = "delete it, and the study is done again"


def _digest(result: dict[str, Any]) -> str:
    """Return a digest of a report and its figures, as JSON has them."""
    read = json.loads(json.dumps(result))  # its keys are text, as they are in the file
    text = json.dumps(read, ensure_ascii=True, sort_keys=True)
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def path_of(folder: Path, name: str, seeds: int) -> Path:
    """Return the file of a result in a folder."""
    return folder / f"{name}-{seeds}-seeds.json"


def as_json(report: Report) -> dict[str, Any]:
    """Return a report, ready for JSON."""
    sections = [
        {
            **vars(section),
            "tables": [vars(table) for table in section.tables],
            "figures": [
                {**vars(figure), "lines": [vars(line) for line in figure.lines]}
                for figure in section.figures
            ],
        }
        for section in report.sections
    ]
    return {
        **vars(report), "findings": [vars(one) for one in report.findings], "sections": sections
    }  # fmt: skip


def from_json(held: dict[str, Any]) -> Report:
    """Return the report that `as_json` was given."""
    sections = tuple(
        Section(
            part["title"],
            tuple(part["paragraphs"]),
            tuple(
                Table(tuple(table["columns"]), tuple(map(tuple, table["rows"])), table["note"])
                for table in part["tables"]
            ),
            tuple(map(_figure, part["figures"])),
            bool(part["ablation"]),
            tuple(part["listing"]),
        )
        for part in held["sections"]
    )
    findings = tuple(Finding(**one) for one in held["findings"])
    fell = tuple(held["fell"])
    return Report(**{**held, "findings": findings, "sections": sections, "fell": fell})


def _figure(held: dict[str, Any]) -> Figure:
    lines = tuple(
        Line(**{**line, **{name: tuple(line[name]) for name in ("xs", "ys", "halves")}})
        for line in held["lines"]
    )
    levels = tuple((name, height) for name, height in held["levels"])
    return Figure(**{**held, "lines": lines, "levels": levels, "places": tuple(held["places"]),
                     "rows": tuple(held["rows"])})  # fmt: skip
