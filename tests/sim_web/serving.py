"""A small web whose addresses name their faults, a server for it, and a raw client."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from counterpoint.sim_web import record
from counterpoint.sim_web.answer import Answer, Fault, Kind, Question
from counterpoint.sim_web.server import AccessLog, Mounts, Server, ServerSettings, VirtualClock

QUICK = ServerSettings(
    header_seconds=0.05, idle_seconds=5, stalled_seconds=5, linger_seconds=0.5, slow_seconds=0.02,
    endless_seconds=5, endless_bytes=1 << 20, robots_seconds=0.02,
)  # fmt: skip
HTML = ("Content-Type", "text/html; charset=utf-8")


class FakeSite:
    """Hosts ``*.test``: ``/p/N`` is page N, ``/fault/NAME`` a page with that fault."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def answer(self, question: Question) -> Answer:
        """Return the answer that the address names."""
        self.questions.append(question)
        found = re.match(r"http://([^/:]+)(:\d+)?(/[^?]*)", question.url)
        if found is None or not found[1].endswith(".test") or found[2]:
            return Answer(502, (), b"this proxy forwards nothing\n", Kind.FOREIGN)
        return self._page(found[1], found[3], question)

    def kind(self, question: Question) -> Kind | None:
        """Return the kind of the answer, without recording the request."""
        asked = list(self.questions)
        kind = self.answer(question).kind
        self.questions = asked
        return kind

    def _page(self, host: str, path: str, question: Question) -> Answer:
        parts = path.split("/")
        body = f"<title>{host}{path} at {question.time}</title>".encode()
        if parts[1] == "boom":
            raise LookupError("a page that cannot be made")
        if parts[1] == "p" and parts[2].isdigit():
            page = int(parts[2])
            return Answer(200, (HTML, ("ETag", f'"{page}"')), body, Kind.PAGE, page, version=3)
        if parts[1] == "big":
            return Answer(200, (HTML,), body * int(parts[2]), Kind.PAGE, 9)
        if parts[1] == "chunked":
            return Answer(200, (HTML,), body * int(parts[2]), Kind.PAGE, 9, chunked=True)
        if parts[1] == "fault":
            fault = Fault(parts[2])
            status = {Fault.GONE: 410, Fault.SERVER_ERROR: 500}.get(fault, 200)
            return Answer(status, (HTML,), body * 50, Kind.PAGE, 5, fault=fault)
        if parts[1] == "same":
            return Answer(304, (("ETag", '"x"'),), b"", Kind.PAGE, 1)
        return Answer(404, (HTML,), b"nothing here", Kind.MISSING)


class Served:
    """A running server, with its log."""

    def __init__(self, server: Server, site: FakeSite, log: Path) -> None:
        self.server = server
        self.site = site
        self.log = log

    @property
    def port(self) -> int:
        """The server's port."""
        return self.server.address[1]

    def lines(self) -> list[str]:
        """Return the lines of the log, without its header."""
        return self.log.read_text().splitlines()[1:]

    def records(self) -> list[record.Record]:
        """Return the requests in the log."""
        return [record.record(line) for line in self.lines()]

    async def raw(self, sent: bytes, *, end: bool = False) -> bytes:
        """Send bytes; return all received ones, with b'RESET' at the end if the server resets.

        Parameters
        ----------
        end : bool
            Whether the client closes its sending side.
        """
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent)
        if end:
            writer.write_eof()
        got = bytearray()
        try:
            while piece := await asyncio.wait_for(reader.read(65536), 5):
                got += piece
        except ConnectionResetError:
            got += b"RESET"
        writer.close()
        return bytes(got)

    async def get(self, path: str, *headers: str, host: str = "a.test") -> bytes:
        """Return the whole answer to one request."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Connection: close", *headers]
        return await self.raw(("\r\n".join(lines) + "\r\n\r\n").encode())


HEADER = record.Header(profile={"name": "fake"}, pages=10, seed=1, mounts={}, real_time=False)


@asynccontextmanager
async def served(folder: Path, **options: Any) -> AsyncIterator[Served]:
    """Run a server around the fake site, with a log in a folder."""
    site = options.pop("site", None) or FakeSite()
    log = folder / "access.jsonl"
    clock = options.pop("clock", None) or VirtualClock(1.0)
    mounts = Mounts(options.pop("mounts", {}))
    options.setdefault("settings", QUICK)
    server = Server(site, clock, log=AccessLog(log, HEADER), mounts=mounts, **options)
    await server.start()
    try:
        yield Served(server, site, log)
    finally:
        await server.stop()


def split(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers by lower-case name, and the rest."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(first.split()[1]), {name.lower(): value for name, value in headers.items()}, body


def unchunked(data: bytes) -> bytes:
    """Return the body from its chunks; raise ValueError if they are incomplete."""
    body = b""
    while True:
        size, _, data = data.partition(b"\r\n")
        length = int(size, 16)
        if len(data) < length + 2:
            raise ValueError("breaks off")
        body, data = body + data[:length], data[length + 2 :]
        if not length:
            return body


def as_json(line: str) -> dict[str, Any]:
    """Return a line of a log as an object."""
    report = json.loads(line)
    assert isinstance(report, dict)
    return report
