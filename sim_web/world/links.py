"""Reads the links of an HTML document.

A plain document is read with regular expressions, any other with Lexbor, which implements all of
HTML. A document is plain if it consists of text and of the tags of `_PLAIN` only, each written in
one way. In a plain document every ``<`` begins a tag, every element stands where its tags are, and
an ``a`` contains only text. (An ``a`` with other elements may be copied by the rules of HTML: after
``<p><a href="x"></p>y`` there are two.)
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser


class DocumentLinks(NamedTuple):
    """The links of a document.

    Attributes
    ----------
    urls : list of str
        Absolute URLs, copies included.
    bad : list of str
        References that are not links of http.
    """

    urls: list[str]
    bad: list[str]


_LINKING = (("a", "href"), ("frame", "src"), ("iframe", "src"))

_MORE = r'(?: [a-z]+="[^"<]*+")*+>'
"""The attributes and the end of a tag."""
_PLAIN = re.compile(
    r"[^<]*+(?:<(?:"
    rf'a href="[^"<]*+"{_MORE}[^<]*+</a>'
    r"|/?p>|/?h1>"
    r"|title>[^<]*+</title>"
    rf"|(?:base href|link rel|meta charset|html lang)=\"[^\"<]*+\"{_MORE}"
    r"|/?(?:html|head|body)>|!DOCTYPE html>"
    r")[^<]*+)*+"
)
_PATH = r"(?:[a-z0-9_~\-]++/)*+[a-z0-9_~\-]*+(?:\.[a-z]++)?+(?:\?[a-z0-9=\-]++)?+"
_LINKS = re.compile(
    r'<a href="(?:(http://[a-z0-9.\-]++/[A-Za-z0-9_~/.\-=?]*+)"'
    rf'|(/{_PATH})"|((?:\.\./)++)({_PATH})"|([^"]*+)")'
)
"""Links of a plain document: absolute URLs, paths, relative paths with ``../`` first, others."""
_HOST = re.compile(r"https?://[^/?#\s]+")
_NO_HTTP = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:(?!//)")
"""The beginning of a reference that has a scheme and no host (and no tabs or ends of lines)."""
_BASE = re.compile(r'<base href="([^"]*+)"')

_SIMPLE = re.compile(
    r"(?=[a-z0-9/.])(?!.*//)[a-z0-9_~/\-]*(?:\.[a-z]+)?(?:\?[a-z0-9=&\-]+)?", re.ASCII
)
"""References that a folder can be prepended to: they have no scheme, and no dots before a slash."""
_ABOVE = re.compile(r"(?:\.\./)+")
_WHOLE = re.compile(r"http://[a-z0-9.\-]+/[A-Za-z0-9_~/.\-=&?]*", re.ASCII)
"""References that are absolute URLs already."""


def read(document: bytes, url: str) -> DocumentLinks:
    """Return the links and frames of an HTML document found at a URL.

    References are read as ASCII, so that an undeclared or wrongly declared encoding cannot change
    them.
    """
    return read_plain(document, url) or read_any(document, url)


def read_plain(document: bytes, url: str) -> DocumentLinks | None:
    """Return the same as `read_any` in a third of the time; None if the document is not plain."""
    text = document.decode("latin-1")
    if "\0" in text or _PLAIN.fullmatch(text) is None:
        return None
    at = _based(text, url) if "<base" in text else url
    if at is None:
        return None
    origin, folder = _beginnings(at)
    urls: list[str] = []
    bad: list[str] = []
    for whole, path, up, below, other in _LINKS.findall(text):
        if whole:
            urls.append(whole)
        elif path:
            urls.append(origin + path)
        elif up:
            urls.append(_climbed(folder, len(up) // 3, len(origin)) + below)
        else:
            reference = _value(other)
            if reference is None:
                return None
            joined = None if _NO_HTTP.match(reference) else _joined(reference, at, origin, folder)
            (bad if joined is None else urls).append(joined or reference)
    return DocumentLinks(urls, bad)


def _based(text: str, url: str) -> str | None:
    """Return the base URL of a plain document with a ``base``; None if it is not plain."""
    base = _BASE.search(text)
    reference = _value(base[1]) if base else None
    return None if reference is None else _base(url, reference)


def _value(written: str) -> str | None:
    """Return the value of an attribute; None if it has other references than ``&amp;``."""
    if not written.isascii() or not written.isprintable():
        return None
    if "&" not in written:
        return written
    if written.count("&") != written.count("&amp;"):
        return None
    return written.replace("&amp;", "&")


def read_any(document: bytes, url: str) -> DocumentLinks:
    """Return the links and frames of any document, read with Lexbor."""
    tree = LexborHTMLParser(document.decode("latin-1"))
    at = url
    for base in tree.tags("base")[:1] if b"<base" in document else ():
        at = _base(url, base.attributes.get("href") or "")
    origin, folder = _beginnings(at)
    urls: list[str] = []
    bad: list[str] = []
    for tag, place in _LINKING:
        if tag != "a" and b"frame" not in document:
            continue
        for node in tree.tags(tag):
            reference = node.attributes.get(place)
            if reference is not None:
                joined = _joined(reference, at, origin, folder)
                (bad if joined is None else urls).append(joined or reference)
    return DocumentLinks(urls, bad)


def _base(url: str, reference: str) -> str:
    """Return the base URL that a ``base`` element gives; the document's URL if it gives none."""
    try:
        at = urljoin(url, reference.strip()).partition("#")[0]
    except ValueError:
        return url
    host = _HOST.match(at)
    if host is None:
        return url
    slash = "" if at.startswith("/", host.end()) else "/"
    return at[: host.end()] + slash + at[host.end() :]


def _beginnings(at: str) -> tuple[str, str]:
    """Return the prefixes that make a path, and a relative reference, an absolute URL."""
    return at[: at.index("/", 8)], at.partition("?")[0].rpartition("/")[0] + "/"


def _joined(reference: str, at: str, origin: str, folder: str) -> str | None:
    """Return a reference as an absolute URL; None if it is not a link of http.

    Parameters
    ----------
    reference : str
    at : str
        The base URL.
    origin, folder : str
        From `_beginnings` of the base URL.
    """
    if reference.startswith("http://") and _WHOLE.fullmatch(reference):
        return reference
    if _SIMPLE.fullmatch(reference):
        if reference[0] != "/":
            return folder + reference
        if reference[:2] != "//":
            return origin + reference
    if reference.startswith("../"):
        # The pattern matches, because the reference begins with it.
        above = len(_ABOVE.match(reference)[0]) // 3  # type: ignore[index]
        rest = reference[3 * above :]
        if not rest or (rest[0] != "/" and _SIMPLE.fullmatch(rest)):
            return _climbed(folder, above, len(origin)) + rest
    return _slowly_joined(reference, at)


def _climbed(folder: str, above: int, root: int) -> str:
    """Return a folder that is ``above`` levels higher, or the root, whose length is ``root``."""
    for _ in range(above):
        if len(folder) > root + 1:
            folder = folder[: folder.rindex("/", root, -1) + 1]
    return folder


def _slowly_joined(reference: str, at: str) -> str | None:
    try:
        written = urlsplit(reference.strip())
        if written.scheme and not written.netloc:
            return None
        joined = urljoin(at, reference.strip())
        parts = urlsplit(joined)
        parts.port  # noqa: B018 raises if it is not a number
    except ValueError:
        return None
    good = parts.scheme in ("http", "https") and parts.hostname and " " not in parts.netloc
    return joined.partition("#")[0] if good else None
