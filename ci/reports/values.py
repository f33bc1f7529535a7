"""The measures of policies and crawlers, now and as in their baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from ..baseline_files.accepting import accepting
from ..outcome import Outcome


@dataclass(frozen=True)
class Value:
    """The mean of a measure over all runs, now and in the baseline; "" if missing."""

    name: str
    before: str
    now: str


def values(outcome: Outcome) -> list[Value]:
    """Return the measures of a policy or a crawler; empty for other outcomes."""
    if outcome.kind not in ("policy", "crawler") or outcome.detail is None:
        return []
    if outcome.kind == "policy":
        now, before = _of_policy(outcome.detail.now), _of_policy(outcome.detail.before)
    else:
        now, before = dict(outcome.detail.values), _of_crawler(outcome)
    return [Value(name, _shown(before, name), _shown(now, name)) for name in {**before, **now}]


def acceptance(outcome: Outcome) -> str:
    """Return the command that makes what fell the baseline; "" where nothing can be accepted."""
    detail = outcome.detail
    if outcome.kind not in ("policy", "crawler") or outcome.answer != "fell" or detail is None:
        return ""
    if detail.now is None:
        return ""
    return accepting(detail.name if outcome.kind == "policy" else detail.case.name)


def _of_policy(baseline: object) -> dict[str, float]:
    rows: Mapping[str, list[float]] = getattr(baseline, "values", {})
    return {name: fmean(row) for name, row in rows.items() if row}


def _of_crawler(outcome: Outcome) -> dict[str, float]:
    baseline = outcome.detail.before
    if baseline is None:
        return {}
    rows = baseline.values.get(outcome.detail.case.name, {})
    seeds = {name: [v for row in of.values() for v in row] for name, of in rows.items()}
    return {name: fmean(row) for name, row in seeds.items() if row}


def _shown(rows: Mapping[str, float], name: str) -> str:
    if name not in rows:
        return ""
    value = rows[name]
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
