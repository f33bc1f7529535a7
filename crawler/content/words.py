"""Splits a text into words by the rules of Unicode (UAX #29), and folds their case.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces, and UAX #29 needs a
dictionary of each. Instead, each pair of adjacent characters is taken as a word, as search engines
do (Lucene's CJKAnalyzer). So no word is missing, and pairs that cross the bounds of words are rare,
so that they do not distort weights by frequency.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from unicode_segmentation_rs import unicode_words

LONGEST = 64
"""The most characters of a word; longer ones are ignored."""

_UNSEEN = re.compile("[\u00ad\u061c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+")
"""Invisible characters: soft hyphens, joiners, and marks of the direction of writing."""
_HALVES = re.compile("[\ud800-\udfff]")
_UNSPACED = re.compile(
    "[\u3005-\u3007\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3]+"
)


def words(text: str) -> list[str]:
    """Return the words of a text: first those separated by spaces, then the pairs of characters."""
    if text.isascii():
        return _of_a_length(unicode_words(text.casefold()))
    try:
        return _words(text)
    except UnicodeEncodeError:  # a lone surrogate: an undecodable byte of a command line
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
