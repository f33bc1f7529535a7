"""Single requests to servers that do everything to harm the crawler."""

from __future__ import annotations

import asyncio
import gzip
import time
import tracemalloc
from contextlib import AsyncExitStack
from typing import Any

import brotli
import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching import network
from counterpoint.crawler.fetching.codings import zstd
from counterpoint.crawler.fetching.guard import Guard
from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.messages import Message
from counterpoint.crawler.fetching.network import Answer, Network, PageRequest

from .loopback import Say, serving

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
INSIDE = Guard(private=True)


def ask(response: bytes | Say, times: int = 1, wanted: PageRequest | None = None,
        asked: list[bytes] | None = None, **more: Any) -> list[Answer]:  # fmt: skip
    """Request a page of a server on loopback, without a proxy."""

    async def run() -> list[Answer]:
        async with serving(response, asked) as port:
            network = Network(guard=INSIDE, **more)
            want = (wanted or PageRequest(""))._replace(address=f"http://127.0.0.1:{port}/")
            try:
                return [await network.fetch(want) for _ in range(times)]
            finally:
                await network.close()

    return asyncio.run(run())


def for_ever(piece: bytes, head: bytes = HEAD + b"\r\n", pause: float = 0.0) -> Say:
    """Send a head, and then the same piece forever."""

    async def say(_: bytes, writer: Any) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            if pause:
                await asyncio.sleep(pause)

    return say


def test_an_endless_body() -> None:
    """A body that is read until the memory is full."""
    tracemalloc.start()
    (answer,) = ask(for_ever(b"x" * 65536), limits=Limits(body=300_000))
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert (answer.status, len(answer.body), answer.passing) == (200, 300_000, False)
    assert answer.problem == "longer than 300,000 bytes: cut"


@pytest.mark.long
@pytest.mark.parametrize(
    ("piece", "head"),
    [
        (b"X-More: and more\r\n", HEAD), (b"x" * 1000, HEAD + b"X: "), (b"x" * 1000, b""),
        (b"x" * 1000, b"HTTP/1.1 200 "), (b"HTTP/1.1 100 Continue\r\n\r\n", b""),
        (b"x" * 1000, HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;"),
    ],
)  # fmt: skip
def test_an_endless_head(piece: bytes, head: bytes) -> None:
    """Headers, or text around them, that never end."""
    tracemalloc.start()
    begun = time.monotonic()
    (answer,) = ask(for_ever(piece, head), limits=Limits(seconds=2.0))
    assert time.monotonic() - begun < 60
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()
    assert answer.problem and not answer.body


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n", HEAD + b"\r\n<a href=x>"])
def test_a_slow_answer(head: bytes) -> None:
    """A crawl that waits for a server forever, or a received part that is lost."""
    (answer,) = ask(for_ever(b"", head, pause=0.01), limits=Limits(seconds=0.1))
    assert "not in time" in answer.problem
    assert answer.status == (200 if b"<a" in head else 0)
    assert answer.body == (b"<a href=x>" if b"<a" in head else b"")
    assert answer.passing


@pytest.mark.parametrize("encoding", ["gzip", "br"])
def test_a_bomb(encoding: str) -> None:
    """A few kilobytes that unpack to more than the memory."""
    blanks = bytes(1 << 27)
    packed = gzip.compress(blanks, 6) if encoding == "gzip" else brotli.compress(blanks, quality=1)
    del blanks
    response = HEAD + f"Content-Encoding: {encoding}\r\n\r\n".encode() + packed
    tracemalloc.start()
    answer, other = ask(response, times=2, limits=Limits(body=100_000_000, ratio=10))
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert answer.problem == "unpacks to more than 10 times its size: cut" == other.problem
    assert answer.body and not answer.body.strip(b"\0")


@pytest.mark.parametrize(
    ("response", "body", "problem"),
    [
        (b"Content-Length: 100\r\n\r\n<a>", b"<a>", "breaks off after 3 bytes"),
        (
            b"Transfer-Encoding: chunked\r\n\r\n3\r\n<a>\r\n9\r\n<b>",
            b"<a><b>",
            "breaks off after 6",
        ),
        (b"Transfer-Encoding: chunked\r\n\r\n3\r\n<a>\r\n1\r\nx\r\n0\r\n\r\n", b"<a>x", ""),
        (
            b"Content-Encoding: gzip\r\n\r\n<a>",
            b"",
            "is not compressed as its Content-Encoding says",
        ),
        (b"Content-Encoding: utf-8\r\n\r\n<a>", b"<a>", ""),
        (
            b"Content-Encoding: gzip;q=1\r\n\r\n<a>",
            b"<a>",
            "has a content coding that is not known, 'gzip;q=1': read as it came",
        ),
        (
            b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"<a>", mtime=0)[:-1] + b"\1",
            b"<a>",
            "has a wrong checksum in its compressed data",
        ),
        (b"\r\n", b"", ""),
    ],
)
def test_broken_bodies(response: bytes, body: bytes, problem: str) -> None:
    """A received part that is lost, or that is taken for the whole."""
    (answer,) = ask(HEAD + response)
    assert (answer.status, answer.body) == (200, body)
    assert answer.problem.startswith(problem) and bool(answer.problem) == bool(problem)
    assert answer.passing == ("breaks off" in problem)


