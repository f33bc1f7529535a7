"""Computes the geometry of the page's diagrams and bars; the templates draw them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from counterpoint.crawler.evaluation.measures import LEVELS
from counterpoint.sim_web.referee.plots import Tick

from .comparison import Comparison
from .measures import INTERPOLATION, Measure
from .statistics import Mean
from .world import DAY

WIDTH, HEIGHT = 460, 260
LEFT, RIGHT, TOP, BOTTOM = 62, 18, 12, 44
COLOURS = 8
"""Number of colours in the style sheet; further policies reuse them with dashed lines."""


@dataclass(frozen=True)
class Series:
    """The data of a curve: its values at the steps of the diagram, and its band, if it has one."""

    name: str
    colour: int
    dashed: bool
    values: list[float]
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class PlotData:
    """The data of a diagram: a measure over steps; `across` names the unit of the steps."""

    measure: Measure
    across: str
    steps: list[float]
    series: list[Series]


@dataclass(frozen=True)
class Curve:
    """A line and the band of its interval, as SVG points."""

    name: str
    colour: int
    dashed: bool
    line: str
    band: str


@dataclass(frozen=True)
class Plot:
    """A diagram with two axes."""

    title: str
    across: str
    curves: tuple[Curve, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


@dataclass(frozen=True)
class BarPart:
    """A site's part of a bar.

    Attributes
    ----------
    at, width : float
        Its left end and its width, as shares of the bar.
    name : str
        The name of the site.
    title : str
        The text that appears when the pointer is over it.
    place : int
        The index of the site, which selects its colour.
    """

    at: float
    width: float
    name: str
    title: str
    place: int


@dataclass(frozen=True)
class Bar:
    """A bar that shows how a policy's visits were divided among the sites."""

    name: str
    parts: tuple[BarPart, ...]


def plots(comparison: Comparison) -> tuple[Plot, ...]:
    """Return a diagram for each graph of a comparison."""
    return tuple(
        diagram(graph.measure, graph.across, graph.steps, graph.series)
        for graph in graphs(comparison)
    )


def graphs(comparison: Comparison) -> Iterator[PlotData]:
    """Yield the 11-point graph, if there is one, and a graph for each measure over steps.

    The measure ``pages`` has no graph, since it nearly equals the number of steps.
    """
    yield from _eleven_points(comparison)
    for measure in comparison.measured():
        if measure.name != "pages" and any(
            policy.curve(measure.name) for policy in comparison.policies
        ):
            yield _over_steps(comparison, measure)


def _eleven_points(comparison: Comparison) -> Iterator[PlotData]:
    """Yield the recall/precision graph of the indices, if the web has topics."""
    series = []
    for number, policy in enumerate(comparison.policies):
        points = policy.points()
        if points:
            series.append(Series(policy.name, *colour(number), *_banded(points, True)))
    if series:
        measure = Measure("points", f"precision at recall ({INTERPOLATION})", share=True)
        yield PlotData(measure, "recall", list(LEVELS), series)


def _banded(
    points: Sequence[Mean], share: bool
) -> tuple[list[float], list[float], list[float]]:  # fmt: skip
    """Return means with the ends of their intervals; those of shares are cut at 1."""
    most = 1.0 if share else math.inf
    return (
        [point.value for point in points],
        [point.value - (point.half or 0.0) for point in points],
        [min(most, point.value + (point.half or 0.0)) for point in points],
    )


def bars(comparison: Comparison) -> tuple[Bar, ...]:
    """Return a bar for each policy: how its visits were divided among the sites."""
    names = [*comparison.site_names(), "elsewhere"]
    found = []
    for policy in comparison.policies:
        parts, at = [], 0.0
        for place, (name, share) in enumerate(zip(names, policy.sites(), strict=False)):
            parts.append(BarPart(at, share, name, f"{name}: {share:.1%}", place))
            at += share
        if parts:
            found.append(Bar(policy.name, tuple(parts)))
    return tuple(found)


def colour(number: int) -> tuple[int, bool]:
    """Return the colour of a policy's curves by its index, and whether they are dashed."""
    return number % COLOURS, number // COLOURS % 2 == 1


def _over_steps(comparison: Comparison, measure: Measure) -> PlotData:
    shown = [
        (k, policy) for k, policy in enumerate(comparison.policies) if policy.values(measure.name)
    ]
    steps, across = [float(step) for step in comparison.plan.grid], "pages fetched"
    if measure.revisits:
        across = "days"
        steps = [step * shown[0][1].runs[0].seconds / DAY for step in steps]
    series = [
        Series(policy.name, *colour(k), *_banded(policy.curve(measure.name), measure.share))
        for k, policy in shown
    ]
    return PlotData(measure, across, steps, series)


def diagram(
    measure: Measure, across: str, steps: Sequence[float], series: Sequence[Series]
) -> Plot:
    """Return the diagram of a measure.

    Parameters
    ----------
    measure : Measure
    across : str
        The unit of the steps, such as ``pages fetched``.
    steps : sequence of float
        Ascending; each series has a value at each step.
    series : sequence of Series
    """
    ends = [value for one in series for value in (*one.values, *one.lower, *one.upper)]
    low = min(ends) if measure.revisits else 0.0
    uppers, rights = axis(low, max(ends)), axis(0.0, steps[-1])

    def x(value: float) -> float:
        return LEFT + value / steps[-1] * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        share = (max(low, value) - uppers[0]) / (uppers[-1] - uppers[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def points(values: list[float]) -> list[str]:
        return [f"{x(a):.1f},{y(b):.1f}" for a, b in zip(steps, values, strict=True)]

    curves = []
    for one in series:
        band = [*points(one.upper), *points(one.lower)[::-1]] if one.upper else []
        line = " ".join(points(one.values))
        curves.append(Curve(one.name, one.colour, one.dashed, line, " ".join(band)))
    return Plot(
        measure.title.removesuffix(", mean over time"),
        across,
        tuple(curves),
        tuple(Tick(x(value), label(value, rights)) for value in rights if value <= steps[-1]),
        tuple(Tick(y(value), label(value, uppers, measure.share)) for value in uppers),
    )


def axis(low: float, high: float) -> tuple[float, ...]:
    """Return two to seven round numbers; the first is at most `low`, the last at least `high`."""
    span = high - low or abs(high) or 1.0
    scale = 10.0 ** math.floor(math.log10(span / 4))
    step = next(s * scale for s in (1, 2, 2.5, 5, 10) if s * scale * 5 >= span)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(step * k for k in range(first, max(last, first + 1) + 1))


def label(value: float, ticks: tuple[float, ...], share: bool = False) -> str:
    """Return the label of a tick.

    Parameters
    ----------
    value : float
        The tick.
    ticks : tuple of float
        All ticks of the axis; the largest selects the unit (k, M or G).
    share : bool
        Whether the value is a share, and is written in per cent.
    """
    if share:
        return f"{100 * value:.10g}%"
    greatest = max(abs(ticks[0]), abs(ticks[-1]))
    for sign, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if greatest >= 10 * size and value:
            return f"{value / size:.6g}{sign}"
    return f"{value:,.6g}"
