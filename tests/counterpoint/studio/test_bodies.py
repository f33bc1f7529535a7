"""Bodies that are no forms of the studio: each gets one sentence, and changes nothing."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import zlib
from html import unescape
from pathlib import Path

import pytest

from counterpoint.crawler.store import seeds
from counterpoint.studio import guard

from .client import Answer, Client, use_studio

FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=x"
BOMB = gzip.compress(b"start=" + b"x" * 60_000_000, 9, mtime=0)


def parts(*heads: str) -> bytes:
    """Return a multipart body with one part for each head, and a field of a form."""
    given = "".join(f"--x\r\n{head}\r\n\r\n=ff\r\n" for head in heads)
    return f"{given}--x--\r\n".encode()


FIELD = 'Content-Disposition: form-data; name="start"'
FILE = 'Content-Disposition: form-data; name="file"; filename="a.csv"'
BODIES: tuple[tuple[int, dict[str, str], bytes], ...] = (
    (415, {"Content-Type": FORM, "Content-Encoding": "gzip"}, b"garbage"),
    (415, {"Content-Type": FORM, "Content-Encoding": "gzip"}, gzip.compress(b"start=x", mtime=0)),
    (415, {"Content-Type": FORM, "Content-Encoding": "gzip"}, BOMB),
    (415, {"Content-Type": FORM, "Content-Encoding": "deflate"}, zlib.compress(b"start=x")),
    (415, {"Content-Type": FORM, "Content-Encoding": "br, gzip"}, b"x"),
    (415, {"Content-Type": FORM, "Content-Encoding": "nothing"}, b"start=x"),
    (415, {"Content-Type": "application/json"}, json.dumps({"start": "http://a.test/"}).encode()),
    (415, {"Content-Type": "text/plain"}, b"start=x"),
    (415, {"Content-Type": ";;"}, b"start=x"),
    (400, {"Content-Type": f"{FORM}; charset=none"}, b"start=x"),
    (400, {"Content-Type": f"{FORM}; charset=utf-16"}, b"\xff\xfe\x00"),
    (400, {"Content-Type": f"{FORM}; charset=base64"}, b"%%"),
    (400, {"Content-Type": f"{FORM}; charset=rot13"}, b"start=x"),
    (400, {"Content-Type": f"{FORM}; charset=unicode_escape"}, rb"full_name=\ud800"),
    (400, {"Content-Type": f"{FORM}; charset=unicode_escape"}, rb"\ud800=x"),
    (400, {"Content-Type": FORM}, b"start=\xff\xfe"),
    (400, {"Content-Type": "multipart/form-data"}, b"x"),
    (400, {"Content-Type": PARTS}, b"no boundary"),
    (400, {"Content-Type": PARTS}, b"--x"),
    (400, {"Content-Type": PARTS}, b"--x\r\n" + FIELD.encode()),
    (400, {"Content-Type": PARTS}, parts("Content-Type: text/plain")),
    (400, {"Content-Type": PARTS}, parts(f"{FIELD}\r\nContent-Transfer-Encoding: none")),
    (400, {"Content-Type": PARTS}, parts(f"{FIELD}\r\nContent-Transfer-Encoding: base64")),
    (400, {"Content-Type": PARTS}, parts(f"{FIELD}\r\nContent-Type: text/plain; charset=none")),
    (400, {"Content-Type": PARTS}, parts(f"{FIELD}\r\nContent-Type: text/plain; charset=utf-16")),
    (400, {"Content-Type": f"{PARTS}{'y' * 80}"}, b"--x"),
)  # fmt: skip


def sentence(answer: Answer) -> str:
    """Return what the page of an error says."""
    found = re.search(r'<section class="empty"><p>(.*?)</p>', answer.text, re.S)
    assert found is not None, answer.text
    return unescape(found[1])


def test_a_body_that_is_no_form(tmp_path: Path) -> None:
    """An error 500 or a traceback for a body that is compressed, broken, or of another type."""

    async def act(client: Client) -> None:
        for path in ("/sites/add", "/sites/import", "/settings", "/links/external/delete"):
            for status, headers, body in BODIES:
                sent = {"Origin": client.origin, **headers}
                answer = await client.request("POST", path, data=body, headers=sent)
                case = (path, headers, body[:80], answer.status)
                assert answer.status == (413 if len(body) > guard.LARGE else status), case
                assert re.fullmatch(r"[A-Z][^.\n]*\.", sentence(answer)), case
        assert seeds.listed(client.store) == []

    use_studio(tmp_path, act)


def test_a_part_is_not_decompressed(tmp_path: Path) -> None:
    """A few bytes in a part that fill the memory, or that end as a traceback."""
    for head in (FIELD, FILE):
        for packed in (BOMB, b"garbage"):
            body = (f"--x\r\n{head}\r\nContent-Encoding: gzip\r\n\r\n".encode() + packed
                    + b"\r\n--x--\r\n")  # fmt: skip

            async def act(client: Client, body: bytes = body) -> Answer:
                sent = {"Origin": client.origin, "Content-Type": PARTS}
                return await client.request("POST", "/sites/import", data=body, headers=sent)

            answer = use_studio(tmp_path, act)
            assert answer.status in (400, 403)
            assert len(answer.text) < 10_000


async def raw(client: Client, *lines: str, body: bytes = b"") -> list[str]:
    """Send a request as given; return the lines of the answer's head, and its body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    host = f"Host: 127.0.0.1:{client.port}"
    writer.write("\r\n".join((lines[0], host, *lines[1:], "", "")).encode() + body)
    answer = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    head, _, rest = answer.decode().partition("\r\n\r\n")
    return [*head.split("\r\n"), rest]


