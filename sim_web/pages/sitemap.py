"""Sitemaps: all pages of a host, orphans too; an index where they are more than 50,000."""

from __future__ import annotations

import re

from sim_web.generator import Web

from .address import path_of
from .host import Host
from .numbers import places_of
from .plan import plan

MOST = 50_000
"""URLs of one file, as the protocol of sitemaps has it."""

_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_NAMED = re.compile(r"/sitemap(?:-([1-9]\d{0,7}))?\.xml", re.ASCII)


def exists(host: Host, path: str) -> bool:
    """Tell whether a path of a host is its sitemap's or a part's."""
    found = _NAMED.fullmatch(path)
    if found is None or not host.sitemap:
        return False
    files = -(-len(host.pages) // MOST)
    return found[1] is None or 1 <= int(found[1]) <= files > 1


def sitemap(web: Web, host: Host, path: str) -> bytes:
    """Return a host's sitemap, or a part of it, by a path for which `exists` holds."""
    found = _NAMED.fullmatch(path)
    if found and found[1]:
        return _part(web, host, int(found[1]) - 1)
    files = -(-len(host.pages) // MOST)
    return _index(host, files) if files > 1 else _part(web, host, 0)


def _index(host: Host, files: int) -> bytes:
    entries = [f"<sitemap><loc>{host.origin.decode()}/sitemap-{k + 1}.xml</loc></sitemap>\n"
               for k in range(files)]  # fmt: skip
    return _document("sitemapindex", "".join(entries).encode())


def _part(web: Web, host: Host, number: int) -> bytes:
    told = plan(web)
    first = number * MOST
    last = min(first + MOST, len(host.pages))
    codes, ways = places_of(
        told.key, told.chances, host.number, first, last, len(host.pages)
    ).tolist()
    entries = [b"<url><loc>%b%b</loc></url>\n" % (host.origin, path_of(way, code))
               for way, code in zip(ways, codes, strict=True)]  # fmt: skip
    return _document("urlset", b"".join(entries))


def _document(element: str, body: bytes) -> bytes:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{element} {_SPACE}>\n'
    return head.encode() + body + f"</{element}>\n".encode()
