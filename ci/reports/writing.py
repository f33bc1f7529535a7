"""Writes the report: a folder that is replaced as a whole, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from counterpoint.files.outputs import named
from counterpoint.spec.notation import SpecError

from ..outcome import Outcome
from .counterexamples import write_counterexamples
from .data import as_json
from .html import page
from .junit import junit
from .sarif import sarif
from .summary import summary

MARKER = ".counterpoint-report"
"""The name of a file that marks a folder as a report, which the gate may replace."""


CRAWLERS = "crawlers"
"""The folder of a report with the logs and outputs of crawlers."""


def write(
    report: Path, outcomes: Sequence[Outcome], seconds: float, folder: Path | None = None,
    logs: Path | None = None,
) -> None:  # fmt: skip
    """Write the report; an older report is replaced as a whole, or not at all.

    It has a page (``index.html``) with a page for each counterexample, ``summary.md``,
    ``junit.xml``, ``results.json`` and ``results.sarif``; in
    ``crawlers`` are the logs and outputs of crawlers.

    Parameters
    ----------
    report : Path
        The folder of the report; it is made with its parents.
    outcomes : sequence of Outcome
    seconds : float
        The time that the gate took.
    folder : Path, optional
        The folder to which places are relative; by default the present one.
    logs : Path, optional
        A folder with the logs and outputs of crawlers, which is copied.

    Raises
    ------
    SpecError
        If the folder has other contents, or cannot be created.
    """
    refuse_foreign(report)
    report = report.resolve()  # the target of a symbolic link is replaced, not the link
    report.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{report.name}-", dir=report.parent))
    try:
        new.chmod(0o755)
        with named(report):
            _fill(new, outcomes, seconds, folder)
            if logs is not None and any(logs.iterdir()):
                shutil.copytree(logs, new / CRAWLERS)
            _exchange(report, new)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def _exchange(report: Path, new: Path) -> None:
    """Replace an older folder by a new one; the older one is removed at the end."""
    old = new.with_name(new.name + "-old")
    if report.exists():
        os.replace(report, old)
    try:
        os.replace(new, report)
    except BaseException:
        if old.exists():
            os.replace(old, report)
        raise
    shutil.rmtree(old, ignore_errors=True)


def refuse_foreign(folder: Path) -> None:
    """Refuse a folder that a report must not replace.

    Raises
    ------
    SpecError
        If the folder contains the current one, cannot be made, is not writable, or contains
        something else.
    """
    place = folder.resolve()
    if Path.cwd().is_relative_to(place):
        raise SpecError(f"the report cannot replace the present folder, {place}; name another")
    nearest = next(above for above in place.parents if above.exists())
    if not nearest.is_dir():
        raise SpecError(f"{nearest} is no folder")
    if not os.access(nearest, os.W_OK):
        raise SpecError(f"nothing can be written in {nearest}")
    if place.exists() and not place.is_dir():
        raise SpecError(f"{folder} is no folder")
    if place.is_dir() and any(place.iterdir()) and not (place / MARKER).exists():
        raise SpecError(f"{folder} contains files that are no report; choose another --report")


def _fill(new: Path, outcomes: Sequence[Outcome], seconds: float, folder: Path | None) -> None:
    pages = write_counterexamples(new, outcomes)
    files = {
        "index.html": page(outcomes, seconds, pages),
        "summary.md": summary(outcomes, seconds),
        "junit.xml": junit(outcomes, folder),
        "results.json": as_json(outcomes) + "\n",
        "results.sarif": sarif(outcomes, folder) + "\n",
        MARKER: "Written by counterpoint gate, which may replace this folder.\n",
    }
    for name, text in files.items():
        (new / name).write_text(text, encoding="utf-8", errors="replace")