@pytest.mark.parametrize(
    ("head", "packed"),
    [
        (
            b"Content-Encoding: gzip, gzip\r\n",
            gzip.compress(gzip.compress(b"<a href=x>", mtime=0), mtime=0),
        ),
        (
            b"Content-Encoding: gzip\r\nContent-Encoding: br\r\n",
            brotli.compress(gzip.compress(b"<a href=x>", mtime=0)),
        ),
        (b"Content-Encoding: zstd\r\n", zstd.compress(b"<a href=x>")),
        (b"Transfer-Encoding: gzip\r\n", gzip.compress(b"<a href=x>", mtime=0)),
        (b"Transfer-Encoding: GZIP;x=1, chunked\r\n", gzip.compress(b"<a href=x>", mtime=0)),
        (
            b"Content-Encoding: br\r\nTransfer-Encoding: gzip, chunked\r\n",
            gzip.compress(brotli.compress(b"<a href=x>"), mtime=0),
        ),
    ],
)
def test_every_coding_is_undone(head: bytes, packed: bytes) -> None:
    """Links that are lost without a word, because a page has two codings, or one for transfer."""
    if b"chunked" in head:
        packed = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    (answer,) = ask(HEAD + head + b"\r\n" + packed)
    assert answer[:2] == (200, b"<a href=x>") and not answer.problem and not answer.coded


@pytest.mark.parametrize("status", [200, 203, 206])
def test_which_statuses_have_a_robots_txt(status: int) -> None:
    """A robots.txt that is not read because of its status, or a part of one that is."""
    response = b"HTTP/1.1 %d X\r\nContent-Type: text/plain\r\n\r\nDisallow: /" % status
    (robots,) = ask(response, wanted=PageRequest("", of_robots=True))
    (page,) = ask(response)
    assert robots[:2] == (status, b"" if status == 206 else b"Disallow: /")
    assert page[:2] == (status, b"")


@pytest.mark.parametrize("pack", [("gzip", gzip.compress), ("br", brotli.compress)])
@pytest.mark.parametrize("lacks", [0, 1, 5])
def test_packed_no_further(pack: tuple[str, Any], lacks: int) -> None:
    """Half of a page, or of a robots.txt, that is taken for the whole."""
    packed = pack[1](b"<a href=x>y</a>" * 99)
    body = packed[: len(packed) - lacks]
    head = f"Content-Encoding: {pack[0]}\r\nContent-Length: {len(body)}\r\n\r\n"
    (answer,) = ask(HEAD + head.encode() + body)
    assert (answer.status, answer.passing) == (200, False)
    assert answer.problem.startswith("breaks off after") == bool(lacks)


