"""Reads pages one after the other, and tells how relevant each is, and each of its links.

Weights of words come from the pages read so far, the present one included; nothing else is known of
how words are distributed. All sums are over words in the order of their appearance, so that no
relevance depends on how words are numbered. A relevance has `PLACES` decimal places, so that the
last bit of a logarithm, which differs between machines, does not decide between equals.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.policy.protocol import Content
from counterpoint.crawler.policy.tables import FIRST, grown

from .kernels import cosines, probabilities
from .languages import language_of
from .topic import Topic
from .vocabulary import Bag, Vocabulary
from .words import words

PLACES = 12
"""Decimal places of a relevance."""


class Reader(ABC):
    """The pages read so far, and what is looked for.

    What is kept of a page is 8 bytes for each of its distinct words.

    Parameters
    ----------
    query : str
        If it has no word pages are held against the start pages alone.
    centroid : float
        The share of the start pages in what is looked for, from 0 to 1; the query has the rest.

    Attributes
    ----------
    documents : int
        How many pages were read.
    words : int
        How many words they have together, copies included.
    having : int64 array
        By word: how many pages have it.
    vocabulary : Vocabulary
    topic : Topic
    """

    def __init__(self, query: str, centroid: float) -> None:
        self.vocabulary = Vocabulary()
        self.topic = Topic(self.vocabulary, query)
        self.documents = self.words = 0
        self.having = np.zeros(FIRST, dtype=np.int64)
        self._centroid = centroid if words(query) else 1.0
        self._terms = np.empty(FIRST, dtype=np.int32)
        self._counts = np.empty(FIRST, dtype=np.int32)
        self._bounds, self._of = [0], list[int]()
        self.vocabulary.bag("", "")
        self.relevances()  # both compile before there is a step, which must not take long

    def read(self, content: Content, *, begins: bool = False) -> Array:
        """Read a page.

        Parameters
        ----------
        content : Content
        begins : bool
            Whether it is a start page, one of those that tell what is looked for.

        Returns
        -------
        float64 array
            The relevance of the page, then that of each anchor; from 0 to 1.
        """
        whole = f"{content.title}\n{content.text}"
        language = language_of(content)
        page = self.vocabulary.bag(whole, language)
        bags = [page, *(self.vocabulary.phrase(one, language) for one in content.anchors)]
        row = self.topic.row(language)
        self._add(page, row)
        if begins and self._centroid:
            self.topic.begin_with(page, self.having, self.documents)
        self.topic.settle(self.having, self.documents)
        bounds = np.zeros(len(bags) + 1, dtype=np.int64)
        np.cumsum([len(one.terms) for one in bags], out=bounds[1:])
        terms, counts = (np.concatenate(parts) for parts in zip(*bags, strict=True))
        return self._blended(terms, counts, bounds, np.full(len(bags), row))

    def relevances(self) -> Array:
        """Return the relevance of each page read, in that order, by the weights as they are now."""
        end = self._bounds[-1]
        return self._blended(self._terms[:end], self._counts[:end], np.array(self._bounds),
                             np.array(self._of, dtype=np.int64))  # fmt: skip

    def _add(self, page: Bag, row: int) -> None:
        """Count a page and its words."""
        self.topic.fit()
        if len(self.vocabulary) > len(self.having):
            self.having = grown(self.having, len(self.vocabulary))
        self.having[page.terms] += 1
        self.documents += 1
        self.words += int(page.counts.sum())
        begin, end = self._bounds[-1], self._bounds[-1] + len(page.terms)
        if end > len(self._terms):
            self._terms, self._counts = grown(self._terms, end), grown(self._counts, end)
        self._terms[begin:end], self._counts[begin:end] = page
        self._bounds.append(end)
        self._of.append(row)

    def _blended(self, terms: Array, counts: Array, bounds: Array, of: Array) -> Array:
        found = self._held(terms, counts, bounds, of)
        blended: Array = found[:, 0] * self._centroid + found[:, 1] * (1.0 - self._centroid)
        return blended.round(PLACES)

    @abstractmethod
    def _held(self, terms: Array, counts: Array, bounds: Array, of: Array) -> Array:
        """Hold documents against the start pages and the query, as the kernels do."""


class TfIdf(Reader):
    """Relevance is the cosine of TF-IDF vectors.

    A word weighs (1 + ln f) ln((N + 1) / (n + 1/2)), where f is how often it is in the page, and n
    of N pages have it.
    """

    def _held(self, terms: Array, counts: Array, bounds: Array, of: Array) -> Array:
        topic = self.topic
        return cosines(terms, counts, bounds, topic.rows, of, topic.words, topic.place,
                       self.having, self.documents)  # fmt: skip


class Bm25(Reader):
    """Relevance is BM25 (Robertson and Walker, 1994), over the most that it can be.

    Parameters
    ----------
    query, centroid
        As for `Reader`; words of the start pages weigh as if they were that often in a query.
    k1 : float
        How slowly copies of a word stop to count.
    b : float
        How much the length of a page counts.
    """

    def __init__(self, query: str, centroid: float, k1: float = 1.2, b: float = 0.75) -> None:
        self._k1, self._b = k1, b
        super().__init__(query, centroid)

    def _held(self, terms: Array, counts: Array, bounds: Array, of: Array) -> Array:
        topic = self.topic
        mean = self.words / max(self.documents, 1) or 1.0
        return probabilities(terms, counts, bounds, topic.rows, of, topic.words, topic.place,
                             self.having, self.documents, self._k1, self._b, mean)  # fmt: skip
