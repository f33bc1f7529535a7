"""Clients that hold connections to a studio and never finish a request.

Run for as long as wanted, against a studio that is running::

    python -m tests.counterpoint.studio.half_open PORT --connections 1000 --seed 1

It holds so many connections: some send nothing, some a head without its end, some one byte now and
then, and some a head without its body. A connection that the studio closes is replaced at once.
Each line of output is the number of connections that were opened so far.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random

KINDS = ("silent", "half", "slow", "bodiless")
EVERY = 0.5
"""Seconds between two lines of output, and between two bytes of a slow client."""


def beginning(kind: str, port: int) -> bytes:
    """Return what a client of a kind sends first."""
    host = f"Host: 127.0.0.1:{port}\r\n".encode()
    post = b"POST /sites/add HTTP/1.1\r\n" + host + f"Origin: http://127.0.0.1:{port}\r\n".encode()
    return {
        "silent": b"",
        "half": b"GET /crawl HTTP/1.1\r\n" + host,
        "slow": b"GET /sites HTTP/1.1\r\nX-Slow: ",
        "bodiless": post + b"Content-Type: application/x-www-form-urlencoded\r\n"
                    b"Content-Length: 1000\r\n\r\ncsrf=",
    }[kind]  # fmt: skip


class Attack:
    """Some clients that hold connections.

    Attributes
    ----------
    opened : int
        How many connections were opened so far.
    """

    def __init__(self, port: int, chance: random.Random) -> None:
        self._port, self._chance = port, chance
        self.opened = 0

    async def hold(self) -> None:
        """Hold one connection after the other, for ever."""
        while True:
            with contextlib.suppress(OSError):
                await self._one(self._chance.choice(KINDS))
            await asyncio.sleep(0)

    async def _one(self, kind: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1)
        self.opened += 1
        try:
            writer.write(beginning(kind, self._port))
            while kind == "slow":
                await asyncio.sleep(EVERY)
                writer.write(b"x")
                await writer.drain()
                if reader.at_eof():
                    return
            await reader.read()
        finally:
            writer.close()

    async def count(self) -> None:
        """Print the number of opened connections, for ever."""
        while True:
            await asyncio.sleep(EVERY)
            print(self.opened, flush=True)


async def main(port: int, connections: int, seed: int) -> None:
    """Attack until the process is ended."""
    attack = Attack(port, random.Random(seed))
    await asyncio.gather(attack.count(), *(attack.hold() for _ in range(connections)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Hold connections to a studio.")
    parser.add_argument("port", type=int)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(main(given.port, given.connections, given.seed))
