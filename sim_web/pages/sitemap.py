"""Sitemaps list all pages that a host has at the time, including orphans.

Above 50,000 pages there is an index. Its parts are those of all pages that the host ever has.

An entry has the date of the page's present content, as Last-Modified. Pages of hosts with session
ids change with each request and have no date. The index has no dates of its parts, because that
would require looking at every page of the host.

A host with errors in its sitemap names, for each twentieth page of a file, three addresses more:
one of its own at which nothing is (dead), one of another host at which nothing is (foreign), and
another address of the page (duplicate).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web.generator import Web

from . import change, life
from .address import name_of, path_of
from .delivery import BEGIN, LAST
from .host import Host
from .numbers import places_of
from .plan import plan

MOST = 50_000
"""The greatest number of URLs in a file, from the protocol of sitemaps."""

EVERY = 20
"""How many pages there are for each planted error of a kind."""

_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_NAMED = re.compile(r"/sitemap(?:-([1-9]\d{0,7}))?\.xml", re.ASCII)


def exists(host: Host, path: str) -> bool:
    """Return whether a path of a host is that of its sitemap or of a part of it."""
    found = _NAMED.fullmatch(path)
    if found is None or not host.sitemap:
        return False
    files = -(-len(host.pages) // MOST)
    return found[1] is None or 1 <= int(found[1]) <= files > 1


def sitemap(web: Web, host: Host, path: str, time: float) -> bytes:
    """Return a host's sitemap, or a part of it.

    Parameters
    ----------
    web : Web
    host : Host
    path : str
        The path, for which `exists` returns True.
    time : float
        Virtual time in seconds.
    """
    found = _NAMED.fullmatch(path)
    if found and found[1]:
        return _part(web, host, int(found[1]) - 1, time)
    files = -(-len(host.pages) // MOST)
    return _index(host, files) if files > 1 else _part(web, host, 0, time)


def _index(host: Host, files: int) -> bytes:
    entries = [f"<sitemap><loc>{host.origin.decode()}/sitemap-{k + 1}.xml</loc></sitemap>\n"
               for k in range(files)]  # fmt: skip
    return _document("sitemapindex", "".join(entries).encode())


def _part(web: Web, host: Host, number: int, time: float) -> bytes:
    """Return a file of a host's sitemap, by its number, at a time."""
    laws = plan(web)
    first = number * MOST
    last = min(first + MOST, len(host.pages))
    codes, ways = places_of(
        laws.key, laws.chances, host.number, first, last, len(host.pages)
    ).tolist()
    dates = [b""] * len(codes)
    if not host.session_ids:
        start = host.pages.start
        changed = change.contents_since(laws.key, laws.law, start + first, start + last, time)
        dates = [_date(int(seconds)) for seconds in changed.tolist()]
    there = _there(web, host, first, last, time).tolist()
    entries = [b"<url><loc>%b%b</loc>%b</url>\n" % (host.origin, path_of(way, code), date)
               for way, code, date, exists in zip(ways, codes, dates, there, strict=True)
               if exists]  # fmt: skip
    entries += [f"<url><loc>{escape(url)}</loc></url>\n".encode()
                for _, url in _errors_of(web, host, number, time)]  # fmt: skip
    return _document("urlset", b"".join(entries))


def _there(web: Web, host: Host, first: int, last: int, time: float) -> NDArray[np.bool_]:
    """Return which of a host's pages exist at a time."""
    if not web.profile.change.passing:
        return np.ones(last - first, np.bool_)
    born, dies = life.lives(web, host.pages.start + first, host.pages.start + last)
    return (born <= time) & (time < dies)


def listed(web: Web, host: Host, time: float) -> NDArray[np.int64]:
    """Return the pages that a host's sitemap lists at a time."""
    there = _there(web, host, 0, len(host.pages), time)
    return host.pages.start + np.flatnonzero(there)


def errors(web: Web, host: Host, time: float) -> Iterator[tuple[str, str]]:
    """Yield the planted errors in a host's sitemap: ``dead``, ``foreign`` or ``duplicate``, URL."""
    for number in range(-(-len(host.pages) // MOST)):
        yield from _errors_of(web, host, number, time)


def _errors_of(web: Web, host: Host, number: int, time: float) -> Iterator[tuple[str, str]]:
    """Yield the planted errors in a file of a host's sitemap, by its number."""
    if not host.sitemap_errors:
        return
    laws, first = plan(web), number * MOST
    last = min(first + MOST, len(host.pages))
    codes, ways = places_of(
        laws.key, laws.chances, host.number, first, last, len(host.pages)
    ).tolist()
    there = _there(web, host, first, last, time)
    origin, other = host.origin.decode(), (host.number + 1) % web.hosts
    for k in range(0, last - first, EVERY):
        yield "dead", f"{origin}/retired/{first + k}.html"
        if other != host.number:
            yield "foreign", f"http://{name_of(web, other)}/retired/{host.number}-{first + k}.html"
        if there[k]:
            yield "duplicate", origin + path_of(ways[k], codes[k], 1).decode()


@lru_cache(maxsize=65_536)
def _date(seconds: int) -> bytes:
    """Return a virtual time as an element of a sitemap, to the second."""
    date = BEGIN + timedelta(seconds=min(seconds, LAST))
    return b"<lastmod>%b</lastmod>" % date.isoformat().encode()


def _document(element: str, body: bytes) -> bytes:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{element} {_SPACE}>\n'
    return head.encode() + body + f"</{element}>\n".encode()
