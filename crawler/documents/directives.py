"""Reads what documents say about following their links: ``nofollow``, and canonical addresses.

``nofollow`` is said for one link, by the token ``nofollow`` in its ``rel`` (HTML standard; the
tokens ``ugc`` and ``sponsored`` are not in that standard and say nothing here), or for all links
of a page, by ``<meta name=robots content=nofollow>`` or by the header ``X-Robots-Tag``. The
directive ``none`` stands for ``noindex, nofollow``. Both may name a crawler: a ``meta`` with the
name ``counterpoint``, and ``X-Robots-Tag: counterpoint: nofollow``.

What is said about a link is kept as its *mark*, a sum of `NOFOLLOW` and `CANONICAL`; a crawl that
treats a page as a copy adds `OF_COPY` or `TO_ORIGINAL`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

AGENT = "counterpoint"
"""The product token, by which robots.txt and directives name this crawler."""

NOFOLLOW = 1
"""The mark of a link that the document asks not to follow."""
CANONICAL = 2
"""The mark of the document's canonical address on its own site."""
OF_COPY = 4
"""The mark of the other links of a page that a crawl treats as a copy of its canonical page."""
TO_ORIGINAL = 8
"""The mark of the link of such a page to its canonical page."""

_FORBIDDING = frozenset(("nofollow", "none"))
_VALUED = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))
"""Directives that have a colon and are no names of crawlers."""
_TOKEN = re.compile(r"[a-z0-9_.\-/]+")
_BETWEEN = re.compile(r"[,\s]+")


def meta_forbids(name: str, content: str) -> bool:
    """Return whether a ``meta`` element forbids this crawler to follow the page's links."""
    if name.strip().lower() not in ("robots", AGENT):
        return False
    return not _FORBIDDING.isdisjoint(_BETWEEN.split(content.lower()))


def header_forbids(lines: Iterable[str]) -> bool:
    """Return whether headers forbid this crawler to follow the links of a page.

    Parameters
    ----------
    lines : iterable of str
        The values of all headers ``X-Robots-Tag`` of an answer. A name of a crawler stands before
        the directives for it, and applies to those that follow in the same line.
    """
    return any(map(_line_forbids, lines))


def _line_forbids(line: str) -> bool:
    for_us = True
    for part in line.lower().split(","):
        name, colon, rest = part.partition(":")
        name = name.strip()
        if colon and name not in _VALUED and _TOKEN.fullmatch(name):
            for_us, part = name == AGENT, rest
        if for_us and not _FORBIDDING.isdisjoint(part.split()):
            return True
    return False
