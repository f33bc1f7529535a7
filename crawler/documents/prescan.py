"""Finds the encoding that a document declares.

`declared` is the prescan of the HTML standard (13.2.3.2). It searches the first bytes for ``meta``
tags, and skips comments and the attributes of other tags. If no ``meta`` declares an encoding, an
XML declaration may. `met` finds a ``meta`` that comes later, where a parser meets it: a browser
then begins again with its encoding (13.2.3.4).
"""

from __future__ import annotations

import re

from .encodings import named

FIRST = 1024
"""Number of bytes; the standard requires that a declaration is within them."""

_ATTRIBUTE = re.compile(
    rb"""[\t\n\f\r\ /]*+(?:
        (?=>)
        |([^\t\n\f\r\ />][^\t\n\f\r\ />=]*+)(?:
            [\t\n\f\r\ ]*+=[\t\n\f\r\ ]*+(?:
                "([^"]*+)" | '([^']*+)' | (?=>)
                |([^"'\t\n\f\r\ >][^\t\n\f\r\ >]*+)(?=[\t\n\f\r\ >])
            )
            |[\t\n\f\r\ ]*+(?=[^\t\n\f\r\ =])
        )
    )""",
    re.X,
)
"""An attribute, or the end of a tag. There is no match if the bytes end before the attribute."""
_RAW = (b"script", b"style", b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes",
        b"noscript")  # fmt: skip
"""Elements whose content has no tags; of ``noscript``, since browsers run scripts."""
_INSIDE = rb"""(?:[^>=]++|=[\t\n\f\r\ ]*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?)*+(?:>|\Z)"""
_PASSED = re.compile(
    b"(?:"
    + b"|".join([
        rb"[^<]++",
        rb"<!--(?:-?>|.*?(?:--!?>|\Z))",
        *(rb"<%b(?=[\t\n\f\r />])%b.*?(?:</%b(?=[\t\n\f\r />])|\Z)" % (name, _INSIDE, name)
          for name in _RAW),
        rb"<(?!meta[\t\n\f\r /])/?[a-z]" + _INSIDE,
        rb"<[!/?][^>]*+",
        rb"<(?![!/?a-z])",
    ])
    + b")*+",
    re.I | re.S,
)  # fmt: skip
"""All that a parser reads before it meets a ``meta``. Each byte is looked at once."""
_META = re.compile(rb"<meta(?=[\t\n\f\r /])", re.I)
_TAG = re.compile(rb"</?[a-z][^\t\n\f\r >]*+(?=[\t\n\f\r >])", re.I)
_BEGINNING = re.compile(rb"</?[a-z]", re.I)
_WORD = re.compile(rb"charset", re.I)
_CHARSET = re.compile(rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*", re.I)
_LABEL = re.compile(rb"\"([^\"]*)\"|'([^']*)'|([^\"'\t\n\f\r ;][^\t\n\f\r ;]*)")
_XML = re.compile(rb"<\?xml[^>]*?encoding[\x00- ]*=[\x00- ]*(?:\"([^\">]*)\"|'([^'>]*)')[^>]*>")
_WIDE = {b"<\0?\0x\0": "utf-16le", b"\0<\0?\0x": "utf-16be"}


def declared(head: bytes) -> str | None:
    """Return the encoding that a document declares.

    Parameters
    ----------
    head : bytes
        The first `FIRST` bytes.

    Returns
    -------
    str or None
        The standard's name of the encoding; None if the document declares none.
    """
    wide = _WIDE.get(head[:6])
    if wide is not None:
        return wide
    at = head.find(b"<") if _WORD.search(head) else -1  # no meta declares one without the word
    while at >= 0:
        if _META.match(head, at):
            attributes, end = _attributes(head, at + len(b"<meta"))
            name = _of_meta(attributes) if end >= 0 else None
            if name is not None:
                return name
        else:
            end = _passed(head, at)
        at = head.find(b"<", end) if end >= 0 else -1
    return _of_xml(head)


def met(body: bytes) -> str | None:
    """Return the encoding that the first ``meta`` with one declares, wherever a parser meets it.

    Returns
    -------
    str or None
        The standard's name of the encoding; None if no ``meta`` declares one.
    """
    if _CHARSET.search(body) is None:
        return None
    at = 0
    while at < len(body):
        before = _PASSED.match(body, at)
        at = before.end() if before is not None else at
        if not _META.match(body, at):
            return None
        attributes, end = _attributes(body, at + len(b"<meta"))
        name = _of_meta(attributes) if end >= 0 else None
        if name is not None or end < 0:
            return name
        at = end
    return None


def _passed(head: bytes, at: int) -> int:
    """Return where the markup that begins with ``<`` ends; -1 if it ends after these bytes."""
    if head.startswith(b"<!--", at):
        # The hyphens of the end may be the same as those of the beginning.
        end = head.find(b"-->", at + 2)
        return end + 3 if end >= 0 else -1
    if _BEGINNING.match(head, at):
        tag = _TAG.match(head, at)
        return _attributes(head, tag.end())[1] if tag is not None else -1
    if head[at + 1 : at + 2] in (b"!", b"/", b"?"):
        return head.find(b">", at)
    return at + 1


def _attributes(head: bytes, at: int) -> tuple[list[tuple[bytes, bytes]], int]:
    """Return the attributes of a tag and where it ends; -1 if it ends after these bytes."""
    found: list[tuple[bytes, bytes]] = []
    while (one := _ATTRIBUTE.match(head, at)) is not None:
        at = one.end()
        if one[1] is None:
            return found, at
        found.append((one[1].lower(), one[2] or one[3] or one[4] or b""))
    return [], -1


def _of_meta(attributes: list[tuple[bytes, bytes]]) -> str | None:
    # If several attributes have the same name, the first one counts.
    named = dict(reversed(attributes))
    name: str | None = None
    if b"charset" in named:
        name = _named(named[b"charset"])
    elif named.get(b"http-equiv", b"").lower() == b"content-type":
        name = _of_content(named.get(b"content", b""))
    return _readable(name)


def _of_content(content: bytes) -> str | None:
    """Return the encoding in the ``content`` of a ``meta`` that replaces Content-Type."""
    found = _CHARSET.search(content)
    label = _LABEL.match(content, found.end()) if found is not None else None
    return _named(label[1] or label[2] or label[3] or b"") if label is not None else None


def _of_xml(head: bytes) -> str | None:
    found = _XML.match(head)
    return _readable(_named(found[1] or found[2] or b"")) if found is not None else None


def _named(label: bytes) -> str | None:
    return named(label.decode("latin-1"))


def _readable(name: str | None) -> str | None:
    """Return the declared encoding, or UTF-8 for UTF-16: the declaration was read as ASCII."""
    return "utf-8" if name is not None and name.startswith("utf-16") else name
