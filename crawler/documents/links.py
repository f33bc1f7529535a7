"""Reads the references of an HTML document: its links, and the references that are not addresses.

These are read, in the order of the document:

- ``href`` of ``a`` and ``area``, and the target of a ``meta`` refresh;
- ``src`` of ``frame`` and ``iframe`` ([BeeBot] collects frames as internal links; here a frame that
  shows another site is external);
- ``href`` of ``link`` if its ``rel`` names a page (`PAGES`), such as ``alternate``, ``next`` and
  ``canonical``; but not resources of the page (``stylesheet``, ``icon``, ``preload``), feeds, or a
  ``canonical`` that names the page itself.

References are relative to the first ``base``. Links with ``rel=nofollow`` are included, and marked
(`directives`); links that a script would write, and links in a ``template``, are not. If HTML's
rules for wrongly nested tags make several elements from one link (two from ``<a href=x>1<p>2``),
each is included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from counterpoint.crawler.limits import LINKS
from counterpoint.crawler.policy.protocol import Content

from . import apart
from .addresses import LONGEST, joined, site
from .directives import CANONICAL, NOFOLLOW, meta_forbids
from .legacy import encode
from .saying import Surroundings, read_content

TEXT = 1_000
"""The most characters of a reference's text, and of an anchor; the rest is cut off."""

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
"""Values of ``rel`` that exclude a ``link``, whatever its other values are (as in ``alternate
stylesheet``)."""


class Kind(StrEnum):
    """Where a reference leads."""

    INTERNAL = "internal"
    """To the document's own site."""
    EXTERNAL = "external"
    """To another site."""
    BAD = "bad"
    """To nothing that can be fetched over http or https."""


class Reason(StrEnum):
    """Why a reference is bad: it names nothing that can be fetched."""

    NONE = ""
    """The reference is not bad."""
    EMPTY = "empty"
    """The address of a frame or a link element is empty."""
    SCRIPT = "script"
    """``javascript:`` or ``vbscript:``."""
    MAIL = "mail"
    """``mailto:``."""
    TELEPHONE = "telephone"
    """``tel:``, ``sms:``, ``callto:`` or ``fax:``."""
    DATA = "data"
    """``data:`` or ``blob:``: the reference contains the document itself."""
    SCHEME = "other scheme"
    """Any other scheme that is not http or https."""
    LONG = "too long"
    """An address longer than `counterpoint.crawler.documents.addresses.LONGEST`."""
    MALFORMED = "malformed"
    """Not an address: it has no host, or an impossible host or port."""


class Reference(NamedTuple):
    """A reference in a document.

    Attributes
    ----------
    position : int
        Its index among all references of the document, from 0 on.
    kind : Kind
    address : str
        The normalized address of its target; "" if it is bad.
    text : str
        The reference as written in the document, at most `TEXT` characters.
    anchor : str
        The text of the link, whitespace collapsed, at most `TEXT` characters; if it is empty, the
        ``alt`` of its images, else its ``title``.
    reason : Reason
        Why it is bad.
    frame : bool
        Whether its target is shown within the document.
    mark : int
        What the document says about following it: a sum of `directives.NOFOLLOW` and `CANONICAL`.
    """

    position: int
    kind: Kind
    address: str
    text: str
    anchor: str
    reason: Reason
    frame: bool
    mark: int = 0


class Reading(NamedTuple):
    """The references of a document.

    Attributes
    ----------
    site : str
        The document's own site.
    references : tuple of Reference
        All references in the order of the document, including repeated ones.
    problem : str
        Why the document could not be read; "" if it was read.
    content : Content or None
        The content of the document, if it was requested; with an anchor for each reference.
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
        """The addresses of the links to the document's own site."""
        return [one.address for one in self.references if one.kind is Kind.INTERNAL]

    @property
    def external(self) -> list[str]:
        """The addresses of the links to other sites."""
        return [one.address for one in self.references if one.kind is Kind.EXTERNAL]

    @property
    def bad(self) -> list[str]:
        """The texts of the bad references."""
        return [one.text for one in self.references if one.kind is Kind.BAD]


