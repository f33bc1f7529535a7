"""A page for each counterexample that the report shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from counterpoint.models.present import page
from counterpoint.models.present.chart import chart
from counterpoint.models.present.formats import command
from counterpoint.models.verdict import by_length

from .. import scenarios
from ..outcome import Outcome

if TYPE_CHECKING:
    from counterpoint.models.verdict import Verdict

Pages: TypeAlias = Mapping[tuple[int, str], str]
"""The file of each page, by the number of its outcome, from 1 on, and its property."""

COLUMNS = 100
"""The width of a counterexample that is shown as text."""


def write_counterexamples(folder: Path, outcomes: Sequence[Outcome]) -> Pages:
    """Write a page for each counterexample of a check; return their names.

    A violation that is not expected always has a page; of the others, those that the check shows.
    """
    pages: dict[tuple[int, str], str] = {}
    for number, outcome in enumerate(outcomes, start=1):
        for verdict in shown(outcome):
            parts = (f"{number:02}", verdict.model.name, verdict.engine, verdict.claim.name)
            name = "-".join(re.sub(r"[^\w.+-]+", "-", part) for part in parts) + ".html"
            page.write(folder / name, verdict, command(verdict))
            pages[number, verdict.claim.name] = name
    return pages


def shown(outcome: Outcome) -> Iterator[Verdict]:
    """Yield the violations of a check that the report shows step by step."""
    if outcome.kind != "check" or outcome.detail is None:
        return
    wanted, wrong = outcome.detail.job.shown, {one.of for one in outcome.findings}
    for verdict in outcome.detail.verdicts:
        name = verdict.claim.name
        is_trace = verdict.answer == "violated" and verdict.trace is not None
        if is_trace and (not wanted or name in wanted or name in wrong):
            yield verdict


def drawn(outcome: Outcome) -> str:
    """Return the chart of the shortest counterexample, or a scenario, that is not expected."""
    if outcome.kind == "scenario":
        return scenarios.drawn(outcome)
    if outcome.kind != "check" or outcome.detail is None:
        return ""
    wrong = {one.of for one in outcome.findings if one.level != "warning"}
    broken = [v for v in outcome.detail.verdicts if v.trace is not None and v.claim.name in wrong]
    shortest = min(broken, key=by_length, default=None)
    return chart(shortest, COLUMNS).rstrip() if shortest is not None else ""
