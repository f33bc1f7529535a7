"""Server-sent events: the state of the crawl, sent when it has changed, to every view that is open.

One task looks into the store, and only while somebody watches. A view gets all when it comes, and
after that only what differs from what it got; a slow one misses states in between, nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.studio.guard import Refused, dress

State = dict[str, Any]
WATCHERS = 32
"""Most views that may watch at a time."""
_SILENCE = 15.0
"""Seconds after which something is sent even if nothing has changed, to notice who has left."""


class Feed:
    """The state of the crawl, as it changes.

    Parameters
    ----------
    look : callable
        Returns the state; called in a thread, one call at a time.
    every : float
        Seconds between two looks.
    """

    def __init__(self, look: Callable[[], State], every: float = 1.0) -> None:
        self._look, self._every = look, every
        self._state: State = {}
        self._number = 0
        self._changed = asyncio.Condition()
        self._at_once = asyncio.Event()
        self._watchers = 0
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def hurry(self) -> None:
        """Look now: something was changed here."""
        self._at_once.set()

    async def close(self) -> None:
        """Let all views go."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        async with self._changed:
            self._changed.notify_all()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Send states until the view is left."""
        if self._watchers >= WATCHERS:
            raise Refused(503, "Too many views are open: close some of them.")
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        dress(answer)
        await answer.prepare(request)
        self._watchers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._watch())
        try:
            await answer.write(b"retry: 1000\n\n")
            await self._send(answer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # left
        finally:
            self._watchers -= 1
        return answer

    async def _send(self, answer: web.StreamResponse) -> None:
        number, before = 0, State()
        while not self._closed:
            async with self._changed:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(
                        self._changed.wait_for(partial(self._has_news, number)),
                        _SILENCE,
                    )
                state, latest = self._state, self._number
            if latest == number:
                await answer.write(b": still here\n\n")
                continue
            told = json.dumps(difference(before, state), separators=(",", ":"), allow_nan=False)
            await answer.write(f"data: {told}\n\n".encode())
            number, before = latest, state

    def _has_news(self, number: int) -> bool:
        return self._closed or self._number > number

    async def _watch(self) -> None:
        while self._watchers:
            try:
                state = await asyncio.to_thread(self._look)
            except CrawlError as error:
                state = {**self._state, "problem": f"{error}."}
            except Exception:  # an error of ours: views must not stand still without a word
                traceback.print_exc()
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
    """Return the parts of a state that a view does not have yet; of sites, the rows."""
    found = {key: value for key, value in state.items() if before.get(key) != value}
    rows, known = found.get("sites"), before.get("sites")
    if rows is not None and known is not None:
        found["sites"] = {key: row for key, row in rows.items() if known.get(key) != row}
        found["gone"] = [key for key in known if key not in rows]
    return found
