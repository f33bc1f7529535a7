"""How the visits of a crawl ended over time: counted in spans of one length."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import func, select

from .opening import Store
from .page_kinds import PageKind, kind_of
from .schema import State, plans, visits

LOOK = 10_000
"""The most visits that are counted: the last ones."""
SPANS = 60
"""The most spans."""
LENGTHS = (1, 10, 60, 600, 3_600, 21_600, 86_400, 604_800)
"""The lengths of spans, in seconds; the shortest is taken with which there are at most `SPANS`."""


class Ending(StrEnum):
    """How a visit ended."""

    FETCHED = "fetched"
    REDIRECTED = "redirected"
    CLIENT_ERROR = "4xx"
    SERVER_ERROR = "5xx"
    NO_ANSWER = "no answer"
    LEFT_OUT = "left out"


class Span(NamedTuple):
    """A span of time, and how many visits ended how in it; ``begin``: seconds since 1970."""

    begin: float
    counts: dict[Ending, int]

    @property
    def total(self) -> int:
        """The number of visits."""
        return sum(self.counts.values())


class Outcomes(NamedTuple):
    """The spans, one after the other, and how long each is in seconds.

    ``all_visits``: whether these are all visits of the plan that made a request, and not the last
    ones only.
    """

    spans: list[Span]
    seconds: int
    all_visits: bool


def outcomes(store: Store) -> Outcomes:
    """Return how the last visits of the present plan ended; no spans: none has ended."""
    plan = select(func.max(plans.c.number)).scalar_subquery()
    query = (
        select(visits.c.time, visits.c.status, visits.c.problem, visits.c.recalled)
        .where(visits.c.plan == plan, visits.c.observed.is_not(None))
        .order_by(visits.c.observed.desc()).limit(LOOK + 1)
    )  # fmt: skip
    with store.reading() as connection:
        rows = connection.execute(query).all()
    ended = [(row.time, ending_of(row.status, row.problem)) for row in rows[:LOOK]
             if row.time and row.status is not None and not row.recalled]  # fmt: skip
    if not ended:
        return Outcomes([], LENGTHS[0], len(rows) <= LOOK)
    first, last = min(time for time, _ in ended), max(time for time, _ in ended)
    # Beyond the longest span, spans are as much longer as is necessary.
    fitting = (one for one in LENGTHS if last // one - first // one < SPANS)
    seconds = next(fitting, None) or int((last - first) / (SPANS - 1)) + 1
    counted = Counter((int(time // seconds), ending) for time, ending in ended)
    numbers = range(int(first // seconds), int(last // seconds) + 1)
    spans = [
        Span(float(number * seconds), {one: counted[number, one] for one in Ending})
        for number in numbers
    ]
    return Outcomes(spans, seconds, len(rows) <= LOOK)


def ending_of(status: int, problem: str) -> Ending:
    """Return how a visit ended, from its status and its problem."""
    kind = kind_of(State.DONE, status, problem)
    if kind is PageKind.LEFT_OUT:
        return Ending.LEFT_OUT
    if status == 0:
        return Ending.NO_ANSWER
    if status >= 500:
        return Ending.SERVER_ERROR
    if status >= 400:
        return Ending.CLIENT_ERROR
    return Ending.REDIRECTED if status >= 300 and status != 304 else Ending.FETCHED
