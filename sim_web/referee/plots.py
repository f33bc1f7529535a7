"""Where the lines and bars of the page stand: geometry only, the template draws it."""

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
    """A place on an axis and what stands there."""

    at: float
    label: str


@dataclass(frozen=True)
class Line:
    """A line: its points as SVG wants them, what it is, and its colour's number."""

    points: str
    name: str
    colour: int


@dataclass(frozen=True)
class Plot:
    """A diagram with two axes."""

    title: str
    across: str
    lines: tuple[Line, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


@dataclass(frozen=True)
class Bar:
    """A bar of a diagram: its share of the longest, and how it is named and told."""

    name: str
    share: float
    told: str
    wasted: bool = False


def plots(of: Judgment) -> tuple[Plot, ...]:
    """Return the diagrams for which there is anything to show."""
    made = []
    if len(of.reached) > 1:
        requests = [float(p.requests) for p in of.reached]
        seconds = [p.time for p in of.reached]
        pages = [float(p.pages) for p in of.reached]
        hosts = [float(p.hosts) for p in of.reached]
        made.append(plot("Pages reached over requests", "requests", requests,
                         {"pages": pages, "a new page each": requests}))  # fmt: skip
        made.append(plot("Hosts reached over requests", "requests", requests, {"hosts": hosts}))
        if seconds[-1] > 0:
            made.append(_over_time("Pages reached over time", seconds, {"pages": pages}))
    fresh = of.freshness
    if fresh.times and fresh.times[-1] > fresh.times[0]:
        made.append(_over_time("Share of the copies that are fresh", fresh.times,
                               {"fresh": fresh.fresh}, 1.0))  # fmt: skip
    if max(fresh.age, default=0.0) > 0:
        unit, length = unit_of(max(fresh.age))
        age = [one / length for one in fresh.age]
        made.append(_over_time(f"Mean age of the copies in {unit}", fresh.times, {"age": age}))
    tenths = [level for level in of.levels.tenths if level is not None]
    if len(tenths) > 1:
        numbers = [float(k + 1) for k in range(len(tenths))]
        made.append(plot("Level of the pages, by tenths of the crawl", "tenth", numbers,
                         {"mean level": tenths}))  # fmt: skip
    return tuple(made)


def coverage_bars(of: Judgment) -> tuple[Bar, ...]:
    """Return how much of each component was fetched."""
    return tuple(
        Bar(name, part.share or 0.0, f"{per_cent(part.share)} of {number(part.pages)}")
        for name, part in of.components.items()
    )


def outcome_bars(of: Judgment) -> tuple[Bar, ...]:
    """Return what requests were for, the most frequent first."""
    counts = {name: count for name, count in of.outcomes.counts.items() if count}
    most = max(counts.values(), default=1)
    return tuple(
        Bar(OUTCOMES[name], count / most, number(count), name in WASTED)
        for name, count in sorted(counts.items(), key=lambda one: -one[1])
    )


def unit_of(seconds: float) -> tuple[str, float]:
    """Return the unit in which a time is told, and its length."""
    units = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))
    return next((one for one in units if seconds >= 2 * one[1]), ("seconds", 1.0))


def _over_time(
    title: str, seconds: Sequence[float], lines: dict[str, Sequence[float]], highest: float = 0.0
) -> Plot:
    unit, length = unit_of(seconds[-1])
    return plot(title, unit, [one / length for one in seconds], lines, highest)


def plot(
    title: str,
    across: str,
    xs: Sequence[float],
    lines: dict[str, Sequence[float]],
    highest: float = 0.0,
) -> Plot:
    """Return a diagram from the origin.

    Parameters
    ----------
    title, across : str
        The heading, and what the horizontal axis is.
    xs : sequence of float
        Not negative, ascending.
    lines : dict of str to sequence of float
        Names and heights, one for each of ``xs``; the first line's greatest height is the
        diagram's, and what is higher is cut off.
    highest : float
        At least this high.
    """
    right = ticks(max(xs))
    first = next(iter(lines.values()))
    upper = ticks(max(highest, *first))
    return Plot(
        title,
        across,
        tuple(
            Line(_points(xs, ys, max(xs) or 1.0, upper[-1]), name, k)
            for k, (name, ys) in enumerate(lines.items())
        ),
        tuple(Tick(_x(x, max(xs) or 1.0), _told(x, right[-1])) for x in right if x <= max(xs)),
        tuple(Tick(_y(y, upper[-1]), _told(y, upper[-1])) for y in upper),
    )


def ticks(greatest: float) -> tuple[float, ...]:
    """Return from three to six round numbers from 0 to the first that is not below the greatest."""
    if greatest <= 0:
        return (0.0, 1.0)
    scale = 10.0 ** math.floor(math.log10(greatest / 4))
    step = next(s * scale for s in (1, 2, 2.5, 5, 10) if s * scale * 5 >= greatest)
    return tuple(step * k for k in range(math.ceil(greatest / step - 1e-9) + 1))


def _points(xs: Sequence[float], ys: Sequence[float], right: float, upper: float) -> str:
    kept = [(x, y) for x, y in zip(xs, ys, strict=True) if y <= upper * 1.0001]
    return " ".join(f"{_x(x, right):.1f},{_y(y, upper):.1f}" for x, y in kept)


def _x(value: float, right: float) -> float:
    return LEFT + value / right * (WIDTH - LEFT - RIGHT)


def _y(value: float, upper: float) -> float:
    return HEIGHT - BOTTOM - value / upper * (HEIGHT - TOP - BOTTOM)


def _told(value: float, greatest: float) -> str:
    for sign, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if greatest >= 10 * size and value:
            return f"{value / size:g}{sign}"
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
