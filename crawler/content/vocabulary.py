"""Numbers the stems of words, in the order in which they first appear."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.policy.tables import FIRST, grown

from .kernels import tally
from .languages import Stems, stems
from .words import words

PHRASES = 50_000
"""Number of short texts whose words are cached: the same anchors are on many pages."""


class Bag(NamedTuple):
    """The words of a text, without their order.

    Attributes
    ----------
    terms : int32 array
        The distinct words, in the order of first appearance.
    counts : int32 array
        How often each word occurs.
    """

    terms: Array
    counts: Array


class Vocabulary:
    """A growing vocabulary; each word is stemmed once per language."""

    def __init__(self) -> None:
        self._stems: dict[str, int] = {}
        self._by_language: dict[str, _Words] = {}
        self._phrases: dict[tuple[str, str], Bag] = {}
        self._seen = np.zeros(FIRST, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._stems)

    def bag(self, text: str, language: str) -> Bag:
        """Return the words of a text.

        Parameters
        ----------
        text : str
        language : str
            Its code. If there is no stemmer for the language, its words are not changed.
        """
        if language not in self._by_language:
            self._by_language[language] = _Words(self._stems, stems(language))
        table, found = self._by_language[language], words(text)
        numbers = np.fromiter(map(table.__getitem__, found), np.int64, len(found))
        if len(self._stems) > len(self._seen):
            self._seen = grown(self._seen, len(self._stems))
        return Bag(*tally(numbers, self._seen))

    def phrase(self, text: str, language: str) -> Bag:
        """Return the words of a short text, cached; the caller must not change the arrays."""
        known = self._phrases.get((language, text))
        if known is None:
            if len(self._phrases) >= PHRASES:
                self._phrases.clear()
            known = self._phrases[language, text] = self.bag(text, language)
        return known


class _Words(dict[str, int]):
    """The known words of a language, with the numbers of their stems."""

    def __init__(self, known: dict[str, int], stem: Stems) -> None:
        super().__init__()
        self._known, self._stem = known, stem

    def __missing__(self, word: str) -> int:
        number = self._known.setdefault(self._stem(word), len(self._known))
        self[word] = number
        return number
