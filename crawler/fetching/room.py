"""Bounds the memory of all bodies that are received at the same time."""

from __future__ import annotations

import asyncio
import time

from counterpoint.crawler.limits import BODIES, UNCOUNTED


class BodyRoom:
    """The bytes of bodies that are being received, or wait until the crawl takes them.

    A body may grow while there is room. If there is none, the body that began first still grows as
    soon as no finished one waits, since nobody else would make room. So the sum exceeds the limit
    by at most one body, besides `UNCOUNTED` bytes for each, and what one piece of each unpacks to.

    Parameters
    ----------
    most : int
        The limit in bytes.
    """

    def __init__(self, most: int = BODIES) -> None:
        self._most = most
        self._held = self._waiting = 0
        self._growing: dict[GrowingBody, None] = {}
        self._changed = asyncio.Event()

    def body(self) -> GrowingBody:
        """Return a new body; to be used in a ``with`` statement while it is received."""
        return GrowingBody(self)

    def keep(self, size: int) -> None:
        """Count a finished body, until it is taken."""
        self._held += size
        self._waiting += size

    def take(self, size: int) -> None:
        """Stop to count a finished body."""
        self._held -= size
        self._waiting -= size
        self._changed.set()

    def _is_free(self, body: GrowingBody) -> bool:
        if self._held <= self._most:
            return True
        return not self._waiting and next(iter(self._growing)) is body


class GrowingBody:
    """A body that is being received."""

    def __init__(self, room: BodyRoom) -> None:
        self._room, self._size = room, 0

    def __enter__(self) -> GrowingBody:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._size:  # it was never counted
            return
        room = self._room
        room._held -= self._size
        room._growing.pop(self, None)
        room._changed.set()

    def grow(self, size: int) -> bool:
        """Count the body's present size in bytes; return whether there is room for more."""
        room = self._room
        if size <= UNCOUNTED:
            return True
        room._growing[self] = None
        room._held += size - self._size
        self._size = size
        return room._is_free(self)

    async def room(self) -> float:
        """Wait until there is room for more; return the seconds that it took."""
        room, since = self._room, time.monotonic()
        while not room._is_free(self):
            room._changed.clear()
            await room._changed.wait()
        return time.monotonic() - since
