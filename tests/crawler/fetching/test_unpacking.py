"""Compressed bodies: complete, broken, followed by others, and far larger than they look."""

from __future__ import annotations

import contextlib
import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from functools import reduce
from random import Random

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.fetching.codings import MEMBERS, WINDOW_LOG, UnpackingError, zstd
from counterpoint.crawler.fetching.unpacking import HARMLESS, OVERHEAD, Unpacking


def summed(data: bytes) -> bytes:
    """Compress with Zstandard, with a checksum."""
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


Pack = Callable[[bytes], bytes]
PACKED: dict[str, tuple[str, Pack]] = {
    "gzip": ("gzip", gzip.compress),
    "two members": ("x-gzip", lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:])),
    "gzip and rubbish": ("GZIP ", lambda data: gzip.compress(data) + b"\0\0rubbish"),
    "zlib": ("deflate", zlib.compress),
    "bare deflate": ("deflate", lambda data: zlib.compress(data)[2:-4]),
    "zstd": ("zstd", lambda data: summed(data)),
    "two frames": ("zstd", lambda data: summed(data[:9]) + zstd.compress(data[9:])),
    "zstd and rubbish": ("Zstd", lambda data: zstd.compress(data) + b"rubbish"),
    "a list": (
        "deflate, gzip,, ,br",
        lambda data: brotli.compress(gzip.compress(zlib.compress(data))),
    ),
    "twice": ("gzip, gzip", lambda data: gzip.compress(gzip.compress(data))),
    "five": (
        "zstd,zstd, identity,zstd,zstd,zstd",
        lambda data: reduce(lambda got, _: summed(got), range(5), data),
    ),
    "brotli": ("br", lambda data: bytes(brotli.compress(data, quality=3))),
    "nothing": ("", bytes),
    "a charset": ("utf-8", bytes),
    "what nobody knows": ("gzip;q=1", gzip.compress),
    "old": ("gzip, compress", bytes),
    "six": ("br, br, br, br, br, br", bytes),
}
UNKNOWN = {"what nobody knows", "old", "six"}
"""They are left as they came."""
NAMES = pytest.mark.parametrize("name", PACKED)

documents = st.builds(
    lambda seed, size, times: Random(seed).randbytes(size) * times,
    st.integers(0, 9), st.integers(0, 3000), st.sampled_from([1, 1, 3, 300]),
)  # fmt: skip


WAYS: dict[str, Pack] = {
    "gzip": gzip.compress, "deflate": zlib.compress, "zstd": summed,
    "br": lambda data: bytes(brotli.compress(data, quality=1)),
}  # fmt: skip


def pieces(data: bytes, size: int) -> Iterable[bytes]:
    """Cut data into pieces."""
    return [data[at : at + size] for at in range(0, len(data), size)]


@NAMES
@given(data=documents, size=st.sampled_from([1, 7, 1000, 10**9]))
def test_what_was_packed_comes_out(name: str, data: bytes, size: int) -> None:
    """A body that depends on how the network divided it."""
    encoding, pack = PACKED[name]
    packed = pack(data)
    if size < 1000:
        packed = pack(data := data[:2000])
    body = Unpacking(encoding, 10**9, 10**6)
    for piece in pieces(packed, size):
        body.feed(piece)
    body.finish()
    assert bytes(body.out) == (packed if name in UNKNOWN else data)
    assert bool(body.unknown) == (name in UNKNOWN)
    assert body.whole


@NAMES
@given(data=documents, most=st.integers(0, 5000))
def test_no_more_than_is_wanted(name: str, data: bytes, most: int) -> None:
    """A limit exceeded by more than a buffer, or one that changes the bytes before it."""
    encoding, pack = PACKED[name]
    body = Unpacking(encoding, most, 10**6)
    packed = pack(data)
    data = packed if name in UNKNOWN else data
    for piece in pieces(packed, 500):
        if not body.full:
            body.feed(piece)
    body.finish()
    assert bytes(body.out[:most]) == data[:most]
    assert body.full == (len(data) > most)
    assert len(body.out) <= most + 200_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, br", "br, gzip"])
def test_a_bomb(encoding: str) -> None:
    """A thousand bytes that fill the memory."""
    blanks = bytes(200_000_000)
    packed = blanks
    for coding in encoding.split(", "):
        packed = WAYS[coding](packed)
    del blanks
    body = Unpacking(encoding, 100_000_000, 200)
    tracemalloc.start()
    with pytest.raises(UnpackingError, match="unpacks to more than 200 times its size"):
        for piece in pieces(packed, 1000):
            body.feed(piece)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert HARMLESS < len(body.out) < HARMLESS + 300_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, br", "br, zstd"])
def test_what_is_not_packed(encoding: str) -> None:
    """A traceback, or a page that is silently lost."""
    with pytest.raises(UnpackingError, match="is not compressed as its Content-Encoding says"):
        body = Unpacking(encoding, 100, 200)
        body.feed(b"\xff<html>no such thing</html>")
        body.finish()


@given(
    data=documents,
    at=st.floats(0, 1),
    name=st.sampled_from(["gzip", "zlib", "brotli", "zstd", "a list"]),
)
def test_what_breaks_off(data: bytes, at: float, name: str) -> None:
    """The received part, lost with the missing one."""
    encoding, pack = PACKED[name]
    packed = pack(data)
    body = Unpacking(encoding, 10**9, 10**6)
    body.feed(packed[: int(at * len(packed))])
    body.finish()
    assert body.whole == (int(at * len(packed)) in (0, len(packed)))
    assert data.startswith(bytes(body.out))


