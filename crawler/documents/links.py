"""The references of an HTML document: its links, and what stands where links belong and is none.

What is read, in the order of the document:

- ``href`` of ``a`` and ``area``, and the target of a ``meta`` that refreshes;
- ``src`` of ``frame`` and ``iframe`` ([BeeBot]: frames are collected as internal links; one that
  shows another site is external here);
- ``href`` of ``link`` where its ``rel`` names a page (`PAGES`), as ``alternate``, ``next`` and
  ``canonical`` do; not what a page is made of or wants to be loaded (``stylesheet``, ``icon``,
  ``preload``), no feed, and no ``canonical`` that names the page itself.

References are relative to the first ``base``. Links with ``rel=nofollow`` are links; what a script
would write, or stands in a ``template``, is not there. A link that HTML's rules for wrongly nested
tags repeat (``<a href=x>1<p>2`` makes two elements) is there once for each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from counterpoint.crawler.policy.protocol import Content

from . import apart
from .addresses import LONGEST, joined, site
from .encodings import codec
from .saying import Surroundings, said

TEXT = 1_000
"""Characters that are kept of what stood in a document, and of an anchor."""

PAGES = frozenset((
    "alternate", "amphtml", "appendix", "author", "bookmark", "canonical", "chapter", "child",
    "contents", "copyright", "first", "glossary", "help", "home", "index", "last", "license", "me",
    "next", "parent", "prev", "previous", "privacy-policy", "search", "section", "shortlink",
    "start", "subsection", "terms-of-service", "toc", "top", "up",
))  # fmt: skip
"""Values of ``rel`` that make a ``link`` a link to a page."""
_PARTS = frozenset(
    ["stylesheet", "icon", "manifest", "preload", "prefetch", "modulepreload", "preconnect"]
)
"""Values that make it none, whatever else stands there: ``alternate stylesheet``."""


class Kind(StrEnum):
    """Where a reference leads."""

    INTERNAL = "internal"
    """To the document's own site."""
    EXTERNAL = "external"
    """To another site."""
    BAD = "bad"
    """To nothing that can be fetched over http or https."""


class Reason(StrEnum):
    """Why a reference is none."""

    NONE = ""
    """It is one."""
    EMPTY = "empty"
    """Nothing stands where a frame's or a link element's address belongs."""
    SCRIPT = "script"
    """``javascript:`` or ``vbscript:``."""
    MAIL = "mail"
    """``mailto:``."""
    TELEPHONE = "telephone"
    """``tel:``, ``sms:``, ``callto:`` or ``fax:``."""
    DATA = "data"
    """``data:`` or ``blob:``: the document itself, not where it is."""
    SCHEME = "other scheme"
    """Any other that is not http or https."""
    LONG = "too long"
    """An address longer than `counterpoint.crawler.documents.addresses.LONGEST`."""
    MALFORMED = "malformed"
    """No address: no host, a host or a port that cannot be."""


class Reference(NamedTuple):
    """What stood where a link belongs.

    Attributes
    ----------
    position : int
        Its place among all references of the document, from 0 on.
    kind : Kind
    address : str
        Where it leads, in its one spelling; "" if it is bad.
    text : str
        What stood there, at most `TEXT` characters.
    anchor : str
        The text of the link, whitespace collapsed, at most `TEXT` characters; where there is none
        the images' ``alt``, then the ``title``.
    reason : Reason
        Why it is bad.
    frame : bool
        Whether it is shown within the document.
    """

    position: int
    kind: Kind
    address: str
    text: str
    anchor: str
    reason: Reason
    frame: bool


