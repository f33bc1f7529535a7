"""What a page's text consists of, kept in few bytes, and how much of it changed.

A block is the text between two elements that begin on a line of their own; letters in bold, or a
link, are within it. Its hash and its size are kept, so that the difference of [SCENT], the bytes
that are in one version and not in the other, follows without the older text. A block that moved is
neither new nor gone. What nobody reads on the page (scripts, styles, templates) does not count.
"""

from __future__ import annotations

import struct
from collections import Counter
from hashlib import blake2b

from selectolax.lexbor import LexborHTMLParser

MOST = 10_000
"""Blocks that are told apart; what follows is one more."""

_RECORD = struct.Struct(">8sI")
_LARGEST = 2**32 - 1
UNSEEN = ["script", "style", "template", "noscript", "head"]
"""Elements whose text nobody reads on the page."""
WITHIN = ["a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn",
          "em", "font", "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span",
          "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"]  # fmt: skip
"""Elements that are within a line."""
_BETWEEN = "\x1e"


def blocks(document: str) -> bytes:
    """Return a document's blocks of text.

    Parameters
    ----------
    document : str
        Its text, with all tags.

    Returns
    -------
    bytes
        Twelve for each block, in ascending order: its hash and its size in UTF-8, copies included.
    """
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
    """Return the bytes of text that blocks have together."""
    return sum(number for _, number in _RECORD.iter_unpack(kept))


def difference(old: bytes, new: bytes) -> int:
    """Return how many bytes are new or gone.

    Parameters
    ----------
    old, new : bytes
        What `blocks` returned.
    """
    counts = Counter(_RECORD.iter_unpack(new))
    counts.subtract(Counter(_RECORD.iter_unpack(old)))
    return sum(abs(count) * number for (_, number), count in counts.items())


def _record(text: bytes) -> bytes:
    return _RECORD.pack(blake2b(text, digest_size=8).digest(), min(len(text), _LARGEST))
