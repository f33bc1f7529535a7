"""The references of HTML files, computed from the files alone: without the crawler, Lexbor or ada.

The tokens of a document are read as the HTML standard says (13.2.5), by an own reader: the standard
library's `html.parser` ends comments, raw text and attributes otherwise, and does so differently in
each version of Python. No tree is built. The effects that a tree has on links are computed here:
templates and scripts have no links in them, an ``a`` ends where another begins, and frames are
within framesets. One effect is left to the caller: an ``a`` that is not ended is repeated in the
elements that follow (13.2.4.3, active formatting elements); see `Computed.unended`.

References are joined as the URL standard says, with `urllib.parse` for escapes alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5
from ipaddress import AddressValueError, IPv6Address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

PAGES = {
    "alternate", "amphtml", "appendix", "author", "bookmark", "canonical", "chapter", "child",
    "contents", "copyright", "first", "glossary", "help", "home", "index", "last", "license", "me",
    "next", "parent", "prev", "previous", "privacy-policy", "search", "section", "shortlink",
    "start", "subsection", "terms-of-service", "toc", "top", "up",
}  # fmt: skip
"""Relations of ``link`` that the crawler is documented to read as links to pages."""
SPACE = "\t\n\f\r "


class Computed(NamedTuple):
    """The references of a page, in the order of the document, copies included.

    Attributes
    ----------
    internal : list of str
    external : list of (str, str)
        Addresses and anchors.
    bad : list of str
        The invalid references as written.
    unended : set of str
        The references within an ``a`` without an end tag.
    """

    internal: list[str]
    external: list[tuple[str, str]]
    bad: list[str]
    unended: set[str]


def computed(document: str, address: str) -> Computed:
    """Return the references of a document; external ones with their anchors."""
    found, base, unended = references(document)
    at = (absolute(address, base) if base is not None else None) or address
    result = Computed([], [], [], {absolute(at, one) or one for one in unended})
    own = address.split("/")[2]
    for tag, reference, anchor in found:
        needs = tag in ("frame", "iframe", "link")
        target = None if needs and not reference else absolute(at, reference)
        if target is None:
            result.bad.append(reference[:1000])
        elif tag == "link" and target == address:
            continue
        elif target.split("/")[2] == own:
            result.internal.append(target)
        else:
            result.external.append((target, anchor))
    return result


def pages(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the HTML files of a folder in order, with their paths when it is a site."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".htm") and path.is_file():
            yield path, "/" + quote(path.relative_to(folder).as_posix(), safe="/~!$&'()*+,;=:@")


# Tokens


class Tag(NamedTuple):
    """A tag, or text (whose name is "")."""

    name: str
    ends: bool
    attributes: dict[str, str]
    text: str = ""


RAW = {"style", "xmp", "iframe", "noembed", "noframes", "title", "textarea"}
NAME = re.compile(r"[^\t\n\f\r />]+")


def tokens(document: str) -> Iterator[Tag]:
    """Yield tags and text."""
    text = re.sub("\r\n?", "\n", document)
    at, foreign = 0, 0
    while at < len(text):
        begin = text.find("<", at)
        if begin < 0:
            begin = len(text)
        if begin > at:
            yield Tag("", False, {}, unescape(text[at:begin].replace("\0", "")))
        at = begin
        if re.match(r"</?[A-Za-z]", text[at : at + 3]):
            ends = text[at + 1] == "/"
            read = attributes_of(text, at + 1 + ends)
            if read is None:
                return  # the document ends within a tag
            name, attributes, at = read
            yield Tag(name, ends, {} if ends else attributes)
            if name in ("svg", "math"):
                foreign += -1 if ends and foreign else int(not ends)
            if not ends and not foreign:
                if name == "plaintext":
                    yield Tag("", False, {}, text[at:])
                    return
                if name == "script":
                    at = end_of_script(text, at)
                elif name in RAW:
                    end = re.compile(rf"</{name}(?=[\t\n\f />])", re.I).search(text, at)
                    at = end.start() if end else len(text)
        elif text.startswith("<!--", at):
            if text.startswith((">", "->"), at + 4):
                at = text.index(">", at) + 1
            else:
                over = re.compile("--!?>").search(text, at + 4)
                at = over.end() if over else len(text)
        elif text.startswith(("<!", "</", "<?"), at):
            at = text.find(">", at) + 1 or len(text)
        elif at < len(text):
            yield Tag("", False, {}, "<")
            at += 1


def attributes_of(text: str, at: int) -> tuple[str, dict[str, str], int] | None:
    """Return name, attributes and end of the tag whose name begins at a position."""
    named = NAME.match(text, at)
    assert named is not None
    name, at = named[0].lower(), named.end()
    attributes: dict[str, str] = {}
    while True:
        while at < len(text) and text[at] in SPACE + "/":
            at += 1
        if at >= len(text):
            return None
        if text[at] == ">":
            return name, attributes, at + 1
        begin = at
        at += 1
        while at < len(text) and text[at] not in SPACE + "/>=":
            at += 1
        key, value = text[begin:at].lower(), ""
        while at < len(text) and text[at] in SPACE:
            at += 1
        if at < len(text) and text[at] == "=":
            at += 1
            while at < len(text) and text[at] in SPACE:
                at += 1
            if at >= len(text):
                return None
            if text[at] in "\"'":
                end = text.find(text[at], at + 1)
                if end < 0:
                    return None
                value, at = text[at + 1 : end], end + 1
            else:
                begin = at
                while at < len(text) and text[at] not in SPACE + ">":
                    at += 1
                value = text[begin:at]
        attributes.setdefault(key, in_attribute(value.replace("\0", "\ufffd")))


def in_attribute(value: str) -> str:
    """Return a value with its character references decoded; ``&copy=`` and ``&copyx`` are not."""
    return re.sub("&(#[xX][0-9A-Fa-f]+;?|#[0-9]+;?|[A-Za-z0-9]+(?:;|(?![A-Za-z0-9=;])))",
                  lambda found: unescape(found[0]) if found[1][0] == "#"
                  else html5.get(found[1], found[0]), value)  # fmt: skip


def end_of_script(text: str, at: int) -> int:
    """Return the position of a script's end tag; one within a comment with a script is skipped."""
    escaped = double = False
    for found in re.compile(r"<!--|-->|<(/?)script(?=[\t\n\f />])", re.I).finditer(text, at):
        if found[0] == "<!--":
            escaped = True
        elif found[0] == "-->":
            escaped = double = False
        elif found[1] and not double:
            return found.start()
        else:
            double = escaped and not found[1]
    return len(text)