def test_a_broken_chunk() -> None:
    """Bytes received before an invalid chunk, lost with it."""

    async def say(_: bytes, writer: Any) -> None:
        writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\n<a>\r\n")
        await writer.drain()
        await asyncio.sleep(0.1)
        writer.write(b"\x1b[31mzz\r\n")

    (answer,) = ask(say, limits=Limits(seconds=1.0))
    assert (answer.status, answer.body) == (200, b"<a>")
    assert answer.problem.startswith("breaks off after 3 bytes") and answer.problem.isprintable()


def test_what_passes() -> None:
    """A page given up after a temporary error, or requested again and again in vain."""
    (answer,) = ask(b"")
    assert (answer.status, answer.passing) == (0, True)
    (answer,) = ask(b"nonsense\r\n\r\n")
    assert (answer.status, answer.passing) == (0, False)

    async def others() -> list[Answer]:
        async with serving(b"") as port:
            pass
        network = Network(guard=INSIDE)
        answer = [await network.fetch(PageRequest(f"http://127.0.0.1:{port}/"))]
        answer.append(await network.fetch(PageRequest("http://no-such-name.invalid/")))
        await network.close()
        return answer

    refused, unknown = asyncio.run(others())
    assert refused.passing and "Cannot connect" in refused.problem
    assert "ssl" not in refused.problem  # aiohttp names the context of every connection
    assert unknown.status == 0 and unknown.problem


def test_what_is_sent() -> None:
    """A cookie that is sent back, missing validators, or a crawler without its name."""
    asked: list[bytes] = []
    response = HEAD + b"Set-Cookie: a=b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    ask(
        response,
        times=2,
        asked=asked,
        wanted=PageRequest("", etag='"1"', modified="then"),
        agent="me/1",
    )
    assert len(asked) == 2
    head = asked[1].decode().split("\r\n")
    assert head[0] == "GET / HTTP/1.1"
    for line in ("User-Agent: me/1", 'If-None-Match: "1"', "If-Modified-Since: then"):
        assert line in head
    assert not [line for line in head if line.lower().startswith(("cookie", "referer"))]
    assert "Accept-Encoding: gzip, deflate, br, zstd" in head


@pytest.mark.parametrize(("name", "header"), [("etag", b"If-None-Match"),
                                              ("modified", b"If-Modified-Since")])  # fmt: skip
def test_one_validator_is_sent(name: str, header: bytes) -> None:
    """A page that is read in full because its server gave one validator and not both."""
    asked: list[bytes] = []
    ask(HEAD + b"Content-Length: 0\r\n\r\n", asked=asked, wanted=PageRequest("", **{name: "x"}))
    assert [line for line in asked[0].split(b"\r\n") if b"If-" in line] == [header + b": x"]


def test_connections_are_used_again() -> None:
    """A new connection for each page."""
    heads = 0

    async def say(head: bytes, writer: Any) -> None:
        nonlocal heads
        heads += 1
        for status in (b"200 OK", b"404 Not Found", b"301 Moved"):
            body = b"HTTP/1.1 " + status + b"\r\nContent-Length: 3\r\n\r\nabc"
            writer.write(body)
            await writer.drain()
            await asyncio.sleep(0.05)

    # Each of the three answers is sent when it is requested, or just before.
    answers = ask(say, times=3)
    assert [one.status for one in answers] == [200, 404, 301] and heads == 1


def test_nothing_is_asked_twice() -> None:
    """An immediate, impolite second request when a kept connection breaks."""
    asked: list[bytes] = []

    async def say(head: bytes, writer: Any) -> None:
        if len(asked) == 1:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            await writer.drain()
            await asyncio.sleep(0.2)  # the second request comes in meanwhile, and is not answered

    first, second = ask(say, times=2, asked=asked)
    assert (first.status, second.status, second.passing) == (200, 0, True)
    assert len(asked) == 1


