"""The rules for policies, and the messages for policies that break them.

All loops that run a policy use these functions, so that a policy's author sees the same messages
in simulations and over HTTP.
"""

from __future__ import annotations

import operator
import reprlib
import traceback
from pathlib import Path

from counterpoint.crawler.errors import one_line_error

from .protocol import Request, Scheduler
from .watch import StepStalled, StepTimeout, timeout_text

SPENT = "the budget is spent"
SILENT = "the policy has nothing to fetch and gives no reason"
ENDLESS = "does not stop far beyond the budget"

LIMIT = 10.0
"""Seconds of processor time that a policy may take for a step."""


class RuleViolation(Exception):
    """The policy broke a rule for policies."""


def request_limit(budget: int, sites: int, may_overspend: bool) -> int:
    """Return how many pages a policy may request in all.

    Parameters
    ----------
    budget : int
        The budget of the crawl in pages.
    sites : int
        How many sites there are.
    may_overspend : bool
        Whether the policy may exceed the budget and ends by itself. It then gets a limit so large
        that only a policy that never ends reaches it; there it fails.
    """
    return (sites + 2) * (budget + 1) if may_overspend else budget


def requested_page(request: object) -> object:
    """Return the page of a request; for results of `next` that are not exactly a `Request`.

    Raises
    ------
    RuleViolation
        If the object is not an instance of a subclass of `Request` either.
    """
    if not isinstance(request, Request):
        raise RuleViolation(f"returned {reprlib.repr(request)}, which is not a Request")
    return request.page


def as_handle(page: object) -> int:
    """Return a handle as an int, if it is of another integer type (such as NumPy's).

    Raises
    ------
    RuleViolation
        If it is no integer.
    """
    try:
        # A page of any type can come here; operator.index decides whether it is an integer.
        return operator.index(page)  # type: ignore[arg-type]
    except TypeError:
        raise RuleViolation(f"requested {reprlib.repr(page)}, which is not an integer") from None


def never_offered(handle: int) -> RuleViolation:
    """Return the violation by a request for a page that the policy has never seen."""
    return RuleViolation(f"requested page {handle}, which it has not seen yet")


def asked_again(handle: int) -> RuleViolation:
    """Return the violation by a second request for a page."""
    return RuleViolation(f"requested page {handle} a second time")


def idle_reason(scheduler: Scheduler) -> str:
    """Return in one line why a policy has nothing to request."""
    why = getattr(scheduler, "why", "") or ""
    if not isinstance(why, str):
        raise RuleViolation(f"its attribute `why` is {reprlib.repr(why)}, which is not a str")
    return " ".join(why.split()) or SILENT


def failure_text(error: BaseException, limit: float) -> str:
    """Return in one line how a policy failed: the rule it broke, or the error it raised, and where.

    Parameters
    ----------
    error : BaseException
    limit : float
        Seconds of processor time that a step may take.
    """
    if isinstance(error, StepTimeout):
        return timeout_text(isinstance(error, StepStalled), limit)
    if isinstance(error, RuleViolation):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{one_line_error(error)} ({Path(place.filename).name}:{place.lineno})"
