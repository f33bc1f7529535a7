"""Answers that need several writes: faults on the wire, large bodies, files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from counterpoint.sim_web.answer import Answer, Fault

from . import wire
from .mounts import FileAnswer
from .settings import ServerSettings

PIECE = 65_536
"""How many bytes of a large body are written at a time."""

LARGE = 4 * PIECE
"""A body with more bytes is sent in pieces, so that it is logged when the client has read it."""

TOO_LONG = 1024
"""By how many bytes a wrong Content-Length is too large."""


class After(Enum):
    """What happens to the connection after an answer."""

    KEEP = "keep"
    CLOSE = "close"
    LINGER = "close, but let a client that still sends read the answer"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class WriteStep:
    """A delayed write.

    Attributes
    ----------
    wait : float
        How long to wait before the write, in real seconds.
    data : bytes
        The bytes to write.
    size : int
        How many of these bytes belong to the body.
    """

    wait: float
    data: bytes
    size: int = 0


@dataclass(frozen=True, slots=True)
class SteppedAnswer:
    """An answer in steps.

    Attributes
    ----------
    steps : iterator of WriteStep
        The writes. The record is in the log before the last of them.
    after : After
        What happens to the connection after the last step.
    close : callable
        Releases the resources of the steps; it is called even if not all steps were taken.
    """

    steps: Iterator[WriteStep]
    after: After
    close: Callable[[], None] = lambda: None


class ResponseOptions(NamedTuple):
    """Properties of a request and its connection that decide how an answer is sent.

    Attributes
    ----------
    method : str
        The method of the request.
    chunks : bool
        Whether the client understands chunked bodies, as all clients of HTTP/1.1 do.
    common, connection : str
        Header lines, as in `wire.head`.
    after : After
        What happens to the connection after an answer without a fault.
    """

    method: str
    chunks: bool
    common: str
    connection: str
    after: After

    def head(self, answer: Answer, framing: str) -> bytes:
        """Return the status line and the headers; ``framing`` is as in `wire.head`."""
        return wire.head(answer, self.common, framing, self.connection)


def at_once(answer: Answer, manner: ResponseOptions) -> WriteStep:
    """Return the only write of an answer without a fault on the wire."""
    body = wire.body(answer, manner.method, manner.chunks)
    data = manner.head(answer, wire.framing(answer, manner.chunks)) + body
    return WriteStep(0, data, len(answer.body) if body else 0)


def faulty(
    answer: Answer, manner: ResponseOptions, settings: ServerSettings
) -> SteppedAnswer | None:
    """Return the steps of an answer with a fault on the wire; None for other answers."""
    fault = answer.fault
    if fault is Fault.RESET or answer.status == 0:
        return SteppedAnswer(iter([WriteStep(0, b"")]), After.RESET)
    if fault is Fault.ROBOTS_TIMEOUT:
        return SteppedAnswer(iter([WriteStep(settings.robots_seconds, b"")]), After.RESET)
    if fault is Fault.SLOW_HEADERS:
        return SteppedAnswer(_drip(answer, manner, settings.slow_seconds), manner.after)
    if manner.method == "HEAD":
        return None
    if fault is Fault.WRONG_LENGTH:
        return SteppedAnswer(_too_short(answer, manner), After.CLOSE)
    if fault is Fault.TRUNCATED_CHUNKS:
        return SteppedAnswer(_broken_off(answer, manner), After.CLOSE)
    if fault is Fault.ENDLESS_BODY:
        return SteppedAnswer(_endless(answer, manner, settings), After.RESET)
    return None


def _drip(answer: Answer, manner: ResponseOptions, seconds: float) -> Iterator[WriteStep]:
    head = manner.head(answer, wire.framing(answer, manner.chunks))
    pieces = [head[at : at + 32] for at in range(0, len(head), 32)]
    for piece in pieces:
        yield WriteStep(seconds / len(pieces), piece)
    body = wire.body(answer, manner.method, manner.chunks)
    if body:
        yield WriteStep(0, body, len(answer.body))


def _too_short(answer: Answer, manner: ResponseOptions) -> Iterator[WriteStep]:
    head = manner.head(answer, f"Content-Length: {len(answer.body) + TOO_LONG}\r\n")
    yield WriteStep(0, head + answer.body, len(answer.body))


def _broken_off(answer: Answer, manner: ResponseOptions) -> Iterator[WriteStep]:
    """Break off within the last chunk; for a client without chunks, before the announced length."""
    if not manner.chunks:
        yield from _too_short(answer, manner)
        return
    half = len(answer.body) // 2
    head = manner.head(answer, "Transfer-Encoding: chunked\r\n")
    whole = wire.chunk(answer.body[:half]) if half else b""
    rest = answer.body[half:]
    data = head + whole + b"%x\r\n%b" % (len(rest) + TOO_LONG, rest)
    yield WriteStep(0, data, len(answer.body))


def _endless(
    answer: Answer, manner: ResponseOptions, settings: ServerSettings
) -> Iterator[WriteStep]:
    end = time.monotonic() + settings.endless_seconds
    framing = "Transfer-Encoding: chunked\r\n" if manner.chunks else ""
    yield WriteStep(0, manner.head(answer, framing))
    more = (b"<p>and so on</p>\n" * (PIECE // 17))[:PIECE]
    sent = 0
    pieces = [answer.body[at : at + PIECE] for at in range(0, len(answer.body), PIECE)]
    while sent < settings.endless_bytes and time.monotonic() < end:
        piece = pieces.pop(0) if pieces else more
        sent += len(piece)
        yield WriteStep(0, wire.chunk(piece) if manner.chunks else piece, len(piece))
    yield WriteStep(0, b"")  # the reset also discards data that has not been sent yet


def large(answer: Answer, manner: ResponseOptions) -> SteppedAnswer:
    """Return the steps of a large body; each piece is sent after the client has read the former."""
    pieces = (answer.body[at : at + PIECE] for at in range(0, len(answer.body), PIECE))
    length = None if answer.chunked else len(answer.body)
    return streamed(answer, pieces, length, manner)


def streamed(
    answer: Answer, pieces: Iterable[bytes], length: int | None, manner: ResponseOptions
) -> SteppedAnswer:
    """Return the steps of a body whose pieces are made or read on demand.

    Parameters
    ----------
    answer : Answer
        Status and headers.
    pieces : iterable of bytes
        The body.
    length : int or None
        The length of the body in bytes; None if it is unknown.
    manner : ResponseOptions
    """
    if length is not None:
        head = manner.head(answer, f"Content-Length: {length}\r\n")
        return SteppedAnswer(_exactly(head, pieces, length), manner.after)
    if not manner.chunks:
        return SteppedAnswer(_plainly(manner.head(answer, ""), pieces), After.CLOSE)
    head = manner.head(answer, "Transfer-Encoding: chunked\r\n")
    return SteppedAnswer(_in_chunks(head, pieces), manner.after)


def _plainly(head: bytes, pieces: Iterable[bytes]) -> Iterator[WriteStep]:
    yield WriteStep(0, head)
    for piece in pieces:
        yield WriteStep(0, piece, len(piece))


def _exactly(head: bytes, pieces: Iterable[bytes], length: int) -> Iterator[WriteStep]:
    """Send exactly the announced length; break off if the file has become shorter."""
    yield WriteStep(0, head)
    for piece in pieces:
        kept = piece[:length]
        length -= len(kept)
        yield WriteStep(0, kept, len(kept))
        if not length:
            return
    if length:
        raise ConnectionError("the file has become shorter")


def _in_chunks(head: bytes, pieces: Iterable[bytes]) -> Iterator[WriteStep]:
    yield WriteStep(0, head)
    for piece in pieces:
        yield WriteStep(0, wire.chunk(piece), len(piece))
    yield WriteStep(0, wire.END)


def opened(file: FileAnswer, manner: ResponseOptions) -> SteppedAnswer:
    """Return the steps of an answer with a file."""
    pieces, length = file.pieces, file.length
    if manner.method != "HEAD":
        return replace(streamed(file.answer, pieces, length, manner), close=pieces.close)
    framing = "" if length is None else f"Content-Length: {length}\r\n"
    head = WriteStep(0, manner.head(file.answer, framing))
    return SteppedAnswer(iter([head]), manner.after, pieces.close)


def slowly(
    found: Answer | FileAnswer, manner: ResponseOptions, settings: ServerSettings
) -> SteppedAnswer | None:
    """Return the steps of an answer; None if it is written at once."""
    if isinstance(found, FileAnswer):
        return opened(found, manner)
    slow = None
    if found.fault is not Fault.NONE or not found.status:
        slow = faulty(found, manner, settings)
    if slow is None and len(found.body) > LARGE and manner.method != "HEAD":
        slow = large(found, manner)
    return slow


class SteppedExchange:
    """The state of an answer in steps, as the log needs it.

    Attributes
    ----------
    started : float
        The virtual time of the request.
    asked : (str, str, str)
        Method, address and host.
    answer : Answer
        The answer.
    slow : SteppedAnswer
        Its steps.
    head : bool
        Whether any byte has been sent.
    body : int
        How many bytes of the body have been sent.
    """

    __slots__ = ("answer", "asked", "body", "head", "slow", "started")

    def __init__(
        self, started: float, asked: tuple[str, str, str], answer: Answer, slow: SteppedAnswer
    ) -> None:
        self.started = started
        self.asked = asked
        self.answer = answer
        self.slow = slow
        self.head = False
        self.body = 0
