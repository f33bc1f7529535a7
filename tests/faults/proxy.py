"""A loopback proxy in front of PostgreSQL that delays what passes, and cuts connections."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PORT = 5432


class DatabaseProxy:
    """Passes bytes between clients and a PostgreSQL server.

    Parameters
    ----------
    socket : Path
        The server's socket.
    delay : float
        Seconds by which each piece of an answer is late.
    cuts : callable, optional
        Gets each piece that a client sends; if it returns true, the piece is passed on, and the
        connection is cut before the server's answer.

    Attributes
    ----------
    port : int
        Where it listens on this machine.
    passed, cut : int
        How many pieces of answers it has passed, and how many connections it has cut.
    """

    def __init__(
        self, socket: Path, delay: float = 0.0, cuts: Callable[[bytes], bool] | None = None
    ) -> None:  # fmt: skip
        self._socket, self._delay = socket, delay
        self._cuts = cuts or (lambda _: False)
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.port = self.passed = self.cut = 0

    def cut_all(self) -> None:
        """Cut all present connections; may be called in any thread."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self._cut_all(), self._loop).result()

    async def serve(self, ready: Callable[[], None], end: asyncio.Event) -> None:
        """Serve until the event is set."""
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready()
        await end.wait()
        server.close()
        await self._cut_all()
        while self._writers:
            await asyncio.sleep(0)

    async def _cut_all(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self.cut += len(self._writers) // 2

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_unix_connection(self._socket)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, to_server}
        self._writers |= both
        asked = asyncio.create_task(self._questions(reader, to_server, writer))
        try:
            await self._answers(from_server, writer)
        finally:
            asked.cancel()
            for one in both:
                one.transport.abort()
            self._writers -= both

    async def _questions(
        self, reader: asyncio.StreamReader, server: asyncio.StreamWriter,
        client: asyncio.StreamWriter,
    ) -> None:  # fmt: skip
        with suppress(OSError):
            while piece := await reader.read(1 << 16):
                server.write(piece)
                await server.drain()
                if self._cuts(piece):
                    self.cut += 1
                    client.transport.abort()
        # The server rolls back, as it does if the client is gone; a commit it has is done before.
        server.close()

    async def _answers(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(1 << 16):
                if self._delay:
                    await asyncio.sleep(self._delay)
                self.passed += 1
                client.write(piece)
                await client.drain()


@contextmanager
def proxied(
    folder: Path, delay: float = 0.0, cuts: Callable[[bytes], bool] | None = None
) -> Iterator[DatabaseProxy]:
    """Run a proxy in front of the server with its socket in a folder, in a thread of its own."""
    proxy = DatabaseProxy(folder / f".s.PGSQL.{PORT}", delay, cuts)
    ready, loops = threading.Event(), list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]()

    async def serve() -> None:
        end = asyncio.Event()
        loops.append((asyncio.get_running_loop(), end))
        await proxy.serve(ready.set, end)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(60)
    try:
        yield proxy
    finally:
        loop, end = loops[0]
        loop.call_soon_threadsafe(end.set)
        thread.join()
