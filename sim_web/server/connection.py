"""One connection: requests in, answers and lines of the log out, in order."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from aiohttp.http import HttpRequestParser, RawRequestMessage
from aiohttp.http_exceptions import BadHttpMethod, HttpProcessingError
from aiohttp.streams import EMPTY_PAYLOAD

from counterpoint.sim_web.answer import Answer

from . import request, steps, wire
from .log import line, quoted
from .mounts import Opened
from .steps import After, Exchange, Manner

if TYPE_CHECKING:
    from .core import Core

_HEAD_END = b"\r\n\r\n"
_NEVER = float("inf")
_METHODS, _REFUSALS = ("GET", "HEAD"), (429, 503)
_NEW = (1, 1)


class Connection(asyncio.Protocol):
    """Reads requests one after the other and answers each before the next is looked at.

    The common answer is made and handed over where the request is read, without a task; only what
    takes several writes has one. aiohttp's parser gets one head at a time, so that a bad
    request does not take with it the good ones that came in the same packet.

    Parameters
    ----------
    core : Core
        What the connections of a server share.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._transport: Any = None
        self._client = self._quoted_client = ""
        self._agent, self._quoted_agent = "", '""'
        self._parser: Any = None
        self._head = b""
        self._begun = 0.0
        self._closing = False
        self._closing_seconds = core.settings.stalled_seconds
        self._ended = False
        self._paused = False
        self._full = False
        self._owed = 0
        self._room: asyncio.Future[None] | None = None
        self._exchange: Exchange | None = None
        self._task: asyncio.Task[None] | None = None
        self.deadline = _NEVER

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; close at once if there are too many."""
        core = self._core
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self._client = str(peer[0]) if peer else ""
        self._quoted_client = quoted(self._client)
        self._parser = HttpRequestParser(
            cast(Any, self), core.loop, 65_536, max_line_size=core.settings.head_bytes,
            max_field_size=core.settings.head_bytes, auto_decompress=False,
        )  # fmt: skip
        core.connections.add(self)
        self.deadline = core.loop.time() + core.settings.idle_seconds
        if len(core.connections) > core.settings.connections:
            self.abort()

    def data_received(self, data: bytes) -> None:
        """Take what has come in; more is not read while an answer is on its way."""
        if self._closing:
            return
        if not self._head:
            self._begun = self._core.loop.time()
        self._head += data
        self._proceed()

    def eof_received(self) -> bool:
        """Let a client that sends no more still have what it asked for."""
        self._ended = True
        self._give_up()
        self._proceed()
        return True

    def connection_lost(self, exc: BaseException | None) -> None:
        """Log what broke off, and give everything back."""
        self._give_up()
        self._closing = True
        self.deadline = _NEVER
        if self._exchange is not None:
            unsent = self._unsent()
            self._finish(max(0, self._exchange.body - unsent))
        if self._task is not None:
            self._task.cancel()
        if self._room is not None and not self._room.done():
            self._room.cancel()
        self._core.connections.discard(self)
        self._parser = None

    def pause_writing(self) -> None:
        """Wait for the client to take what is written."""
        self._full = True
        self.deadline = self._core.loop.time() + self._core.settings.stalled_seconds

    def resume_writing(self) -> None:
        """Go on."""
        self._full = False
        settings = self._core.settings
        seconds = self._closing_seconds if self._closing else settings.idle_seconds
        self.deadline = self._core.loop.time() + seconds
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        if self._exchange is None and not self._closing:
            self._proceed()

    def _unsent(self) -> int:
        try:
            return int(self._transport.get_write_buffer_size())
        except (AttributeError, RuntimeError):
            return 0  # the transport has let go of it

    # What aiohttp's parser calls for a body, of which it is given nothing

    def pause_reading(self) -> None:
        """Do nothing."""

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Do nothing."""

    # What the server calls

    def abort(self) -> None:
        """End it now."""
        self._closing = True
        self._transport.abort()

    def overdue(self) -> None:
        """End what has taken too long: with 408 if a request was begun."""
        if self._head and not self._closing and self._exchange is None and not self._full:
            self._refuse(request.TOO_SLOW)
        else:
            self.abort()

    def write(self, data: bytes, after: After) -> None:
        """Write what is in the log by now; called by the core, and raises nothing."""
        owed, self._owed = self._owed, max(0, self._owed - len(data))
        try:
            if after is After.RESET:
                self._reset()
            elif not self._transport.is_closing():
                self._write(data, after)
        except (OSError, RuntimeError):  # the client has gone in this moment
            self._transport.abort()
        if owed >= steps.LARGE > self._owed and self._exchange is None:
            self._proceed()

    def _write(self, data: bytes, after: After) -> None:
        if data:
            self._transport.write(data)
        if after is After.CLOSE:
            self._transport.close()
        elif after is After.LINGER:
            self._transport.write_eof()

    def _reset(self) -> None:
        peer: socket.socket | None = self._transport.get_extra_info("socket")
        if peer is not None:
            with contextlib.suppress(OSError):
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    # The requests of the connection

    def _proceed(self) -> None:
        """Answer what has come in whole, until an answer takes its time or the client is slow."""
        data, at = self._head, 0
        while self._may_answer():
            end = data.find(_HEAD_END, at)
            if end < 0 or end - at > self._core.settings.head_bytes:
                break
            at, begin = end + 4, at
            self._parse(data[begin:at])
        self._head = b"" if self._closing else data[at:]
        if at and self._head:
            self._begun = self._core.loop.time()
        self._read_on()

    def _may_answer(self) -> bool:
        return (
            self._exchange is None
            and not self._full
            and not self._closing
            and self._owed < steps.LARGE
        )

    def _read_on(self) -> None:
        """Read more, or not yet; close if there is no more."""
        if self._closing:
            if self._ended and self._exchange is None:
                self._core.after_log(self, b"", After.CLOSE)
            return
        free = self._may_answer()
        if free == self._paused:
            self._paused = not free
            (self._transport.resume_reading if free else self._transport.pause_reading)()
        if free and self._ended:
            self._closing = True
            self._core.after_log(self, b"", After.CLOSE)
        elif free:
            self._wait()

    def _wait(self) -> None:
        """Wait for a request, or for the rest of one."""
        settings = self._core.settings
        if len(self._head) > settings.head_bytes:
            self._refuse(request.TOO_LARGE)
        elif self._head:
            self.deadline = self._begun + settings.header_seconds
        else:
            self.deadline = self._core.loop.time() + settings.idle_seconds

    def _parse(self, head: bytes) -> None:
        if not head.isascii():
            head = request.quoted_line(head)
        try:
            messages, _, _ = self._parser.feed_data(head)
        except HttpProcessingError as error:
            unknown = isinstance(error, BadHttpMethod)
            text = " ".join(str(error.message).split())[:200]
            said = request.UNKNOWN_METHOD if unknown else request.refusal(400, text)
            self._refuse(said, head)
            return
        for message, payload in messages:
            self._answer(message, payload is not EMPTY_PAYLOAD)

    def _refuse(self, answer: Answer, head: bytes | None = None) -> None:
        """Answer what is no proper request, and close."""
        method, target = request.first_line(self._head if head is None else head)
        self._head = b""
        now = self._core.clock.request(None)
        manner = self._manner(method, True, After.LINGER, now)
        self._send(now, (method, target, ""), answer, manner)

    def _give_up(self) -> None:
        """Log a request of which only a part came."""
        if self._head.strip(b"\r\n") and self._exchange is None and not self._closing:
            now = self._core.clock.now()
            asked = (*request.first_line(self._head), "")
            self._head = b""
            self._record(now, asked, request.TOO_SLOW, 0, 0)
            self._core.soon()

    def _answer(self, message: RawRequestMessage, has_body: bool) -> None:
        get = message.headers.get
        agent = get("User-Agent", "")
        if agent != self._agent:
            self._agent, self._quoted_agent = agent, quoted(agent)
        method = message.method
        after = After.KEEP
        if has_body or message.upgrade:
            after = After.LINGER  # a body is not read
        elif message.should_close:
            after = After.CLOSE
        told = get(request.TIME_HEADER)
        now = self._core.clock.request(None if told is None else request.time_of(told))
        asked = (method, message.path, "")
        try:
            if method == "CONNECT":
                raise request.Refused(request.NO_TUNNEL)
            asked = (method, *self._core.addresses.absolute(message.path, get("Host")))
            answer = self._found(asked, now, get)
        except request.Refused as refused:
            answer = refused.answer
            if answer is not request.NO_METHOD:
                after = After.LINGER
        self._send(now, asked, answer, self._manner(method, message.version >= _NEW, after, now))

    def _found(
        self, asked: tuple[str, str, str], now: float, get: Callable[[str], str | None]
    ) -> Answer | Opened:
        method, url, host = asked
        if method not in _METHODS:
            raise request.Refused(request.NO_METHOD)
        told = get(request.TIME_HEADER)
        if told is not None and request.time_of(told) < 0:
            raise request.Refused(request.BAD_TIME)
        return self._core.answer(url, host, now, method, self._client, get)

    def _manner(self, method: str, chunks: bool, after: After, now: float) -> Manner:
        line = ""
        if after is not After.KEEP:
            line = "Connection: close\r\n"
        elif not chunks:
            line = "Connection: keep-alive\r\n"
        return Manner(method, chunks, self._core.dates.lines(now), line, after)

    def _send(
        self, started: float, asked: tuple[str, str, str], found: Answer | Opened, manner: Manner
    ) -> None:
        core = self._core
        answer = found.answer if isinstance(found, Opened) else found
        slow = steps.slowly(found, manner, core.settings)
        if slow is not None:
            self._exchange = Exchange(started, asked, answer, slow)
            self.deadline = _NEVER
            self._closing = self._closing or slow.after is not After.KEEP
            self._task = core.loop.create_task(self._take_steps(self._exchange))
            return
        body = wire.body(answer, manner.method, manner.chunks)
        data = manner.head(answer, wire.framing(answer, manner.chunks)) + body
        size = len(answer.body) if body else 0
        self._record(started, asked, answer, answer.status, size)
        self._hand_over(data, manner.after)

    def _hand_over(self, data: bytes, after: After) -> None:
        if after is not After.KEEP:
            self._closing = True
            settings, lingers = self._core.settings, after is After.LINGER
            seconds = settings.linger_seconds if lingers else settings.stalled_seconds
            self._closing_seconds = seconds
            self.deadline = self._core.loop.time() + seconds
        self._owed += len(data)
        self._core.after_log(self, data, after)

    def _record(
        self, started: float, asked: tuple[str, str, str], answer: Answer, status: int, size: int
    ) -> None:
        core = self._core
        if core.logs:
            method, url, host = asked
            core.record(line(
                started, core.clock.now(), self._quoted_client, self._quoted_agent,
                method, url, host, status, size,
                answer.kind, answer.fault, answer.page, answer.version,
                wire.retry_after(answer) if status in _REFUSALS else 0,
            ))  # fmt: skip

    # Answers in steps

    async def _take_steps(self, exchange: Exchange) -> None:
        """Write step by step; hold each back until it is known not to be the last."""
        slow = exchange.slow
        held = None
        try:
            for step in slow.steps:
                if held is not None:
                    await self._push(exchange, held)
                if step.wait:
                    await asyncio.sleep(step.wait)
                held = step
        except Exception as error:
            if not isinstance(error, ConnectionError):
                self._core.trouble(exchange.asked[1], error)
            self._task = None
            self._core.after_log(self, b"", After.RESET)
            return
        data = held.data if held is not None else b""
        if held is not None and data:
            exchange.head = True
            exchange.body += held.size
        self._task = None
        self._finish(exchange.body)
        self._hand_over(data, slow.after)
        self._proceed()

    async def _push(self, exchange: Exchange, step: steps.Step) -> None:
        if self._transport.is_closing():
            raise ConnectionResetError
        exchange.head = exchange.head or bool(step.data)
        exchange.body += step.size
        self._transport.write(step.data)
        if self._full:
            self._room = self._core.loop.create_future()
            await self._room
            self.deadline = _NEVER
        else:
            await asyncio.sleep(0)

    def _finish(self, size: int) -> None:
        """Log the present exchange, and forget it."""
        exchange = self._exchange
        assert exchange is not None
        self._exchange = None
        exchange.slow.close()
        status = exchange.answer.status if exchange.head else 0
        self._record(exchange.started, exchange.asked, exchange.answer, status, size)
        self._core.soon()
