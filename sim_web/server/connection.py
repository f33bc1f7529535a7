"""A connection: it reads requests, and writes answers and lines of the log in order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from aiohttp.http import HttpRequestParser, RawRequestMessage
from aiohttp.http_exceptions import BadHttpMethod, HttpProcessingError
from aiohttp.streams import EMPTY_PAYLOAD

from counterpoint.sim_web.answer import Answer

from . import request, steps, wire
from .log import quoted
from .mounts import FileAnswer
from .steps import After, ResponseOptions, SteppedExchange

if TYPE_CHECKING:
    from .core import Core

_HEAD_END = b"\r\n\r\n"
_NEVER = float("inf")
_NEW = (1, 1)


class Connection(asyncio.Protocol):
    """Reads requests one after the other, and answers each before it parses the next.

    Most answers are made and handed over at once where the request is read; only answers that need
    several writes have an asyncio task. aiohttp's parser gets one head at a time, so that a bad
    request does not spoil good ones in the same packet.

    Parameters
    ----------
    core : Core
        The state that all connections of the server share.
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
        self._unwritten = 0
        self._room: asyncio.Future[None] | None = None
        self._exchange: SteppedExchange | None = None
        self._task: asyncio.Task[None] | None = None
        self.deadline = _NEVER

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Prepare the connection; close it at once if there are too many."""
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
        """Process received data; no more is read while an answer is being sent."""
        if self._closing:
            return
        if not self._head:
            self._begun = self._core.loop.time()
        self._head += data
        self._proceed()

    def eof_received(self) -> bool:
        """Answer the remaining requests of a client that will send no more."""
        self._ended = True
        self._give_up()
        self._proceed()
        return True

    def connection_lost(self, exc: BaseException | None) -> None:
        """Log the interrupted requests, and release all resources."""
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
        """Stop writing until the client has read more."""
        self._full = True
        self.deadline = self._core.loop.time() + self._core.settings.stalled_seconds

    def resume_writing(self) -> None:
        """Continue writing."""
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
            return 0  # the transport is closed

    # aiohttp's parser calls these for a body; it never gets one

    def pause_reading(self) -> None:
        """Do nothing."""

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Do nothing."""

    # What the server calls

    def abort(self) -> None:
        """Close the connection at once."""
        self._closing = True
        self._transport.abort()

    def overdue(self) -> None:
        """Close a connection past its deadline; answer 408 first if a request has begun."""
        if self._head and not self._closing and self._exchange is None and not self._full:
            self._refuse(request.TOO_SLOW)
        else:
            self.abort()

    def write(self, data: bytes, after: After) -> None:
        """Write an answer whose record is in the log; the core calls this. It raises nothing."""
        unwritten, self._unwritten = self._unwritten, max(0, self._unwritten - len(data))
        try:
            if after is After.RESET:
                wire.reset(self._transport)
            elif not self._transport.is_closing():
                self._write(data, after)
        except (OSError, RuntimeError):  # the client has closed the connection in this moment
            self._transport.abort()
        if unwritten >= steps.LARGE > self._unwritten and self._exchange is None:
            self._proceed()

    def _write(self, data: bytes, after: After) -> None:
        if data:
            self._transport.write(data)
        if after is After.CLOSE:
            self._transport.close()
        elif after is After.LINGER:
            self._transport.write_eof()

    # The requests of the connection

    def _proceed(self) -> None:
        """Answer complete requests, until an answer needs several writes or the client is slow."""
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
        idle = self._exchange is None and not self._full and not self._closing
        return idle and self._unwritten < steps.LARGE

    def _read_on(self) -> None:
        """Continue or pause reading; close the connection if the client will send no more."""
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
        """Set the deadline for the next request, or for the rest of a request."""
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
            refusal = request.UNKNOWN_METHOD if unknown else request.refusal(400, text)
            self._refuse(refusal, head)
            return
        for message, payload in messages:
            self._answer(message, payload is not EMPTY_PAYLOAD)

    def _refuse(self, answer: Answer, head: bytes | None = None) -> None:
        """Answer a malformed request, and close the connection."""
        method, target = request.first_line(self._head if head is None else head)
        self._head = b""
        now = self._core.clock.request(None)
        manner = self._core.manner(method, True, After.LINGER, now)
        self._send(now, (method, target, ""), answer, manner)

    def _give_up(self) -> None:
        """Log a request that arrived only in part."""
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
        after = After.KEEP
        if has_body or message.upgrade:
            after = After.LINGER  # the server does not read bodies
        elif message.should_close:
            after = After.CLOSE
        self._send(*self._core.reply(
            message.method, message.path, get, self._client, message.version >= _NEW, after
        ))  # fmt: skip

    def _send(
        self,
        started: float,
        asked: tuple[str, str, str],
        found: Answer | FileAnswer,
        manner: ResponseOptions,
    ) -> None:
        core = self._core
        answer = found.answer if isinstance(found, FileAnswer) else found
        slow = steps.slowly(found, manner, core.settings)
        if slow is not None:
            self._exchange = SteppedExchange(started, asked, answer, slow)
            self.deadline = _NEVER
            self._closing = self._closing or slow.after is not After.KEEP
            self._task = core.loop.create_task(self._take_steps(self._exchange))
            return
        step = steps.at_once(answer, manner)
        self._record(started, asked, answer, answer.status, step.size)
        self._hand_over(step.data, manner.after)

    def _hand_over(self, data: bytes, after: After) -> None:
        if after is not After.KEEP:
            self._closing = True
            settings, lingers = self._core.settings, after is After.LINGER
            seconds = settings.linger_seconds if lingers else settings.stalled_seconds
            self._closing_seconds = seconds
            self.deadline = self._core.loop.time() + seconds
        self._unwritten += len(data)
        self._core.after_log(self, data, after)

    def _record(
        self, started: float, asked: tuple[str, str, str], answer: Answer, status: int, size: int
    ) -> None:
        self._core.answered += 1
        if self._core.logs:
            client = self._quoted_client, self._quoted_agent
            self._core.record(started, client, asked, answer, status, size)

    # Answers in steps

    async def _take_steps(self, exchange: SteppedExchange) -> None:
        """Write step by step; the last step waits until the record is in the log."""
        slow = exchange.slow
        last = None
        try:
            for step in slow.steps:
                if last is not None:
                    await self._push(exchange, last)
                if step.wait:
                    await asyncio.sleep(step.wait)
                last = step
        except Exception as error:
            if not isinstance(error, ConnectionError):
                self._core.trouble(exchange.asked[1], error)
            self._task = None
            self._core.after_log(self, b"", After.RESET)
            return
        data = last.data if last is not None else b""
        if last is not None and data:
            exchange.head = True
            exchange.body += last.size
        self._task = None
        self._finish(exchange.body)
        self._hand_over(data, slow.after)
        self._proceed()

    async def _push(self, exchange: SteppedExchange, step: steps.WriteStep) -> None:
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
        """Log the present exchange with the number of bytes of its body, and end it."""
        exchange = self._exchange
        assert exchange is not None
        self._exchange = None
        exchange.slow.close()
        status = exchange.answer.status if exchange.head else 0
        self._record(exchange.started, exchange.asked, exchange.answer, status, size)
        self._core.soon()
