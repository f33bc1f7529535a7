"""What a server sends on its connection: answers of HTTP, and bodies in content codings."""

from __future__ import annotations

import asyncio
import contextlib

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.codings import UnpackingError
from counterpoint.crawler.fetching.guard import Guard
from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.messages import Message
from counterpoint.crawler.fetching.network import Network, PageRequest
from counterpoint.crawler.fetching.unpacking import HARMLESS, Unpacking
from tests.crawler.fetching.loopback import serving

from ..inputs import changed, corpus
from ..reader import Reader

HTTP = (
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 ", b"HTTP/9.9 ", b" 100 Continue\r\n\r\n", b" 101 \r\n",
    b" 204 ", b" 304 ", b" 302 ", b" 999 ", b" 0 ", b"Content-Length: ", b"Content-Length: -1\r\n",
    b"Content-Length: 99999999999999999999\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n", b"Content-Encoding: gzip\r\n",
    b"Content-Encoding: br, zstd\r\n", b"Content-Encoding: deflate\r\n", b"Location: //\r\n",
    b"Content-Type: text/html\r\n", b"Connection: keep-alive\r\n", b"Connection: upgrade\r\n",
    b"\r\n\r\n", b"ffffffffffffffff\r\n", b"5;a=b\r\n", b"0\r\n\r\n", b"-1\r\n", b" folded\r\n",
    b"Set-Cookie: a=b\r\n", b":", b"a: b\r\n", b"Trailer: x\r\n", b"ETag: \"\r\n",
)  # fmt: skip
CODINGS = (
    b"gzip", b"deflate", b"br", b"zstd", b",", b"gzip, ", b"identity", b"x-gzip", b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd", b"\x78\x9c", b"\x50\x2a\x4d\x18\0\0\0\0",
)  # fmt: skip
MOST = 200_000
"""The most bytes of a body here."""
_LIMITS = Limits(seconds=5, body=MOST)


def _answer(data: bytes) -> None:
    """Send an answer, close the connection, and read it as a page and as a robots.txt."""
    asyncio.run(_asked(data))


async def _asked(data: bytes) -> None:
    messages: list[Message] = []

    async def keep(message: Message) -> None:
        messages.append(message)

    async with serving(data) as port:
        for of_robots, kept in ((False, None), (True, keep)):
            network = Network(limits=_LIMITS, guard=Guard(private=True), keep=kept)
            try:
                wanted = PageRequest(f"http://127.0.0.1:{port}/", of_robots=of_robots)
                answer = await network.fetch(wanted)
            finally:
                await network.close()
            assert len(answer.body) <= MOST
            assert answer.problem.isprintable()
            assert answer.status or answer.problem
            assert not answer.body or 200 <= answer.status < 300
    assert len(messages) <= 1


def _coded(data: bytes) -> None:
    """Unpack a body, in pieces, of the codings in its first line."""
    codings, _, body = data.partition(b"\n")
    unpacking = Unpacking(codings.decode("latin-1"), MOST, 200)
    with contextlib.suppress(UnpackingError):
        for begin in range(0, len(body), 1000):
            unpacking.feed(body[begin : begin + 1000])
            assert len(unpacking.out) <= max(HARMLESS, MOST)
            if unpacking.full:
                break
        unpacking.finish()
    assert unpacking.unknown.isprintable()


READERS = (
    Reader(
        "answer",
        _answer,
        changed(corpus("answer"), HTTP),
        (CrawlError,),
        smallest=4 << 20,
        examples=30,
    ),
    Reader("coding", _coded, changed(corpus("coding"), CODINGS), smallest=4 << 20),
)
