"""The chart of statuses over time, drawn on the server: stacked bars, one for each span."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from counterpoint.crawler.store.outcomes import Ending, Outcomes, Span

WIDTH, HEIGHT = 600, 150
"""The size of the chart in its own units."""
COLOURS = {Ending.FETCHED: "k0", Ending.REDIRECTED: "k2", Ending.CLIENT_ERROR: "k1",
           Ending.SERVER_ERROR: "k4", Ending.NO_ANSWER: "k3", Ending.LEFT_OUT: "kr"}  # fmt: skip
"""The CSS class of each ending."""
_NAMES = {1: "second", 10: "10 seconds", 60: "minute", 600: "10 minutes", 3_600: "hour",
          21_600: "6 hours", 86_400: "day", 604_800: "week"}  # fmt: skip


class Bar(NamedTuple):
    """A rectangle, with the CSS class of its colour."""

    x: float
    y: float
    width: float
    height: float
    style: str


class Chart(NamedTuple):
    """What the template draws, and the table beside it.

    Attributes
    ----------
    bars : list of Bar
    most : int
        The visits in the highest bar.
    begin, end : str
        The times at both ends of the axis.
    span : str
        How long a span is.
    endings : list of (str, str, int)
        Each ending that occurs, its CSS class, and its number of visits.
    rows : list of (str, list of int)
        The table: the beginning of each span that has visits, and its counts by ending.
    all_visits : bool
        Whether the visits are all of the plan.
    """

    bars: list[Bar]
    most: int
    begin: str
    end: str
    span: str
    endings: list[tuple[str, str, int]]
    rows: list[tuple[str, list[int]]]
    all_visits: bool


def chart(found: Outcomes) -> Chart | None:
    """Return the chart of outcomes; None if there are none."""
    if not found.spans:
        return None
    sums = {one: sum(span.counts[one] for span in found.spans) for one in Ending}
    shown = [one for one in Ending if sums[one]]
    most = max(span.total for span in found.spans)
    bars = [bar for number, span in enumerate(found.spans)
            for bar in _bars(span, number, len(found.spans), most)]  # fmt: skip
    rows = [(_time(span.begin, found.seconds), [span.counts[one] for one in shown])
            for span in found.spans if span.total]  # fmt: skip
    last = found.spans[-1].begin + found.seconds
    return Chart(
        bars, most, _time(found.spans[0].begin, found.seconds), _time(last, found.seconds),
        _NAMES.get(found.seconds, f"{found.seconds:,} seconds"),
        [(str(one), COLOURS[one], sums[one]) for one in shown], rows, found.all_visits,
    )  # fmt: skip


def _bars(span: Span, number: int, count: int, most: int) -> list[Bar]:
    step = WIDTH / count
    gap = min(2.0, step / 5)
    bars, top = [], float(HEIGHT)
    for ending in Ending:
        height = HEIGHT * span.counts[ending] / most
        if height:
            top -= height
            x, y, width, high = (round(one, 2) for one in (number * step, top, step - gap, height))
            bars.append(Bar(x, y, width, high, COLOURS[ending]))
    return bars


def _time(seconds: float, length: int) -> str:
    form = "%Y-%m-%d %H:%M:%S" if length < 60 else "%Y-%m-%d %H:%M"
    return datetime.fromtimestamp(seconds, UTC).strftime(form if length < 86_400 else "%Y-%m-%d")
