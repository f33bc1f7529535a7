"""The memory of all bodies that are received at the same time."""

from __future__ import annotations

import asyncio
import gzip
import random
from typing import Any

import pytest

from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.room import BodyRoom, GrowingBody
from counterpoint.crawler.limits import UNCOUNTED

from .test_network import HEAD, ask


@pytest.mark.parametrize("seed", range(20))
def test_many_bodies_stay_within_the_limit(seed: int) -> None:
    """Bodies that together exceed the limit by more than one, or that wait for each other."""
    chance = random.Random(seed)
    largest = 10 * UNCOUNTED
    most = chance.randint(1, 4) * largest
    room, done, held, peak = BodyRoom(most), asyncio.Queue[int](), [0], [0]

    async def receive() -> None:
        size, whole = 0, chance.randint(1, largest)
        with room.body() as growing:
            while size < whole:
                piece = min(UNCOUNTED, whole - size)
                size += piece
                held[0] += piece
                peak[0] = max(peak[0], held[0])
                if not growing.grow(size):
                    await growing.room()
                await asyncio.sleep(0)
        room.keep(size)
        done.put_nowait(size)

    async def run() -> None:
        tasks = [asyncio.create_task(receive()) for _ in range(40)]
        for _ in tasks:
            size = await done.get()
            for _ in range(chance.randint(0, 30)):
                await asyncio.sleep(0)
            held[0] -= size
            room.take(size)
        await asyncio.gather(*tasks)

    asyncio.run(run())
    # Each body may have one piece that is not counted, and one that came when there was no room.
    assert most / 2 < peak[0] <= most + largest + 40 * 2 * UNCOUNTED
    assert room._held == room._waiting == 0


def test_a_body_waits_until_a_finished_one_is_taken() -> None:
    """A body that grows while finished ones fill the memory, or that never grows again."""

    async def run() -> list[str]:
        room, seen = BodyRoom(1000), list[str]()
        room.keep(2000)

        async def receive() -> None:
            with room.body() as growing:
                assert growing.grow(UNCOUNTED)
                assert not growing.grow(UNCOUNTED + 1)
                await growing.room()
                seen.append("grown")

        task = asyncio.create_task(receive())
        for _ in range(10):
            await asyncio.sleep(0)
        seen.append("taken")
        room.take(2000)
        await task
        return seen

    assert asyncio.run(run()) == ["taken", "grown"]


def test_the_time_that_a_body_waits_does_not_count() -> None:
    """A page that fails because the crawl had no room for it."""
    seconds = 0.5

    class Full(BodyRoom):
        def body(self) -> Any:
            return Waiting(self)

    class Waiting(GrowingBody):
        waited = 0.0

        def grow(self, size: int) -> bool:
            return self.waited > 0

        async def room(self) -> float:
            await asyncio.sleep(2 * seconds)  # longer than the whole answer may take
            self.waited = 2 * seconds
            return self.waited

    body = b"x" * 500_000
    head = HEAD + b"Content-Length: %d\r\n\r\n" % len(body)
    (answer,) = ask(head + body, room=Full(), limits=Limits(seconds=seconds))
    assert (answer.body, answer.problem) == (body, "")


def test_the_time_of_an_answer_counts_after_it_has_waited() -> None:
    """A server that sends nothing more, and holds a connection for ever."""

    class Full(BodyRoom):
        def body(self) -> Any:
            return Waiting(self)

    class Waiting(GrowingBody):
        def grow(self, size: int) -> bool:
            return False

        async def room(self) -> float:
            await asyncio.sleep(0)
            return 0.0

    head = HEAD + b"Content-Length: 100\r\n\r\nxyz"

    async def say(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await asyncio.sleep(3600)

    (answer,) = ask(say, room=Full(), limits=Limits(seconds=0.5))
    assert (answer.body, answer.problem) == (b"xyz", "breaks off after 3 bytes: not in time")


@pytest.mark.parametrize("packed", [False, True])
def test_a_body_that_came_in_one_piece_waits_as_well(packed: bool) -> None:
    """Bodies that unpack to megabytes each, and are finished while there is no room for them."""
    rooms: list[int] = []

    class Full(BodyRoom):
        def body(self) -> Any:
            return Waiting(self)

    class Waiting(GrowingBody):
        def grow(self, size: int) -> bool:
            return size <= UNCOUNTED or bool(rooms)

        async def room(self) -> float:
            rooms.append(1)
            return 0.0

    body = b"x" * 500_000 if packed else b"x" * 1000
    sent = gzip.compress(body) if packed else body
    coding = b"Content-Encoding: gzip\r\n" if packed else b""
    head = HEAD + coding + b"Content-Length: %d\r\n\r\n" % len(sent)
    (answer,) = ask(head + sent, room=Full())
    assert (answer.body, answer.problem) == (body, "")
    assert len(rooms) == packed
