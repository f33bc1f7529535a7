"""Summarizes a page's text in a few bytes, and measures how much of it changed.

The text is split into blocks: a block is the text between two elements that begin a new line.
Inline elements, such as bold text and links, are part of a block. Only the hash and the size of a
block are stored. They suffice to compute the difference of [SCENT]: the bytes that are in one
version and not in the other. A block that moved within the page does not count as a change. Text
that browsers do not show (scripts, styles, templates) is ignored.
"""

from __future__ import annotations

import struct
from collections import Counter
from hashlib import blake2b

from selectolax.lexbor import LexborHTMLParser

from . import apart

MOST = 10_000
"""The most blocks of a page; the rest of its text becomes one more block."""

_RECORD = struct.Struct(">8sI")
_LARGEST = 2**32 - 1
UNSEEN = ["script", "style", "template", "noscript", "head"]
"""Elements whose text browsers do not show."""
WITHIN = ["a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn",
          "em", "font", "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span",
          "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"]  # fmt: skip
"""Inline elements."""
_BETWEEN = "\x1e"


def blocks(document: str) -> bytes:
    """Return the summary of a document's blocks of text.

    A document that takes too long or too much memory to be read is one block, with its tags.

    Parameters
    ----------
    document : str
        The document's text, with all tags.

    Returns
    -------
    bytes
        Twelve bytes per block, in ascending order: the hash of the block and its size in UTF-8.
        Repeated blocks are repeated here.
    """
    if not apart.wanted(document):
        return blocks_here(document)
    found: bytes | str = apart.READER.call("blocks", document)
    return _record(document.encode()) if isinstance(found, str) else found


def blocks_here(document: str) -> bytes:
    """Return the blocks of a document as `blocks` does, without a limit of time or memory."""
    tree = LexborHTMLParser(document)
    tree.strip_tags(UNSEEN)
    tree.unwrap_tags(WITHIN)
    if tree.body is None:
        return b""
    tree.body.merge_text_nodes()
    parts = [" ".join(part.split()) for part in tree.body.text(separator=_BETWEEN).split(_BETWEEN)]
    texts = [part for part in parts if part]
    if len(texts) > MOST:
        texts[MOST:] = ["\n".join(texts[MOST:])]
    return b"".join(sorted(_record(text.encode()) for text in texts))


def size(kept: bytes) -> int:
    """Return the total size of blocks, in bytes of text."""
    return sum(number for _, number in _RECORD.iter_unpack(kept))


def difference(old: bytes, new: bytes) -> int:
    """Return how many bytes of text were added or removed between two versions of a page.

    Parameters
    ----------
    old, new : bytes
        Results of `blocks` for the two versions.
    """
    counts = Counter(_RECORD.iter_unpack(new))
    counts.subtract(Counter(_RECORD.iter_unpack(old)))
    return sum(abs(count) * number for (_, number), count in counts.items())


def _record(text: bytes) -> bytes:
    return _RECORD.pack(blake2b(text, digest_size=8).digest(), min(len(text), _LARGEST))
