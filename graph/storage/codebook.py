"""Which bits stand for a number: codes of least length for the numbers that do occur.

A number v has a *class*, the number of bits of v + 1 less one. Its class is written as a word of a
prefix code and then the bits of v + 1 below the highest. Small classes are frequent, but how
frequent differs from kind to kind (counts, first links, gaps) and from graph to graph, so each kind
has a code of its own, made from how often its classes occur.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array

CLASSES = 34
"""A number below 2^34 - 1 can be written: the difference of two pages, with its sign."""

LONGEST = 10
"""Most bits of a word for a class, hence the size of a table for reading: 2^10 entries."""

CONTEXTS = 18
"""Of a gap: that it is the first, or the class of the one before it, two classes together."""

KINDS = 5 + 2 * CONTEXTS
"""What is written, each with a code of its own; `codes` says what they are."""

_CLASS_SHIFT = 4
"""An entry of a table for reading is the class, shifted, plus the length of its word."""


def lengths(frequencies: Array) -> Array:
    """Return the lengths of the words of a best code with no word above `LONGEST`.

    Package-merge (Larmore and Hirschberg, A fast algorithm for optimal length-limited Huffman
    codes, 1990). No frequency counts as less than one, so that each class has a word.

    Parameters
    ----------
    frequencies : integers[CLASSES]

    Returns
    -------
    int64[CLASSES]
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
    """Return the words of a code, the first bit lowest, uint64[CLASSES].

    Words of one length follow each other, so that lengths alone are all that is stored of a code.
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
    """Tell whether a prefix code has words of these lengths, and none to spare."""
    inside = bool(((of_lengths >= 1) & (of_lengths <= LONGEST)).all())
    return inside and int((1 << (LONGEST - of_lengths.astype(np.int64))).sum()) == 1 << LONGEST


def reading_tables(of_lengths: Array) -> Array:
    """Return, for each kind and each `LONGEST` bits, what they begin with.

    Parameters
    ----------
    of_lengths : integers[KINDS, CLASSES]

    Returns
    -------
    uint16[KINDS * 2^LONGEST]
        16 times the class plus the length of its word.
    """
    tables = np.zeros((len(of_lengths), 1 << LONGEST), dtype=np.uint16)
    for kind, row in enumerate(of_lengths):
        for one, (word, length) in enumerate(zip(words(row), row, strict=True)):
            tables[kind, int(word) :: 1 << int(length)] = (one << _CLASS_SHIFT) + int(length)
    return tables.ravel()
