"""The text of a document: its bytes, decoded as HTML has it.

A byte order mark counts before what the server says, and that before what the document says of
itself; a document of which nothing is known is UTF-8 if it can be, else windows-1252. A wrong
declaration does no harm to what is ASCII, so links survive it.
"""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
          (codecs.BOM_UTF16_BE, "utf-16-be"))  # fmt: skip
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:\-]+)", re.I | re.A)
_IN_META = re.compile(rb"<meta\b[^>]*?charset\s*=\s*[\"']?\s*([\w.:\-]+)", re.I)
_LOOKED_AT = 1024
_WIDE = re.compile(r"utf-?(?:16|32)", re.I)
_NAMES = {"iso8859-1": "windows-1252", "ascii": "windows-1252", "gb2312": "gb18030",
          "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}  # fmt: skip
"""What HTML means by a name, where that is more than the name says."""


def decoded(body: bytes, content_type: str = "") -> str:
    """Return the text of a document.

    Parameters
    ----------
    body : bytes
        As it came, uncompressed.
    content_type : str
        The header of that name.
    """
    for mark, of_mark in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(of_mark, "replace")
    name = _declared(body, content_type)
    if name is not None:
        return body.decode(name, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _declared(body: bytes, content_type: str) -> str | None:
    said = _IN_HEADER.search(content_type)
    name = _known(said[1]) if said is not None else None
    if name is not None:
        return name
    within = _IN_META.search(body[:_LOOKED_AT])
    if within is None:
        return None
    label = within[1].decode("latin-1")
    # Who could read this in ASCII is not looking at a document in UTF-16.
    return "utf-8" if _WIDE.match(label) else _known(label)


def _known(label: str) -> str | None:
    """Return the codec of a label; None if it names no encoding of text."""
    try:
        name = codecs.lookup(label).name
        name = _NAMES.get(name, name)
        b"x".decode(name, "replace")
    except (LookupError, UnicodeError, ValueError):
        return None
    return None if name in _NO_CHARSETS else name


_NO_CHARSETS = {"utf-7", "idna", "punycode", "unicode_escape", "unicode-escape",
                "raw_unicode_escape", "raw-unicode-escape", "undefined"}  # fmt: skip
"""Codecs of Python's that are no encodings of documents."""
