"""Answers that take more than one write: faults on the wire, large bodies, files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from counterpoint.sim_web.answer import Answer, Fault

from . import wire
from .mounts import Opened
from .settings import Settings

PIECE = 65_536
"""Bytes of a large body that are written at a time."""

LARGE = 4 * PIECE
"""A body of more bytes is sent in pieces, so that it is logged when the client has taken it."""

TOO_LONG = 1024
"""By how much a wrong Content-Length is too large."""


class After(Enum):
    """What becomes of the connection."""

    KEEP = "keep"
    CLOSE = "close"
    LINGER = "close, but let a client that still sends read the answer"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class Step:
    """Bytes to write after a while.

    Attributes
    ----------
    wait : float
        Real seconds before it.
    data : bytes
    size : int
        How many of these bytes are of the body.
    """

    wait: float
    data: bytes
    size: int = 0


@dataclass(frozen=True, slots=True)
class Slow:
    """An answer in steps.

    Attributes
    ----------
    steps : iterator of Step
        The record is in the log before the last of them is written.
    after : After
        What becomes of the connection then.
    close : callable
        Gives back what the steps hold; called whether they came to their end or not.
    """

    steps: Iterator[Step]
    after: After
    close: Callable[[], None] = lambda: None


class Manner(NamedTuple):
    """What a request and its connection say about how to answer.

    Attributes
    ----------
    method : str
    chunks : bool
        The client knows of chunked bodies: it speaks HTTP/1.1.
    common, connection : str
        Header lines, as `wire.head` takes them.
    after : After
        What becomes of the connection if nothing goes wrong.
    """

    method: str
    chunks: bool
    common: str
    connection: str
    after: After

    def head(self, answer: Answer, framing: str) -> bytes:
        """Return status line and headers."""
        return wire.head(answer, self.common, framing, self.connection)


def faulty(answer: Answer, manner: Manner, settings: Settings) -> Slow | None:
    """Return how an answer with a fault of the wire is sent; None for every other."""
    fault = answer.fault
    if fault is Fault.RESET or answer.status == 0:
        return Slow(iter([Step(0, b"")]), After.RESET)
    if fault is Fault.ROBOTS_TIMEOUT:
        return Slow(iter([Step(settings.robots_seconds, b"")]), After.RESET)
    if fault is Fault.SLOW_HEADERS:
        return Slow(_drip(answer, manner, settings.slow_seconds), manner.after)
    if manner.method == "HEAD":
        return None
    if fault is Fault.WRONG_LENGTH:
        return Slow(_too_short(answer, manner), After.CLOSE)
    if fault is Fault.TRUNCATED_CHUNKS:
        return Slow(_broken_off(answer, manner), After.CLOSE)
    if fault is Fault.ENDLESS_BODY:
        return Slow(_endless(answer, manner, settings), After.RESET)
    return None


def _drip(answer: Answer, manner: Manner, seconds: float) -> Iterator[Step]:
    head = manner.head(answer, wire.framing(answer, manner.chunks))
    pieces = [head[at : at + 32] for at in range(0, len(head), 32)]
    for piece in pieces:
        yield Step(seconds / len(pieces), piece)
    body = wire.body(answer, manner.method, manner.chunks)
    if body:
        yield Step(0, body, len(answer.body))


def _too_short(answer: Answer, manner: Manner) -> Iterator[Step]:
    head = manner.head(answer, f"Content-Length: {len(answer.body) + TOO_LONG}\r\n")
    yield Step(0, head + answer.body, len(answer.body))


def _broken_off(answer: Answer, manner: Manner) -> Iterator[Step]:
    """Announce a last chunk of which half comes; without chunks, a length that does not come."""
    if not manner.chunks:
        yield from _too_short(answer, manner)
        return
    half = len(answer.body) // 2
    head = manner.head(answer, "Transfer-Encoding: chunked\r\n")
    whole = wire.chunk(answer.body[:half]) if half else b""
    rest = answer.body[half:]
    data = head + whole + b"%x\r\n%b" % (len(rest) + TOO_LONG, rest)
    yield Step(0, data, len(answer.body))


def _endless(answer: Answer, manner: Manner, settings: Settings) -> Iterator[Step]:
    end = time.monotonic() + settings.endless_seconds
    framing = "Transfer-Encoding: chunked\r\n" if manner.chunks else ""
    yield Step(0, manner.head(answer, framing))
    more = (b"<p>and so on</p>\n" * (PIECE // 17))[:PIECE]
    sent = 0
    pieces = [answer.body[at : at + PIECE] for at in range(0, len(answer.body), PIECE)]
    while sent < settings.endless_bytes and time.monotonic() < end:
        piece = pieces.pop(0) if pieces else more
        sent += len(piece)
        yield Step(0, wire.chunk(piece) if manner.chunks else piece, len(piece))
    yield Step(0, b"")  # a reset takes what was not sent by then with it


def large(answer: Answer, manner: Manner) -> Slow:
    """Return how a large body is sent: by pieces, each when the client has taken the former."""
    pieces = (answer.body[at : at + PIECE] for at in range(0, len(answer.body), PIECE))
    length = None if answer.chunked else len(answer.body)
    return streamed(answer, pieces, length, manner)


def streamed(answer: Answer, pieces: Iterable[bytes], length: int | None, manner: Manner) -> Slow:
    """Return how a body is sent whose pieces are made or read when they are wanted."""
    if length is not None:
        head = manner.head(answer, f"Content-Length: {length}\r\n")
        return Slow(_exactly(head, pieces, length), manner.after)
    if not manner.chunks:
        return Slow(_plainly(manner.head(answer, ""), pieces), After.CLOSE)
    head = manner.head(answer, "Transfer-Encoding: chunked\r\n")
    return Slow(_in_chunks(head, pieces), manner.after)


def _plainly(head: bytes, pieces: Iterable[bytes]) -> Iterator[Step]:
    yield Step(0, head)
    for piece in pieces:
        yield Step(0, piece, len(piece))


def _exactly(head: bytes, pieces: Iterable[bytes], length: int) -> Iterator[Step]:
    """Send as much as was announced; a file that has become shorter breaks off."""
    yield Step(0, head)
    for piece in pieces:
        kept = piece[:length]
        length -= len(kept)
        yield Step(0, kept, len(kept))
        if not length:
            return
    if length:
        raise ConnectionError("the file has become shorter")


def _in_chunks(head: bytes, pieces: Iterable[bytes]) -> Iterator[Step]:
    yield Step(0, head)
    for piece in pieces:
        yield Step(0, wire.chunk(piece), len(piece))
    yield Step(0, wire.END)


def opened(of: Opened, manner: Manner) -> Slow:
    """Return how a file is sent."""
    if manner.method != "HEAD":
        return replace(streamed(of.answer, of.pieces, of.length, manner), close=of.pieces.close)
    framing = "" if of.length is None else f"Content-Length: {of.length}\r\n"
    head = Step(0, manner.head(of.answer, framing))
    return Slow(iter([head]), manner.after, of.pieces.close)


def slowly(found: Answer | Opened, manner: Manner, settings: Settings) -> Slow | None:
    """Return the steps in which an answer is given; None if it is written at once."""
    if isinstance(found, Opened):
        return opened(found, manner)
    slow = None
    if found.fault is not Fault.NONE or not found.status:
        slow = faulty(found, manner, settings)
    if slow is None and len(found.body) > LARGE and manner.method != "HEAD":
        slow = large(found, manner)
    return slow


class Exchange:
    """A request that is being answered in steps, as far as the log must know it."""

    __slots__ = ("answer", "asked", "body", "head", "slow", "started")

    def __init__(
        self, started: float, asked: tuple[str, str, str], answer: Answer, slow: Slow
    ) -> None:
        self.started = started
        self.asked = asked
        self.answer = answer
        self.slow = slow
        self.head = False
        self.body = 0
