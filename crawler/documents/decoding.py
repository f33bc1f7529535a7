"""Decodes the bytes of a document to text.

[BeeBot] loads a page and, if its encoding was guessed wrongly, loads it again as bytes and decodes
them with a detected encoding. Here the declared encoding is tried first, as the HTML standard asks:
a byte order mark, else the header Content-Type, else the document's own declaration, wherever a
parser meets it. If none is declared, or if the declared one plainly does not fit (`MISFIT`), the
encoding is detected: UTF-8 if the bytes can be decoded so, else the encoding that
charset-normalizer finds, else windows-1252.

Even in a wrong encoding ASCII characters are decoded correctly, so links survive.
"""

from __future__ import annotations

import codecs
import re
from enum import StrEnum
from typing import NamedTuple

from charset_normalizer import from_bytes

from . import legacy, prescan
from .encodings import name_of, named

LOOKED_AT = 32_768
"""Number of bytes of text from which an encoding is detected."""
MISFIT = 0.1
"""A declared encoding is wrong if more than this share of the non-ASCII characters are errors."""
_ENOUGH = 8
"""The fewest non-ASCII bytes from which an encoding is detected."""

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"),
          (codecs.BOM_UTF16_BE, "utf-16be"))  # fmt: skip
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.I | re.A)
_TAGS = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(?:script|style)\b.*?(?:</(?:script|style)|\Z)|<[^<>]*>?", re.I | re.S
)
_ASCII = bytes(range(128))
_DETECTABLE = ["cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257",
               "cp866", "cp874", "koi8_r", "koi8_u", "iso8859_2", "iso8859_5", "iso8859_7",
               "mac_cyrillic", "gb18030", "big5hkscs", "euc_jp", "cp932", "cp949"]  # fmt: skip
"""Codecs of the encodings that are used on the Web without being declared."""


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
        The decoded text, with U+FFFD for bytes that could not be decoded.
    encoding : str
        The name of its encoding in the encoding standard, in lower case.
    how : How
        How the encoding was found.
    refused : str
        The declared encoding, if it does not fit; else "".
    """

    text: str
    encoding: str
    how: How
    refused: str = ""


def decoded(body: bytes, content_type: str = "") -> str:
    """Return the text of a document; see `loaded`."""
    return loaded(body, content_type).text


def loaded(body: bytes, content_type: str = "") -> Text:
    """Return the text of a document and its encoding.

    Parameters
    ----------
    body : bytes
        The document, uncompressed.
    content_type : str
        The value of the header Content-Type.
    """
    name, rest = marked(body)
    if name is not None:
        return Text(_decoded(rest, name)[0], name, How.MARK)
    name, how = _declared(body, content_type)
    if name is None:
        return _detected(body, "")
    text, errors = _decoded(body, name)
    if errors and _plainly(errors, text):
        return _detected(body, name)
    return Text(text, name, how)


def as_declared(body: bytes, content_type: str = "") -> str:
    """Return the text of a document as browsers show it: a declared encoding is always used.

    Parameters
    ----------
    body, content_type
        As in `loaded`.
    """
    name, rest = marked(body)
    if name is None:
        name, _ = _declared(body, content_type)
    return loaded(body).text if name is None else _decoded(rest, name)[0]


def marked(body: bytes) -> tuple[str | None, bytes]:
    """Return the encoding that a byte order mark names, or None, and the bytes after the mark."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return name, body[len(mark) :]
    return None, body


def _declared(body: bytes, content_type: str) -> tuple[str | None, How]:
    charset = _IN_HEADER.search(content_type)
    name = named(charset[1]) if charset is not None else None
    if name is not None:
        return name, How.HEADER
    return prescan.declared(body[: prescan.FIRST]) or prescan.met(body), How.DOCUMENT


def _decoded(body: bytes, name: str) -> tuple[str, int]:
    """Return the text of bytes in an encoding, and the number of errors in it."""
    text = legacy.decode(body, name)
    return text, text.count("\ufffd")


def _plainly(errors: int, text: str) -> bool:
    """Return whether a text has so many errors that the encoding must be wrong."""
    return errors > MISFIT * (len(text) - len(text.encode("ascii", "ignore")))


def _detected(body: bytes, refused: str) -> Text:
    """Return a document's text in a detected encoding.

    Parameters
    ----------
    body : bytes
    refused : str
        The declared encoding that did not fit, or "".
    """
    text, errors = _decoded(body, "utf-8")
    if not (errors and _plainly(errors, text)):
        return Text(text, "utf-8", How.DETECTED, refused)
    likely = _likely(body)
    name = likely or "windows-1252"
    how = How.DETECTED if likely else How.FALLBACK
    return Text(_decoded(body, name)[0], name, how, refused)


def _likely(body: bytes) -> str | None:
    """Return the encoding that the bytes of the text suggest; None if none is likely."""
    text = _TAGS.sub(b" ", body[: 8 * LOOKED_AT])[:LOOKED_AT]
    if len(text.translate(None, _ASCII)) < _ENOUGH:
        return None
    best = from_bytes(text, cp_isolation=_DETECTABLE, preemptive_behaviour=False).best()
    if best is None:
        return None
    # If several encodings give the same text, prefer the most common one on the Web.
    return "windows-1252" if "cp1252" in best.could_be_from_charset else name_of(best.encoding)
