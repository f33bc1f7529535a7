"""Reads pages one after the other, and computes the relevance of each page and of its anchors.

The weights of words come from the pages read so far, the present page included; there is no other
corpus. All sums are over words in the order of their appearance, so that no relevance depends on
the numbering of words. Relevances are rounded to `PLACES` decimal places, so that the last bit of a
logarithm, which differs between machines, does not decide between equal ones.
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
    """The pages read so far, and the topic with which they are compared.

    A page takes 8 bytes for each of its distinct words.

    Parameters
    ----------
    query : str
        If it has no words, pages are compared with the start pages alone.
    centroid : float
        The weight of the start pages in a relevance, from 0 to 1; the query has the rest.

    Attributes
    ----------
    documents : int
        How many pages were read.
    words : int
        How many words these pages have together; repeated words count each time.
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
        self._bounds, self._rows = [0], list[int]()
        self.vocabulary.bag("", "")
        self.relevances()  # both calls compile their kernels, so that no step is slowed down

    def read(self, content: Content, *, begins: bool = False) -> Array:
        """Read a page.

        Parameters
        ----------
        content : Content
        begins : bool
            Whether it is a start page; start pages are part of the topic.

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
        """Return the relevance of each page in the order of reading, by the present weights."""
        end = self._bounds[-1]
        return self._blended(self._terms[:end], self._counts[:end], np.array(self._bounds),
                             np.array(self._rows, dtype=np.int64))  # fmt: skip

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
        self._rows.append(row)

    def _blended(self, terms: Array, counts: Array, bounds: Array, rows: Array) -> Array:
        """Return the weighted mean of both relevances of each document, rounded."""
        found = self._compared(terms, counts, bounds, rows)
        blended: Array = found[:, 0] * self._centroid + found[:, 1] * (1.0 - self._centroid)
        return blended.round(PLACES)

    @abstractmethod
    def _compared(self, terms: Array, counts: Array, bounds: Array, rows: Array) -> Array:
        """Compare documents with the start pages and the query; the parameters of the kernels."""


class TfIdf(Reader):
    """Relevance is the cosine of TF-IDF vectors.

    The weight of a word is (1 + ln f) ln((N + 1) / (n + 1/2)), where the word occurs f times in the
    page, and n of N pages contain it.
    """

    def _compared(self, terms: Array, counts: Array, bounds: Array, rows: Array) -> Array:
        topic = self.topic
        return cosines(terms, counts, bounds, topic.rows, rows, topic.words, topic.place,
                       self.having, self.documents)  # fmt: skip


class Bm25(Reader):
    """Relevance is BM25 (Robertson and Walker, 1994), divided by its largest possible value.

    Parameters
    ----------
    query, centroid
        As for `Reader`; the weights of the start pages' words count as their frequencies in a
        query.
    k1 : float
        The saturation of term frequency: larger values let repeated words count more.
    b : float
        The length normalization, from 0 (none) to 1.
    """

    def __init__(self, query: str, centroid: float, k1: float = 1.2, b: float = 0.75) -> None:
        self._k1, self._b = k1, b
        super().__init__(query, centroid)

    def _compared(self, terms: Array, counts: Array, bounds: Array, rows: Array) -> Array:
        topic = self.topic
        mean = self.words / max(self.documents, 1) or 1.0
        return probabilities(terms, counts, bounds, topic.rows, rows, topic.words, topic.place,
                             self.having, self.documents, self._k1, self._b, mean)  # fmt: skip
