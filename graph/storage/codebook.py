"""Prefix codes for numbers: the shortest codes for the numbers that occur in a graph.

A number v has a *class*, the number of bits of v + 1 minus one. It is written as the word of its
class in a prefix code, followed by the bits of v + 1 below the highest one. Small classes are
frequent, but their frequencies differ between kinds of numbers (counts, first links, gaps) and
between graphs. So each kind has a code of its own, made from the frequencies of its classes. The
constants go into compiled code.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array

CLASSES = 34
"""The number of classes: all numbers below 2^34 - 1, enough for a signed difference of pages."""

LONGEST = 10
"""The greatest length of a word, in bits; a table for reading has 2^10 entries."""

CONTEXTS = 18
"""The contexts of a gap: the first gap, or the class of the gap before it, two classes in one."""

KINDS = 5 + 2 * CONTEXTS
"""The number of kinds of numbers, each with a code of its own; `codes` defines them."""

_CLASS_SHIFT = 4
"""An entry of a table for reading is the shifted class plus the length of its word."""

_REVERSED = np.array([int(f"{n:0{LONGEST}b}"[::-1], 2) for n in range(1 << LONGEST)])
"""All numbers of `LONGEST` bits with their bits in reverse order."""


def lengths(frequencies: Array) -> Array:
    """Return the lengths of the words of an optimal code with no word longer than `LONGEST`.

    The algorithm is package-merge (Larmore and Hirschberg, A fast algorithm for optimal
    length-limited Huffman codes, 1990). Each frequency counts as at least one, so that each class
    has a word.

    Parameters
    ----------
    frequencies : int, shape (CLASSES,)

    Returns
    -------
    int64, shape (CLASSES,)
    """
    coins: list[tuple[int, tuple[int, ...]]] = sorted(
        (max(int(f), 1), (c,)) for c, f in enumerate(frequencies)
    )
    row = coins
    for _ in range(LONGEST - 1):
        pairs = [
            (row[k][0] + row[k + 1][0], row[k][1] + row[k + 1][1])
            for k in range(0, len(row) - 1, 2)
        ]
        row = sorted(coins + pairs)
    chosen = np.zeros(len(frequencies), dtype=np.int64)
    for _, classes in row[: 2 * len(frequencies) - 2]:
        for one in classes:
            chosen[one] += 1
    return chosen


def words(of_lengths: Array) -> Array:
    """Return the words of a code, the first bit lowest, uint64, shape (CLASSES,).

    The code is canonical: words of one length are consecutive, so that the lengths alone determine
    the code.
    """
    found = np.zeros(len(of_lengths), dtype=np.uint64)
    word = 0
    shorter = 0
    for length, one in sorted((int(length), one) for one, length in enumerate(of_lengths)):
        word <<= length - shorter
        shorter = length
        found[one] = int(f"{word:0{length}b}"[::-1], 2)
        word += 1
    return found


def is_code(of_lengths: Array) -> bool:
    """Return whether these are the lengths of a complete prefix code."""
    inside = bool(((of_lengths >= 1) & (of_lengths <= LONGEST)).all())
    return inside and int((1 << (LONGEST - of_lengths.astype(np.int64))).sum()) == 1 << LONGEST


def reading_tables(of_lengths: Array) -> Array:
    """Return for each kind and each value of `LONGEST` bits the word with which they begin.

    Parameters
    ----------
    of_lengths : int, shape (KINDS, CLASSES)
        The lengths of the words.

    Returns
    -------
    uint16, shape (KINDS * 2^LONGEST,)
        16 times the class plus the length of its word.
    """
    tables = np.zeros((len(of_lengths), 1 << LONGEST), dtype=np.uint16)
    for kind, row in enumerate(of_lengths):
        order = np.argsort(row, kind="stable")  # of a canonical code: shorter words first
        sorted_lengths = row[order].astype(np.int64)
        entries = (order << _CLASS_SHIFT) + sorted_lengths
        tables[kind, _REVERSED] = np.repeat(entries, 1 << (LONGEST - sorted_lengths))
    return tables.ravel()
