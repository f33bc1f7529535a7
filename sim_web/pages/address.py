"""Converts pages to URLs and back, without a table of pages.

Each page of a host has a code, its index permuted with a key, so that an address does not reveal
the order of pages. The code is surrounded by words that a hash of host and code selects. An address
is read by extracting the code; it is valid if the page of the code has exactly this address.
"""

from __future__ import annotations

import re
from functools import lru_cache

from counterpoint.sim_web.generator import Web

from . import words
from .numbers import (
    ALIASES,
    ALL_FOLDERS,
    FORMS,
    MOST_REDIRECTS,
    REDIRECTS,
    START,
    WORDS,
    located,
    place_of,
)
from .plan import plan

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
CUBE = 36**3
"""Numbers below it are in a table."""
SHORT = tuple(
    (a + b + c).lstrip("0").encode() or b"0" for a in _DIGITS for b in _DIGITS for c in _DIGITS
)
_PADDED = tuple((a + b + c).encode() for a in _DIGITS for b in _DIGITS for c in _DIGITS)


def base36(number: int) -> bytes:
    """Return a number in base 36."""
    if number < CUBE:
        return SHORT[number]
    high, low = divmod(number, CUBE)
    return base36(high) + _PADDED[low]


def _patterns() -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Return the texts before and after the code, for each way (`numbers.way_of`)."""
    before = ("/{}/{}-", "/{}/{}-", "/{}/{}.php?id=", "/{}/{}/")
    after = (b".html", b"/", b"", b".html")
    folders = words.FOLDERS + words.FORBIDDEN_FOLDERS
    first = [before[form].format(folder, word).encode() for form in range(FORMS)
             for folder in folders for word in words.PATH_WORDS]  # fmt: skip
    last = [after[form] for form in range(FORMS) for _ in range(ALL_FOLDERS * WORDS)]
    redirects = [f"/r/{hops}/".encode() for hops in range(1, MOST_REDIRECTS + 1)]
    return (*first, b"/", *redirects), (*last, b"", *[b""] * MOST_REDIRECTS)


BEFORE, AFTER = _patterns()
WAYS = {(a + b"*" + b).decode(): way for way, (a, b) in enumerate(zip(BEFORE, AFTER, strict=True))}
"""The way for each text before and after the code, with a star between them."""
_CODED = re.compile(r"(/.*[-/=])(0|[1-9a-z][0-9a-z]{0,11})(\.html|/|)", re.ASCII)

QUESTIONS = (
    b"",
    *(b"?from=%b" % word for word in (b"menu", b"news")),
    *(b"?view=%d" % number for number in range(3, ALIASES + 1)),
)
ANDS = tuple(one.replace(b"?", b"&") for one in QUESTIONS)
"""The suffixes that turn an address into an alias, by the alias's number; 0: none."""
_ALIASED = re.compile(r"[?&](?:from=(?:menu|news)|view=[3-8])", re.ASCII)
START_ALIAS = b"/index.html"


def path_of(way: int, code: int, alias: int = 0) -> bytes:
    """Return a path with its query.

    Parameters
    ----------
    way, code : int
        The pattern of the address, and the page's code.
    alias : int
        The number of the alias; 0: the page's own address.
    """
    if way == START:
        return START_ALIAS if alias == 1 else b"/" + QUESTIONS[alias]
    whole = BEFORE[way] + base36(code) + AFTER[way]
    return whole + (ANDS if b"?" in whole else QUESTIONS)[alias] if alias else whole


def coded(path: str) -> tuple[int, int] | None:
    """Return the way and the code in a path; None if it has not the form of a page's path."""
    if path == "/":
        return START, 0
    found = _CODED.fullmatch(path)
    if found is None:
        return None
    before, code, after = found.groups()
    way = WAYS.get(f"{before}*{after}")
    return None if way is None else (way, int(code, 36))


def without_alias(path: str) -> str | None:
    """Return the path that an alias stands for; None if the path is no alias."""
    if path == "/index.html":
        return "/"
    found = _ALIASED.search(path)
    if found is None or found.end() != len(path):
        return None
    own = path[: found.start()]
    return own if (found[0][0] == "&") == ("?" in own) else None


def page_of(web: Web, host: int, pages: range, path: str) -> int | None:
    """Return the page of a host that has exactly this path; None if there is none.

    Parameters
    ----------
    web : Web
    host : int
    pages : range
        The pages of the host.
    path : str
        The path with its query.
    """
    found = coded(path)
    if found is None or found[0] >= REDIRECTS:
        return None
    laws = plan(web)
    local, way = located(laws.key, laws.chances, host, len(pages), found[1])
    return pages.start + local if way == found[0] else None


@lru_cache(maxsize=65_536)
def name_of(web: Web, host: int) -> str:
    """Return the name of a host, cached."""
    return web.name(host)


def address(web: Web, page: int) -> str:
    """Return a page's URL."""
    laws = plan(web)
    host, code, way = place_of(laws.whole, laws.real, laws.chances, page)
    return f"http://{name_of(web, host)}{path_of(way, code).decode()}"


def page_at(web: Web, url: str) -> int | None:
    """Return the page whose address is exactly this URL; None if there is none."""
    scheme, _, rest = url.partition("://")
    name, slash, path = rest.partition("/")
    host = web.named(name) if scheme == "http" and slash else None
    return None if host is None else page_of(web, host, web.pages_of(host), "/" + path)
