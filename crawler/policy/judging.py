"""What no policy may do, and how it is said: the same for every loop that runs one."""

from __future__ import annotations

import operator
import reprlib
import traceback
from pathlib import Path

from counterpoint.crawler.errors import in_words

from .protocol import Request, Scheduler
from .watch import TooLong

SPENT = "the budget is spent"
SILENT = "the policy has nothing to fetch and does not say why"
ENDLESS = "spends without end"

LIMIT = 10.0
"""Seconds that a policy may take for a step."""


class Wrong(Exception):
    """The policy broke a rule for policies."""


def budget_of(budget: int, sites: int, may_overspend: bool) -> int:
    """Return how many pages a policy may ask for; one that is to end by itself fails there."""
    return (sites + 2) * (budget + 1) if may_overspend else budget


def page_of(request: object) -> object:
    """Return the page of a request that is of a class of its own."""
    if not isinstance(request, Request):
        raise Wrong(f"returned {reprlib.repr(request)}, which is no Request")
    return request.page


def handle_of(page: object) -> int:
    """Return a page that is no ordinary integer as one."""
    try:
        # Whether it is an index is what is asked here.
        return operator.index(page)  # type: ignore[arg-type]
    except TypeError:
        raise Wrong(f"asked for {reprlib.repr(page)}, which is no page") from None


def never_offered(handle: int) -> Wrong:
    """Return what is wrong with asking for a page that nothing led to."""
    return Wrong(f"asked for page {handle}, which was never offered")


def asked_again(handle: int) -> Wrong:
    """Return what is wrong with asking for a page twice."""
    return Wrong(f"asked for page {handle} again")


def reason(scheduler: Scheduler) -> str:
    """Return in one line why a policy has nothing to ask for."""
    why = getattr(scheduler, "why", "") or ""
    if not isinstance(why, str):
        raise Wrong(f"why is {reprlib.repr(why)}, which is no text")
    return " ".join(why.split()) or SILENT


def failure(error: BaseException, limit: float) -> str:
    """Return in one line how a policy failed: what it did, or raised, and where."""
    if isinstance(error, TooLong):
        return f"took longer than {limit:g} s"
    if isinstance(error, Wrong):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{in_words(error)} ({Path(place.filename).name}:{place.lineno})"