# Elements

BEFORE_BODY = {"html", "head", "title", "meta", "link", "base", "script", "style", "frameset",
               "frame", "noframes", "noscript"}  # fmt: skip


def references(document: str) -> tuple[list[tuple[str, str, str]], str | None, set[str]]:
    """Return tag, reference and anchor of all references, the base, and unended elements."""
    found: list[tuple[str, str, list[str], list[str], str]] = []
    base: str | None = None
    inside: int | None = None
    unended = set()
    templates, frameset, body = 0, False, False
    for tag in tokens(document):
        if tag.name == "template":
            templates += -1 if tag.ends and templates else int(not tag.ends)
        if templates:
            continue
        if not tag.name:
            body = body or bool(tag.text.strip(SPACE))
            if inside is not None:
                found[inside][2].append(tag.text)
            continue
        if tag.name == "a":
            if inside is not None and not tag.ends:
                unended.add(found[inside][1])
            inside = None
        if tag.ends:
            continue
        attributes = tag.attributes
        frameset = frameset or (tag.name == "frameset" and not body)
        body = body or tag.name not in BEFORE_BODY
        if tag.name == "base" and "href" in attributes and base is None:
            base = attributes["href"]
        if tag.name in ("img", "image") and inside is not None and "alt" in attributes:
            found[inside][3].append(attributes["alt"])
        reference = of_element(tag.name, attributes, frameset)
        if reference is not None:
            if tag.name == "a":
                inside = len(found)
            alt = [attributes.get("alt", "")] if tag.name == "area" else []
            found.append((tag.name, reference, alt, [], attributes.get("title", "")))
    if inside is not None:
        unended.add(found[inside][1])
    told_of = [(name, href, anchored(*rest)) for name, href, *rest in found]
    return told_of, base, unended


def of_element(name: str, attributes: dict[str, str], frameset: bool) -> str | None:
    """Return the reference of an element."""
    if name in ("frame", "iframe"):
        return attributes.get("src") if frameset == (name == "frame") else None
    if frameset and name in ("a", "area"):
        return None
    if name in ("a", "area"):
        return attributes.get("href", attributes.get("xlink:href") if name == "a" else None)
    if name == "link":
        relations = set(attributes.get("rel", "").lower().split())
        kind = attributes.get("type", "text/html").split(";")[0].strip().lower()
        parts = {"stylesheet", "icon", "manifest", "preload", "prefetch", "modulepreload",
                 "preconnect"}  # fmt: skip
        fits = relations & PAGES and not relations & parts
        return (
            attributes.get("href")
            if fits and kind in ("text/html", "application/xhtml+xml")
            else None
        )
    if name == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
        return of_refresh(attributes.get("content", ""))
    return None


