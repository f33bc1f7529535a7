"""A server in a thread of its own, for clients that block."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from counterpoint.sim_web.server import Mounts, Server, VirtualClock
from counterpoint.sim_web.server.core import AnsweringSite


@contextmanager
def running(
    site: AnsweringSite, mounts: dict[str, str] | None = None, **options: Any
) -> Iterator[str]:
    """Serve a web on loopback; yield the proxy's address."""
    ready: threading.Event = threading.Event()
    state: dict[str, Any] = {}

    async def serve() -> None:
        try:
            clock = options.pop("clock", None) or VirtualClock(0.0)
            server = Server(site, clock, mounts=Mounts(mounts or {}), **options)
            await server.start()
            state.update(proxy=server.proxy, loop=asyncio.get_running_loop(), end=asyncio.Event())
        finally:
            ready.set()
        await state["end"].wait()
        await server.stop()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield state["proxy"]
    finally:
        if "end" in state:
            state["loop"].call_soon_threadsafe(state["end"].set)
        thread.join()
