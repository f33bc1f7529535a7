"""Traps, whose content is made up on request: calendars, endless paths and queries, and others."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache

from counterpoint.sim_web.generator import Web

from .host import Host

CALENDAR = b"/calendar/2000/01.html"
_MONTH = re.compile(r"/calendar/(\d{1,12})/(0[1-9]|1[0-2])\.html", re.ASCII)
PATHS = b"/more/"
_NAMES = ("more", "next", "back")
_PATH = re.compile(r"/more/(?:(?:more|next|back)/){0,1000}", re.ASCII)
QUERIES = b"/find.html?page=1"
_QUERY = re.compile(r"/find\.html\?page=([1-9]\d{0,11})((?:&f[1-9]\d?=on)*)", re.ASCII)
_FILTERS = 20
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


def is_path(host: Host, path: str) -> bool:
    """Return whether a path of a host is one of its endless paths."""
    return host.endless_paths and _PATH.fullmatch(path) is not None


def deeper(host: Host) -> bytes:
    """Return the page of each endless path: its relative links lead to three longer ones."""
    links = "".join(f'<a href="{name}/">{name}</a>\n' for name in _NAMES)
    body = f'{_NAMES[0]}</title>\n</head>\n<body>\n<a href="/">/</a>\n{links}</body>\n</html>\n'
    return host.head + body.encode()


def is_query(host: Host, path: str) -> bool:
    """Return whether a path with its query is a page of a host's endless list."""
    return host.endless_queries and _QUERY.fullmatch(path) is not None


def found(host: Host, path: str) -> bytes:
    """Return a page of a host's endless list: it links to the next one, and to three filters more.

    Parameters
    ----------
    host : Host
    path : str
        The path, for which `is_query` returns True.
    """
    page, filters = path.partition("=")[2].partition("&")[::2]
    last = max((int(one.partition("=")[0][1:]) for one in filters.split("&") if one), default=0)
    chosen = f"&{filters}" if filters else ""
    goals = [f"/find.html?page={int(page) + 1}{chosen}"]
    goals += [f"/find.html?page=1{chosen}&f{one}=on"
              for one in range(last + 1, min(last + 3, _FILTERS) + 1)]  # fmt: skip
    links = "".join(f'<a href="{one.replace("&", "&amp;")}">{number}</a>\n'
                    for number, one in enumerate(goals))  # fmt: skip
    body = f'{page}</title>\n</head>\n<body>\n<a href="/">/</a>\n{links}</body>\n</html>\n'
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
