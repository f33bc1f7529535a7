"""The links of an HTML document, as bytes: what a crawler reads of a page, and nothing else.

A plain document is read with regular expressions; whatever is not plain goes to Lexbor, which knows
all of HTML. A document is plain if all of it, from the first byte to the last, is text and the tags
of `_PLAIN`, each written in one way only. In such a document every ``<`` begins a tag, all elements
are where their tags are, and an ``a`` holds text alone: otherwise HTML may copy it (after
``<p><a href="x"></p>y`` there are two).
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser


class Links(NamedTuple):
    """What a document links to: absolute URLs, copies included, and what is no link."""

    urls: list[str]
    bad: list[str]


_LINKING = (("a", "href"), ("frame", "src"), ("iframe", "src"))

_MORE = r'(?: [a-z]+="[^"<]*+")*+>'
"""Attributes, and the end of a tag."""
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
"""Links of a plain document: absolute URLs, paths of the host, and of folders above; all others."""
_HOST = re.compile(r"https?://[^/?#\s]+")
_NO_HTTP = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:(?!//)")
"""Beginnings of references, without tabs and ends of lines, that have a scheme and no host."""
_BASE = re.compile(r'<base href="([^"]*+)"')

_SIMPLE = re.compile(
    r"(?=[a-z0-9/.])(?!.*//)[a-z0-9_~/\-]*(?:\.[a-z]+)?(?:\?[a-z0-9=&\-]+)?", re.ASCII
)
"""References that are joined by putting them behind a folder: no dots before a slash, no scheme."""
_ABOVE = re.compile(r"(?:\.\./)+")
_WHOLE = re.compile(r"http://[a-z0-9.\-]+/[A-Za-z0-9_~/.\-=&?]*", re.ASCII)
"""References that are absolute URLs already."""


def read(document: bytes, url: str) -> Links:
    """Return the links and frames of an HTML document found at a URL.

    All references are taken as ASCII: an undeclared or wrongly declared encoding does them no harm.
    """
    return read_plain(document, url) or read_any(document, url)


def read_plain(document: bytes, url: str) -> Links | None:
    """Return what `read_any` does, in a third of the time; None if the document is not plain."""
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
    return Links(urls, bad)


def _based(text: str, url: str) -> str | None:
    """Return what the references of a plain document are relative to; None if it is not plain."""
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


def read_any(document: bytes, url: str) -> Links:
    """Return what `read` does, of any document."""
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
    return Links(urls, bad)


def _base(url: str, reference: str) -> str:
    """Return what references are relative to by a ``base`` in a document, if that can be."""
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
    """Return what goes before a path, and before a reference that is relative to a folder."""
    return at[: at.index("/", 8)], at.partition("?")[0].rpartition("/")[0] + "/"


def _joined(reference: str, at: str, origin: str, folder: str) -> str | None:
    """Return a reference as an absolute URL; None if it is no link of http."""
    if reference.startswith("http://") and _WHOLE.fullmatch(reference):
        return reference
    if _SIMPLE.fullmatch(reference):
        if reference[0] != "/":
            return folder + reference
        if reference[:2] != "//":
            return origin + reference
    if reference.startswith("../"):
        # It matches: the reference begins so.
        above = len(_ABOVE.match(reference)[0]) // 3  # type: ignore[index]
        rest = reference[3 * above :]
        if not rest or (rest[0] != "/" and _SIMPLE.fullmatch(rest)):
            return _climbed(folder, above, len(origin)) + rest
    return _slowly_joined(reference, at)


def _climbed(folder: str, above: int, root: int) -> str:
    for _ in range(above):
        if len(folder) > root + 1:
            folder = folder[: folder.rindex("/", root, -1) + 1]
    return folder


def _slowly_joined(reference: str, at: str) -> str | None:
    try:
        told = urlsplit(reference.strip())
        if told.scheme and not told.netloc:
            return None
        joined = urljoin(at, reference.strip())
        parts = urlsplit(joined)
        parts.port  # noqa: B018 raises if it is none
    except ValueError:
        return None
    good = parts.scheme in ("http", "https") and parts.hostname and " " not in parts.netloc
    return joined.partition("#")[0] if good else None
