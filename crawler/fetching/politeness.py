"""Computes how long a host must be left alone, from its headers and its failures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from random import Random

from counterpoint.crawler.documents.addresses import site

from .manners import Patience

LONGEST_WAIT = 366 * 86_400.0
"""Seconds; a longer pause that a host requests is cut to this."""


def retry_after(headers: Mapping[str, str], now: float) -> float:
    """Return the pause in seconds that Retry-After requests (RFC 9110, 10.2.3); 0: none.

    A date in it is compared with the answer's own date, so that the server's clock may be wrong.

    Parameters
    ----------
    headers : mapping
        The headers of the answer.
    now : float
        Seconds since 1970, for an answer without a date.
    """
    text = headers.get("Retry-After", "").strip()
    if re.fullmatch("[0-9]+", text, re.A):
        return min(float(text[:20]), LONGEST_WAIT)
    until, sent = _date(text), _date(headers.get("Date", ""))
    if until is None:
        return 0.0
    return min(max(0.0, until - (now if sent is None else sent)), LONGEST_WAIT)


def backoff(patience: Patience, seed: int, host: str, failures: int) -> float:
    """Return the seconds to wait after some failures of a host in a row.

    The random factor depends only on the seed, the host and the number of failures, so it does not
    depend on the order of requests.

    Parameters
    ----------
    patience : Patience
    seed : int
    host : str
    failures : int
        How many requests in a row have failed, at least 1.
    """
    if failures >= patience.failures:
        return patience.rest
    drawn = Random(f"{seed} {host} {failures}").uniform(0.5, 1.5)
    return min(patience.backoff * 2.0 ** min(failures - 1, 60) * drawn, patience.longest)


def is_here(address: str) -> bool:
    """Return whether an address is on this machine."""
    name = site(address)
    name = name if name.endswith("]") else name.rpartition(":")[0] or name
    name = name.partition("]")[0].lstrip("[")
    try:
        return ip_address(name).is_loopback
    except ValueError:  # 127.example.co.uk is a name
        return name == "localhost"


def _date(text: str) -> float | None:
    """Return a date of a header in seconds since 1970."""
    try:
        found = parsedate_to_datetime(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def day_and_time(seconds: float) -> str:
    """Return a time, in seconds since 1970, as date and time in UTC."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
