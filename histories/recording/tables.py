"""Surveys as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .survey import Surveyed

COLUMNS = ("Subject", "Promises", "Histories", "Holds in all", "Violated in", "Anomalies")


def as_markdown(surveys: Sequence[Surveyed]) -> str:
    """Return a table in Markdown."""
    rows = [COLUMNS, ("---",) * len(COLUMNS), *map(_row, surveys)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def as_text(found: Surveyed) -> list[str]:
    """Return lines about one subject."""
    broken = found.broken_in()
    version = f"{found.version}; " if found.version else ""
    lines = [f"{version}{found.histories:,} histories, {found.transactions:,} transactions, "
             f"{found.aborted:,} aborted"]  # fmt: skip
    if found.promises:
        kept = f"broken in {share(broken, found.histories)}" if broken else "kept in all"
        lines.append(f"promises {_all(found.promises)}: {kept}")
    lines.append(f"holds in all: {_all(found.strongest()) or 'none'}")
    if found.anomalies:
        lines.append(f"violated: {_violated(found)}")
        lines.append(f"anomalies: {_anomalies(found)}")
    if found.broken is not None:
        lines.append(f"first broken with --seed {found.broken.seed}"
                     f"{' --lists' if found.broken.lists else ''}")  # fmt: skip
    return lines


def as_json(found: Surveyed) -> dict[str, Any]:
    """Return a survey for programs."""
    return {
        "subject": found.name, "version": found.version, "promises": list(found.promises),
        "histories": found.histories, "transactions": found.transactions,
        "aborted": found.aborted, "holds_in_all": found.strongest(),
        "promise_broken_in": found.broken_in(), "violated": dict(found.violated),
        "unknown": dict(found.unknown), "anomalies": dict(found.anomalies),
    }  # fmt: skip


def share(count: int, whole: int) -> str:
    """Return how many of all: ``3 of 40``."""
    return f"{count:,} of {whole:,}"


def _row(found: Surveyed) -> tuple[str, ...]:
    promises = _all(found.promises) or "nothing"
    if found.broken_in():
        promises += f" (**broken in {share(found.broken_in(), found.histories)}**)"
    name = f"`{found.name}`" + (f", {found.version}" if found.version else "")
    return (name, promises, f"{found.histories:,}", _all(found.strongest()) or "none",
            _violated(found) or "none", _anomalies(found) or "none")  # fmt: skip


def _violated(found: Surveyed) -> str:
    """Return what is violated; a stronger criterion only if it is so in more histories."""
    return ", ".join(f"{name} {share(count, found.histories)}"
                     for name, count in found.weakest_violated())  # fmt: skip


def _anomalies(found: Surveyed) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in found.anomalies.most_common())


def _all(names: Sequence[str]) -> str:
    return " and ".join(names)
