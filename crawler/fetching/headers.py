"""Reads headers of answers in a form that can be used, or sent back to the server."""

from __future__ import annotations

import re

from multidict import CIMultiDictProxy

from counterpoint.crawler.documents.directives import header_forbids

from .network import Answer

_NO_UTF8 = re.compile("[\udc80-\udcff]")
"""The characters by which aiohttp represents bytes of a header that are not UTF-8."""


def location_of(answer: Answer) -> str:
    """Return the target of a redirect; bytes that are not UTF-8 are percent-encoded."""
    text = answer.headers.get("Location", "")
    return _NO_UTF8.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


def validator(text: str) -> str:
    """Return the validator if it can be sent back to the server unchanged; else ""."""
    return text if len(text) <= 200 and text.isascii() and text.isprintable() else ""


def forbids_links(answer: Answer) -> bool:
    """Return whether the headers ``X-Robots-Tag`` forbid to follow the links of the document."""
    headers, name = answer.headers, "X-Robots-Tag"
    if isinstance(headers, CIMultiDictProxy):
        return header_forbids(headers.getall(name, ()))
    return header_forbids((headers.get(name, ""),))
