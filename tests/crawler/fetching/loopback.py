"""A server on loopback that sends exactly the given bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Say = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
"""Answers a request; the connection is closed afterwards."""


@asynccontextmanager
async def serving(response: bytes | Say, asked: list[bytes] | None = None) -> AsyncIterator[int]:
    """Answer each connection's first request with bytes or by a function; yield the port."""
    tasks: set[asyncio.Task[None]] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if asked is not None:
                asked.append(head)
            if isinstance(response, bytes):
                writer.write(response)
                await writer.drain()
            else:
                await response(head, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        while tasks:
            await asyncio.sleep(0)
        await server.wait_closed()
