"""Addresses: references joined to their document's address, spelled one way, compared.

References are read as browsers read them, after the WHATWG URL standard (by ada-url). One spelling:
as that standard writes an address, without user, fragment or an empty query, and with escapes in
one form: capitals, and none for what needs none (RFC 3986, 6.2.2). Servers must take ``%7e``,
``%7E`` and ``~`` for the same; what else may be escaped or not is left as it stood.

A host that no name server could know (a part of it empty or longer than 63 signs) and the port 0
are no addresses here; the standard lets them pass.

[BeeBot] normalizes by lower case and by removing a trailing slash. Both are done to what is
*compared* (`Spelling`), never to what is *asked for*, since a server may know ``/A/`` only.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

import ada_url
from publicsuffixlist import PublicSuffixList

LONGEST = 8_000
"""Characters; longer addresses are traps more often than pages, and many servers refuse them."""

REMEMBERED = 8_192
"""Hosts of which it is remembered what they are."""

_SCHEMES = ("http:", "https:")
_NAME = re.compile(r"(?=.{1,253}\Z)(?:[^.]{1,63}\.)*[^.]{1,63}\.?", re.S)
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}", re.A)
_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})", re.A)
"""Not behind a stray percent sign: decoded, ``%%335`` would become another escape."""
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SURROGATES = re.compile("[\ud800-\udfff]")
_PART = r"[A-Za-z0-9_\-][A-Za-z0-9_.~\-]*+"
_BELOW = rf"(?:{_PART}/)*+(?:{_PART})?+(?:\?[A-Za-z0-9_.~=&;+,/\-]++)?+"
_HOST = r"(?:(?!xn--)[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?\.){1,3}+[a-z]{2,60}"
_PLAIN = re.compile(
    rf"(?:((?:\.\./)*+)|(https?://{_HOST}/|/))({_BELOW})(?:#.*)?+", re.A | re.S
)  # fmt: skip
"""References that are joined by putting them behind a folder, an origin, or nothing: they have no
escapes, no part that is made of dots, and no host that is spelled in another way."""


class Spelling(StrEnum):
    """What counts as one page."""

    SAFE = "safe"
    """Addresses that differ by a slash at the end of the path."""
    PAPER = "paper"
    """Those that differ by a slash at the end, or by lower case anywhere ([BeeBot])."""

    def key(self, address: str) -> str:
        """Return what the addresses of one page, in their one spelling, have in common."""
        if self is Spelling.SAFE:
            return key(address)
        lower = address.lower()
        return lower[:-1] if lower[-1] == "/" and lower.count("/") > 3 else lower


def normalized(address: str) -> str | None:
    """Return an absolute address in its one spelling; None if it is none of http or https."""
    return _joined(None, address)


def joined(base: str, reference: str) -> str | None:
    """Return the address that a reference names.

    Parameters
    ----------
    base : str
        The address, in its one spelling, of the document; "": references must be absolute.
    reference : str
        What stood in the document.

    Returns
    -------
    str or None
        None: it names nothing that can be fetched over http or https.
    """
    if base:
        if reference[:1] == "#":
            return base
        plain = _PLAIN.fullmatch(reference)
        if plain is not None:
            above, root, below = plain.groups()
            if root or above or (below and below[0] != "?"):
                whole = _before(base, len(above or ""), root) + below
                return whole if len(whole) <= LONGEST else None
    return _joined(base or None, reference)


def site(address: str) -> str:
    """Return the site of an address in its one spelling: the host, and the port if it is unusual.

    http and https of a host are one site.
    """
    return address.split("/", 3)[2]


def key(address: str) -> str:
    """Return what two addresses, in their one spelling, of one page have in common."""
    if address[-1] == "/" and address.count("/") > 3 and "?" not in address:
        return address[:-1]
    return address


def domain(address: str) -> str:
    """Return the registered domain of an address in its one spelling.

    By the public suffix list, its private part included: ``a.github.io`` and ``b.github.io`` are
    two domains. A suffix that the list does not have is one word. What has no registered domain
    (an IP address, a suffix itself) is its own.
    """
    return _domain(site(address))


@lru_cache(maxsize=REMEMBERED)
def _domain(of: str) -> str:
    if of.startswith("["):
        return of[: of.index("]") + 1]
    host = of.partition(":")[0].rstrip(".")
    if _IPV4.fullmatch(host):
        return host
    return _suffixes().privatesuffix(host) or host


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _before(base: str, above: int, root: str | None) -> str:
    """Return what goes before the rest of a plain reference."""
    if root is None:
        return _folder(base, above // 3)
    return root if root != "/" else _folder(base, -1)


@lru_cache(maxsize=1024)
def _folder(base: str, above: int) -> str:
    """Return what goes before a reference to a folder some steps above; -1: to the highest."""
    folder, root = base[: base.partition("?")[0].rindex("/") + 1], base.index("/", 8) + 1
    if above < 0:
        return base[:root]
    for _ in range(above):
        folder = folder[: folder.rindex("/", 0, -1) + 1] if len(folder) > root else folder
    return folder


def _joined(base: str | None, reference: str) -> str | None:
    """Return what the standard says, in our one spelling."""
    try:
        href = _href(base, reference)
    except ValueError:
        # A letter that is half of one cannot be sent; the standard replaces it.
        whole = _SURROGATES.sub("\ufffd", reference)
        return _joined(base, whole) if whole != reference else None
    href = href.partition("#")[0]
    scheme, _, rest = href.partition("//")
    if scheme not in _SCHEMES:
        return None
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2]
    if not slash or not _is_possible(host):
        return None
    if "%" in path:
        path = _ESCAPE.sub(_escape, path)
    if path.endswith("?"):
        # Of an empty query only this sign is left; another question mark may be in the query.
        path = path[:-1] if path.count("?") == 1 else path
    whole = f"{scheme}//{host}/{path}"
    return whole if len(whole) <= LONGEST else None


def _href(base: str | None, reference: str) -> str:
    if base is None:
        return ada_url.normalize_url(reference)
    return ada_url.join_url(base, reference)


@lru_cache(maxsize=REMEMBERED)
def _is_possible(host: str) -> bool:
    """Tell whether a host with its port can be asked."""
    if host.startswith("["):
        name, port = "ipv6", host.rpartition("]")[2]
    else:
        name, _, port = host.partition(":")
    return _NAME.fullmatch(name) is not None and port not in ("0", ":0")


def _escape(found: re.Match[str]) -> str:
    sign = chr(int(found[1], 16))
    return sign if sign in _UNRESERVED else f"%{found[1].upper()}"