def of_refresh(content: str) -> str | None:
    """Return the target of a refreshing page, or None if there is none."""
    rest = content.lstrip(SPACE)
    after = rest.lstrip("0123456789")
    if after == rest and not rest.startswith("."):
        return None
    after = after.lstrip("0123456789.")
    if not after or after[0] not in SPACE + ";,":
        return None
    after = after.lstrip(SPACE)
    after = after[after[:1] in (";", ",") :].lstrip(SPACE)
    url = re.match(f"url[{SPACE}]*=[{SPACE}]*", after, re.I)
    after = after[url.end() :] if url else after
    if after[:1] in ("'", '"'):
        return after[1:].partition(after[0])[0] or None
    return after or None


def anchored(text: list[str], alternatives: list[str], title: str) -> str:
    """Return the text of a link."""
    for whole in ("".join(text), " ".join(alternatives), title):
        if whole.split():
            return " ".join(whole.split())[:1000]
    return ""


# Addresses


def absolute(base: str, reference: str) -> str | None:
    """Return the address of a reference, in the crawler's spelling."""
    text = reference.strip("".join(map(chr, range(33))))
    text = re.sub(r"[\t\n\r]", "", text).partition("#")[0]
    scheme, _, of_base = base.partition("://")
    host, _, old = of_base.partition("/")
    path, _, query = ("/" + old).partition("?")
    parts = re.match(r"([a-z][a-z0-9+.\-]*):(.*)", text, re.I | re.S | re.A)
    if parts is not None:
        if parts[1].lower() not in ("http", "https"):
            return None
        text = parts[2]
        if parts[1].lower() != scheme:
            scheme, text = parts[1].lower(), "//" + text
    before, mark, after = text.partition("?")
    before = before.replace("\\", "/")
    if before.startswith("//"):
        host, slash, rest = before.lstrip("/").partition("/")
        checked = host_of(host.rpartition("@")[2], 80 if scheme == "http" else 443)
        if checked is None:
            return None
        host, path, query = checked, slash + rest, after
    elif before or mark:
        folder = path[: path.rindex("/") + 1]
        path = path if not before else before if before[0] == "/" else folder + before
        query = after
    asked = "?" + escaped(query, "!$%&()*+,/:;=?@[\\]^`{|}") if query else ""
    whole = f"{scheme}://{host}" + escaped(dotless(path), "!$%&'()*+,/:;=@[]|") + asked
    return whole if len(whole) <= 8000 else None


def host_of(text: str, usual: int) -> str | None:
    """Return host and port, or None if they are invalid."""
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?", text)
    if match is None or int(match[2] or usual) not in range(1, 65536):
        return None
    port = f":{int(match[2])}" if match[2] and int(match[2]) != usual else ""
    if match[1].startswith("["):
        try:
            return f"[{IPv6Address(match[1][1:-1]).compressed}]{port}"
        except AddressValueError:
            return None
    name = unquote(match[1], errors="replace").lower()
    try:
        name = name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        return None
    parts = name.removesuffix(".").split(".")
    if re.search(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]", name) or re.fullmatch(
        "[0-9]+", parts[-1]
    ):
        return name + port if re.fullmatch(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}", name) else None
    return name + port if all(0 < len(part) < 64 for part in parts) and len(name) < 254 else None


def dotless(path: str) -> str:
    """Return a path without ``.`` and ``..`` segments."""
    kept: list[str] = []
    parts = path.split("/")[1:]
    for part in parts:
        plain = part.lower().replace("%2e", ".")
        if plain == "..":
            kept = kept[:-1]
        elif plain != ".":
            kept.append(part)
    if parts and parts[-1].lower().replace("%2e", ".") in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def escaped(text: str, safe: str) -> str:
    """Return a path or a query with the needed escapes, in capitals."""
    whole, at = quote(text, safe=safe, errors="replace"), 0
    written = []
    while at < len(whole):
        two = whole[at + 1 : at + 3]
        if whole[at] != "%" or not re.fullmatch("[0-9A-Fa-f]{2}", two):
            written.append(whole[at])
            at += 1
            continue
        sign = chr(int(two, 16))
        stray = whole[at - 1 : at] == "%" or re.fullmatch(
            "%[0-9A-Fa-f]", whole[max(0, at - 2) : at]
        )
        plain = re.fullmatch(r"[A-Za-z0-9\-._~]", sign) is not None and not stray
        written.append(sign if plain else f"%{two.upper()}")
        at += 3
    return "".join(written)