def test_lengths_that_are_wrong(tmp_path: Path) -> None:
    """A request that is smuggled in the body of another one, or one that is never answered."""
    post, form = "POST /sites/add HTTP/1.1", f"Content-Type: {FORM}"

    async def act(client: Client) -> None:
        origin = f"Origin: {client.origin}"
        for lines, body in (
            (("Content-Length: 5", "Content-Length: 6"), b"csrf=x"),
            (("Content-Length: 6", "Transfer-Encoding: chunked"), b"0\r\n\r\n"),
            (("Content-Length: -1",), b""),
            (("Content-Length: +6",), b"csrf=x"),
            (("Content-Length: 99999999999999999999",), b"csrf=x"),
            (("Transfer-Encoding: gzip, chunked",), b"0\r\n\r\n"),
            (("Transfer-Encoding: chunked, gzip",), b"0\r\n\r\n"),
            (("Transfer-Encoding: chunked",), b"zz\r\n\r\n"),
            (("Transfer-Encoding : chunked",), b"0\r\n\r\n"),
            (("Transfer-Encoding: chunked",), b"6\r\ncsrf=x\r\n0\r\n\r\n"),
        ):
            found = await raw(client, post, origin, form, "Connection: close", *lines, body=body)
            status = int(found[0].split()[1])
            assert status in (400, 411, 413, 501), (lines, found)
            assert sum(line.startswith("HTTP/1.") for line in found) == 1
        assert seeds.listed(client.store) == []

    use_studio(tmp_path, act)


def test_a_body_that_does_not_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is kept for ever by a form whose end is never sent."""
    monkeypatch.setattr(guard, "PATIENCE", 0.2)

    async def act(client: Client) -> list[str]:
        return await raw(client, "POST /sites/add HTTP/1.1", f"Origin: {client.origin}",
                         f"Content-Type: {FORM}", "Content-Length: 100", body=b"csrf=",
                         )  # fmt: skip

    found = use_studio(tmp_path, act)
    assert found[0] == "HTTP/1.1 408 Request Timeout"
    assert "The form did not arrive in 0.2 seconds." in found[-1]


def test_a_client_that_expects_something(tmp_path: Path) -> None:
    """An expectation that ends in a traceback, or an answer to it without the security headers."""

    async def act(client: Client) -> None:
        for expected, status in (("100-continue", 100), ("a-miracle", 417)):
            found = await raw(client, "POST /sites/add HTTP/1.1", f"Origin: {client.origin}",
                              "Connection: close", f"Content-Type: {FORM}", "Content-Length: 6",
                              f"Expect: {expected}", body=b"csrf=x")  # fmt: skip
            assert found[0].startswith(f"HTTP/1.1 {status} ")
            if status == 417:
                assert f"Content-Security-Policy: {guard.POLICY}" in found
            else:
                assert "HTTP/1.1 403 Forbidden" in found[-1]

    use_studio(tmp_path, act)
