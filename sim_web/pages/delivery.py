"""How a document is sent: its compression, its validators, and the decision for a 304."""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache

import brotli

from .host import Host

Headers = tuple[tuple[str, str], ...]

VARY = ("Vary", "Accept-Encoding")
BEGIN = datetime(2000, 1, 1, tzinfo=UTC)
"""The date of virtual time 0."""

LAST = 250_000_000_000
"""The latest virtual time with a date of its own, in seconds; later times get this date."""

_TAG = re.compile(r'(?:W/)?"([^"]*)"')


def http_date(seconds: int) -> str:
    """Return a virtual time as a date of HTTP."""
    day, rest = divmod(min(seconds, LAST), 86_400)
    return f"{_day(day)} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02} GMT"


@lru_cache(maxsize=16_384)
def _day(days: int) -> str:
    return format_datetime(BEGIN + timedelta(days=days), usegmt=True)[:-13]


def accepts(accepted: str | None, coding: str) -> bool:
    """Return whether an Accept-Encoding header accepts a coding, by name or by ``*``."""
    if not accepted:
        return False
    weights: dict[str, float] = {}
    for one in accepted.lower().split(","):
        name, _, rest = one.partition(";")
        weights[name.strip()] = _weight(rest)
    return weights.get(coding, weights.get("*", 0.0)) > 0


def _weight(parameter: str) -> float:
    found = re.fullmatch(r"\s*q\s*=\s*([0-9.]+)\s*", parameter)
    try:
        return float(found[1]) if found else 1.0
    except ValueError:
        return 0.0


def gzipped(body: bytes) -> bytes:
    """Compress a body with gzip, without a date, so that equal bodies give equal bytes."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(body) + packer.flush()


def in_brotli(body: bytes) -> bytes:
    """Compress a body with br."""
    packed: bytes = brotli.compress(body, quality=2)
    return packed


def coding(host: Host, accepted: str | None) -> str:
    """Return the coding that a host chooses for an Accept-Encoding header; empty: none."""
    if host.brotli and accepts(accepted, "br"):
        return "br"
    return "gzip" if host.gzip and accepts(accepted, "gzip") else ""


def tag(plain: str, how: str) -> str:
    """Return the ETag of a body in a coding; different bytes need different ETags (RFC 9110)."""
    return f'{plain[:-1]}-{how}"' if how else plain


def tagged(headers: Headers, how: str) -> Headers:
    """Return headers with the ETag of a body in a coding."""
    if not how:
        return headers
    return tuple((name, tag(value, how) if name == "ETag" else value) for name, value in headers)


def packed(
    host: Host, accepted: str | None, body: bytes, headers: Headers
) -> tuple[bytes, Headers]:
    """Return a body compressed as a host does it for a request, and the headers of the answer.

    Parameters
    ----------
    host : Host
    accepted : str or None
        The Accept-Encoding header of the request.
    body : bytes
        The plain body.
    headers : tuple
        The headers, with the ETag of the plain body.
    """
    if not (host.gzip or host.brotli):
        return body, headers
    how = coding(host, accepted)
    if not how:
        return body, (*headers, VARY)
    body = in_brotli(body) if how == "br" else gzipped(body)
    return body, (*tagged(headers, how), VARY, ("Content-Encoding", how))


def is_current(tag: str, modified: float, none_match: str | None, since: str | None) -> bool:
    """Return whether the client's copy is current; If-None-Match takes precedence.

    Parameters
    ----------
    tag : str
        The ETag of the answer.
    modified : float
        The virtual time of the last change, in seconds.
    none_match, since : str or None
        The headers If-None-Match and If-Modified-Since of the request.
    """
    if none_match is not None:
        return none_match.strip() == "*" or tag.strip('"') in _TAG.findall(none_match)
    if since is None:
        return False
    try:
        date = parsedate_to_datetime(since)
    except (ValueError, TypeError, IndexError, OverflowError):
        return False
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return int(modified) <= (date - BEGIN).total_seconds()
