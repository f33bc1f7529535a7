"""The web as an application of aiohttp, for `aiohttp.test_utils` and pytest-aiohttp.

The answers come from the same `core.Core` as those of the fast server, and the same functions turn
them into bytes. aiohttp reads the requests and keeps the connections, so a malformed request gets
aiohttp's own answer and is not in the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from aiohttp import hdrs, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.typedefs import Handler
from multidict import CIMultiDict

from . import steps, wire
from .core import Core, Reply
from .log import quoted
from .mounts import FileAnswer
from .steps import After, SteppedAnswer, WriteStep

_NOTHING = WriteStep(0, b"")


def application(
    open_core: Callable[[], Core], close: Callable[[], None] = lambda: None
) -> web.Application:
    """Return an application that answers for every host of a web, whatever the path.

    Parameters
    ----------
    open_core : callable
        Returns the state of the server; called in the event loop when the application starts.
    close : callable
        Called when the application has ended.

    Notes
    -----
    If a request cannot be logged, its connection is reset, as are all further ones; the end of the
    application then raises `WebError`.
    """
    running: list[Core] = []

    async def run(_: web.Application) -> AsyncIterator[None]:
        core = open_core()
        running.append(core)
        yield
        running.clear()
        core.flush()
        close()
        if core.failed.done():
            core.failed.result()

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        return _Response(running[0], request)

    made = web.Application(middlewares=[answer])
    made.cleanup_ctx.append(run)
    made.router.add_route("*", "/{path:.*}", _replaced, expect_handler=_expect_nothing)
    return made


async def _replaced(_: web.Request) -> web.StreamResponse:
    """Stand in for a handler: the middleware answers, also what no route matches."""
    raise web.HTTPNotImplemented


async def _expect_nothing(_: web.Request) -> None:
    """Send no "100 Continue", because no body is read."""


class _Response(web.StreamResponse):
    """An answer that is logged and then sent with the bytes of the fast server.

    Parameters
    ----------
    core : Core
        Makes the answer.
    request : web.Request
        The request.
    """

    def __init__(self, core: Core, request: web.Request) -> None:
        self._core, self._reply = core, _reply(core, request)
        found = self._reply.found
        self._answer = found.answer if isinstance(found, FileAnswer) else found
        self._after = self._reply.manner.after
        self._client = quoted(request.remote or ""), quoted(request.headers.get("User-Agent", ""))
        self._begun = self._head_sent = False
        self._size = 0
        super().__init__(status=self._answer.status, headers=CIMultiDict(self._answer.headers))

    @property
    def prepared(self) -> bool:
        """Whether the answer is being sent or has been sent."""
        return self._begun

    @property
    def keep_alive(self) -> bool:
        """Whether the connection stays open."""
        return self._after is After.KEEP

    @property
    def body_length(self) -> int:
        """The bytes of the body that were sent."""
        return self._size

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send the answer."""
        if not self._begun:
            self._begun = True
            manner = self._reply.manner
            slow = steps.slowly(self._reply.found, manner, self._core.settings)
            if slow is None:
                slow = SteppedAnswer(iter([steps.at_once(self._answer, manner)]), manner.after)
            await self._send(request, slow)
        return request.writer

    async def write_eof(self, data: bytes = b"") -> None:
        """Do nothing: `prepare` has sent all."""

    async def _send(self, request: web.BaseRequest, slow: SteppedAnswer) -> None:
        """Write step by step; the last step waits until the record is in the log."""
        last, self._after = _NOTHING, slow.after
        try:
            for step in slow.steps:
                self._count(last)
                await request.writer.write(last.data)
                if step.wait:
                    await asyncio.sleep(step.wait)
                last = step
            self._count(last)
        except Exception as error:
            if not isinstance(error, ConnectionError):
                self._core.trouble(self._reply.asked[1], error)
            last, self._after = _NOTHING, After.RESET
        finally:
            slow.close()
            self._record()
        await self._end(request, last.data)

    def _count(self, step: WriteStep) -> None:
        self._head_sent = self._head_sent or bool(step.data)
        self._size += step.size

    def _record(self) -> None:
        self._core.answered += 1
        if self._core.logs:
            reply = self._reply
            status = self._answer.status if self._head_sent else 0
            self._core.record(
                reply.started, self._client, reply.asked, self._answer, status, self._size
            )
            self._core.flush()

    async def _end(self, request: web.BaseRequest, data: bytes) -> None:
        """Write the last bytes, or end the connection; what is not logged is not sent."""
        if self._after is After.RESET or self._core.failed.done():
            self._after = After.RESET
            if request.transport is not None:
                wire.reset(request.transport)
            raise ConnectionResetError
        await request.writer.write(data)


def _reply(core: Core, request: web.Request) -> Reply:
    after = After.KEEP
    if request.body_exists or _upgrades(request):
        after = After.LINGER  # bodies are not read
    elif not request.keep_alive:
        after = After.CLOSE
    core.addresses.port = _port(request)
    chunks = request.version >= (1, 1)
    return core.reply(
        request.method, request.raw_path, request.headers.get, request.remote or "", chunks, after
    )


def _upgrades(request: web.Request) -> bool:
    tokens = ",".join(request.headers.getall(hdrs.CONNECTION, ())).lower().split(",")
    return hdrs.UPGRADE in request.headers and "upgrade" in (one.strip() for one in tokens)


def _port(request: web.Request) -> int:
    """Return the port at which a request arrived; 0 if it did not come through one."""
    own = request.transport.get_extra_info("sockname") if request.transport is not None else None
    return int(own[1]) if isinstance(own, tuple) else 0
