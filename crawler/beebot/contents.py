"""What pages say, as the store keeps it for policies that read.

A document is kept as it was read: with an anchor for each of its references, by position. What a
scheduler is told has an anchor for each page that it is told of; a page to which the document has
no link, one that came within the limits by its levels, has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import zstandard

from counterpoint.crawler.policy.protocol import Content

LEVEL = 3
"""Of compression."""


class Said(NamedTuple):
    """What a page says, and where it names other pages.

    Attributes
    ----------
    content : Content
        With an anchor for each reference of the document.
    positions : dict of int to int
        By page: the position of the first link to it.
    """

    content: Content
    positions: dict[int, int]

    def of(self, told: Sequence[int]) -> Content:
        """Return what a scheduler is told that is told of some pages."""
        anchors, positions = self.content.anchors, self.positions
        return self.content._replace(anchors=tuple(
            anchors[positions[page]] if positions.get(page, len(anchors)) < len(anchors) else ""
            for page in told
        ))  # fmt: skip


def said(content: Content, links: Iterable[tuple[int, int]]) -> Said:
    """Return what a page says; ``links``: position and target of each, in the document's order."""
    positions: dict[int, int] = {}
    for position, target in links:
        positions.setdefault(target, position)
    return Said(content, positions)


def packed(content: Content) -> bytes:
    """Return what a page says in few bytes."""
    return zstandard.compress(json.dumps(content, separators=(",", ":")).encode(), LEVEL)


def unpacked(data: bytes) -> Content:
    """Return what `packed` made small."""
    title, text, anchors, language = json.loads(zstandard.decompress(data))
    return Content(title, text, tuple(anchors), language)
