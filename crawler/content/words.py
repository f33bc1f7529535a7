"""The words of a text: cut as Unicode has it (UAX #29), folded, in the text's order.

Chinese and Japanese are written without spaces, and Thai, Lao, Khmer and Burmese are: there UAX #29
needs a dictionary of each. Each two signs that follow each other are taken for a word instead, as
search engines do (Lucene's CJKAnalyzer): no word can be missing, and what crosses the bounds of
words is rare, so that it does no harm to weights by frequency.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from unicode_segmentation_rs import unicode_words

LONGEST = 64
"""Characters of a word; what is longer is no word, and is left out."""

_UNSEEN = re.compile("[\u00ad\u061c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+")
"""Signs that are not seen: where a word may be parted, and which way it runs."""
_HALVES = re.compile("[\ud800-\udfff]")
_UNSPACED = re.compile(
    "[\u3005-\u3007\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3]+"
)


def words(text: str) -> list[str]:
    """Return the words of a text: first those that spaces are between, then the pairs of signs."""
    if text.isascii():
        return _of_a_length(unicode_words(text.casefold()))
    try:
        return _words(text)
    except UnicodeEncodeError:  # half a character: a byte of a command line that is no text
        return _words(_HALVES.sub(" ", text))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", _UNSEEN.sub("", text)).casefold()
    runs = _UNSPACED.findall(folded)
    found = _of_a_length(unicode_words(_UNSPACED.sub(" ", folded) if runs else folded))
    for run in runs:
        found += map("".join, pairwise(run)) if len(run) > 1 else [run]
    return found


def _of_a_length(found: list[str]) -> list[str]:
    return found if max(map(len, found), default=0) <= LONGEST else [
        word for word in found if len(word) <= LONGEST
    ]  # fmt: skip
