"""Misbehaving clients at the web ``hostile``: the server keeps serving and leaks nothing."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import socket
import tracemalloc
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from counterpoint.sim_web.answer import Answer, Fault, Kind, Question
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.server import VirtualClock

from .hostile_web import faulty, site
from .serving import QUICK, FakeSite, Served, served, split

HOSTILE = replace(
    QUICK, header_seconds=0.02, idle_seconds=0.2, stalled_seconds=0.1, linger_seconds=0.05,
    endless_bytes=200_000, slow_seconds=0.005, robots_seconds=0.002,
)  # fmt: skip
"""Waiting times short enough for thousands of requests."""

HOST = b" HTTP/1.1\r\nHost: a.test\r\n\r\n"
CALM = 12
"""The number of requested hosts; small, so that their limits are exceeded."""
PASSING = {Fault.SERVER_ERROR, Fault.UNAVAILABLE, Fault.RESET, Fault.VANISHED}
"""Faults that occur only at some times, while a siege takes seconds of virtual time."""
NEVER_ASKED = {Kind.ALIAS, Kind.FRAME, Kind.FORM, Kind.SITEMAP, Kind.CAPTURED, Kind.UNKNOWN}
"""Kinds of which a siege need not ask for any address; the web of the sieges has no forms, and only
a captured web answers of the last two kinds."""
GONE = "closes without reading"
RESETS = "resets without reading"
WAITS = "reads to the end"
SIPS = "reads a little"


@lru_cache(maxsize=1)
def addresses() -> list[bytes]:
    """Return pages of some hosts of the web, in absolute form."""
    web = site().web
    return [address(web, p).encode() for h in range(CALM) for p in web.pages_of(h)[:100]]


def requests(chance: random.Random) -> tuple[bytes, str]:
    """Return the bytes that a client sends, and its behaviour afterwards."""
    page = chance.choice(addresses())
    start = page[: page.index(b"/", 7)]
    paths = [page, page, page, start + b"/robots.txt", start + b"/sitemap.xml", start + b"/nothing"]
    paths += [url.encode() for url, _ in faulty().values()]
    get = b"GET " + chance.choice(paths) + HOST
    other = chance.choice([b"http://example.com/", b"http://127.0.0.1:22/", b"http://[::1]/x"])
    climb = chance.choice([b"/../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd", b"//etc/passwd",
                           b"/..%2f..%2fetc/passwd%00.html", b"/" + b"../" * 300])  # fmt: skip
    method = chance.choice([b"POST", b"PUT", b"BREW", b"OPTIONS", b"TRACE", b"PRI", b"get"])
    host = chance.choice([b"", b"a test", b"-", b"\xff\xfe", b"a.test:99999999", b"[", b"x" * 999])
    sent = chance.choice([
        get,
        get * 3,
        get + b"GET " + page + HOST * 2,
        get[: chance.randrange(1, len(get))],
        b"GET " + other + HOST,
        b"CONNECT " + chance.choice([b"a.test:443", b"example.com:25", b"/", b""]) + HOST,
        b"GET http://docs.test" + climb + HOST,
        method + b" " + page + HOST,
        b"POST " + page + b" HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5000\r\n\r\n" + b"x" * 99,
        b"GET " + page + b" HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: " + start[7:] + b"\r\nX-Counterpoint-Time: 1\r\n\r\n",
        b"GET " + page + b" HTTP/1.1\r\nHost: a.test\r\nX: " + b"y" * chance.choice([9000, 70_000]),
        b"GET /" + b"z" * chance.choice([5000, 50_000]) + HOST,
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * chance.choice([50, 3000]) + b"\r\n",
        b"GET " + page + b" HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\nConnection: upgrade"
        b"\r\nContent-Length: 0\r\n\r\n",
        b"GET " + page + b" HTTP/1.1\r\nHost: a.test\r\nX-Counterpoint-Time: nan\r\n\r\n",
        chance.randbytes(chance.randrange(1, 200)),
        b"\r\n" * 300,
        b"",
    ])  # fmt: skip
    return sent, chance.choice([WAITS, WAITS, WAITS, SIPS, GONE, RESETS])


async def misbehave(web: Served, chance: random.Random) -> None:
    """Act as one such client."""
    sent, then = requests(chance)
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    try:
        writer.write(sent)
        if then == WAITS:
            if chance.random() < 0.5:
                writer.write_eof()
            while piece := await asyncio.wait_for(reader.read(65536), 20):
                assert b"root:" not in piece, "a file of this machine"
        elif then == SIPS:
            await asyncio.wait_for(reader.read(10), 20)
    except (ConnectionError, OSError):
        pass
    finally:
        (writer.transport.abort if then == RESETS else writer.close)()


async def siege(web: Served, count: int, seed: int) -> None:
    """Run a number of misbehaving clients, sixteen at a time."""
    todo = iter([random.Random(seed * 1_000_003 + k) for k in range(count)])

    async def client() -> None:
        for chance in todo:
            await misbehave(web, chance)

    await asyncio.gather(*(client() for _ in range(16)))


async def quiet(web: Served, files: int) -> None:
    """Wait until the server has closed every connection."""
    for _ in range(2000):
        if not web.server.core.connections and len(os.listdir("/proc/self/fd")) <= files:
            return
        await asyncio.sleep(0.002)
    raise AssertionError(
        f"{len(web.server.core.connections)} connections and "
        f"{len(os.listdir('/proc/self/fd'))} files are left of {files}"
    )


def connections_of(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """Return a counter of the connections that this process opens from now on, by address."""
    opened: Counter[Any] = Counter()
    connect = socket.socket.connect

    def noted(self: socket.socket, address: Any) -> None:
        opened[address] += 1
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noted)
    monkeypatch.setattr(socket.socket, "connect_ex", noted)
    return opened


def besieged(folder: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run a server under siege; return the remaining resources afterwards."""
    mounted = folder / "site"
    mounted.mkdir()
    (mounted / "index.html").write_text("in")
    for place in [*faulty().values(), *((url.decode(), 0.0) for url in addresses())]:
        site().answer(Question(*place))  # all caches of the web are filled by now
    opened = connections_of(monkeypatch)

    async def run() -> dict[str, Any]:
        async with served(
            folder, site=site(), settings=HOSTILE, limits=site().web.profile.limits,
            mounts={"docs.test": str(mounted)}, clock=VirtualClock(0.001),
        ) as web:  # fmt: skip
            files = len(os.listdir("/proc/self/fd"))
            await siege(web, count // 5, 1)  # all one-time allocations are done by now
            await quiet(web, files)
            gc.collect()
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            await siege(web, count - count // 5, 2)
            await quiet(web, files)
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - before
            tracemalloc.stop()
            tasks = len(asyncio.all_tasks())
            fine = split(await web.get("/", host=site().web.name(CALM)))
            await quiet(web, files)
        records = web.records()
        kinds, seen = Counter(r.kind for r in records), Counter(r.fault for r in records)
        elsewhere = [address for address in opened if address != ("127.0.0.1", web.port)]
        return {"grown": grown, "tasks": tasks, "fine": fine[0], "elsewhere": elsewhere,
                "opened": opened.total(), "kinds": kinds, "faults": seen}  # fmt: skip

    found = asyncio.run(run())
    print(found)
    return found


def must_be_unharmed(found: dict[str, Any], count: int) -> None:
    """Check the remaining resources after a siege."""
    assert found["fine"] == 200
    assert found["tasks"] == 1
    assert (found["opened"], found["elsewhere"]) == (count + 1, [])
    assert found["grown"] < 300_000, "bytes are kept for requests that are over"
    assert found["kinds"].total() > count / 2
    assert set(found["kinds"]) >= set(Kind) - NEVER_ASKED
    assert set(found["faults"]) >= set(Fault) - PASSING


@pytest.mark.long
def test_1500_clients_that_misbehave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that brings the server down, or leaves resources behind."""
    must_be_unharmed(besieged(tmp_path, 1500, monkeypatch), 1500)


@pytest.mark.slow
def test_10000_clients_that_misbehave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A leak that is too small to show with 1,500 clients."""
    must_be_unharmed(besieged(tmp_path, 10_000, monkeypatch), 10_000)


def test_many_idle_connections_end(tmp_path: Path) -> None:
    """Idle connections that stay forever, or more than the server can hold."""

    async def run() -> None:
        few = replace(HOSTILE, connections=10)
        async with served(tmp_path, settings=few) as web:
            pairs = [await asyncio.open_connection("127.0.0.1", web.port) for _ in range(30)]
            while len(web.server.core.connections) > 10:
                await asyncio.sleep(0.001)
            while web.server.core.connections:
                await asyncio.sleep(0.001)
            assert split(await web.get("/p/1"))[0] == 200
            for _, writer in pairs:
                writer.close()

    asyncio.run(asyncio.wait_for(run(), 20))


def test_pipelined_requests_are_bounded(tmp_path: Path) -> None:
    """A client that requests gigabytes in one packet and reads nothing, filling the memory."""

    async def run() -> int:
        async with served(tmp_path, site=Large(), settings=QUICK) as web:
            peer = socket.socket()
            peer.setblocking(False)
            await asyncio.get_running_loop().sock_connect(peer, ("127.0.0.1", web.port))
            tracemalloc.start()
            peer.send(b"GET /big HTTP/1.1\r\nHost: a\r\n\r\n" * 2000)
            for _ in range(200):
                await asyncio.sleep(0.001)
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            peer.close()
            return most

    assert asyncio.run(run()) < 8_000_000


class Large(FakeSite):
    """A site whose answers have 200,000 different bytes each."""

    def answer(self, question: Any) -> Answer:
        """Return a large page."""
        return Answer(200, (), bytes(200_000), Kind.PAGE, 1)