@pytest.mark.parametrize(
    ("encoding", "begins", "piece"),
    [
        ("gzip", gzip.compress(b"<a>", mtime=0), bytes(1000)),
        ("deflate", zlib.compress(b"<a>"), bytes(1000)),
        ("deflate", zlib.compressobj().flush(zlib.Z_SYNC_FLUSH)[:2], b"\0\0\0\xff\xff" * 200),
        ("br", bytes(brotli.compress(b"<a>")), bytes(1000)),
        ("zstd", zstd.compress(b"<a>"), bytes(1000)),
        ("zstd", zstd.compress(b"<a>"), b"\x50\x2a\x4d\x18\xdc\x03\0\0" + bytes(988)),
    ],
)
def test_what_unpacks_to_nothing(encoding: str, begins: bytes, piece: bytes) -> None:
    """An endless body without output that is read forever."""
    body = Unpacking(encoding, 100_000, 200)
    body.feed(begins)
    sent = 0
    while not body.full and sent < 10**6:
        body.feed(piece)
        sent += len(piece)
    assert sent <= 100_000 + OVERHEAD + len(piece)
    assert bytes(body.out) in (b"", b"<a>")


@pytest.mark.parametrize("name", ["gzip", "two members", "zlib", "zstd", "two frames", "twice"])
@given(data=documents, size=st.sampled_from([1, 7, 1000, 10**9]))
def test_a_wrong_checksum(name: str, data: bytes, size: int) -> None:
    """A whole page that is lost because of its last bytes, which no browser looks at."""
    data = data[:2000] if size < 1000 else data
    coding, pack = PACKED[name]
    packed = bytearray(pack(data))
    if name == "two frames":  # the second one has no checksum
        packed = bytearray(pack(data[:9]))[: -len(zstd.compress(b""))]
        data = data[:9]
    if name == "twice":
        inner = bytearray(gzip.compress(data))
        inner[-6] ^= 1
        packed = bytearray(gzip.compress(inner))
    else:
        packed[-1] ^= 1
    body = Unpacking(coding, 10**9, 10**6)
    with pytest.raises(UnpackingError, match="has a wrong checksum in its compressed data"):
        for piece in pieces(bytes(packed), size):
            body.feed(piece)
        body.finish()
    assert bytes(body.out) == data


@pytest.mark.parametrize(
    ("encoding", "loses", "share"),
    [("gzip", 400, 0), ("deflate", 400, 0), ("br", 9000, 1 / 6), ("zstd", 140_000, 1 / 6)],
)
@given(seed=st.integers(0, 99), at=st.floats(0.1, 1))
def test_a_fault_in_the_middle(
    encoding: str, loses: int, share: float, seed: int, at: float
) -> None:
    """A page that loses what came before its broken bytes."""
    chance = Random(seed)
    data = b"".join(b"<a href=/%x>" % chance.getrandbits(32) for _ in range(30_000))
    packed = WAYS[encoding](data)
    place = int(at * (len(packed) - 1))
    before = Unpacking(encoding, 10**9, 10**6)
    before.feed(packed[:place])
    body = Unpacking(encoding, 10**9, 10**6)
    with contextlib.suppress(UnpackingError):
        body.feed(packed[:place] + chance.randbytes(1000))
        body.finish()
    assert len(body.out) >= len(before.out) * (1 - share) - loses
    kept = min(len(body.out), len(before.out))
    assert body.out[:kept] == before.out[:kept]


def test_a_wide_window() -> None:
    """Hundreds of megabytes for one page, because it refers back so far."""
    wide = {zstd.CompressionParameter.window_log: WINDOW_LOG + 1}
    packed = zstd.compress(Random(0).randbytes(1000) * 20_000, options=wide)
    body = Unpacking("zstd", 10**9, 10**6)
    with pytest.raises(UnpackingError, match="too much memory"):
        body.feed(packed)


def test_a_bomb_of_layers() -> None:
    """Gigabytes between two codings, of which nothing comes out."""
    begins = zlib.compressobj()
    inner = begins.compress(b"<a>") + begins.flush(zlib.Z_SYNC_FLUSH) + b"\0\0\0\xff\xff" * 10**7
    body = Unpacking("deflate, gzip", 1_000_000, 10**6)
    body.feed(gzip.compress(inner))
    assert body.full and bytes(body.out) == b"<a>"
    assert max(layer.taken for layer in body._layers) < 1_000_000 + 3 * OVERHEAD


def test_very_many_frames() -> None:
    """Seconds for a hundred kilobytes of empty frames."""
    body = Unpacking("zstd", 10**9, 10**6)
    with pytest.raises(UnpackingError, match="more than 1,000 parts"):
        body.feed(zstd.compress(b"") * (MEMBERS + 9))


def test_very_many_members() -> None:
    """Seconds for a hundred kilobytes, because each empty member copies the others."""
    body = Unpacking("gzip", 10**9, 10**6)
    body.feed(gzip.compress(b"<a>", mtime=0) + gzip.compress(b"") * (MEMBERS - 1))
    assert bytes(body.out) == b"<a>"
    with pytest.raises(UnpackingError, match="more than 1,000 parts"):
        body.feed(gzip.compress(b""))
