"""Addresses: references joined to their document's address, spelled one way, compared.

References are joined as RFC 3986 (5.2) has it, with the liberties of HTML: spaces around a
reference, line breaks in it and backslashes for slashes do no harm. One spelling: scheme and host
in lower case, no default port, no user, no dots in the path, no fragment, an escape (in capitals)
exactly where one is needed.

[BeeBot] normalizes by lower case and by removing a trailing slash. Lower case is read as that of
scheme and host: on many servers ``/A`` and ``/a`` are two pages. The slash is removed from what is
*compared* (`key`) and kept in what is *asked for*: a server may know ``/a/`` only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address

LONGEST = 8_000
"""Characters; longer addresses are traps more often than pages, and many servers refuse them."""

_PARTS = re.compile(
    r"(?:([a-z][a-z0-9+.\-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?", re.I | re.S | re.A
)
_HOST = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_\-]{0,62})(?:\.[a-z0-9_][a-z0-9_\-]{0,62})*\.?"
)
_PORT = re.compile(r"[0-9]{1,5}", re.A)
_DEFAULT = {"http": 80, "https": 443}
_ESCAPABLE = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]]", re.A)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_AROUND = "".join(map(chr, range(33)))
_BREAKS = re.compile(r"[\t\r\n]+")


def normalized(address: str) -> str | None:
    """Return an absolute address in its one spelling; None if it is none of http or https."""
    return joined("", address)


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
    scheme, host, path, query = _parts(reference)
    if scheme:
        if scheme not in _DEFAULT or host is None:
            return None
    elif not base:
        return None
    else:
        of_base = _PARTS.match(base)
        assert of_base is not None
        scheme = of_base[1]
        if host is None:
            host = of_base[2]
            if not path and query is None:
                query = of_base[4]
            path = _merged(of_base[3], path)
    authority = _authority(scheme, host)
    if authority is None:
        return None
    asked = f"?{_escaped(query)}" if query else ""
    whole = f"{scheme}://{authority}{_without_dots(_escaped(path))}{asked}"
    return whole if len(whole) <= LONGEST else None


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


def _parts(reference: str) -> tuple[str, str | None, str, str | None]:
    """Return scheme (in lower case), authority, path and query."""
    cleaned = _BREAKS.sub("", reference.strip(_AROUND))
    found = _PARTS.match(cleaned)
    assert found is not None
    scheme, _, path, query = found.groups()
    if "\\" in cleaned and (scheme or "http").lower() in _DEFAULT:
        before = re.match(r"[^?#]*", cleaned)
        assert before is not None
        found = _PARTS.match(before[0].replace("\\", "/"))
        assert found is not None
        path = found[3]
    return (scheme or "").lower(), found[2], path, query


def _merged(of_base: str, path: str) -> str:
    if not path:
        return of_base
    return path if path[0] == "/" else of_base[: of_base.rindex("/") + 1] + path


@lru_cache(maxsize=4096)
def _authority(scheme: str, text: str | None) -> str | None:
    """Return host and port in their one spelling."""
    name = (text or "").rpartition("@")[2].lower()
    port = ""
    if not name.endswith("]"):
        before, colon, after = name.rpartition(":")
        name, port = (before, after) if colon else (after, "")
    host = _host(name)
    if host is None or (port and not _PORT.fullmatch(port)):
        return None
    number = int(port or _DEFAULT[scheme])
    if not 0 < number < 65536:
        return None
    return host if number == _DEFAULT[scheme] else f"{host}:{number}"


def _host(name: str) -> str | None:
    if name.startswith("[") and name.endswith("]"):
        try:
            return f"[{IPv6Address(name[1:-1]).compressed}]"
        except AddressValueError:
            return None
    try:
        name = name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        return None
    return name if _HOST.fullmatch(name) else None


def _escaped(text: str) -> str:
    """Return a path or a query with its escapes in their one form."""
    return _ESCAPABLE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    if found[1] is None:
        # A stray percent sign as well: "%%35" would otherwise become an escape.
        return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace"))
    sign = chr(int(found[1], 16))
    return sign if sign in _UNRESERVED else f"%{found[1].upper()}"


def _without_dots(path: str) -> str:
    """Return a path without its parts ``.`` and ``..``; empty parts stay."""
    if "/." not in path:
        return path if path.startswith("/") else "/" + path
    kept: list[str] = []
    parts = path.split("/")[1:]
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    if parts[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
