"""A comparison as a person reads it in a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from .comparison import Compared, Comparison
from .measures import ANSWER, TOPICAL, Measure
from .plots import Graph, graphs
from .statistics import Mean

NAME, SITES = 22, 4
"""Width of the first column; sites that are named."""

FIRST, COLUMN = 14, 11
"""Widths in the overview of a search."""

HEIGHTS = "▁▂▃▄▅▆▇█"
"""Of which a curve is put together."""


def lines(of: Comparison) -> Iterator[str]:
    """Yield the lines of a comparison: its web, tables of measures, curves, why the runs ended."""
    plan = of.plan
    seeds = len(plan.seeds)
    fewer = any(run.steps < plan.budget for policy in of.policies for run in policy.runs)
    yield (f"{plan.profile.name}: {seeds} web{'s' * (seeds != 1)} of {plan.pages_of_web:,} pages, "
           f"{'up to ' * fewer}{plan.budget:,} fetched on each")  # fmt: skip
    yield from _overview(of)
    for measure in of.measured():
        yield ""
        yield from _table(of, measure)
    for graph in graphs(of):
        yield ""
        yield from _graph(graph)
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
        yield f"{_name(policy.name, FIRST - 1):{FIRST}}" + "".join(cells)
    yield f"of the first {ANSWER:,} pages of the index; where there is none, of all pages as"
    yield "HITS ranks them; harvest: of all pages fetched"


def _percent(of: Mean) -> str:
    """Return a share with half its interval, which two webs may make wider than all shares."""
    half = "" if of.half is None else f" ±{100 * of.half:.{0 if of.half >= 0.9995 else 1}f}"
    return f"{100 * of.value:.1f}{half}"


def _table(of: Comparison, measure: Measure) -> Iterator[str]:
    first = of.policies[0]
    shown = [policy for policy in of.policies if policy.values(measure.name)]
    beside = bool(first.values(measure.name)) and len(shown) > 1
    other = f"less {_name(first.name, 14)}" if beside else ""
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
    row = f"  {_name(policy.name, NAME - 3):{NAME - 2}}{_cell(told, measure, False)}"
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


def _graph(graph: Graph) -> Iterator[str]:
    """Yield curves on one scale; those over recall with their figures, per cent."""
    measure, first, last = graph.measure, graph.steps[0], graph.steps[-1]
    ends = [value for one in graph.series for value in one.values]
    low, high = min(ends) if measure.revisits else 0.0, max(ends)
    yield measure.title.removesuffix(", mean over time")
    yield (f"  from {figure(low, measure)} to {figure(high, measure)}; "
           f"{graph.across}: {_step(first)} to {_step(last)}")  # fmt: skip
    for one in graph.series:
        row = f"  {_name(one.name, NAME - 3):{NAME - 2}}{_curve(one.values, low, high)}"
        if graph.across == "recall":
            row += "".join(f"{100 * value:4.0f}" for value in one.values)
        yield row


def _step(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"


def _curve(values: list[float], low: float, high: float) -> str:
    levels = [(value - low) / ((high - low) or 1.0) * len(HEIGHTS) for value in values]
    return "".join(HEIGHTS[min(int(level), len(HEIGHTS) - 1)] for level in levels)


def _sites(of: Comparison) -> Iterator[str]:
    names = [*of.site_names(), "elsewhere"]
    yield ""
    yield "which sites got the budget"
    for policy in of.policies:
        if not policy.fell:
            parts = sorted(zip(policy.sites(), names, strict=True), key=lambda one: -one[0])
            told = ", ".join(f"{name} {share:.0%}" for share, name in parts[:SITES] if share > 0)
            yield f"  {_name(policy.name, NAME - 3):{NAME - 2}}{_short(told, 80 - NAME)}"


def _ends(of: Comparison) -> Iterator[str]:
    whole = [policy for policy in of.policies if not policy.fell]
    if whole:
        yield ""
        yield "why the runs ended"
    for policy in whole:
        whys = "; ".join(f"{why} ({count})" for why, count in policy.whys())
        yield f"  {_name(policy.name, NAME - 3):{NAME - 2}}{_short(whys, 80 - NAME)}"


def _name(name: str, width: int) -> str:
    """Return a policy's name: of one in a module rather the end, with parameters both ends."""
    if len(name) <= width:
        return name
    head = width // 3 if "," in name else 0 if ":" in name else width - 1
    return name[:head] + "…" + name[len(name) - (width - 1 - head) :]


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
