"""Budgets and times as users write them."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from counterpoint.crawler.errors import CrawlError

_UNITS = {"s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|sec|min|h|d)", re.A)
MOST = 10**9
"""Pages; the largest budget."""
LONGEST = 10_000 * 86_400.0
"""Seconds; the longest period."""


class Budget(NamedTuple):
    """The budget of a crawl: pages, seconds, or both."""

    pages: int | None
    seconds: float | None


def period(text: str, option: str = "--every") -> float:
    """Return the seconds of a time as a user writes it: ``30min``, ``12h``, ``7d``.

    Parameters
    ----------
    text : str
    option : str
        The name of the option, for the message.

    Raises
    ------
    CrawlError
        If the text is no time, or none above 0.
    """
    time = _TIME.fullmatch(text.strip())
    seconds = 0.0 if time is None else float(time[1]) * _UNITS[time[2]]
    if not 0.0 < seconds <= LONGEST:
        raise CrawlError(f"{option} is a time above 0 and up to 10000d, in s, min, h or d, such as "
                         f"12h or 7d, not {text!r}")  # fmt: skip
    return seconds


def budget(text: str) -> Budget:
    """Return a budget as a user writes it: ``2000``, ``30min``, ``2000,1.5h``.

    Raises
    ------
    CrawlError
        If the text is not a budget.
    """
    pages: int | None = None
    seconds: float | None = None
    for part in (part.strip() for part in text.split(",")):
        time = _TIME.fullmatch(part)
        if time is not None and seconds is None:
            seconds = float(time[1]) * _UNITS[time[2]]
        elif part.isascii() and part.isdigit() and len(part) < 20 and pages is None:
            pages = int(part)
        else:
            raise CrawlError(f"a budget is a number of pages or a time, such as 2000 or 30min, "
                             f"not {text!r}")  # fmt: skip
    if not (pages is None or 0 < pages <= MOST) or not (seconds is None or 0 < seconds < math.inf):
        raise CrawlError(f"a budget is above 0 and at most {MOST:,} pages, not {text!r}")
    return Budget(pages, seconds)
