"""Lists of links as the numbers of which they are written, so that each number can be changed.

This encoder writes any numbers, unlike `counterpoint.graph.storage.writing`: counts that do not
agree with the gaps, links to pages that do not exist, wrong lengths of bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from counterpoint.graph.storage import codebook
from counterpoint.graph.storage.codebook import CLASSES, CONTEXTS, KINDS
from counterpoint.graph.storage.codes import BLOCK, LONG

LARGEST = (1 << CLASSES) - 2
"""The largest number that can be written."""

_GAPS = (5, 5 + CONTEXTS)
"""The kinds of gaps of local and of remote links, in their first context."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of a list.

    Attributes
    ----------
    counts : (int, int)
        The numbers of local and of remote links.
    firsts : (int, int)
        The differences of the first ones; they are written if the counts are not 0.
    gaps : (tuple of int, tuple of int)
        The gaps of both parts, whatever the counts say.
    body : int or None
        The number of bits of the gaps; None: the right one.
    """

    counts: tuple[int, int] = (0, 0)
    firsts: tuple[int, int] = (0, 0)
    gaps: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    body: int | None = None


def numbers_of(offsets: np.ndarray, targets: np.ndarray, hosts: np.ndarray) -> list[Numbers]:
    """Return the numbers of valid lists; each list is ascending."""
    found = []
    bases = [0, 0]
    for page in range(len(offsets) - 1):
        if page % BLOCK == 0:
            bases = [page, page]
        host = int(np.searchsorted(hosts, page, side="right")) - 1
        row = targets[int(offsets[page]) : int(offsets[page + 1])].tolist()
        local = [t for t in row if hosts[host] <= t < hosts[host + 1]]
        parts = local, [t for t in row if t not in local]
        firsts = [0, 0]
        for k, part in enumerate(parts):
            if part:
                away = part[0] - bases[k]
                firsts[k] = 2 * away if away >= 0 else -2 * away - 1
                bases[k] = part[0]
        gaps = tuple(tuple(b - a - 1 for a, b in pairwise(p)) for p in parts)
        found.append(Numbers((len(parts[0]), len(parts[1])), (firsts[0], firsts[1]), gaps))
    return found


@dataclass
class Encoder:
    """Writes numbers as bits, with the codes of a store.

    Parameters
    ----------
    lengths : uint8, shape (KINDS * CLASSES,)
        The lengths of all words.
    """

    lengths: np.ndarray
    _known: dict[Numbers, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = self.lengths.astype(np.int64).reshape(KINDS, CLASSES)
        self._lengths = rows.tolist()
        self._words = [codebook.words(row).tolist() for row in rows]

    def written(self, lists: list[Numbers]) -> tuple[bytes, bytes]:
        """Return the words and the starts of blocks."""
        bits = at = 0
        starts = []
        for page, one in enumerate(lists):
            if page % BLOCK == 0:
                starts.append(at)
            if one not in self._known:
                self._known[one] = self._list(one)
            more, size = self._known[one]
            bits |= more << at
            at += size
        words = -(-at // 64) + 1
        ends = np.array([*starts, at], "<u8").tobytes()
        return bits.to_bytes(8 * words, "little"), ends

    def _list(self, one: Numbers) -> tuple[int, int]:
        bits = at = 0
        numbers = [(0, one.counts[0]), (1, one.counts[1])]
        gaps = [pair for kind, part in zip(_GAPS, one.gaps, strict=True)
                for pair in self._in_context(kind, part)]  # fmt: skip
        if sum(one.counts) >= LONG:
            right = sum(self._number(*pair)[1] for pair in gaps)
            numbers.append((2, right if one.body is None else one.body))
        numbers += [(3 + k, one.firsts[k]) for k in (0, 1) if one.counts[k]]
        for kind, number in numbers + gaps:
            more, size = self._number(kind, number)
            bits |= more << at
            at += size
        return bits, at

    @staticmethod
    def _in_context(kind: int, gaps: tuple[int, ...]) -> list[tuple[int, int]]:
        found, context = [], 0
        for gap in gaps:
            found.append((kind + context, gap))
            context = 1 + (((gap + 1).bit_length() - 1) >> 1)
        return found

    def _number(self, kind: int, number: int) -> tuple[int, int]:
        size = (number + 1).bit_length() - 1
        length = self._lengths[kind][size]
        rest = number + 1 - (1 << size)
        return self._words[kind][size] | (rest << length), length + size


def with_count(one: Numbers, part: int, count: int) -> Numbers:
    """Return a list with another count of a part; its gaps stay."""
    counts = (count, one.counts[1]) if part == 0 else (one.counts[0], count)
    return replace(one, counts=counts)


def with_first(one: Numbers, part: int, first: int) -> Numbers:
    """Return a list with another first difference of a part."""
    firsts = (first, one.firsts[1]) if part == 0 else (one.firsts[0], first)
    return replace(one, firsts=firsts)


def with_gaps(one: Numbers, part: int, gaps: tuple[int, ...], counted: bool) -> Numbers:
    """Return a list with other gaps of a part; ``counted``: and the count that belongs to them."""
    changed = replace(one, gaps=(gaps, one.gaps[1]) if part == 0 else (one.gaps[0], gaps))
    return with_count(changed, part, len(gaps) + 1) if counted else changed
