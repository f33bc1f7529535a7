"""Reads the content of an HTML document: title, text, language, and the words around its links."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from counterpoint.crawler.policy.protocol import Content

from .blocks import UNSEEN, WITHIN

MOST = 100_000
"""The most characters of a page's text; the rest is ignored."""
TITLE = 1_000
"""The most characters of a title."""
AROUND = 100
"""Characters on each side of an anchor from which the words around it are taken."""

_LINES = frozenset(WITHIN)
_PARAGRAPHS = frozenset(("p", "li", "dt", "dd", "td", "th", "caption", "figcaption", "blockquote",
                         "h1", "h2", "h3", "h4", "h5", "h6"))  # fmt: skip


class Surroundings:
    """Finds the words around the links of a document; links must be passed in document order.

    If a link is in a paragraph, a list item, a table cell or a heading, the nearest words in that
    element are taken. Elsewhere it is not clear which words belong to the link, and none are taken.
    """

    def __init__(self) -> None:
        self._texts: dict[int, tuple[str, int]] = {}

    def of(self, node: LexborNode, anchor: str) -> str:
        """Return an anchor with the words around it."""
        block = node.parent
        while block is not None and block.tag in _LINES:
            block = block.parent
        if not anchor or block is None or block.tag not in _PARAGRAPHS:
            return anchor
        text, begin = self._texts.get(block.mem_id) or (" ".join(block.text().split()), 0)
        at = text.find(anchor, begin)
        if at < 0:  # the text of an image, or a title
            return anchor
        end = at + len(anchor)
        self._texts[block.mem_id] = text, end
        return _within(text, at, end)


def _within(text: str, begin: int, end: int) -> str:
    """Return a part of a text with the words near it; words that would be cut are left out.

    Parameters
    ----------
    text : str
    begin, end : int
        The bounds of the part.
    """
    first, last = max(0, begin - AROUND), end + AROUND
    if first:
        first = text.find(" ", first, begin) + 1 or first  # no spaces, no words to cut
    if last < len(text):
        space = text.rfind(" ", end, last)
        last = space if space >= 0 else last
    return text[first:last].strip()


def read_content(tree: LexborHTMLParser, anchors: list[str]) -> Content:
    """Return the content of a document; its tree is modified.

    Parameters
    ----------
    tree : LexborHTMLParser
    anchors : list of str
        The anchor of each reference, as `Surroundings` returns it.
    """
    title, root = tree.css_first("head > title"), tree.root
    named = "" if title is None else " ".join(title.text().split())[:TITLE]
    language = ((root.attributes.get("lang") if root is not None else None) or "").strip().lower()
    tree.strip_tags(UNSEEN)
    tree.unwrap_tags(WITHIN)
    text = ""
    if tree.body is not None:
        tree.body.merge_text_nodes()
        text = " ".join(tree.body.text(separator=" ").split())[:MOST]
    return Content(named, text, tuple(anchors), language)
