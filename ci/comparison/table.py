"""A comparison as a person reads it in a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from .comparison import Compared, Comparison
from .measures import ANSWER, TOPICAL, Measure
from .statistics import Mean

NAME, SITES = 22, 4
"""Width of the first column; sites that are named."""

FIRST, COLUMN = 14, 11
"""Widths in the overview of a search."""


def lines(of: Comparison) -> Iterator[str]:
    """Yield the lines of a comparison: its web, a table for each measure, why the runs ended."""
    plan = of.plan
    seeds = len(plan.seeds)
    yield (f"{plan.profile.name}: {seeds} web{'s' * (seeds != 1)} of {plan.pages_of_web:,} pages, "
           f"{plan.budget:,} fetched on each")  # fmt: skip
    yield from _overview(of)
    for measure in of.measured():
        yield ""
        yield from _table(of, measure)
    yield from _sites(of)
    yield from _ends(of)


def _overview(of: Comparison) -> Iterator[str]:
    """Yield the measures of a search side by side, if something was looked for."""
    shown = [policy for policy in of.policies if policy.values("map")]
    if not shown:
        return
    yield ""
    heads = ("precision", "recall", "F", "nDCG", "MAP", "harvest")
    yield f"{'%':{FIRST}}" + "".join(f"{head:>{COLUMN}}" for head in heads)
    for policy in shown:
        means = [policy.mean(name) for name in TOPICAL]
        cells = (f"{_percent(one):>{COLUMN}}" for one in means if one is not None)
        yield f"{_name(policy, FIRST - 1):{FIRST}}" + "".join(cells)
    yield f"of the first {ANSWER:,} pages of the index; where there is none, of all pages as"
    yield "HITS ranks them; harvest: of all pages fetched"


def _percent(of: Mean) -> str:
    half = "" if of.half is None else f" ±{100 * of.half:.1f}"
    return f"{100 * of.value:.1f}{half}"


def _table(of: Comparison, measure: Measure) -> Iterator[str]:
    first = of.policies[0]
    shown = [policy for policy in of.policies if policy.values(measure.name)]
    other = "" if not first.values(measure.name) or len(shown) < 2 else f"less {_name(first, 14)}"
    won = "won, tied, lost" if other else ""
    title = measure.title
    if len(title) >= NAME:
        yield title
        title = ""
    yield f"{title:{NAME}}{'mean':>10} {'95%':10}{other:>20} {won:>16}".rstrip()
    for policy in shown:
        yield _row(policy, first, measure)


def _row(policy: Compared, first: Compared, measure: Measure) -> str:
    told = policy.mean(measure.name)
    assert told is not None
    row = f"  {_name(policy, NAME - 3):{NAME - 2}}{_cell(told, measure, False)}"
    if policy is first or (beside := policy.against(first, measure)) is None:
        return row.rstrip()
    won = f"{beside.wins}, {beside.ties}, {beside.losses}"
    return f"{row}{_cell(beside.difference, measure, True)}{won:>16}".rstrip()


def _cell(of: Mean, measure: Measure, signed: bool) -> str:
    half = "" if of.half is None else f"± {figure(of.half, measure)}"
    return f"{figure(of.value, measure, signed):>10} {half:10}"


def figure(value: float, measure: Measure, signed: bool = False) -> str:
    """Return a value as people read it: shares as per cent, others with four digits or more."""
    sign = "+" if signed else ""
    if measure.share:
        return f"{100 * value:{sign}.2f}%"
    digits = 0 if abs(value) >= 10_000 else 1 if abs(value) >= 100 else 2
    if value == round(value) and (value == 0 or abs(value) >= 1000):
        digits = 0
    return f"{value:{sign},.{digits}f}"


def _sites(of: Comparison) -> Iterator[str]:
    names = [*of.site_names(), "elsewhere"]
    yield ""
    yield "which sites got the budget"
    for policy in of.policies:
        if not policy.fell:
            parts = sorted(zip(policy.sites(), names, strict=True), key=lambda one: -one[0])
            told = ", ".join(f"{name} {share:.0%}" for share, name in parts[:SITES] if share > 0)
            yield f"  {_name(policy, NAME - 3):{NAME - 2}}{_short(told, 80 - NAME)}"


def _ends(of: Comparison) -> Iterator[str]:
    whole = [policy for policy in of.policies if not policy.fell]
    if whole:
        yield ""
        yield "why the runs ended"
    for policy in whole:
        whys = "; ".join(f"{why} ({count})" for why, count in policy.whys())
        yield f"  {_name(policy, NAME - 3):{NAME - 2}}{_short(whys, 80 - NAME)}"


def _name(policy: Compared, width: int) -> str:
    """Return a policy's name; of one that stands in a module, rather the end."""
    name = policy.name
    if ":" in name and len(name) > width:
        return "…" + name[1 - width :]
    return _short(name, width)


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
