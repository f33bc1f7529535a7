"""Compiled functions over documents: their distinct words, one document behind the other.

Documents are given as ``terms`` and ``counts`` (int32, the words and how often each is there) and
``bounds`` (int64, where each begins and the last one ends). A topic is a row of ``topics``, with
the weights of the words ``words``, whose columns are ``place`` - 1 by word (0: not among them). The
first row is one topic of every document, ``of`` names the other.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled


@compiled
def tally(words: Array, seen: Array) -> tuple[Array, Array]:
    """Return the distinct words in the order of first appearance, and how often each is there.

    Parameters
    ----------
    words : int64 array
    seen : int32 array
        By word; all 0 before and after.
    """
    terms = np.empty(len(words), dtype=np.int32)
    counts = np.empty(len(words), dtype=np.int32)
    end = 0
    for word in words:
        if seen[word] == 0:
            terms[end] = word
            counts[end] = 0
            end += 1
            seen[word] = end
        counts[seen[word] - 1] += 1
    for k in range(end):
        seen[terms[k]] = 0
    return terms[:end].copy(), counts[:end].copy()


@compiled
def rarity(documents: int, having: int) -> float:
    """Return the weight of a word that ``having`` of some documents have."""
    return float(np.log((documents + 1.0) / (having + 0.5)))


@compiled
def bm25_rarity(documents: int, having: int) -> float:
    """Return BM25's weight of such a word."""
    return float(np.log(1.0 + (documents - having + 0.5) / (having + 0.5)))


@compiled
def cosines(
    terms: Array, counts: Array, bounds: Array, topics: Array, of: Array, words: Array,
    place: Array, having: Array, documents: int,
) -> Array:  # fmt: skip
    """Return the cosines of documents and their two topics, float64 of shape (documents, 2).

    A word of a document weighs (1 + ln of its count) times its `rarity`, one of a topic its weight
    times its rarity. What has no word has a cosine of 0.
    """
    weighed = np.empty_like(topics)
    norms = np.zeros(len(topics))
    for column in range(len(words)):
        rare = rarity(documents, having[words[column]])
        for row in range(len(topics)):
            weighed[row, column] = topics[row, column] * rare
            norms[row] += weighed[row, column] ** 2
    found = np.zeros((len(bounds) - 1, 2))
    for document in range(len(found)):
        norm, first, second, row = 0.0, 0.0, 0.0, of[document]
        for k in range(bounds[document], bounds[document + 1]):
            own = (1.0 + np.log(counts[k])) * rarity(documents, having[terms[k]])
            norm += own * own
            at = place[terms[k]] - 1
            if at >= 0:
                first += own * weighed[0, at]
                second += own * weighed[row, at]
        if first > 0.0:
            found[document, 0] = first / np.sqrt(norm * norms[0])
        if second > 0.0:
            found[document, 1] = second / np.sqrt(norm * norms[row])
    return found


@compiled
def probabilities(
    terms: Array, counts: Array, bounds: Array, topics: Array, of: Array, words: Array,
    place: Array, having: Array, documents: int, k1: float, b: float, mean: float,
) -> Array:  # fmt: skip
    """Return BM25 of documents and their two topics over the most it can be, (documents, 2).

    ``mean`` is how many words a document has on average, copies included.
    """
    weighed = np.empty_like(topics)
    most = np.zeros(len(topics))
    for column in range(len(words)):
        rare = bm25_rarity(documents, having[words[column]])
        for row in range(len(topics)):
            weighed[row, column] = topics[row, column] * rare
            most[row] += weighed[row, column] * (k1 + 1.0)
    found = np.zeros((len(bounds) - 1, 2))
    for document in range(len(found)):
        begin, end, row = bounds[document], bounds[document + 1], of[document]
        damping = k1 * (1.0 - b + b * counts[begin:end].sum() / mean)
        first, second = 0.0, 0.0
        for k in range(begin, end):
            at = place[terms[k]] - 1
            if at >= 0:
                own = counts[k] * (k1 + 1.0) / (counts[k] + damping)
                first += own * weighed[0, at]
                second += own * weighed[row, at]
        if first > 0.0:
            found[document, 0] = first / most[0]
        if second > 0.0:
            found[document, 1] = second / most[row]
    return found
