"""Limits of connections: how many there are, and how long each may wait for its client.

Clients that connect and send nothing, or send slowly, must not keep other clients out. If there
are too many connections, the studio drops one whose request has not arrived: first those that have
never been answered, the oldest first. A browser sends its request as soon as it is connected, so
it is answered before its connection is the oldest.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from itertools import chain, islice
from typing import Any, cast

from aiohttp import web

from counterpoint.studio.guard import Handler

MOST = 256
"""Largest number of connections: more than some browsers open, six each."""
BATCH = 16
"""Connections that are accepted before those that are open get their turn."""
QUEUE = 1024
"""Connections that the system keeps until they are accepted; a browser whose connection does not
fit tries again only after a second."""
HEAD = 20.0
"""Seconds in which the head of the first request must arrive."""
HEAD_SIZE = 64 * 1024
"""Bytes of a head that are kept until it is complete."""
IDLE = 75.0
"""Seconds that a connection is kept after an answer."""
STALLED = 60.0
"""Seconds after which a client that does not read its answer is dropped."""
_OTHER_FILES = 128
"""Files other than connections: the store, the log, the libraries, and batches being accepted."""

_FIRST = tuple(bytes([k]) for k in range(128) if chr(k).isalpha() or chr(k) in "\r\n")
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    b"Content-Length: 33\r\n\r\nThe request has not arrived yet.\n"
)


def bearable() -> int:
    """Return the number of connections for which the process may open files; at most `MOST`."""
    if sys.platform == "win32":
        return MOST
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else min(MOST, max(16, files - _OTHER_FILES))


class Connection(asyncio.Protocol):
    """A connection: waits for the head of the first request, then aiohttp's protocol takes over.

    A connection that waits has neither a parser nor a task, so many of them are no burden.

    Parameters
    ----------
    among : Connections
        All connections.
    """

    def __init__(self, among: Connections) -> None:
        self._among = among
        self._inner: asyncio.Protocol | None = None
        self._head = b""
        self._transport: Any = None
        self._late: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request."""
        self._transport = transport
        self._late = asyncio.get_running_loop().call_later(self._among.head, self._too_slow)
        self._among.open(self)

    def data_received(self, data: bytes) -> None:
        """Collect the head of the first request; pass later data to aiohttp."""
        if self._inner is not None:
            self._inner.data_received(data)
            return
        self._head += data
        if _is_complete(self._head):
            self._hand_over()

    def eof_received(self) -> bool | None:
        """Tell aiohttp that no more data will come."""
        if self._inner is None and self._head:
            self._hand_over()
        return None if self._inner is None else self._inner.eof_received()

    def _hand_over(self) -> None:
        if self._late is not None:
            self._late.cancel()
        self._inner = self._among.make()
        self._inner.connection_made(self._transport)
        head, self._head = self._head, b""
        self._inner.data_received(head)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._among.forget(self)
        for timer in (self._late, self._stalled):
            if timer is not None:
                timer.cancel()
        if self._inner is not None:
            self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the client reads, but not for ever."""
        self._stalled = asyncio.get_running_loop().call_later(STALLED, self.drop)
        if self._inner is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Continue."""
        if self._stalled is not None:
            self._stalled.cancel()
        if self._inner is not None:
            self._inner.resume_writing()

    def works(self) -> None:
        """Keep the connection while its request is being answered."""
        self._among.keep(self)

    def rests(self) -> None:
        """Wait for the next request."""
        self._among.release(self)

    def drop(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def _too_slow(self) -> None:
        if self._head:
            self._transport.write(_TOO_SLOW)
        self._transport.close()


def _is_complete(head: bytes) -> bool:
    """Return whether aiohttp can judge a head: it has an end, is too long, or is no HTTP at all."""
    return (
        b"\n\r\n" in head or b"\n\n" in head or len(head) > HEAD_SIZE
        or head[:1] not in _FIRST
    )  # fmt: skip


class Connections:
    """All connections; calling it makes the protocol of a new one.

    Parameters
    ----------
    make : callable
        Makes the protocol of aiohttp.
    most : int
        The largest number of connections.
    head : float
        Seconds in which the head of the first request must arrive.
    """

    def __init__(self, make: Callable[[], asyncio.Protocol], most: int, head: float = HEAD) -> None:
        self.make, self._most, self.head = make, most, head
        self._all: set[Connection] = set()
        # Connections whose request has not arrived, in the order of their last activity.
        self._new: dict[Connection, None] = {}
        self._resting: dict[Connection, None] = {}
        self._shrunk = float("-inf")

    def __call__(self) -> Connection:
        """Return the protocol of a new connection."""
        return Connection(self)

    def __len__(self) -> int:
        """Return the number of open connections."""
        return len(self._all)

    def open(self, connection: Connection) -> None:
        """Add a connection; if there are too many, drop one."""
        self._all.add(connection)
        self._new[connection] = None
        if len(self._all) > self._most:
            oldest = next(iter(self._new))
            if oldest is connection and self._resting:
                oldest = next(iter(self._resting))
            self.forget(oldest)
            oldest.drop()

    def keep(self, connection: Connection) -> None:
        """Do not drop a connection, because its request is being answered."""
        self._new.pop(connection, None)
        self._resting.pop(connection, None)

    def release(self, connection: Connection) -> None:
        """Let a connection be dropped again, after all others that wait now."""
        self.keep(connection)
        if connection in self._all:
            self._resting[connection] = None

    def shrink(self) -> None:
        """Lower the limit, because the system does not allow so many open files after all."""
        now = asyncio.get_running_loop().time()
        if now < self._shrunk + 1.0:
            return  # the system says it once for each connection of a batch
        self._shrunk = now
        self._most = max(BATCH, len(self._all) - BATCH)
        for connection in list(islice(chain(self._new, self._resting), 2 * BATCH)):
            self.forget(connection)
            connection.drop()

    def close(self) -> None:
        """Drop all connections whose first request has not arrived; aiohttp closes the others."""
        for connection in list(self._new):
            connection.drop()

    def forget(self, connection: Connection) -> None:
        """Remove a connection."""
        self._all.discard(connection)
        self.keep(connection)


class StudioRunner(web.AppRunner):
    """Runs an application whose connections are limited.

    Parameters
    ----------
    made : web.Application
    most : int
        The largest number of connections.
    head : float
        Seconds in which the head of the first request must arrive.
    options
        Other arguments of `web.AppRunner`.
    """

    def __init__(
        self, made: web.Application, most: int, head: float = HEAD, **options: Any
    ) -> None:
        # Without auto_decompress, a small compressed body cannot fill the memory.
        super().__init__(made, access_log=None, keepalive_timeout=IDLE, lingering_time=2.0,
                         auto_decompress=False, **options)  # fmt: skip
        self._most, self._head = most, head
        self._connections: Connections | None = None

    @property
    def server(self) -> web.Server | None:
        """What makes the protocol of each connection."""
        server = super().server
        if server is None:
            return None
        if self._connections is None:
            self._connections = Connections(server, self._most, self._head)
        return cast(web.Server, self._connections)  # sites only call it

    def shrink(self) -> None:
        """Lower the limit of connections, because the system has no more files for them."""
        if self._connections is not None:
            self._connections.shrink()

    async def cleanup(self) -> None:
        """Close all connections, also those of which aiohttp does not know."""
        if self._connections is not None:
            self._connections.close()
        await super().cleanup()


def _of(request: web.Request) -> Connection | None:
    found = None if request.transport is None else request.transport.get_protocol()
    return found if isinstance(found, Connection) else None


@web.middleware
async def answered(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let a connection be dropped after its request was answered; the first middleware."""
    try:
        return await handler(request)
    finally:
        connection = _of(request)
        if connection is not None:
            connection.rests()


@web.middleware
async def arrived(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Keep a connection while a view answers its request, whose body is there; the last one."""
    connection = _of(request)
    if connection is not None:
        connection.works()
    return await handler(request)
