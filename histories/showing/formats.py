"""Answers as JSON."""

from __future__ import annotations

from typing import Any

from counterpoint.histories.history import Fate
from counterpoint.histories.report import Report, Result

from .anomalies import anomaly, steps


def as_json(report: Report) -> dict[str, Any]:
    """Return a report for ``--format json``."""
    return {
        "transactions": report.sources.history.counted().transactions,
        "strongest": report.strongest(),
        "criteria": [_one(report, result) for result in report.results],
    }


def warnings(report: Report) -> list[str]:
    """Return what makes a report say less than it seems to, in sentences."""
    fates = report.sources.history.counted().fates
    if report.first_violated() is not None or fates.get(Fate.COMMITTED):
        return []
    return ["No transaction is known to have committed, so what holds shows little."]


def _one(report: Report, result: Result) -> dict[str, Any]:
    found = result.judgement
    entry: dict[str, Any] = {"criterion": result.criterion.name, "answer": result.answer}
    if result.implied_by:
        entry["implied_by"] = result.implied_by
    if found.opened:
        entry["open_orders"] = found.opened
        entry["forced_orders"] = found.forced
    if found.reason:
        entry["reason"] = found.reason
    if result.answer == "violated":
        entry["anomaly"] = anomaly(found)
        if found.finding is not None:
            entry["line"], entry["why"] = found.finding.place, [found.finding.text]
        else:
            entry["why"] = steps(report.sources, found.cycle)
            entry["cycle"] = [
                {"from": report.sources.name(e.source), "to": report.sources.name(e.target),
                 "kind": e.kind.value if e.kind else "", "object": e.object}
                for e in found.cycle
            ]  # fmt: skip
    return entry
