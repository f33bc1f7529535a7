"""The topic of a crawl: the words of its query, and those of its start pages."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.policy.tables import FIRST, grown

from .vocabulary import Bag, Vocabulary

WORDS = 20
"""How many words of the start pages are used: those of greatest weight."""


class Topic:
    """Weights of words, without their rarity: a row for the start pages, and one per language.

    The query is stemmed by the language of the page with which it is compared, so it has a row for
    each language of pages. The first row, that of the start pages, is the sum of their unit
    vectors, restricted to the `WORDS` words of greatest weight; of equal words, those that appeared
    first. Since rarities are not known at the beginning, these words are chosen again whenever the
    number of pages has doubled.

    Parameters
    ----------
    vocabulary : Vocabulary
    query : str

    Attributes
    ----------
    rows : float64 array of shape (1 + languages, words)
    words : int64 array
        The words of the columns.
    place : int32 array
        By word: its column plus 1; 0: the word has no column.
    """

    def __init__(self, vocabulary: Vocabulary, query: str) -> None:
        self._vocabulary, self._query = vocabulary, query
        self._languages: dict[str, int] = {}
        self._queries: list[Bag] = []
        self._sums: dict[int, float] = {}
        self._best: dict[int, float] = {}
        self._settled = 0
        self.place = np.zeros(FIRST, dtype=np.int32)
        self._arrange()

    def row(self, language: str) -> int:
        """Return the row of the query in a language."""
        if language not in self._languages:
            self._queries.append(self._vocabulary.bag(self._query, language))
            self._languages[language] = len(self._queries)
            self._arrange()
        return self._languages[language]

    def begin_with(self, page: Bag, having: Array, documents: int) -> None:
        """Add a start page.

        Parameters
        ----------
        page : Bag
        having : int64 array
            By word: how many pages have it.
        documents : int
            How many pages were read.
        """
        weights = 1.0 + np.log(page.counts)
        own = weights * np.log((documents + 1.0) / (having[page.terms] + 0.5))
        weights /= np.sqrt(np.cumsum(own * own)[-1:])  # added up one by one
        for word, weight in zip(page.terms.tolist(), weights.tolist(), strict=True):
            self._sums[word] = self._sums.get(word, 0.0) + weight
        self._settled = 0

    def settle(self, having: Array, documents: int) -> None:
        """Choose the words of the start pages again, if the number of pages has doubled."""
        if documents < 2 * self._settled or not self._sums:
            return
        self._settled = documents
        words = np.fromiter(self._sums, np.int64, len(self._sums))
        sums = np.fromiter(self._sums.values(), np.float64, len(self._sums))
        rare = np.log((documents + 1.0) / (having[words] + 0.5))
        best = np.argsort(-sums * rare, kind="stable")[:WORDS]
        self._best = dict(zip(words[best].tolist(), sums[best].tolist(), strict=True))
        self._arrange()

    def fit(self) -> None:
        """Make room in ``place`` for every known word."""
        if len(self._vocabulary) > len(self.place):
            self.place = grown(self.place, len(self._vocabulary))

    def _arrange(self) -> None:
        """Give columns to the words of all rows."""
        self.fit()
        rows = [self._best] + [
            dict(zip(bag.terms.tolist(), (1.0 + np.log(bag.counts)).tolist(), strict=True))
            for bag in self._queries
        ]
        columns = {word: place for place, word in enumerate(dict.fromkeys(
            word for weights in rows for word in weights))}  # fmt: skip
        self.place[:] = 0
        self.words = np.fromiter(columns, np.int64, len(columns))
        self.place[self.words] = np.arange(1, len(columns) + 1)
        self.rows = np.zeros((len(rows), len(columns)))
        for row, weights in enumerate(rows):
            for word, weight in weights.items():
                self.rows[row, columns[word]] = weight
