"""Traps, whose content is made up on request: calendars, session ids, decompression bombs."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache

from counterpoint.sim_web.generator import Web

from .host import Host

CALENDAR = b"/calendar/2000/01.html"
_MONTH = re.compile(r"/calendar/(\d{1,12})/(0[1-9]|1[0-2])\.html", re.ASCII)
_SESSION = re.compile(r"([?&])sid=([0-9a-f]{16})", re.ASCII)

_MEBIBYTE = 1 << 20
UNPACKED = 2048 * _MEBIBYTE
"""The size of an unpacked bomb, in bytes."""


def is_calendar(host: Host, path: str) -> bool:
    """Return whether a path of a host is a month of its calendar."""
    return host.calendar and _MONTH.fullmatch(path) is not None


def calendar(host: Host, path: str) -> bytes:
    """Return a month of a host's calendar, which links to earlier and later months without end."""
    _, _, first, second = path.split("/")
    year, month = int(first), int(second[:2])
    count = year * 12 + month - 1
    links = "".join(
        f'<a href="/calendar/{y}/{m + 1:02}.html">{y}-{m + 1:02}</a>\n'
        for y, m in (divmod(count + step, 12) for step in (-1, 1, 12))
        if 0 <= y < 10**12
    )
    title = f'{year}-{month:02}</title>\n</head>\n<body>\n<a href="/">/</a>\n'
    body = f"{title}{links}</body>\n</html>\n"
    return host.head + body.encode()


def session(web: Web, page: int, path: bytes, time: float) -> bytes:
    """Return a page's path with the session id of a time.

    Parameters
    ----------
    web : Web
    page : int
    path : bytes
        The page's own path.
    time : float
        Virtual time in seconds.
    """
    sid = web.bits("session", page, int(time * 1000))
    return path + (b"&" if b"?" in path else b"?") + b"sid=%016x" % sid


def without_session(path: str) -> str | None:
    """Return a path without its session id; None if it has none."""
    found = _SESSION.search(path)
    if found is None or found.end() != len(path):
        return None
    own = path[: found.start()]
    return own if (found[1] == "&") == ("?" in own) else None


@lru_cache(maxsize=1)
def bomb() -> bytes:
    """Return two megabytes of gzip that unpack to 2 GiB of zeros.

    A mebibyte is compressed once; after a full flush, its block can be repeated.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeros = bytes(_MEBIBYTE)
    packer.compress(zeros)
    packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.flush(zlib.Z_FINISH)
    checksum = 0
    for _ in range(UNPACKED // _MEBIBYTE):
        checksum = zlib.crc32(zeros, checksum)
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    tail = checksum.to_bytes(4, "little") + (UNPACKED % 2**32).to_bytes(4, "little")
    return head + block * (UNPACKED // _MEBIBYTE) + end + tail