class Reading(NamedTuple):
    """What a document refers to.

    Attributes
    ----------
    site : str
        The document's own.
    references : tuple of Reference
        In the order of the document, copies included.
    problem : str
        Why the document was not read; "": it was.
    content : Content or None
        What it says, if that was asked for; with an anchor for each reference.
    """

    site: str
    references: tuple[Reference, ...]
    problem: str = ""
    content: Content | None = None

    @property
    def all(self) -> list[str]:
        """The addresses of all links."""
        return [one.address for one in self.references if one.kind is not Kind.BAD]

    @property
    def internal(self) -> list[str]:
        """Those on the document's own site."""
        return [one.address for one in self.references if one.kind is Kind.INTERNAL]

    @property
    def external(self) -> list[str]:
        """Those on other sites."""
        return [one.address for one in self.references if one.kind is Kind.EXTERNAL]

    @property
    def bad(self) -> list[str]:
        """What stood where no address was."""
        return [one.text for one in self.references if one.kind is Kind.BAD]


_PLACES = (
    r"a[href], a[xlink\:href], area[href], frame[src], iframe[src], link[rel][href], "
    "meta[http-equiv][content]"
)
_DEEP = " ".join(["a"] * 8)
"""Links so deep in each other: only who wants the text of a page read a thousand times makes them.
They have no anchors, and neither have those around them."""
_FRAMES = frozenset(("frame", "iframe"))
_NEEDING = frozenset(("frame", "iframe", "link"))
"""Elements for which an empty reference is none; elsewhere it is the document itself."""
_HTML = frozenset(("text/html", "application/xhtml+xml"))
_REFRESH = re.compile(
    r"""[\t\n\f\r ]*+(?:[0-9]++|(?=\.))[0-9.]*+(?=[;,\t\n\f\r ])[\t\n\f\r ]*+[;,]?+[\t\n\f\r ]*+
        (?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?+(?:"([^"]+)|'([^']+)|([^"'].*))""",
    re.I | re.S | re.X | re.A,
)
"""What ``content`` of a refreshing ``meta`` holds (HTML: shared declarative refresh steps)."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.\-]*):", re.I | re.A)
_AROUND = "".join(map(chr, range(33)))
_BREAKS = re.compile(r"[\t\r\n]+")
_REASONS = {
    "http": Reason.MALFORMED, "https": Reason.MALFORMED, "javascript": Reason.SCRIPT,
    "vbscript": Reason.SCRIPT, "mailto": Reason.MAIL, "tel": Reason.TELEPHONE,
    "sms": Reason.TELEPHONE, "callto": Reason.TELEPHONE, "fax": Reason.TELEPHONE,
    "data": Reason.DATA, "blob": Reason.DATA,
}  # fmt: skip
_LETTERS = re.compile(r"[^\x00-\x7f]+")
_KEPT = frozenset(range(33, 127)) - frozenset(b"\"#<>'%")

_Attributes: TypeAlias = Mapping[str, str | None]


def read(
    document: str, address: str, encoding: str = "utf-8", *, contents: bool = False
) -> Reading:
    """Return the references of a document.

    Parameters
    ----------
    document : str
        Its text.
    address : str
        Where it was found, after all redirects, in its one spelling.
    encoding : str
        Its name in the encoding standard; letters of a query are sent in it (URL standard, 1.3).
    contents : bool
        Return as well what it says.
    """
    if not apart.wanted(document):
        return read_here(document, address, encoding, contents)
    found: Reading | None = apart.READER.read(document, address, encoding, contents)
    if found is None:
        return Reading(site(address), (), "takes too long to be read")
    return found


def read_here(
    document: str, address: str, encoding: str = "utf-8", contents: bool = False
) -> Reading:
    """Return the references of a document as `read` does, however long it takes."""
    tree = LexborHTMLParser(document)
    base, own = address, site(address)
    for node in tree.css("base[href]")[:1]:
        base = joined(address, node.attributes["href"] or "") or address
    within = (f"http://{own}/", f"https://{own}/")
    found: list[Reference] = []
    trap = tree.css_first(_DEEP) is not None
    around, anchors = Surroundings(), list[str]()
    for node in tree.css(_PLACES):
        tag, attributes = node.tag or "", node.attributes
        text = _reference(tag, attributes)
        if text is None:
            continue
        target = _target(tag, text, base, encoding)
        reason = Reason.NONE
        if target is None:
            kind, target, reason = Kind.BAD, "", _reason(tag, text, base)
        elif tag == "link" and target == address:
            continue
        else:
            kind = Kind.INTERNAL if target.startswith(within) else Kind.EXTERNAL
        hidden = trap and tag == "a" and node.css_first(_DEEP) is not None
        anchor = "" if hidden else _anchor(node, tag, attributes)
        if contents:
            anchors.append(around.of(node, anchor))
        place = len(found)
        found.append(Reference(place, kind, target, text[:TEXT], anchor, reason, tag in _FRAMES))
    return Reading(own, tuple(found), "", said(tree, anchors) if contents else None)


def _reference(tag: str, attributes: _Attributes) -> str | None:
    """Return what stands where an element's link belongs; None if none belongs there."""
    if tag == "a":
        return (attributes["href"] if "href" in attributes else attributes["xlink:href"]) or ""
    if tag in _FRAMES:
        return attributes["src"] or ""
    if tag == "meta":
        return _refresh(attributes)
    if tag == "link" and not _is_page(attributes):
        return None
    return attributes["href"] or ""


