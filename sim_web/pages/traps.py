"""Addresses made up as they are asked for: calendars, session ids, bombs, bodies without an end."""

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
"""Bytes that a bomb unpacks to."""


def is_calendar(host: Host, path: str) -> bool:
    """Tell whether a path of a host is a month of its calendar."""
    return host.calendar and _MONTH.fullmatch(path) is not None


def calendar(host: Host, path: str) -> bytes:
    """Return a month of a host's calendar, which links to the ones before and after, for ever."""
    _, _, told, tail = path.split("/")
    year, month = int(told), int(tail[:2])
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
    """Return a page's address with the session id of a moment."""
    sid = web.bits("session", page, int(time * 1000))
    return path + (b"&" if b"?" in path else b"?") + b"sid=%016x" % sid


def without_session(path: str) -> str | None:
    """Return the path to which a session id was added; None if there is none."""
    found = _SESSION.search(path)
    if found is None or found.end() != len(path):
        return None
    own = path[: found.start()]
    return own if (found[1] == "&") == ("?" in own) else None


@lru_cache(maxsize=1)
def bomb() -> bytes:
    """Return two megabytes of gzip that unpack to 2 GiB of zeros.

    A mebibyte is compressed once; flushed in full, its block can stand any number of times.
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
