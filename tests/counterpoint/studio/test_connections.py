"""A studio that clients try to block: by many connections, and by slow ones."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.store import seeds
from counterpoint.studio import connections, terminal
from counterpoint.studio.connections import Connections, StudioRunner, bearable

from .client import Client, use_studio
from .test_command import ROOT, load, studio
from .test_guard import VIEWS

HELD = 1000
SECONDS = 2.0
LOGGED = 10_000


@pytest.mark.parametrize("files", [
    pytest.param(1024, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.long),
])  # fmt: skip
def test_a_user_is_served_during_an_attack(files: int, tmp_path: Path) -> None:
    """Half-open connections that lock the user out, or fill the disk with tracebacks.

    With few files, the studio learns only when it accepts a connection that there are no more.
    """
    with studio(tmp_path, "--db", "crawl.db") as (process, address):
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (files, files))
        port = address.rstrip("/").rpartition(":")[2]
        # The clients stand for other machines, so they must not take the studio's processor.
        command = ["nice", "-n", "10", sys.executable, "-m",
                   "tests.counterpoint.studio.half_open", port,
                   "--connections", str(HELD)]  # fmt: skip
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as attack:
            assert attack.stdout is not None
            try:
                while int(attack.stdout.readline()) < 2 * HELD:
                    pass
                for view in VIEWS:  # until the studio has met the limit of files
                    with contextlib.suppress(OSError):
                        load(address.rstrip("/") + view)
                slowest = 0.0
                for view in VIEWS * 3:
                    begun = time.monotonic()
                    assert "Counterpoint studio" in load(address.rstrip("/") + view)
                    slowest = max(slowest, time.monotonic() - begun)
            finally:
                attack.kill()
        assert slowest < SECONDS
        process.terminate()
        _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert len(err) < LOGGED
    assert "Traceback" not in err


class Counted(asyncio.Protocol):
    """A protocol that does nothing."""


class FakeTransport(asyncio.Transport):
    """A transport that records whether it was closed, and what was written."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = ""
        self.written = b""

    def abort(self) -> None:
        self.ended = "aborted"

    def close(self) -> None:
        self.ended = "closed"

    def write(self, data: Any) -> None:
        self.written += data


def opened(among: Connections) -> tuple[connections.Connection, FakeTransport]:
    """Open a connection."""
    found, transport = among(), FakeTransport()
    found.connection_made(transport)
    return found, transport


def test_which_connection_is_dropped() -> None:
    """A connection dropped while it is answered, or one that was used before one never used."""

    async def act() -> None:
        among = Connections(Counted, most=4)
        working, resting, fresh, other = (opened(among) for _ in range(4))
        working[0].works()
        resting[0].works()
        resting[0].rests()
        more = opened(among)
        assert fresh[1].ended == "aborted"
        last = opened(among)
        assert [one[1].ended for one in (other, more, resting, working)] == ["aborted", "", "", ""]
        more[0].works()
        last[0].works()
        following = opened(among)  # only a resting one is left, besides this one
        assert (resting[1].ended, following[1].ended) == ("aborted", "")
        following[0].works()
        assert opened(among)[1].ended == "aborted"  # all others are being answered
        assert len(among) == 4
        for one in (working, more, last, following):
            one[0].connection_lost(None)
        assert len(among) == 0

    asyncio.run(act())


def test_a_client_that_does_not_read_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is kept for ever because its client reads nothing."""
    monkeypatch.setattr(connections, "STALLED", 0.0)

    async def act() -> None:
        stalled, transport = opened(Connections(Counted, most=4))
        stalled.works()
        stalled.pause_writing()
        while not transport.ended:
            await asyncio.sleep(0)
        reading, other = opened(Connections(Counted, most=4))
        reading.pause_writing()
        reading.resume_writing()
        for _ in range(20):
            await asyncio.sleep(0)
        assert (transport.ended, other.ended) == ("aborted", "")

    asyncio.run(act())


@pytest.mark.parametrize("begun", [b"", b"GET /crawl HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_does_not_arrive(
    begun: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that waits for a head for ever, or a timer that ends a live one."""

    class Impatient(StudioRunner):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, head=0.2, **options)

    monkeypatch.setattr("tests.counterpoint.studio.client.StudioRunner", Impatient)

    async def act(client: Client) -> tuple[bytes, int]:
        assert (await client.get("/crawl")).status == 200  # this connection stays open
        reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        writer.write(begun)
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        return answer, (await client.get("/crawl")).status

    answer, status = use_studio(tmp_path, act)
    assert status == 200
    assert answer.startswith(b"HTTP/1.1 408 ") if begun else answer == b""
    if begun:
        head, _, body = answer.partition(b"\r\n\r\n")
        assert f"Content-Length: {len(body)}".encode() in head


