"""What the first bytes of a document say of its encoding.

This is the prescan of the HTML standard (13.2.3.2): tags are looked for in the bytes; what looks
like one in a comment or in another tag's attribute is none. If no ``meta`` tells, an XML
declaration may.
"""

from __future__ import annotations

import re

from .encodings import named

FIRST = 1024
"""Bytes; the standard asks that a declaration stand within them."""

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
"""An attribute, or the end of a tag. No match: the bytes end before the attribute does."""
_META = re.compile(rb"<meta(?=[\t\n\f\r /])", re.I)
_TAG = re.compile(rb"</?[a-z][^\t\n\f\r >]*+(?=[\t\n\f\r >])", re.I)
_BEGINNING = re.compile(rb"</?[a-z]", re.I)
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
        The standard's name of it; None: it declares none.
    """
    wide = _WIDE.get(head[:6])
    if wide is not None:
        return wide
    at = head.find(b"<")
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


def _passed(head: bytes, at: int) -> int:
    """Return where what begins with a ``<`` ends; -1: not within these bytes."""
    if head.startswith(b"<!--", at):
        # The hyphens of the end may be those of the beginning.
        end = head.find(b"-->", at + 2)
        return end + 3 if end >= 0 else -1
    if _BEGINNING.match(head, at):
        tag = _TAG.match(head, at)
        return _attributes(head, tag.end())[1] if tag is not None else -1
    if head[at + 1 : at + 2] in (b"!", b"/", b"?"):
        return head.find(b">", at)
    return at + 1


def _attributes(head: bytes, at: int) -> tuple[list[tuple[bytes, bytes]], int]:
    """Return the attributes of a tag, and where it ends; -1: not within these bytes."""
    found: list[tuple[bytes, bytes]] = []
    while (one := _ATTRIBUTE.match(head, at)) is not None:
        at = one.end()
        if one[1] is None:
            return found, at
        found.append((one[1].lower(), one[2] or one[3] or one[4] or b""))
    return [], -1


def _of_meta(attributes: list[tuple[bytes, bytes]]) -> str | None:
    # Of attributes with one name the first counts.
    told = dict(reversed(attributes))
    name: str | None = None
    if b"charset" in told:
        name = _named(told[b"charset"])
    elif told.get(b"http-equiv", b"").lower() == b"content-type":
        name = _of_content(told.get(b"content", b""))
    return _readable(name)


def _of_content(content: bytes) -> str | None:
    """Return what ``content`` of a ``meta`` says, as that of a header Content-Type."""
    found = _CHARSET.search(content)
    label = _LABEL.match(content, found.end()) if found is not None else None
    return _named(label[1] or label[2] or label[3] or b"") if label is not None else None


def _of_xml(head: bytes) -> str | None:
    found = _XML.match(head)
    return _readable(_named(found[1] or found[2] or b"")) if found is not None else None


def _named(label: bytes) -> str | None:
    return named(label.decode("latin-1"))


def _readable(name: str | None) -> str | None:
    """Return an encoding in which these bytes could be read as ASCII."""
    return "utf-8" if name is not None and name.startswith("utf-16") else name
