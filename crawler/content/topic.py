"""What is looked for: the words of a query, and those of the pages that a crawl begins with."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.policy.tables import FIRST, grown

from .vocabulary import Bag, Vocabulary

WORDS = 20
"""Of the start pages, those that weigh most."""


class Topic:
    """Weights of words but for their rarity: a row for the start pages, and one for each language.

    A query is cut to stems as the page is that it is held against, so it has a row for each
    language that pages are in. The first row, of the start pages, is the sum of their vectors, each
    of length 1, as far as it consists of the `WORDS` words that weigh most; of equals those that
    appeared first. As rarity is not known at the beginning, these words are chosen anew whenever
    twice as many pages were read.

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
        By word: its column and 1; 0: it has none.
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
        """Add a start page; ``having`` and ``documents``: what its words weigh now.

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
        """Choose the words of the start pages, if it is time."""
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
        """Have a place for every word that was met."""
        if len(self._vocabulary) > len(self.place):
            self.place = grown(self.place, len(self._vocabulary))

    def _arrange(self) -> None:
        """Give columns to the words of all rows."""
        self.fit()
        told = [self._best] + [
            dict(zip(bag.terms.tolist(), (1.0 + np.log(bag.counts)).tolist(), strict=True))
            for bag in self._queries
        ]
        columns = {word: place for place, word in enumerate(dict.fromkeys(
            word for weights in told for word in weights))}  # fmt: skip
        self.place[:] = 0
        self.words = np.fromiter(columns, np.int64, len(columns))
        self.place[self.words] = np.arange(1, len(columns) + 1)
        self.rows = np.zeros((len(told), len(columns)))
        for row, weights in enumerate(told):
            for word, weight in weights.items():
                self.rows[row, columns[word]] = weight
