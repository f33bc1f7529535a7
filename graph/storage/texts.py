"""A dictionary of texts by number: front coding in blocks, and Zstandard over each block.

In a block each text stands as the number of bytes it has in common with the text before it (one
byte), the rest of it, and a line feed. Blocks are short, so that one text is read quickly;
Zstandard is given a dictionary made from some of the blocks, or it would learn little from them.
Parts of the texts are written one by one, and blocks do not cross parts.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import zstandard

from counterpoint.compiling import Array, Number, compiled

IN_BLOCK = 128
"""Texts of a block. 64 need a thirtieth more, and half the time to read one."""

LEVEL = 12
"""Of Zstandard: measured on a million addresses. 3 needs an eighth more and a tenth of the time."""

TRAINED_ON, DICTIONARY = 4000, 1 << 16
"""Blocks that the dictionary is made from, and its bytes."""

_LINE_FEED = 10


class Ragged(NamedTuple):
    """Texts one after another.

    Attributes
    ----------
    data : uint8[]
    offsets : int64[texts + 1]
    """

    data: Array
    offsets: Array

    @property
    def many(self) -> int:
        """Number of texts."""
        return len(self.offsets) - 1

    def text(self, number: int) -> bytes:
        """Return a text."""
        return self.data[self.offsets[number] : self.offsets[number + 1]].tobytes()


def ragged(texts: Sequence[bytes]) -> Ragged:
    """Return texts one after another."""
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return Ragged(np.frombuffer(b"".join(texts), dtype=np.uint8), offsets)


@compiled
def _front_coded(
    data: Array, offsets: Array, order: Array, per_block: Number, coded: Array, ends: Array
) -> Number:
    """Write texts front coded; ``ends`` gets the end of each block; return the end of all."""
    at = 0
    last_begin = last_size = 0
    for i in range(len(order)):
        begin = offsets[order[i]]
        size = offsets[order[i] + 1] - begin
        shared = 0
        if i % per_block:
            most = min(size, last_size, 255)
            while shared < most and data[begin + shared] == data[last_begin + shared]:
                shared += 1
        coded[at] = shared
        at += 1
        for k in range(begin + shared, begin + size):
            coded[at] = data[k]
            at += 1
        coded[at] = 10
        at += 1
        ends[i // per_block] = at
        last_begin, last_size = begin, size
    return at


def blocks_of(texts: Ragged, order: Array) -> list[bytes]:
    """Return texts, in an order, front coded in blocks."""
    coded = np.empty(len(texts.data) + 2 * len(order), dtype=np.uint8)
    ends = np.zeros(-(-len(order) // IN_BLOCK), dtype=np.int64)
    if len(order):
        _front_coded(texts.data, texts.offsets, order, IN_BLOCK, coded, ends)
    begins = [0, *ends[:-1].tolist()]
    return [coded[a:b].tobytes() for a, b in zip(begins, ends.tolist(), strict=False)]


def trained(blocks: Sequence[bytes]) -> bytes:
    """Return a dictionary for blocks like these; empty if there are too few to learn from."""
    if sum(map(len, blocks)) < 8 * DICTIONARY:
        return b""
    try:
        return zstandard.train_dictionary(DICTIONARY, [*blocks]).as_bytes()
    except zstandard.ZstdError:  # it finds nothing that repeats
        return b""


class Packing:
    """Compresses blocks; one for each thread.

    Parameters
    ----------
    dictionary : bytes
        Of `trained`.
    """

    def __init__(self, dictionary: bytes) -> None:
        held = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._compressor = zstandard.ZstdCompressor(
            level=LEVEL, dict_data=held, write_checksum=False, write_dict_id=False
        )

    def packed(self, blocks: list[bytes]) -> tuple[bytes, Array]:
        """Return blocks compressed, one after another, and where each ends, int64[blocks]."""
        done = [self._compressor.compress(block) for block in blocks]
        ends = np.cumsum([len(one) for one in done], dtype=np.int64)
        return b"".join(done), ends


class Texts:
    """Texts by number, as they were packed.

    Parameters
    ----------
    data : uint8[]
        Blocks one after another.
    starts : uint64[blocks + 1]
        Where each begins, and the end.
    parts : uint64[parts + 1, 2]
        The first text and the first block of each part; at last, how many there are of both.
    dictionary : bytes
    """

    def __init__(self, data: Array, starts: Array, parts: Array, dictionary: bytes) -> None:
        self._data, self._starts = data, starts
        self._first_texts, self._first_blocks = parts.T.tolist()
        held = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._decompressor = zstandard.ZstdDecompressor(dict_data=held)
        self._block = lru_cache(maxsize=256)(self._read)

    def __len__(self) -> int:
        return int(self._first_texts[-1])

    def __getitem__(self, number: int) -> bytes:
        part = bisect.bisect_right(self._first_texts, number) - 1
        block, inside = divmod(number - self._first_texts[part], IN_BLOCK)
        return self._block(self._first_blocks[part] + block)[inside]

    def _read(self, block: int) -> list[bytes]:
        low, high = int(self._starts[block]), int(self._starts[block + 1])
        data = self._decompressor.decompress(self._data[low:high].tobytes())
        texts, at, last = [], 0, b""
        while at < len(data):
            end = data.index(_LINE_FEED, at + 1)
            last = last[: data[at]] + data[at + 1 : end]
            texts.append(last)
            at = end + 1
        return texts

    def place(self, text: bytes, first: int, last: int) -> int | None:
        """Return the number of a text among those from ``first`` to ``last``, which must rise."""
        low, high = first, last
        while low < high:
            middle = (low + high) // 2
            if self[middle] < text:
                low = middle + 1
            else:
                high = middle
        return low if low < last and self[low] == text else None


@compiled
def _columns(data: Array, offsets: Array, table: Array) -> None:
    for i in range(len(table)):
        for k in range(offsets[i], offsets[i + 1]):
            table[i, k - offsets[i]] = data[k]


LARGEST_TABLE = 1 << 30
"""Bytes of texts side by side, above which they are sorted one by one."""


def sorted_within(texts: Ragged, groups: Array) -> Array:
    """Return the order of texts in which each group, which are in order, rises; int64[texts]."""
    width = int(np.diff(texts.offsets).max(initial=1))
    if width * texts.many > LARGEST_TABLE:
        each = [texts.text(k) for k in range(texts.many)]
        told = groups.tolist()
        return np.array(sorted(range(texts.many), key=lambda k: (told[k], each[k])))
    table = np.zeros((texts.many, max(width, 1)), dtype=np.uint8)
    _columns(texts.data, texts.offsets, table)
    by_text = np.argsort(table.view(f"S{max(width, 1)}").ravel(), kind="stable")
    return by_text[np.argsort(groups[by_text], kind="stable")]


def has_control(texts: Ragged) -> int:
    """Return the number of a text with a byte that no address has (below a blank), or -1."""
    bad = np.flatnonzero(texts.data < ord(" "))
    return int(np.searchsorted(texts.offsets, bad[0], side="right")) - 1 if len(bad) else -1
