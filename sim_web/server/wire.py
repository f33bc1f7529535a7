"""Answers as bytes: status lines, headers, chunks."""

from __future__ import annotations

import time
from http import HTTPStatus

from counterpoint.sim_web.answer import Answer

BEGINNING = 946_684_800
"""Virtual time 0 in seconds since 1970: 2000-01-01T00:00:00Z."""

CHUNK = 8192
"""Bytes of a chunk of a chunked body."""

_REASONS = {one.value: f"HTTP/1.1 {one.value} {one.phrase}\r\n" for one in HTTPStatus}
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BODILESS = frozenset((204, 304))


def date(seconds: int) -> str:
    """Return a date as HTTP has it, of seconds of virtual time."""
    day = time.gmtime(BEGINNING + seconds)
    return (
        f"{_DAYS[day.tm_wday]}, {day.tm_mday:02} {_MONTHS[day.tm_mon - 1]} {day.tm_year:04} "
        f"{day.tm_hour:02}:{day.tm_min:02}:{day.tm_sec:02} GMT"
    )


class Dates:
    """The lines of every answer that only the time decides."""

    def __init__(self) -> None:
        self._second = -1
        self._lines = ""

    def lines(self, now: float) -> str:
        """Return Date, in virtual time as Last-Modified is, and Server."""
        second = int(now)
        if second != self._second:
            self._second = second
            self._lines = f"Date: {date(second)}\r\nServer: counterpoint\r\n"
        return self._lines


def head(answer: Answer, common: str, framing: str, connection: str) -> bytes:
    """Return status line and headers.

    Parameters
    ----------
    common : str
        Lines of `Dates.lines`.
    framing : str
        The line of Content-Length or Transfer-Encoding, or nothing.
    connection : str
        The line of Connection, or nothing.
    """
    status = answer.status
    lines = [_REASONS.get(status) or f"HTTP/1.1 {status} Unknown\r\n", common]
    lines += [f"{name}: {value}\r\n" for name, value in answer.headers]
    lines += (framing, connection, "\r\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


def framing(answer: Answer, chunks: bool) -> str:
    """Return the header that says where the body ends; ``chunks``: the client knows of them."""
    if answer.status in _BODILESS:
        return ""
    if answer.chunked and chunks:
        return "Transfer-Encoding: chunked\r\n"
    return f"Content-Length: {len(answer.body)}\r\n"


def body(answer: Answer, method: str, chunks: bool) -> bytes:
    """Return the body as it goes over the wire."""
    if method == "HEAD" or answer.status in _BODILESS:
        return b""
    return chunked(answer.body) if answer.chunked and chunks else answer.body


def chunk(data: bytes) -> bytes:
    """Return one chunk; an empty one ends a body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def chunked(data: bytes) -> bytes:
    """Return a whole body in chunks, with its end."""
    return b"".join([chunk(data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)] + [END])


END = b"0\r\n\r\n"
"""The end of a chunked body."""


def retry_after(answer: Answer) -> int:
    """Return the seconds of Retry-After, which this server gives as a number; 0: none."""
    return next((int(value) for name, value in answer.headers if name == "Retry-After"), 0)