def test_redirects_are_not_followed() -> None:
    """A redirect that is followed here, though the dispatcher decides on redirects."""
    response = b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n"
    (answer,) = ask(response)
    assert (answer.status, answer.headers["location"]) == (302, "http://10.0.0.1/")


def test_without_a_proxy_no_network() -> None:
    """A crawl that reports a missing proxy as missing pages."""

    async def run(proxy: str) -> Answer:
        network = Network(proxy)
        try:
            return await network.fetch(PageRequest("http://a.test/"))
        finally:
            await network.close()

    async def gone() -> Answer:
        async with serving(b"") as port:
            pass
        return await run(f"127.0.0.1:{port}")

    with pytest.raises(CrawlError, match=r"the proxy http://127\.0\.0\.1:"):
        asyncio.run(gone())


def test_through_a_proxy_numbers_are_checked() -> None:
    """A page of the crawl's own network that is fetched through a proxy."""

    async def run() -> list[Answer]:
        async with serving(HEAD + b"Content-Length: 2\r\n\r\nok") as port:
            network = Network(f"127.0.0.1:{port}")
            answers = [
                await network.fetch(PageRequest(address))
                for address in ("http://a.test/", "http://127.0.0.1/", "http://[::1]:80/")
            ]
            await network.close()
            return answers

    name, *numbers = asyncio.run(run())
    assert name.body == b"ok"
    assert [one.problem for one in numbers] == [
        "127.0.0.1 is no public address", "::1 is no public address",
    ]  # fmt: skip


def test_what_is_kept() -> None:
    """A message that differs from the bytes on the wire, or is stored too late."""
    kept: list[Message] = []

    async def keep(message: Message) -> None:
        kept.append(message)

    packed = gzip.compress(b"<a>")
    response = HEAD + b"Content-Encoding: gzip\r\nX-Y: \xfe\r\n"
    whole = response + f"Content-Length: {len(packed)}\r\n\r\n".encode() + packed
    (answer,) = ask(whole, keep=keep)
    assert answer.body == b"<a>" and (kept[0].body, kept[0].cut) == (packed, "")
    assert ("User-Agent", "counterpoint") in kept[0].asked
    assert kept[0].answered[0] == ("Content-Type", "text/html")
    ask(response + b"Content-Length: 999\r\n\r\n" + packed, keep=keep)
    assert (kept[1].body, kept[1].cut) == (packed, "disconnect")
    (answer,) = ask(b"HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone", keep=keep)
    assert (answer.body, kept[2].body, kept[2].status) == (b"", b"gone", 404)
    ask(for_ever(b"x" * 9999), keep=keep, limits=Limits(body=5000))
    assert kept[3].cut == "length" and len(kept[3].body) < 500_000


def test_what_cannot_be_kept() -> None:
    """A full disk reported as pages that cannot be fetched."""

    async def keep(_: Message) -> None:
        raise CrawlError("--warc: No space left on device")

    with pytest.raises(CrawlError, match="No space left"):
        ask(HEAD + b"Content-Length: 3\r\n\r\n<a>", keep=keep)


@pytest.mark.parametrize("status", [b"200 OK", b"301 Moved", b"404 Not Found"])
def test_no_more_connections_than_the_system_has(
    status: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kept connection for each redirecting site, until no file can be opened."""
    monkeypatch.setattr(network, "_KEPT", 2)

    async def say(_: bytes, writer: Any) -> None:
        writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 3\r\n\r\nabc")
        await writer.drain()
        await asyncio.sleep(60)  # the client may keep the connection

    async def run() -> int:
        async with AsyncExitStack() as stack:
            ports = [await stack.enter_async_context(serving(say)) for _ in range(5)]
            there = Network(guard=INSIDE)
            for port in ports:
                await there.fetch(PageRequest(f"http://127.0.0.1:{port}/"))
            connectors = [session.connector for session in there._sessions.values()]
            kept = sum(len(one) for it in connectors if it for one in it._conns.values())
            await there.close()
            return kept

    assert asyncio.run(run()) == 2