def _refresh(attributes: _Attributes) -> str | None:
    if (attributes["http-equiv"] or "").lower() != "refresh":
        return None
    found = _REFRESH.match(attributes["content"] or "")
    return found[found.lastindex or 0] if found is not None else None


def _is_page(attributes: _Attributes) -> bool:
    """Tell whether a ``link`` is one to a page."""
    relations = set((attributes["rel"] or "").lower().split())
    kind = (attributes.get("type") or "text/html").partition(";")[0].strip().lower()
    return not relations.isdisjoint(PAGES) and relations.isdisjoint(_PARTS) and kind in _HTML


def _target(tag: str, text: str, base: str, encoding: str) -> str | None:
    if not text and tag in _NEEDING:
        return None
    if "?" in text and not encoding.startswith("utf-") and not text.isascii():
        text = _with_query(text, codec(encoding))
    return joined(base, text)


def _with_query(text: str, python_codec: str) -> str:
    """Return a reference with the letters of its query written by a codec."""
    whole, mark, fragment = text.partition("#")
    before, asked, query = whole.partition("?")
    query = _LETTERS.sub(lambda letters: _coded(letters[0], python_codec), query)
    return f"{before}{asked}{query}{mark}{fragment}"


def _coded(letters: str, python_codec: str) -> str:
    try:
        octets = letters.encode(python_codec)
    except UnicodeEncodeError:
        if len(letters) > 1:
            return "".join(_coded(letter, python_codec) for letter in letters)
        return f"%26%23{ord(letters)}%3B"  # a character reference, as a form would send it
    return "".join(chr(octet) if octet in _KEPT else f"%{octet:02X}" for octet in octets)


def _reason(tag: str, text: str, base: str) -> Reason:
    """Return why a reference names nothing to fetch."""
    cleaned = _BREAKS.sub("", text.strip(_AROUND))
    if not cleaned and tag in _NEEDING:
        return Reason.EMPTY
    found = _SCHEME.match(cleaned)
    reason = _REASONS.get(found[1].lower(), Reason.SCHEME) if found else Reason.MALFORMED
    if reason is Reason.MALFORMED:
        root = base[: base.index("/", len("https://")) + 1]
        if joined(root, cleaned[: LONGEST // 16]) is not None:
            return Reason.LONG
    return reason


def _anchor(node: LexborNode, tag: str, attributes: _Attributes) -> str:
    """Return the text of a link."""
    parts = [attributes.get("title") or ""]
    if tag == "area":
        parts.insert(0, attributes.get("alt") or "")
    elif tag == "a":
        text = _collapsed(node.text())
        if text:
            return text
        images = (image.attributes["alt"] or "" for image in node.css("img[alt]"))
        parts.insert(0, " ".join(images))
    return next(filter(None, map(_collapsed, parts)), "")


def _collapsed(text: str) -> str:
    return " ".join(text.split())[:TEXT]
