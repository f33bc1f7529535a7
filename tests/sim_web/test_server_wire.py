"""The bytes on the wire: addresses, headers, bodies, and each fault."""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterpoint.sim_web.answer import Fault
from counterpoint.sim_web.sections import Limits
from counterpoint.sim_web.server import RealClock, VirtualClock

from .serving import QUICK, FakeSite, Served, served, split, unchunked

Asked = Callable[[Served], Coroutine[Any, Any, Any]]


def asked(folder: Path, ask: Asked, **options: Any) -> Any:
    """Return the bytes that a client receives from a server started for it."""

    async def run() -> Any:
        async with served(folder, **options) as web, asyncio.timeout(120):
            return await ask(web)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("target", "host", "url"),
    [
        ("/p/1", "a.test", "http://a.test/p/1"),
        ("/p/1?q=%20#part", "A.Test", "http://a.test/p/1?q=%20"),
        ("/p/1", "a.test:{port}", "http://a.test/p/1"),
        ("/p/1", "a.test:80", "http://a.test/p/1"),
        ("/p/1", "a.test:81", "http://a.test:81/p/1"),
        ("http://b.test/p/2", "a.test", "http://b.test/p/2"),
        ("HTTP://B.Test:80?x=/", "a.test", "http://b.test/?x=/"),
        ("http://b.test", "b.test", "http://b.test/"),
        ("/р", "a.test", "http://a.test/%D1%80"),
    ],
)
def test_the_address_that_is_asked_for(tmp_path: Path, target: str, host: str, url: str) -> None:
    """A Host that overrides the absolute address, or a port or fragment that changes the page."""

    async def ask(web: Served) -> tuple[list[str], list[str]]:
        await web.get(target, host=host.format(port=web.port))
        return [one.url for one in web.site.questions], [one.url for one in web.records()]

    assert asked(tmp_path, ask) == ([url], [url])


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        ("GET /p/1 HTTP/1.0\r\n\r\n", 400, "names no host"),
        ("GET /p/1 HTTP/1.1\r\n\r\n", 400, "Host"),
        ("GET /p/1 HTTP/1.1\r\nHost: a test\r\n\r\n", 400, "not a host name"),
        ("GET /p/1 HTTP/1.1\r\nHost: a.test/x\r\n\r\n", 400, "not a host name"),
        ("GET http://user@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400, "not a host name"),
        ("GET https://a.test/p/1 HTTP/1.1\r\nHost: a.test\r\n\r\n", 501, "https is not served"),
        ("GET ftp://a.test/p/1 HTTP/1.1\r\nHost: a.test\r\n\r\n", 501, "ftp is not served"),
        ("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n", 501, "CONNECT is refused"),
        ("POST /p/1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc", 405, "only GET"),
        ("DELETE /p/1 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n", 405, "only GET"),
        ("BREW /p/1 HTTP/1.1\r\nHost: a.test\r\n\r\n", 501, "no such method"),
        ("nonsense\r\n\r\n", 501, ""),
        ("GET / HTTP/1.1\r\nHost: a.test\r\nX: " + "x" * 40_000, 431, "too large"),
        ("GET / HTTP/1.1\r\nHost: a.test\r\nX: " + "x" * 40_000 + "\r\n\r\n", 431, "too large"),
        ("GET /p/1 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nX-Counterpoint-Time: soon"
         "\r\n\r\n", 400, "not a number of seconds"),
        ("GET /p/1 HTTP/1.1\r\nHost: a.te", 408, "did not come in time"),
        ("GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
         502, "forwards nothing"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, sent: str, status: int, message: str) -> None:
    """An invalid request that is silently dropped, not logged, or answered with a page."""

    async def ask(web: Served) -> tuple[bytes, list[Any]]:
        return await web.raw(sent.encode()), web.records()

    answer, records = asked(tmp_path, ask)
    got, _, body = split(answer)
    assert (got, message in body.decode()) == (status, True), answer
    assert [one.status for one in records] == [status]
    assert {one.kind for one in records} == {"foreign" if status == 502 else "bad"}


def test_answers_keep_their_order(tmp_path: Path) -> None:
    """Pipelined requests that overtake a slow or large one, or are lost after a bad one."""
    paths = ["/p/1", "/fault/slow-headers", "/p/2", "/big/9000", "/chunked/9000", "/p/3", "/same/1"]
    head = "".join(f"GET {path} HTTP/1.1\r\nHost: a.test\r\n\r\n" for path in paths)

    async def ask(web: Served) -> tuple[bytes, list[Any]]:
        return await web.raw(head.encode() + b"not http\r\n\r\n"), web.records()

    answer, records = asked(tmp_path, ask)
    assert [one.url.removeprefix("http://a.test") for one in records] == [*paths, "http"]
    statuses = [part.split(b" ", 1)[0] for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200"] * 6 + [b"304", b"501"]
    at = [answer.index(f"a.test{path} at".encode()) for path in paths[:6]]
    assert at == sorted(at)


def test_a_client_that_ends_its_side_is_answered(tmp_path: Path) -> None:
    """An answer that is dropped because the client closed its side."""
    one = (
        b"GET /big/20000 HTTP/1.1\r\nHost: a.test\r\n\r\nGET /p/2 HTTP/1.1\r\nHost: a.test\r\n\r\n"
    )

    async def ask(web: Served) -> tuple[bytes, list[Any]]:
        return await web.raw(one + b"GET /half", end=True), web.records()

    answer, records = asked(tmp_path, ask)
    assert b"<title>a.test/p/2 at 1.0</title>" in answer
    assert [(r.url, r.status) for r in records] == [
        ("http://a.test/big/20000", 200), ("http://a.test/p/2", 200), ("/half", 0)
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 300, 20_000])
def test_head_and_get_agree(tmp_path: Path, size: int) -> None:
    """A HEAD with a body, or with other headers than the GET's."""

    async def ask(web: Served) -> list[bytes]:
        found = []
        for method in ("HEAD", "GET"):
            line = f"{method} /big/{size} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n"
            found.append(await web.raw(f"{line}X-Counterpoint-Time: 9\r\n\r\n".encode()))
        return found

    head, get = asked(tmp_path, ask, clock=VirtualClock(0))
    assert get.startswith(head)
    assert split(head)[2] == b""
    assert len(split(get)[2]) == int(split(head)[1]["content-length"])


@pytest.mark.parametrize("times", [1, 1000, 20_000])
def test_chunks(tmp_path: Path, times: int) -> None:
    """Chunks for an HTTP/1.0 client, or chunks that do not form the body."""

    async def ask(web: Served) -> list[bytes]:
        old = b"GET /chunked/%d HTTP/1.0\r\nHost: a.test\r\n\r\n" % times
        return [await web.get(f"/chunked/{times}"), await web.raw(old)]

    new, old = asked(tmp_path, ask, clock=VirtualClock(0))
    body = f"<title>a.test/chunked/{times} at 0.0</title>".encode() * times
    assert split(new)[1]["transfer-encoding"] == "chunked"
    assert unchunked(split(new)[2]) == body == split(old)[2]
    assert "transfer-encoding" not in split(old)[1]


def test_an_old_client_that_keeps_the_connection(tmp_path: Path) -> None:
    """A missing Keep-Alive header for an HTTP/1.0 client that requested it."""
    one = b"GET /p/1 HTTP/1.0\r\nHost: a.test\r\nConnection: keep-alive\r\n\r\n"

    async def ask(web: Served) -> bytes:
        return await web.raw(one + one, end=True)

    answer = asked(tmp_path, ask)
    assert answer.count(b"Connection: keep-alive\r\n") == 2


@pytest.mark.parametrize("fault", list(Fault))
def test_faults(tmp_path: Path, fault: Fault) -> None:
    """A fault that does not occur, or that is logged as something else."""

    async def ask(web: Served) -> tuple[bytes, Any]:
        got = await web.get(f"/fault/{fault}")
        return got, web.records()[0]

    answer, record = asked(tmp_path, ask, clock=VirtualClock(0))
    whole = f"<title>a.test/fault/{fault} at 0.0</title>".encode() * 50
    assert record.fault == fault
    if fault in (Fault.RESET, Fault.ROBOTS_TIMEOUT):
        assert (answer, record.status, record.bytes) == (b"RESET", 0, 0)
        return
    status, headers, body = split(answer)
    assert record.status == status
    if fault is Fault.ENDLESS_BODY:
        assert body.endswith(b"RESET")
        assert QUICK.endless_bytes <= record.bytes < 2 * QUICK.endless_bytes
    elif fault is Fault.TRUNCATED_CHUNKS:
        assert headers["transfer-encoding"] == "chunked"
        with pytest.raises(ValueError, match="breaks off"):
            unchunked(body)
    elif fault is Fault.WRONG_LENGTH:
        assert (body, int(headers["content-length"]) > len(whole)) == (whole, True)
    else:
        assert (body, int(headers["content-length"])) == (whole, len(whole))


def test_an_endless_body_ends_when_nobody_reads(tmp_path: Path) -> None:
    """A server that keeps writing to a disconnected client, or buffers unread bytes."""

    async def ask(web: Served) -> Any:
        settings = web.server.core.settings
        assert settings.endless_bytes >= 1 << 30
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
        writer.write(b"GET /fault/endless-body HTTP/1.1\r\nHost: a.test\r\n\r\n")
        await reader.readexactly(500_000)
        writer.transport.abort()
        while not web.lines():
            await asyncio.sleep(0.001)
        return web.records()[0]

    forever = replace(QUICK, endless_bytes=1 << 30, endless_seconds=1e9)
    record = asked(tmp_path, ask, settings=forever)
    assert (record.status, record.fault) == (200, "endless-body")
    assert 400_000 < record.bytes < 1 << 26


def test_a_client_that_takes_nothing_is_dropped(tmp_path: Path) -> None:
    """A slow reader that occupies a connection forever."""

    async def ask(web: Served) -> Any:
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.setblocking(False)
        await asyncio.get_running_loop().sock_connect(peer, ("127.0.0.1", web.port))
        peer.send(b"GET /big/900000 HTTP/1.1\r\nHost: a.test\r\n\r\n")
        while not web.lines():
            await asyncio.sleep(0.001)
        peer.close()
        return web.records()[0]

    record = asked(tmp_path, ask, settings=replace(QUICK, stalled_seconds=0.05))
    whole = len("<title>a.test/big/900000 at 0.0</title>") * 900_000
    assert record.status == 200
    assert 0 < record.bytes < whole


def test_a_refusal_after_a_large_answer_is_not_waited_for(tmp_path: Path) -> None:
    """A late reader that keeps a closed connection open for long."""

    async def ask(web: Served) -> float:
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(peer, ("127.0.0.1", web.port))
        while not web.server.core.connections:
            await asyncio.sleep(0.001)
        (connection,) = web.server.core.connections
        own = connection._transport.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # too small for the answer
        peer.send(b"GET /big/6000 HTTP/1.1\r\nHost: a.test\r\n\r\nnonsense\r\n\r\n")
        while len(web.lines()) < 2:
            await asyncio.sleep(0.001)
        got = b""
        while piece := await loop.sock_recv(peer, 1 << 16):
            got += piece
        assert got.count(b"HTTP/1.1 200 ") == got.count(b"HTTP/1.1 501 ") == 1
        taken = loop.time()
        while web.server.core.connections:  # the client closes nothing
            await asyncio.sleep(0.001)
            assert loop.time() < taken + 10
        peer.close()
        return loop.time() - taken

    patient = replace(QUICK, idle_seconds=20, stalled_seconds=20, linger_seconds=0.2)
    assert asked(tmp_path, ask, settings=patient) < 5


def test_a_web_that_fails_is_answered_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of ours that stops the server, or that is not reported."""

    async def ask(web: Served) -> tuple[bytes, bytes]:
        return await web.get("/boom"), await web.get("/p/1")

    failed, fine = asked(tmp_path, ask)
    assert (split(failed)[0], split(fine)[0]) == (500, 200)
    assert capsys.readouterr().err == (
        "counterpoint: 'http://a.test/boom': LookupError: a page that cannot be made\n"
    )


def test_too_many_requests(tmp_path: Path) -> None:
    """A limit that counts other hosts' requests, has no Retry-After, or is not logged."""

    async def ask(web: Served) -> list[tuple[int, str | None]]:
        found = []
        for path, time in [("/p/1", 0), ("/p/2", 0), ("/p/3", 0), ("/p/4", 2), ("/p/5", 2)]:
            got = split(await web.get(path, f"X-Counterpoint-Time: {time}"))
            found.append((got[0], got[1].get("retry-after")))
        other = split(await web.get("/p/1", host="b.test"))
        assert other[0] == 200
        last = [(r.status, r.fault, r.page, r.kind) for r in web.records()]
        assert last[2] == (429, "too-many-requests", None, "page")
        return found

    limits = Limits(requests_per_second=0.5, burst=2)
    found = asked(tmp_path, ask, limits=limits, clock=VirtualClock(0))
    assert found == [(200, None), (200, None), (429, "2"), (200, None), (429, "2")]


def test_time_goes_forward_only(tmp_path: Path) -> None:
    """A request that turns the clock back, so that a page loses a change."""

    async def ask(web: Served) -> list[float]:
        for time in ("100", "50", None, "1e300"):
            await web.get("/p/1", *([f"X-Counterpoint-Time: {time}"] if time else []))
        return [one.time for one in web.site.questions]

    assert asked(tmp_path, ask) == [100.0, 101.0, 102.0, 1e11]


def test_real_time_passes_by_itself(tmp_path: Path) -> None:
    """A wall clock that stands still, or that requests can set."""

    async def ask(web: Served) -> list[float]:
        for _ in range(3):
            await web.get("/p/1", "X-Counterpoint-Time: 1000000000")
        return [one.time for one in web.site.questions]

    times = asked(tmp_path, ask, clock=RealClock(speed=1000))
    assert 0 < times[0] < times[1] < times[2] < 1e6


def test_one_site_serves_alike_on_both_ways(tmp_path: Path) -> None:
    """A page that differs between direct requests and the proxy."""

    async def ask(web: Served) -> list[bytes]:
        return [await web.get("/p/7"), await web.get("http://a.test/p/7", host="x.test")]

    direct, proxied = asked(tmp_path, ask, clock=VirtualClock(0), site=FakeSite())
    assert direct == proxied


def test_connections_leave_room_for_files() -> None:
    """A server with so many connections that it cannot open a file."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    found = replace(QUICK, connections=1 << 40).bearable().connections
    assert found <= files / 2 or files == resource.RLIM_INFINITY
    assert replace(QUICK, connections=3).bearable().connections == 3