_PLACES = (
    r"a[href], a[xlink\:href], area[href], frame[src], iframe[src], link[rel][href], "
    "meta[http-equiv][content], meta[name][content]"
)
_DEEP = " ".join(["a"] * 8)
"""Selects links that are nested eight deep. Pages with such links are traps: reading each anchor
would read the text of the page again and again. The nested links and the links around them have no
anchors."""
_FRAMES = frozenset(("frame", "iframe"))
_NEEDING = frozenset(("frame", "iframe", "link"))
"""Elements whose empty reference is bad; elsewhere an empty reference names the document itself."""
_HTML = frozenset(("text/html", "application/xhtml+xml"))
_REFRESH = re.compile(
    r"""[\t\n\f\r ]*+(?:[0-9]++|(?=\.))[0-9.]*+(?=[;,\t\n\f\r ])[\t\n\f\r ]*+[;,]?+[\t\n\f\r ]*+
        (?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?+(?:"([^"]+)|'([^']+)|([^"'].*))""",
    re.I | re.S | re.X | re.A,
)
"""The attribute ``content`` of a ``meta`` refresh (HTML: shared declarative refresh steps)."""
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
        The text of the document.
    address : str
        The normalized address of the document, after all redirects.
    encoding : str
        The document's encoding, by its name in the encoding standard; the letters of a query are
        sent in it (URL standard, 1.3).
    contents : bool
        Also return the document's content.
    """
    if not apart.wanted(document):
        return read_here(document, address, encoding, contents)
    found: Reading | str = apart.READER.call("links", document, address, encoding, contents)
    return Reading(site(address), (), found) if isinstance(found, str) else found


def read_here(
    document: str, address: str, encoding: str = "utf-8", contents: bool = False
) -> Reading:
    """Return the references of a document as `read` does, without a limit of time."""
    tree = LexborHTMLParser(document)
    base, own = address, site(address)
    for node in tree.css("base[href]")[:1]:
        base = joined(address, node.attributes["href"] or "") or address
    within = (f"http://{own}/", f"https://{own}/")
    found: list[Reference] = []
    problem, said = "", 0
    trap = tree.css_first(_DEEP) is not None
    around, anchors = Surroundings(), list[str]()
    for node in tree.css(_PLACES):
        tag, attributes = node.tag or "", node.attributes
        text = _reference(tag, attributes)
        if text is None:
            said |= _of_all(tag, attributes)
            continue
        target = _target(tag, text, base, encoding)
        reason = Reason.NONE
        if target is None:
            kind, target, reason = Kind.BAD, "", _reason(tag, text, base)
        elif tag == "link" and target == address:
            continue
        else:
            kind = Kind.INTERNAL if target.startswith(within) else Kind.EXTERNAL
        if len(found) == LINKS:
            problem = f"has more than {LINKS:,} links: the others are left out"
            break
        hidden = trap and tag == "a" and node.css_first(_DEEP) is not None
        anchor = "" if hidden else _anchor(node, tag, attributes)
        if contents:
            anchors.append(around.of(node, anchor))
        place = len(found)
        mark = _mark(tag, attributes, kind) if "rel" in attributes else 0
        found.append(
            Reference(place, kind, target, text[:TEXT], anchor, reason, tag in _FRAMES, mark)
        )
    content = read_content(tree, anchors) if contents else None
    return Reading(own, marked(found, said), problem, content)


def marked(references: Sequence[Reference], said: int) -> tuple[Reference, ...]:
    """Return references with a mark that a page gives all of its links; 0: none."""
    if not said:
        return tuple(references)
    return tuple(one._replace(mark=one.mark | said) for one in references)


def _of_all(tag: str, attributes: _Attributes) -> int:
    """Return the mark that an element without a reference gives all links of the document."""
    if tag != "meta" or not meta_forbids(attributes.get("name") or "", attributes["content"] or ""):
        return 0
    return NOFOLLOW


def _mark(tag: str, attributes: _Attributes, kind: Kind) -> int:
    """Return the mark that an element gives its own reference."""
    said = (attributes["rel"] or "").lower().split()
    named = CANONICAL if tag == "link" and kind is Kind.INTERNAL and "canonical" in said else 0
    return named | (NOFOLLOW if "nofollow" in said else 0)


def _reference(tag: str, attributes: _Attributes) -> str | None:
    """Return the text of an element's reference; None if the element is not a reference."""
    if tag == "a":
        return (attributes["href"] if "href" in attributes else attributes["xlink:href"]) or ""
    if tag in _FRAMES:
        return attributes["src"] or ""
    if tag == "meta":
        return _refresh(attributes)
    if tag == "link":
        rel, kind = attributes["rel"] or "", attributes.get("type") or ""
        return attributes["href"] or "" if is_page_relation(rel, kind) else None
    return attributes["href"] or ""


def _refresh(attributes: _Attributes) -> str | None:
    if (attributes.get("http-equiv") or "").lower() != "refresh":
        return None
    found = _REFRESH.match(attributes["content"] or "")
    return found[found.lastindex or 0] if found is not None else None


def is_page_relation(rel: str, kind: str) -> bool:
    """Return whether a ``link`` element with a ``rel`` and a ``type`` links to a page."""
    relations = set(rel.lower().split())
    kind = (kind or "text/html").partition(";")[0].strip().lower()
    return not relations.isdisjoint(PAGES) and relations.isdisjoint(_PARTS) and kind in _HTML


def _target(tag: str, text: str, base: str, encoding: str) -> str | None:
    if not text and tag in _NEEDING:
        return None
    if "?" in text and not encoding.startswith("utf-") and not text.isascii():
        text = _with_query(text, encoding)
    return joined(base, text)


def _with_query(text: str, encoding: str) -> str:
    """Return a reference with the letters of its query encoded and escaped."""
    whole, mark, fragment = text.partition("#")
    before, asked, query = whole.partition("?")
    query = _LETTERS.sub(lambda letters: _coded(letters[0], encoding), query)
    return f"{before}{asked}{query}{mark}{fragment}"


def _coded(letters: str, encoding: str) -> str:
    try:
        octets = encode(letters, encoding)
    except UnicodeEncodeError:
        if len(letters) > 1:
            return "".join(_coded(letter, encoding) for letter in letters)
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
    if tag == "a" and (text := _collapsed(node.text())):
        return text
    parts = [attributes.get("title") or ""]
    if tag == "area":
        parts.insert(0, attributes.get("alt") or "")
    elif tag == "a":
        images = (image.attributes["alt"] or "" for image in node.css("img[alt]"))
        parts.insert(0, " ".join(images))
    return next(filter(None, map(_collapsed, parts)), "")


def _collapsed(text: str) -> str:
    return " ".join(text.split())[:TEXT]
