"""Prints a comparison for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from .comparison import Comparison, PolicyRuns
from .measures import ANSWER, TOPICAL, Measure
from .plots import PlotData, graphs
from .statistics import Mean

NAME, SITES = 22, 4
"""The width of the first column, and the number of sites that are named."""

FIRST, COLUMN = 14, 11
"""The widths of the first and of the other columns in the overview of topical crawls."""

HEIGHTS = "▁▂▃▄▅▆▇█"
"""The characters of a curve."""


def lines(comparison: Comparison) -> Iterator[str]:
    """Yield the lines of a comparison: its web, tables of measures, curves, why the runs ended."""
    plan = comparison.plan
    seeds, first = len(plan.seeds), comparison.first
    fewer = any(run.steps < plan.budget for policy in comparison.policies for run in policy.runs)
    webs = f"{seeds} web{'s' * (seeds != 1)} of {plan.pages_of_web:,} pages"
    if plan.captured is not None:
        what = "captured" if plan.captured.graph is None else "graph"
        webs = f"{what}, {plan.pages_of_web:,} addresses, {seeds} draw{'s' * (seeds != 1)}"
        webs += " of start pages"
    yield f"{plan.profile.name}: {webs}, {'up to ' * fewer}{plan.budget:,} fetched on each"
    if len(comparison.policies) > 1 and not first.fell and len(first.name) > 14:
        yield from wrap(f"differences are to {first.name}", 80, break_on_hyphens=False)
    yield from _overview(comparison)
    for measure in comparison.measured():
        yield ""
        yield from _table(comparison, measure)
    for graph in graphs(comparison):
        yield ""
        yield from _graph(graph)
    yield from _sites(comparison)
    yield from _ends(comparison)


def _overview(comparison: Comparison) -> Iterator[str]:
    """Yield a table of the measures of topical crawls, if the web has topics."""
    shown = [policy for policy in comparison.policies if policy.values("map")]
    if not shown:
        return
    yield ""
    heads = ("precision", "recall", "F", "nDCG", "MAP", "harvest")
    yield f"{'%':{FIRST}}" + "".join(f"{head:>{COLUMN}}" for head in heads)
    for policy in shown:
        means = [policy.mean(name) for name in TOPICAL]
        cells = (f"{_percent(one):>{COLUMN}}" for one in means if one is not None)
        yield from named(policy.name, FIRST, "".join(cells), 0)
    yield f"of the first {ANSWER:,} pages of the index; where there is none, of all pages as"
    yield "HITS ranks them; harvest: of all pages fetched"


def _percent(mean: Mean) -> str:
    """Return a share with half its interval; with two webs the interval can exceed 100%."""
    half = "" if mean.half is None else f" ±{100 * mean.half:.{0 if mean.half >= 0.9995 else 1}f}"
    return f"{100 * mean.value:.1f}{half}"


def _table(comparison: Comparison, measure: Measure) -> Iterator[str]:
    first = comparison.first
    shown = [policy for policy in comparison.policies if policy.values(measure.name)]
    compared = bool(first.values(measure.name)) and len(shown) > 1
    short = f"minus {first.name}" if len(first.name) <= 14 else "difference"
    other = short if compared else ""
    won = "won, tied, lost" if other else ""
    title = measure.title
    if len(title) >= NAME:
        yield title
        title = ""
    yield f"{title:{NAME}}{'mean':>10} {'95%':10}{other:>20} {won:>16}".rstrip()
    for policy in shown:
        yield from named(policy.name, NAME, _row(policy, first, measure))
    yield from _unknown(shown, measure)
    if compared and measure.of_reach and not all(one.reaches_as(first) for one in shown):
        yield "  (no difference: these policies cannot reach the same pages)"


def _unknown(shown: list[PolicyRuns], measure: Measure) -> Iterator[str]:
    """Yield which share of a measure rests on what was not captured, for each policy."""
    shares = [(policy.name, policy.unknown(measure.name)) for policy in shown]
    texts = [f"{name} {share:.1%}" for name, share in shares if share is not None]
    if texts:
        yield from wrap(f"resting on what was not captured: {', '.join(texts)}", 80,
                        initial_indent="  ", subsequent_indent="    ",
                        break_on_hyphens=False)  # fmt: skip


def _row(policy: PolicyRuns, first: PolicyRuns, measure: Measure) -> str:
    """Return the cells of a policy, without its name."""
    own = policy.mean(measure.name)
    assert own is not None
    row = _cell(own, measure, False)
    if policy is first or (paired := policy.against(first, measure)) is None:
        return row
    won = f"{paired.wins}, {paired.ties}, {paired.losses}"
    return f"{row}{_cell(paired.difference, measure, True)}{won:>16}"


def _cell(mean: Mean, measure: Measure, signed: bool) -> str:
    half = "" if mean.half is None else f"± {figure(mean.half, measure)}"
    return f"{figure(mean.value, measure, signed):>10} {half:10}"


def figure(value: float, measure: Measure, signed: bool = False) -> str:
    """Return a value as text: shares in per cent, other values with four digits or more.

    Parameters
    ----------
    value : float
    measure : Measure
        The measure of the value.
    signed : bool
        Whether to write the sign of positive values.
    """
    sign = "+" if signed else ""
    if measure.share:
        return f"{100 * value:{sign}.2f}%"
    digits = 0 if abs(value) >= 10_000 else 1 if abs(value) >= 100 else 2
    if value == round(value) and (value == 0 or abs(value) >= 1000):
        digits = 0
    return f"{value:{sign},.{digits}f}"


def _graph(graph: PlotData) -> Iterator[str]:
    """Yield the curves of a graph on one scale; over recall, add their values in per cent."""
    measure, first, last = graph.measure, graph.steps[0], graph.steps[-1]
    ends = [value for one in graph.series for value in one.values]
    low, high = min(ends) if measure.revisits else 0.0, max(ends)
    yield measure.title.removesuffix(", mean over time")
    yield (f"  from {figure(low, measure)} to {figure(high, measure)}; "
           f"{graph.across}: {_step(first)} to {_step(last)}")  # fmt: skip
    for one in graph.series:
        row = _curve(one.values, low, high)
        if graph.across == "recall":
            row += "".join(f"{100 * value:4.0f}" for value in one.values)
        yield from named(one.name, NAME, row)


def _step(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"


def _curve(values: list[float], low: float, high: float) -> str:
    levels = [(value - low) / ((high - low) or 1.0) * len(HEIGHTS) for value in values]
    return "".join(HEIGHTS[min(int(level), len(HEIGHTS) - 1)] for level in levels)


def _sites(comparison: Comparison) -> Iterator[str]:
    names = [*comparison.site_names(), "elsewhere"]
    yield ""
    yield "which sites got the budget"
    for policy in comparison.policies:
        if not policy.fell:
            parts = sorted(zip(policy.sites(), names, strict=True), key=lambda one: -one[0])
            text = ", ".join(f"{name} {share:.0%}" for share, name in parts[:SITES] if share > 0)
            yield from named(policy.name, NAME, _short(text, 80 - NAME))


def _ends(comparison: Comparison) -> Iterator[str]:
    whole = [policy for policy in comparison.policies if not policy.fell]
    if whole:
        yield ""
        yield "why the runs ended"
    for policy in whole:
        whys = "; ".join(f"{why} ({count})" for why, count in policy.whys())
        yield from named(policy.name, NAME, _short(whys, 80 - NAME))


def named(name: str, width: int, row: str, indent: int = 2) -> Iterator[str]:
    """Yield a row after a name; a long name is folded, and its last line gets the row if it fits.

    Parameters
    ----------
    name : str
    width : int
        Where the row begins.
    row : str
    indent : int
        How far the name is indented.
    """
    *above, last = wrap(name, 80 - indent, break_on_hyphens=False) or [""]
    yield from (" " * indent + line for line in above)
    if len(last) >= width - indent:
        yield " " * indent + last
        last = ""
    yield f"{' ' * indent}{last:{width - indent}}{row}".rstrip()


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
