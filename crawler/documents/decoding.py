"""The text of a document: its bytes, decoded as HTML has it, and a second time if that is wrong.

[BeeBot] loads a page, and if the encoding was guessed wrongly loads it again as bytes, and decodes
these with a detected one. What today's standards say comes first: a byte order mark counts before
what the server says, and that before what the document says of itself. Where nobody says anything,
or what is said plainly does not fit (`MISFIT`), the encoding is detected: UTF-8 is what can be
decoded as such, else charset-normalizer tells, else it is windows-1252.

A wrong encoding does no harm to what is ASCII, so links survive it.
"""

from __future__ import annotations

import codecs
import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from charset_normalizer import from_bytes

from . import prescan
from .encodings import codec, name_of, named

LOOKED_AT = 32_768
"""Bytes of text that are looked at to detect an encoding."""
MISFIT = 0.1
"""The share of errors among what is not ASCII, from which on a declared encoding is a wrong one."""
_ENOUGH = 8
"""Bytes that are not ASCII; of fewer nothing can be told."""

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"),
          (codecs.BOM_UTF16_BE, "utf-16be"))  # fmt: skip
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.I | re.A)
_TAGS = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(?:script|style)\b.*?(?:</(?:script|style)|\Z)|<[^<>]*>?", re.I | re.S
)
_ASCII = bytes(range(128))
_SINGLE = ("windows-", "iso-8859-", "koi8-", "ibm866", "macintosh", "x-mac-")
"""Beginnings of names of encodings that have one octet for a letter."""
_DETECTABLE = ["cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257",
               "cp866", "cp874", "koi8_r", "koi8_u", "iso8859_2", "iso8859_5", "iso8859_7",
               "mac_cyrillic", "gb18030", "big5hkscs", "euc_jp", "cp932", "cp949"]  # fmt: skip
"""Codecs of encodings that documents were written in without saying so."""


class How(StrEnum):
    """How an encoding was found."""

    MARK = "byte order mark"
    HEADER = "header"
    DOCUMENT = "document"
    DETECTED = "detected"
    FALLBACK = "nothing known"


class Text(NamedTuple):
    """A document's text.

    Attributes
    ----------
    text : str
        What was decoded; what could not be is U+FFFD.
    encoding : str
        The name of its encoding in the encoding standard, in lower case.
    how : How
        How that was found.
    refused : str
        What was declared and does not fit; "" if nothing was.
    """

    text: str
    encoding: str
    how: How
    refused: str = ""


def decoded(body: bytes, content_type: str = "") -> str:
    """Return the text of a document; see `loaded`."""
    return loaded(body, content_type).text


def loaded(body: bytes, content_type: str = "") -> Text:
    """Return the text of a document, and what it was encoded in.

    Parameters
    ----------
    body : bytes
        As it came, uncompressed.
    content_type : str
        The header of that name.
    """
    for mark, marked in _MARKS:
        if body.startswith(mark):
            return Text(_decoded(body[len(mark) :], marked)[0], marked, How.MARK)
    name, how = _declared(body, content_type)
    if name is None:
        return _detected(body, "")
    text, errors = _decoded(body, name)
    if errors and _plainly(errors, text):
        return _detected(body, name)
    return Text(text, name, how)


def _declared(body: bytes, content_type: str) -> tuple[str | None, How]:
    said = _IN_HEADER.search(content_type)
    name = named(said[1]) if said is not None else None
    if name is not None:
        return name, How.HEADER
    return prescan.declared(body[: prescan.FIRST]), How.DOCUMENT


def _decoded(body: bytes, name: str) -> tuple[str, int]:
    """Return what bytes say in an encoding, and how many errors there are."""
    table = _table(codec(name)) if name.startswith(_SINGLE) else None
    if table is not None:
        text = codecs.charmap_decode(body, "replace", table)[0]
    else:
        text = body.decode(codec(name), "replace")
    return text, text.count("\ufffd")


@lru_cache(maxsize=32)
def _table(python_codec: str) -> str:
    """Return the letters of all bytes; control characters where Python has none, as is standard."""
    letters = [bytes([octet]).decode(python_codec, "replace") for octet in range(256)]
    for octet in range(0x80, 0xA0):
        letters[octet] = letters[octet].replace("\ufffd", chr(octet))
    return "".join(letters)


def _plainly(errors: int, text: str) -> bool:
    """Tell whether a text has so many errors that it was encoded otherwise."""
    return errors > MISFIT * (len(text) - len(text.encode("ascii", "ignore")))


def _detected(body: bytes, refused: str) -> Text:
    """Return a document's text in an encoding that fits."""
    text, errors = _decoded(body, "utf-8")
    if not (errors and _plainly(errors, text)):
        return Text(text, "utf-8", How.DETECTED, refused)
    likely = _likely(body)
    name = likely or "windows-1252"
    how = How.DETECTED if likely else How.FALLBACK
    return Text(_decoded(body, name)[0], name, how, refused)


def _likely(body: bytes) -> str | None:
    """Return the encoding that is likely by what the text looks like."""
    text = _TAGS.sub(b" ", body[: 8 * LOOKED_AT])[:LOOKED_AT]
    if len(text.translate(None, _ASCII)) < _ENOUGH:
        return None
    best = from_bytes(text, cp_isolation=_DETECTABLE, preemptive_behaviour=False).best()
    if best is None:
        return None
    # Where letters are the same in several, the one that the Web takes for usual.
    return "windows-1252" if "cp1252" in best.could_be_from_charset else name_of(best.encoding)
