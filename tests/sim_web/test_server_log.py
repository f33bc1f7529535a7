"""The access log is complete under load, after a kill, and when the disk is full."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.sim_web import record
from counterpoint.sim_web.answer import Fault, Kind
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.server import AccessLog, Server, VirtualClock
from counterpoint.sim_web.server import log as logging

from .serving import HEADER, QUICK, FakeSite, Served, served

ROOT = Path(__file__).resolve().parents[2]

texts = st.text(st.characters(codec=None), max_size=20)
times = st.integers(0, 10**17).map(lambda n: n / 1e6)


@given(
    times, times, texts, texts, texts, texts, texts, st.integers(0, 999), st.integers(0, 2**40),
    st.sampled_from(Kind), st.sampled_from(Fault), st.none() | st.integers(0, 10**12),
    st.integers(0, 10**6), st.integers(0, 3600),
)  # fmt: skip
def test_a_line_says_what_it_was_given(
    started: float, ended: float, client: str, agent: str, method: str, url: str, host: str,
    status: int, size: int, kind: Kind, fault: Fault, page: int | None, version: int,
    wait: int,
) -> None:  # fmt: skip
    """A hand-formatted line that a JSON parser refuses or misreads."""
    line = logging.line(
        started, ended, logging.quoted(client), logging.quoted(agent), method, url, host, status,
        size, kind, fault, page, version, wait,
    )  # fmt: skip
    assert line.isascii()
    assert line.index("\n") == len(line) - 1
    assert record.record(line) == record.Record(
        started,
        ended,
        client,
        agent,
        method,
        url,
        host,
        status,
        size,
        kind,
        fault,
        page,
        version,
        wait,
    )


def test_a_log_says_what_web_it_is_of(tmp_path: Path) -> None:
    """A log that does not name its web."""
    AccessLog(tmp_path / "log", HEADER).close()
    assert record.header((tmp_path / "log").read_text()) == HEADER


@pytest.mark.parametrize("before", [None, "", "header"])
def test_a_log_of_nothing_is_taken_away(tmp_path: Path, before: str | None) -> None:
    """An older file or one with a request that is removed, or a header left behind."""
    path = tmp_path / "log"
    if before is not None:
        path.write_text(HEADER.line() if before else "")
    AccessLog(path, HEADER).withdraw()
    assert path.exists() == (before is not None)
    log = AccessLog(path, HEADER)
    log.write(["a request\n"])
    log.withdraw()
    assert path.read_text() == HEADER.line() + "a request\n"


def test_a_log_is_not_overwritten(tmp_path: Path) -> None:
    """An older log that is lost by starting the server again."""
    path = tmp_path / "log"
    path.write_text("yesterday\n")
    with pytest.raises(WebError, match="is not empty"):
        AccessLog(path, HEADER)
    assert path.read_text() == "yesterday\n"


CHILD = """
import asyncio, sys
from pathlib import Path
from counterpoint.sim_web.server import AccessLog, Server, VirtualClock
from tests.sim_web.serving import HEADER, QUICK, FakeSite
async def main():
    log = AccessLog(Path(sys.argv[1]), HEADER)
    server = Server(FakeSite(), VirtualClock(), log=log, settings=QUICK)
    await server.start()
    print(server.address[1], flush=True)
    await asyncio.Event().wait()
if sys.argv[2] == "uvloop":
    import uvloop
    uvloop.run(main())
else:
    asyncio.run(main())
"""


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_a_kill_loses_nothing_that_was_received(tmp_path: Path, loop: str) -> None:
    """An answer received but not logged, when the server is killed under load."""
    log = tmp_path / "log"
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(log), loop],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        try:
            assert child.stdout is not None
            received = asyncio.run(_fetch_until_killed(int(child.stdout.readline()), child))
        finally:
            child.kill()
    lines = log.read_bytes().split(b"\n")
    whole = [json.loads(line) for line in lines[1:-1]]  # the last may be torn, or is empty
    logged = {one["url"] for one in whole}
    assert len(received) > 1000
    assert len(logged) == len(whole)
    assert [url for url in received if url not in logged] == []


async def _fetch_until_killed(port: int, child: subprocess.Popen[str]) -> list[str]:
    received: list[str] = []

    async def client(name: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        try:
            for number in range(100_000):
                path = "chunked/9000" if number % 50 == 49 else f"p/{number}"
                url = f"http://c{name}.test/{path}?{number}"
                writer.write(f"GET {url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                head = await reader.readuntil(b"\r\n\r\n")
                if b"chunked" in head:
                    await reader.readuntil(b"\r\n0\r\n\r\n")
                else:
                    length = head.rpartition(b"Content-Length: ")[2].partition(b"\r\n")[0]
                    await reader.readexactly(int(length))
                received.append(url)
                if len(received) == 1500:
                    os.kill(child.pid, signal.SIGKILL)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    await asyncio.gather(*(client(k) for k in range(16)))
    return received


def test_a_full_disk_stops_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers sent without a log line, or half a line, on a full disk."""
    write, room = os.write, [4]

    def full(file: int, data: bytes) -> int:
        room[0] -= 1
        if room[0] < 0:
            raise OSError(28, "No space left on device")
        return write(file, data if room[0] else data[:7])

    async def run() -> list[bytes]:
        log = AccessLog(tmp_path / "log", HEADER)
        server = Server(FakeSite(), VirtualClock(), log=log, settings=QUICK)
        await server.start()
        web = Served(server, FakeSite(), tmp_path / "log")
        monkeypatch.setattr(logging.os, "write", full)
        got = [await web.get(f"/p/{k}") for k in range(4)]
        with pytest.raises(WebError, match="No space left on device; the server stops"):
            await server.core.failed
        await server.stop()
        return got

    got = asyncio.run(run())
    assert [bool(one.removesuffix(b"RESET")) for one in got] == [True, True, True, False]
    lines = (tmp_path / "log").read_text().split("\n")
    assert [record.record(one).page for one in lines[1:-1]] == [0, 1, 2]
    assert lines[-1] == ""


def test_a_stopped_server_has_logged_what_broke_off(tmp_path: Path) -> None:
    """A half-answered request at the server's stop that is not logged."""

    async def run() -> None:
        async with served(tmp_path) as web:
            reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
            writer.write(b"GET /big/4000000 HTTP/1.1\r\nHost: a.test\r\n\r\n")
            await reader.readexactly(100_000)
        found = web.records()
        assert [(r.status, r.page) for r in found] == [(200, 9)]
        assert 100_000 <= found[0].bytes < 100_000_000
        assert {t for t in asyncio.all_tasks() if t is not asyncio.current_task()} == set()
        writer.transport.abort()

    asyncio.run(run())
