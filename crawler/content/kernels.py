"""Compiled functions that compare documents with topics.

The functions share these parameters:

terms, counts : int32 arrays
    The distinct words of all documents, one document after the other, and how often each word
    occurs in its document.
bounds : int64[documents + 1]
    Document i has the items ``bounds[i]:bounds[i + 1]`` of `terms` and `counts`.
topics : float64, shape (topics, columns)
    The weights of words in each topic.
words : int64[columns]
    The word of each column of `topics`.
place : int32 array
    By word: its column plus 1; 0: the word has no column.
rows : int64[documents]
    Each document is compared with two topics: with row 0 of `topics`, and with this row.
having : int64 array
    By word: the number of documents that contain it.
documents : int
    The number of documents over which `having` was counted.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled


@compiled
def tally(words: Array, seen: Array) -> tuple[Array, Array]:
    """Return the distinct words in the order of first appearance, and how often each occurs.

    Parameters
    ----------
    words : int64 array
        The words of a text, in its order.
    seen : int32 array
        Working memory, indexed by word; all 0 before and after the call.

    Returns
    -------
    terms, counts : int32 arrays
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
    """Return the weight of a word that ``having`` of the documents contain."""
    return float(np.log((documents + 1.0) / (having + 0.5)))


@compiled
def bm25_rarity(documents: int, having: int) -> float:
    """Return BM25's weight of a word that ``having`` of the documents contain."""
    return float(np.log(1.0 + (documents - having + 0.5) / (having + 0.5)))


@compiled
def cosines(
    terms: Array, counts: Array, bounds: Array, topics: Array, rows: Array, words: Array,
    place: Array, having: Array, documents: int,
) -> Array:  # fmt: skip
    """Return the cosine of each document with its two topics, float64, shape (documents, 2).

    The weight of a word in a document is (1 + ln of its count) times its `rarity`; in a topic it is
    the topic's weight times the rarity. If a document or a topic has no words, the cosine is 0.
    The parameters are described in the module's docstring.
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
        norm, first, second, row = 0.0, 0.0, 0.0, rows[document]
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
    terms: Array, counts: Array, bounds: Array, topics: Array, rows: Array, words: Array,
    place: Array, having: Array, documents: int, k1: float, b: float, mean: float,
) -> Array:  # fmt: skip
    """Return BM25 of each document for its two topics, divided by its largest possible value.

    Parameters
    ----------
    terms, counts, bounds, topics, rows, words, place, having, documents
        As described in the module's docstring.
    k1, b : float
        BM25's saturation of term frequency, and its length normalization.
    mean : float
        The mean number of words of a document; repeated words count each time.

    Returns
    -------
    float64, shape (documents, 2)
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
        begin, end, row = bounds[document], bounds[document + 1], rows[document]
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
