"""The contents of pages, as the store keeps them for policies that read.

The store keeps an anchor for each reference of a document, by position. A scheduler gets an anchor
for each page in `Outcome.links` instead. These can include a page to which the document has no link
(its level was lowered, so that it came within the limits); its anchor is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import zstandard

from counterpoint.crawler.policy.protocol import Content

LEVEL = 3
"""The level of Zstandard compression."""


class PageContent(NamedTuple):
    """The content of a page, and the positions of its links.

    Attributes
    ----------
    content : Content
        With an anchor for each reference of the document.
    positions : dict of int to int
        By page: the position of the first link to that page.
    """

    content: Content
    positions: dict[int, int]

    def for_links(self, links: Sequence[int]) -> Content:
        """Return the content for a scheduler: with an anchor for each page of `Outcome.links`."""
        anchors, positions = self.content.anchors, self.positions
        return self.content._replace(anchors=tuple(
            anchors[positions[page]] if positions.get(page, len(anchors)) < len(anchors) else ""
            for page in links
        ))  # fmt: skip


def page_content(content: Content, links: Iterable[tuple[int, int]]) -> PageContent:
    """Return a content with the positions of its links.

    Parameters
    ----------
    content : Content
        With an anchor for each reference.
    links : iterable of tuple of int and int
        The position and the target of each link, in the document's order.
    """
    positions: dict[int, int] = {}
    for position, target in links:
        positions.setdefault(target, position)
    return PageContent(content, positions)


def packed(content: Content) -> bytes:
    """Return a content as compressed JSON."""
    return zstandard.compress(json.dumps(content, separators=(",", ":")).encode(), LEVEL)


def unpacked(data: bytes) -> Content:
    """Return a content from the bytes that `packed` returned."""
    title, text, anchors, language = json.loads(zstandard.decompress(data))
    return Content(title, text, tuple(anchors), language)
