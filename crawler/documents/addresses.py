"""Normalizes and compares addresses, and resolves references against a document's address.

References are read as browsers read them, by the WHATWG URL standard (by ada-url). A normalized
address is written as in that standard, without user, fragment and empty query. Its escapes have
capital letters, and characters that need no escape have none (RFC 3986, 6.2.2): servers must treat
``%7e``, ``%7E`` and ``~`` alike. All other escapes stay as they were.

A host that no name server can know (a label is empty or has more than 63 characters) and the port 0
are refused here; the standard accepts them.

[BeeBot] normalizes by lower case and by removing a trailing slash. Here both change only the key by
which addresses are *compared* (`Spelling`), never the address that is *requested*, since a server
may know ``/A/`` only.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

import ada_url
from publicsuffixlist import PublicSuffixList

LONGEST = 8_000
"""The most characters of an address. Longer addresses are traps more often than pages, and many
servers refuse them."""

REMEMBERED = 8_192
"""Number of hosts whose results are cached."""

_SCHEMES = ("http:", "https:")
_NAME = re.compile(r"(?=.{1,253}\Z)(?:[^.]{1,63}\.)*[^.]{1,63}\.?", re.S)
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}", re.A)
_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})", re.A)
"""An escape that does not follow a stray percent sign: ``%%335`` would become another escape."""
_LABEL = r"[^\s/?#@:.,;\"'\\\[\]]+"  # no name of a host has , or ; but rows of tables have
_TYPED = re.compile(
    rf"(?:localhost|\[[0-9a-f:.]+\]|[0-9]+(?:\.[0-9]+){{3}}|(?:{_LABEL}\.)+(?![0-9]+\b){_LABEL}\.?)"
    r"(?::[0-9]{1,5})?(?:[/?#]\S*)?", re.I,
)  # fmt: skip
"""A host with a dot, localhost, or the number of a host, with a port and a path, but no scheme."""
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SURROGATES = re.compile("[\ud800-\udfff]")
_PART = r"[A-Za-z0-9_\-][A-Za-z0-9_.~\-]*+"
_BELOW = rf"(?:{_PART}/)*+(?:{_PART})?+(?:\?[A-Za-z0-9_.~=&;+,/\-]++)?+"
_HOST = r"(?:(?!xn--)[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?\.){1,3}+[a-z]{2,60}"
_PLAIN = re.compile(
    rf"(?:((?:\.\./)*+)|(https?://{_HOST}/|/))({_BELOW})(?:#.*)?+", re.A | re.S
)  # fmt: skip
"""References that can be resolved by appending them to a folder, to an origin, or to nothing. They
have no escapes, no path segment of dots only, and a host that needs no normalization."""


class Spelling(StrEnum):
    """Which normalized addresses count as one page."""

    SAFE = "safe"
    """Addresses that differ by a slash at the end of the path."""
    PAPER = "paper"
    """Addresses that differ by a slash at the end, or by the case of letters ([BeeBot])."""

    def key(self, address: str) -> str:
        """Return the key of a normalized address; the addresses of one page have the same key."""
        if self is Spelling.SAFE:
            return key(address)
        lower = address.lower()
        return lower[:-1] if lower[-1] == "/" and lower.count("/") > 3 else lower


def normalized(address: str) -> str | None:
    """Return an absolute address, normalized; None if it is not a valid http or https address."""
    return _joined(None, address)


def as_typed(text: str) -> str | None:
    """Return the normalized address that a user has typed, perhaps without a scheme.

    As in the address bars of browsers, ``a.test/x`` and ``localhost:8000`` are addresses. They get
    ``http://``, since a site that has only https redirects, and one that has only http could not
    be found otherwise. A single word, and anything that could be of another scheme, is no address.

    Returns
    -------
    str or None
        The address; None if it is none of http or https.
    """
    stripped = text.strip()
    return normalized(f"http://{stripped}" if _TYPED.fullmatch(stripped) else text)


def joined(base: str, reference: str) -> str | None:
    """Return the normalized address that a reference names.

    Parameters
    ----------
    base : str
        The normalized address of the document; "": the reference must be absolute.
    reference : str
        The text of the reference in the document.

    Returns
    -------
    str or None
        None if the reference names nothing that can be fetched over http or https.
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
    """Return the site of a normalized address: the host, and the port if it is not the default.

    A host has the same site over http and https.
    """
    return address.split("/", 3)[2]


def key(address: str) -> str:
    """Return the key of a normalized address; the addresses of one page have the same key."""
    if address[-1] == "/" and address.count("/") > 3 and "?" not in address:
        return address[:-1]
    return address


def domain(address: str) -> str:
    """Return the registered domain of a normalized address.

    The public suffix list decides, including its private part: ``a.github.io`` and ``b.github.io``
    are two domains. If the list does not have the suffix, the last label is the suffix. A host
    without a registered domain (an IP address, or a suffix) is returned as it is.
    """
    return _domain(site(address))


@lru_cache(maxsize=REMEMBERED)
def _domain(of_site: str) -> str:
    if of_site.startswith("["):
        return of_site[: of_site.index("]") + 1]
    host = of_site.partition(":")[0].rstrip(".")
    if _IPV4.fullmatch(host):
        return host
    return _suffixes().privatesuffix(host) or host


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _before(base: str, above: int, root: str | None) -> str:
    """Return the beginning of the address that a reference of the form `_PLAIN` names.

    Parameters
    ----------
    base : str
        The normalized address of the document.
    above : int
        Length of the leading ``../`` segments, in characters.
    root : str or None
        The origin in the reference, with a slash, or ``/``; None for a relative path.
    """
    if root is None:
        return _folder(base, above // 3)
    return root if root != "/" else _folder(base, -1)


@lru_cache(maxsize=1024)
def _folder(base: str, above: int) -> str:
    """Return the folder that is `above` levels above the document's; -1: the origin's root."""
    folder, root = base[: base.partition("?")[0].rindex("/") + 1], base.index("/", 8) + 1
    if above < 0:
        return base[:root]
    for _ in range(above):
        folder = folder[: folder.rindex("/", 0, -1) + 1] if len(folder) > root else folder
    return folder


def _joined(base: str | None, reference: str) -> str | None:
    """Return the address that the URL standard gives for a reference, normalized."""
    try:
        href = _href(base, reference)
    except ValueError:
        # Lone surrogates cannot be sent; the standard replaces them.
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
        # Remove the question mark of an empty query, but not one that is part of a query.
        path = path[:-1] if path.count("?") == 1 else path
    whole = f"{scheme}//{host}/{path}"
    return whole if len(whole) <= LONGEST else None


def _href(base: str | None, reference: str) -> str:
    if base is None:
        return ada_url.normalize_url(reference)
    return ada_url.join_url(base, reference)


@lru_cache(maxsize=REMEMBERED)
def _is_possible(host: str) -> bool:
    """Return whether requests can be sent to a host with its port."""
    if host.startswith("["):
        name, port = "ipv6", host.rpartition("]")[2]
    else:
        name, _, port = host.partition(":")
    return _NAME.fullmatch(name) is not None and port not in ("0", ":0")


def _escape(found: re.Match[str]) -> str:
    sign = chr(int(found[1], 16))
    return sign if sign in _UNRESERVED else f"%{found[1].upper()}"