def test_answered_connections_make_room_and_live_views_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept connections that lock the user out, or a live view that is dropped for another one."""

    class Small(StudioRunner):
        def __init__(self, made: Any, _: int, **options: Any) -> None:
            super().__init__(made, 3, **options)

    monkeypatch.setattr("tests.counterpoint.studio.client.StudioRunner", Small)

    async def act(client: Client) -> None:
        kept = []
        async with client.http.get("/events") as view:
            assert await asyncio.wait_for(view.content.readline(), 20)
            for _ in range(6):
                reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
                kept.append(writer)
                host = f"Host: 127.0.0.1:{client.port}"
                writer.write(f"GET /crawl HTTP/1.1\r\n{host}\r\n\r\n".encode())
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
                assert head.startswith(b"HTTP/1.1 200 ")
                await asyncio.wait_for(reader.readuntil(b"</html>"), 20)
            while not (await asyncio.wait_for(view.content.readline(), 20)).startswith(b"data: "):
                pass
            seeds.add(client.store, "http://a.test/")
            while b"totals" not in (line := await asyncio.wait_for(view.content.readline(), 20)):
                assert line, "the live view was dropped"
        for writer in kept:
            writer.close()

    use_studio(tmp_path, act)


def test_the_limit_fits_the_files_that_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that the system does not allow: then accepting fails, and nobody is served."""
    for files, most in ((20, 16), (256, 128), (1024, 256), (resource.RLIM_INFINITY, 256)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert bearable() == most


def logged(records: int, error: BaseException | None, bugs: bool, times: list[float]) -> list[str]:
    """Log some records at some times; return the written lines."""
    import io

    handler = terminal.FewRecords(bugs, now=lambda: times.pop(0) if len(times) > 1 else times[0])
    handler.setStream(out := io.StringIO())
    log = logging.Logger("test")
    log.addHandler(handler)
    for number in range(records):
        log.error("record %d", number, exc_info=error)
    return out.getvalue().splitlines()


def test_the_log_stays_short() -> None:
    """A line for each malformed request, a traceback for one, or a bug that leaves no trace."""
    outside = OSError("too many\nopen files")
    lines = logged(1000, outside, False, [0.0])
    assert len(lines) == terminal.RECORDS
    assert lines[0] == "counterpoint studio: record 0: too many open files"
    later = logged(terminal.RECORDS + 6, outside, False, [0.0] * (terminal.RECORDS + 6) + [61.0])
    assert later[-2:] == ["counterpoint studio: 5 more were left out",
                          "counterpoint studio: record 15: too many open files"]  # fmt: skip
    assert logged(3, outside, True, [0.0]) == []
    try:
        raise KeyError("a bug")
    except KeyError as error:
        assert logged(1, error, False, [0.0]) == []
        shown = logged(1000, error, True, [0.0])
    assert shown.count("Traceback (most recent call last):") == terminal.RECORDS


def test_malformed_requests_leave_one_line_each(tmp_path: Path) -> None:
    """A traceback in the terminal for each request that is no HTTP."""
    with studio(tmp_path, "--db", "crawl.db") as (process, address):
        port = int(address.rstrip("/").rpartition(":")[2])
        for data in (b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/9.9.9\r\n\r\n", b"x" * 20_000) * 5:
            with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                while client.recv(4096):
                    pass
        for number in range(20):  # aiohttp warns of each text once
            part = f"--x\r\nContent-Disposition: {number}; =\r\n\r\nx\r\n--x--\r\n".encode()
            headers = {"Origin": address.rstrip("/"),
                       "Content-Type": "multipart/form-data; boundary=x"}  # fmt: skip
            request = urllib.request.Request(f"{address}sites/add", part, headers)
            with pytest.raises(urllib.error.HTTPError, match="400"):
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
        assert "No sites yet" in load(address)
        process.terminate()
        _, err = process.communicate(timeout=20)
    lines = err.splitlines()
    assert "Traceback" not in err
    assert 1 < len(lines) <= 1 + terminal.RECORDS
    assert all(line.startswith(("counterpoint studio: ", "Ctrl-C ")) for line in lines)
