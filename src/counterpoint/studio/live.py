"""Server-sent events: sends the state of the crawl to every open view whenever it changes.

One task reads the store, and only while a view is open. A view first gets the whole state, and then
only the differences. A slow view misses states in between, but always gets the latest.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.studio.terminal import LOG

State = dict[str, Any]
WATCHERS = 32
"""Largest number of live views. One more takes the place of the oldest: a view that the user opens
now is worth more than one that was forgotten in a tab."""
_SILENCE = 15.0
"""Seconds after which a comment is sent if nothing has changed, to notice closed connections."""


@dataclass(eq=False)
class _LiveView:
    """An open stream of events; ``replaced`` if another one has taken its place."""

    replaced: bool = False


class Feed:
    """The state of the crawl, as it changes.

    Parameters
    ----------
    look : callable
        Reads the state; called in a thread, one call at a time.
    every : float
        Seconds between two calls.
    """

    def __init__(self, look: Callable[[], State], every: float = 1.0) -> None:
        self._look, self._every = look, every
        self._state: State = {}
        self._number = 0
        self._changed = asyncio.Condition()
        self._at_once = asyncio.Event()
        self._views: dict[_LiveView, None] = {}  # the oldest is the first
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def hurry(self) -> None:
        """Read the state now, because the studio has changed something."""
        self._at_once.set()

    async def close(self) -> None:
        """Close the connections of all views."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        async with self._changed:
            self._changed.notify_all()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Send states until the view is closed, or another one takes its place."""
        view = _LiveView()
        await self._open(view)
        try:
            answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            answer.force_close()
            await answer.prepare(request)
            await answer.write(b"retry: 1000\n\n")
            await self._send(answer, view)
        except (ConnectionError, asyncio.CancelledError):
            pass  # the view was closed
        finally:
            self._views.pop(view, None)
        if view.replaced and request.transport is not None:
            # A client that does not read must not keep the connection.
            asyncio.get_running_loop().call_later(1.0, request.transport.abort)
        return answer

    async def _open(self, view: _LiveView) -> None:
        """Add a view, and end the oldest one if there are too many."""
        if len(self._views) >= WATCHERS:
            oldest = next(iter(self._views))
            del self._views[oldest]
            oldest.replaced = True
            async with self._changed:
                self._changed.notify_all()
        self._views[view] = None
        if self._task is None:
            self._task = asyncio.create_task(self._watch())

    async def _send(self, answer: web.StreamResponse, view: _LiveView) -> None:
        number, before = 0, State()
        while not self._closed:
            async with self._changed:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(
                        self._changed.wait_for(partial(self._has_news, view, number)),
                        _SILENCE,
                    )
                state, latest = self._state, self._number
            if view.replaced:
                await answer.write(b"event: replaced\ndata:\n\n")
                return
            if latest == number:
                await answer.write(b": still here\n\n")
                continue
            news = json.dumps(difference(before, state), separators=(",", ":"), allow_nan=False)
            await answer.write(f"data: {news}\n\n".encode())
            number, before = latest, state

    def _has_news(self, view: _LiveView, number: int) -> bool:
        return self._closed or view.replaced or self._number > number

    async def _watch(self) -> None:
        while self._views:
            try:
                state = await asyncio.to_thread(self._look)
            except CrawlError as error:
                state = {**self._state, "problem": f"{error}."}
            except Exception:  # a bug of the studio: the views must show that there is an error
                LOG.exception("the state of the crawl cannot be read")
                state = {**self._state, "problem": "The studio has an error; see its terminal."}
            if state != self._state:
                async with self._changed:
                    self._state, self._number = state, self._number + 1
                    self._changed.notify_all()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._at_once.wait(), self._every)
            self._at_once.clear()
        self._task = None


def difference(before: State, state: State) -> State:
    """Return the parts of a state that a view does not have yet; of sites, the changed rows."""
    found = {key: value for key, value in state.items() if before.get(key) != value}
    rows, known = found.get("sites"), before.get("sites")
    if rows is not None and known is not None:
        found["sites"] = {key: row for key, row in rows.items() if known.get(key) != row}
        found["gone"] = [key for key in known if key not in rows]
    return found
