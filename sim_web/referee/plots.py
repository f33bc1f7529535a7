"""The positions of the lines and bars on the HTML page, in pixels; the template draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .judgment import Judgment
from .outcomes import OUTCOMES, WASTED
from .sections import number, per_cent

WIDTH, HEIGHT = 460, 250
LEFT, RIGHT, TOP, BOTTOM = 62, 18, 14, 44


@dataclass(frozen=True)
class Tick:
    """A place on an axis, in pixels, and its label."""

    at: float
    label: str


@dataclass(frozen=True)
class PlotLine:
    """A line: its points in the notation of SVG, its name, and the number of its colour."""

    points: str
    name: str
    colour: int


@dataclass(frozen=True)
class JudgmentPlot:
    """A diagram with two axes; ``across`` names the horizontal one."""

    title: str
    across: str
    lines: tuple[PlotLine, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


@dataclass(frozen=True)
class PlotBar:
    """A bar of a diagram: its name, its length as a share of the longest, and its figure."""

    name: str
    share: float
    figure: str
    wasted: bool = False


def plots(judgment: Judgment) -> tuple[JudgmentPlot, ...]:
    """Return the diagrams of a judgment; those without data are left out."""
    made = []
    if len(judgment.reached) > 1:
        requests = [float(p.requests) for p in judgment.reached]
        seconds = [p.time for p in judgment.reached]
        pages = [float(p.pages) for p in judgment.reached]
        hosts = [float(p.hosts) for p in judgment.reached]
        made.append(plot("Pages reached over requests", "requests", requests,
                         {"pages": pages, "a new page each": requests}))  # fmt: skip
        made.append(plot("Hosts reached over requests", "requests", requests, {"hosts": hosts}))
        if seconds[-1] > 0:
            made.append(_over_time("Pages reached over time", seconds, {"pages": pages}))
    fresh = judgment.freshness
    if fresh.times and fresh.times[-1] > fresh.times[0]:
        made.append(_over_time("Share of the copies that are fresh", fresh.times,
                               {"fresh": fresh.fresh}, 1.0))  # fmt: skip
    if max(fresh.age, default=0.0) > 0:
        unit, length = unit_of(max(fresh.age))
        age = [one / length for one in fresh.age]
        made.append(_over_time(f"Mean age of the copies in {unit}", fresh.times, {"age": age}))
    tenths = [level for level in judgment.levels.tenths if level is not None]
    if len(tenths) > 1:
        numbers = [float(k + 1) for k in range(len(tenths))]
        made.append(plot("Level of the pages, by tenths of the crawl", "tenth", numbers,
                         {"mean level": tenths}))  # fmt: skip
    return tuple(made)


def coverage_bars(judgment: Judgment) -> tuple[PlotBar, ...]:
    """Return a bar for each component: how much of it was fetched."""
    return tuple(
        PlotBar(name, part.share or 0.0, f"{per_cent(part.share)} of {number(part.pages)}")
        for name, part in judgment.components.items()
    )


def outcome_bars(judgment: Judgment) -> tuple[PlotBar, ...]:
    """Return a bar for each outcome of requests, the most frequent first."""
    counts = {name: count for name, count in judgment.outcomes.counts.items() if count}
    most = max(counts.values(), default=1)
    return tuple(
        PlotBar(OUTCOMES[name], count / most, number(count), name in WASTED)
        for name, count in sorted(counts.items(), key=lambda one: -one[1])
    )


def unit_of(seconds: float) -> tuple[str, float]:
    """Return the unit in which a time is shown, and the unit's length in seconds."""
    units = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))
    return next((one for one in units if seconds >= 2 * one[1]), ("seconds", 1.0))


def _over_time(
    title: str, seconds: Sequence[float], lines: dict[str, Sequence[float]], highest: float = 0.0
) -> JudgmentPlot:
    """Return a plot over time, in the largest unit of which it has two or more."""
    unit, length = unit_of(seconds[-1])
    return plot(title, unit, [one / length for one in seconds], lines, highest)


def plot(
    title: str,
    across: str,
    xs: Sequence[float],
    lines: dict[str, Sequence[float]],
    highest: float = 0.0,
) -> JudgmentPlot:
    """Return a diagram whose axes begin at 0.

    Parameters
    ----------
    title, across : str
        The heading, and the name of the horizontal axis.
    xs : sequence of float
        Not negative, ascending.
    lines : dict of str to sequence of float
        For each line its name and its heights, one for each of ``xs``. The greatest height of the
        first line decides the height of the diagram; points above it are cut off.
    highest : float
        The least height of the diagram.
    """
    right = ticks(max(xs))
    first = next(iter(lines.values()))
    upper = ticks(max(highest, *first))
    return JudgmentPlot(
        title,
        across,
        tuple(
            PlotLine(_points(xs, ys, max(xs) or 1.0, upper[-1]), name, k)
            for k, (name, ys) in enumerate(lines.items())
        ),
        tuple(Tick(_x(x, max(xs) or 1.0), _label(x, right[-1])) for x in right if x <= max(xs)),
        tuple(Tick(_y(y, upper[-1]), _label(y, upper[-1])) for y in upper),
    )


def ticks(greatest: float) -> tuple[float, ...]:
    """Return three to six round numbers; they begin with 0 and reach a given value or more."""
    if greatest <= 0:
        return (0.0, 1.0)
    scale = 10.0 ** math.floor(math.log10(greatest / 4))
    step = next(s * scale for s in (1, 2, 2.5, 5, 10) if s * scale * 5 >= greatest)
    return tuple(step * k for k in range(math.ceil(greatest / step - 1e-9) + 1))


def _points(xs: Sequence[float], ys: Sequence[float], right: float, upper: float) -> str:
    """Return the points of a curve as SVG; ``right`` and ``upper`` are the ends of the axes."""
    kept = [(x, y) for x, y in zip(xs, ys, strict=True) if y <= upper * 1.0001]
    return " ".join(f"{_x(x, right):.1f},{_y(y, upper):.1f}" for x, y in kept)


def _x(value: float, right: float) -> float:
    return LEFT + value / right * (WIDTH - LEFT - RIGHT)


def _y(value: float, upper: float) -> float:
    return HEIGHT - BOTTOM - value / upper * (HEIGHT - TOP - BOTTOM)


def _label(value: float, greatest: float) -> str:
    for sign, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if greatest >= 10 * size and value:
            return f"{value / size:g}{sign}"
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
