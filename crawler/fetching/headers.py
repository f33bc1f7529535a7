"""What headers of answers say, in a form that can be used or sent back."""

from __future__ import annotations

import re

from .network import Answer

_NO_UTF8 = re.compile("[\udc80-\udcff]")
"""What aiohttp makes of such bytes in a header."""


def location_of(answer: Answer) -> str:
    """Return where an answer leads; bytes that are no UTF-8 are sent back as they came."""
    text = answer.headers.get("Location", "")
    return _NO_UTF8.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


def validator(text: str) -> str:
    """Return a validator that can be sent back as it is; "" if it cannot."""
    return text if len(text) <= 200 and text.isascii() and text.isprintable() else ""
