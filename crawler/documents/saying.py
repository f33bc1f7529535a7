"""What an HTML document says: title, text and language, and the words around its links."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from counterpoint.crawler.policy.protocol import Content

from .blocks import UNSEEN, WITHIN

MOST = 100_000
"""Characters of a page's text; what follows is not read."""
TITLE = 1_000
"""Characters of a title."""
AROUND = 100
"""Characters on each side of an anchor that are looked at for words around it."""

_LINES = frozenset(WITHIN)
_PARAGRAPHS = frozenset(("p", "li", "dt", "dd", "td", "th", "caption", "figcaption", "blockquote",
                         "h1", "h2", "h3", "h4", "h5", "h6"))  # fmt: skip


class Surroundings:
    """Finds the words around the links of a document, which must be asked for in its order.

    They are known where a link stands in a paragraph, an item of a list, a cell or a heading: of
    the words in that the nearest are taken. Elsewhere nothing tells what is about the link.
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
    """Return a part of a text with what is near it; words that would be cut are left out."""
    first, last = max(0, begin - AROUND), end + AROUND
    if first:
        first = text.find(" ", first, begin) + 1 or first  # no spaces, no words to cut
    if last < len(text):
        space = text.rfind(" ", end, last)
        last = space if space >= 0 else last
    return text[first:last].strip()


def said(tree: LexborHTMLParser, anchors: list[str]) -> Content:
    """Return what a document says; its tree is taken apart by that.

    Parameters
    ----------
    tree : LexborHTMLParser
    anchors : list of str
        As `Surroundings` gives them.
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
