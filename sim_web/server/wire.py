"""Encodes answers as bytes: status lines, headers, chunks; resets connections."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from http import HTTPStatus

from counterpoint.sim_web.answer import Answer

BEGINNING = 946_684_800
"""Virtual time 0 in seconds since 1970: 2000-01-01T00:00:00Z."""

CHUNK = 8192
"""The size of a chunk, in bytes."""

_REASONS = {one.value: f"HTTP/1.1 {one.value} {one.phrase}\r\n" for one in HTTPStatus}
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BODILESS = frozenset((204, 304))


def date(seconds: int, beginning: int = BEGINNING) -> str:
    """Return a virtual time in seconds as a date of HTTP.

    ``beginning`` is virtual time 0 in seconds since 1970.
    """
    day = time.gmtime(beginning + seconds)
    return (
        f"{_DAYS[day.tm_wday]}, {day.tm_mday:02} {_MONTHS[day.tm_mon - 1]} {day.tm_year:04} "
        f"{day.tm_hour:02}:{day.tm_min:02}:{day.tm_sec:02} GMT"
    )


class Dates:
    """The headers of every answer that depend only on the time; the last ones are cached.

    Parameters
    ----------
    beginning : int
        Virtual time 0 in seconds since 1970.
    """

    def __init__(self, beginning: int = BEGINNING) -> None:
        self._beginning = beginning
        self._second = -1
        self._lines = ""

    def lines(self, now: float) -> str:
        """Return the lines of Date (in virtual time, as Last-Modified) and Server."""
        second = int(now)
        if second != self._second:
            self._second = second
            self._lines = f"Date: {date(second, self._beginning)}\r\nServer: counterpoint\r\n"
        return self._lines


def head(answer: Answer, common: str, framing: str, connection: str) -> bytes:
    """Return the status line and the headers.

    Parameters
    ----------
    answer : Answer
    common : str
        The lines from `Dates.lines`.
    framing : str
        The line of Content-Length or Transfer-Encoding, or "".
    connection : str
        The line of Connection, or "".
    """
    status = answer.status
    lines = [_REASONS.get(status) or f"HTTP/1.1 {status} Unknown\r\n", common]
    lines += [f"{name}: {value}\r\n" for name, value in answer.headers]
    lines += (framing, connection, "\r\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


def framing(answer: Answer, chunks: bool) -> str:
    """Return the header that determines where the body ends.

    ``chunks`` says whether the client understands chunks.
    """
    if answer.status in _BODILESS:
        return ""
    if answer.chunked and chunks:
        return "Transfer-Encoding: chunked\r\n"
    return f"Content-Length: {len(answer.body)}\r\n"


def body(answer: Answer, method: str, chunks: bool) -> bytes:
    """Return the body as it is sent.

    Parameters
    ----------
    answer : Answer
    method : str
        The method of the request.
    chunks : bool
        Whether the client understands chunks.
    """
    if method == "HEAD" or answer.status in _BODILESS:
        return b""
    return chunked(answer.body) if answer.chunked and chunks else answer.body


def chunk(data: bytes) -> bytes:
    """Return data as one chunk; an empty chunk ends a body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def chunked(data: bytes) -> bytes:
    """Return a whole body in chunks, with its end."""
    return b"".join([chunk(data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)] + [END])


END = b"0\r\n\r\n"
"""The end of a chunked body."""


def retry_after(answer: Answer) -> int:
    """Return the seconds of Retry-After, which is always a number here; 0: there is none."""
    return next((int(value) for name, value in answer.headers if name == "Retry-After"), 0)


def reset(transport: asyncio.Transport) -> None:
    """End a connection at once; its client gets a reset and loses what it has not read."""
    peer: socket.socket | None = transport.get_extra_info("socket")
    if peer is not None:
        with contextlib.suppress(OSError):
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
