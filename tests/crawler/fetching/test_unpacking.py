"""Compressed bodies: whole, broken, followed by others, and far larger than they look."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from random import Random

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.fetching.unpacking import (
    HARMLESS,
    MEMBERS,
    OVERHEAD,
    Unpacking,
    UnpackingError,
)

Pack = Callable[[bytes], bytes]
PACKED: dict[str, tuple[str, Pack]] = {
    "gzip": ("gzip", gzip.compress),
    "two members": ("x-gzip", lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:])),
    "gzip and rubbish": ("GZIP ", lambda data: gzip.compress(data) + b"\0\0rubbish"),
    "zlib": ("deflate", zlib.compress),
    "bare deflate": ("deflate", lambda data: zlib.compress(data)[2:-4]),
    "brotli": ("br", lambda data: bytes(brotli.compress(data, quality=3))),
    "nothing": ("", bytes),
    "what nobody knows": ("utf-8", bytes),
}
NAMES = pytest.mark.parametrize("name", PACKED)

documents = st.builds(
    lambda seed, size, times: Random(seed).randbytes(size) * times,
    st.integers(0, 9), st.integers(0, 3000), st.sampled_from([1, 1, 3, 300]),
)  # fmt: skip


def pieces(data: bytes, size: int) -> Iterable[bytes]:
    """Cut data."""
    return [data[at : at + size] for at in range(0, len(data), size)]


@NAMES
@given(data=documents, size=st.sampled_from([1, 7, 1000, 10**9]))
def test_what_was_packed_comes_out(name: str, data: bytes, size: int) -> None:
    """A body that depends on how the network cut it."""
    encoding, pack = PACKED[name]
    packed = pack(data)
    if size < 1000:
        packed = pack(data := data[:2000])
    body = Unpacking(encoding, 10**9, 10**6)
    for piece in pieces(packed, size):
        body.feed(piece)
    assert bytes(body.out) == data


@NAMES
@given(data=documents, most=st.integers(0, 5000))
def test_no_more_than_is_wanted(name: str, data: bytes, most: int) -> None:
    """A limit that is missed by more than a buffer, or that changes what comes before it."""
    encoding, pack = PACKED[name]
    body = Unpacking(encoding, most, 10**6)
    for piece in pieces(pack(data), 500):
        if not body.full:
            body.feed(piece)
    assert bytes(body.out[:most]) == data[:most]
    assert body.full == (len(data) > most)
    assert len(body.out) <= most + 200_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_a_bomb(encoding: str) -> None:
    """A thousand bytes that fill the memory."""
    blanks = bytes(200_000_000)
    packed = {"gzip": gzip.compress, "deflate": zlib.compress}.get(
        encoding, lambda data: bytes(brotli.compress(data, quality=1))
    )(blanks)
    del blanks
    body = Unpacking(encoding, 100_000_000, 200)
    tracemalloc.start()
    with pytest.raises(UnpackingError, match="unpacks to more than 200 times its size"):
        for piece in pieces(packed, 1000):
            body.feed(piece)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert HARMLESS < len(body.out) < HARMLESS + 300_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_what_is_not_packed(encoding: str) -> None:
    """A traceback, or a page that is lost without a word."""
    with pytest.raises(UnpackingError, match="is not packed as it says"):
        Unpacking(encoding, 100, 200).feed(b"\xff<html>no such thing</html>")


@given(data=documents, at=st.floats(0, 1), name=st.sampled_from(["gzip", "zlib", "brotli"]))
def test_what_breaks_off(data: bytes, at: float, name: str) -> None:
    """The part that came, lost with the part that did not."""
    encoding, pack = PACKED[name]
    packed = pack(data)
    body = Unpacking(encoding, 10**9, 10**6)
    body.feed(packed[: int(at * len(packed))])
    assert data.startswith(bytes(body.out))


@pytest.mark.parametrize(
    ("encoding", "begins", "piece"),
    [
        ("gzip", gzip.compress(b"<a>", mtime=0), bytes(1000)),
        ("deflate", zlib.compress(b"<a>"), bytes(1000)),
        ("deflate", zlib.compressobj().flush(zlib.Z_SYNC_FLUSH)[:2], b"\0\0\0\xff\xff" * 200),
        ("br", bytes(brotli.compress(b"<a>")), bytes(1000)),
    ],
)
def test_what_unpacks_to_nothing(encoding: str, begins: bytes, piece: bytes) -> None:
    """An endless body that is read for ever, since nothing comes out of it."""
    body = Unpacking(encoding, 100_000, 200)
    body.feed(begins)
    sent = 0
    while not body.full and sent < 10**6:
        body.feed(piece)
        sent += len(piece)
    assert sent <= 100_000 + OVERHEAD + len(piece)
    assert bytes(body.out) in (b"", b"<a>")


def test_very_many_members() -> None:
    """Seconds for a hundred kilobytes, since each empty member costs a copy of the others."""
    body = Unpacking("gzip", 10**9, 10**6)
    body.feed(gzip.compress(b"<a>", mtime=0) + gzip.compress(b"") * (MEMBERS - 1))
    assert bytes(body.out) == b"<a>"
    with pytest.raises(UnpackingError, match="more than 1,000 parts"):
        body.feed(gzip.compress(b""))
