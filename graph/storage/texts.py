"""A dictionary from numbers to texts: front coding in blocks, each compressed by Zstandard.

In a block, a text is the number of bytes that it shares with the text before it (one byte), the
rest of the text, and a line feed. Blocks are short, so that one text is read quickly. Because
Zstandard compresses short blocks badly, it gets a dictionary trained on some of the blocks. The
texts are written in parts; a block does not cross parts.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from itertools import pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np
import zstandard

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.errors import GraphError

IN_BLOCK = 128
"""The number of texts in a block. With 64, the file is a thirtieth larger, and reading a text takes
half the time."""

LEVEL = 12
"""The level of Zstandard, measured on a million addresses. With level 3, the file is an eighth
larger, and writing takes a tenth of the time."""

TRAINED_ON, DICTIONARY = 4000, 1 << 16
"""The number of blocks from which the dictionary is trained, and its size in bytes."""

LARGEST_BLOCK, KEPT = 1 << 24, 1 << 22
"""A block has at most so many bytes, and blocks that were read are kept in memory up to so many. A
block of ordinary addresses has some 5,000 bytes."""

_LINE_FEED = 10
_CONTROL = bytes(range(32))


class Ragged(NamedTuple):
    """Texts of different lengths in one array.

    Attributes
    ----------
    data : uint8
        The bytes of all texts.
    offsets : int64, shape (texts + 1,)
        Where each text begins, and the end.
    """

    data: Array
    offsets: Array

    @property
    def many(self) -> int:
        """The number of texts."""
        return len(self.offsets) - 1

    def text(self, number: int) -> bytes:
        """Return a text."""
        return self.data[self.offsets[number] : self.offsets[number + 1]].tobytes()


def ragged(texts: Sequence[bytes]) -> Ragged:
    """Return texts in one array."""
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return Ragged(np.frombuffer(b"".join(texts), dtype=np.uint8), offsets)


@compiled
def _front_coded(
    data: Array, offsets: Array, order: Array, per_block: Number, coded: Array, ends: Array
) -> Number:
    """Write texts front coded; return the number of bytes.

    Parameters
    ----------
    data, offsets
        The texts, as in `Ragged`.
    order : int64
        The order in which they are written.
    per_block : int
        The number of texts in a block.
    coded : uint8
        Gets the bytes.
    ends : int64, shape (blocks,)
        Gets the end of each block.
    """
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
    """Return texts in a given order as front-coded blocks."""
    coded = np.empty(len(texts.data) + 2 * len(order), dtype=np.uint8)
    ends = np.zeros(-(-len(order) // IN_BLOCK), dtype=np.int64)
    if len(order):
        _front_coded(texts.data, texts.offsets, order, IN_BLOCK, coded, ends)
    begins = [0, *ends[:-1].tolist()]
    return [coded[a:b].tobytes() for a, b in zip(begins, ends.tolist(), strict=False)]


def trained(blocks: Sequence[bytes]) -> bytes:
    """Train a dictionary on blocks; return an empty one if there are too few of them."""
    if sum(map(len, blocks)) < 8 * DICTIONARY:
        return b""
    try:
        return zstandard.train_dictionary(DICTIONARY, [*blocks]).as_bytes()
    except zstandard.ZstdError:  # nothing in the blocks repeats
        return b""


class Packing:
    """Compresses blocks; each thread needs its own.

    Parameters
    ----------
    dictionary : bytes
        From `trained`.
    """

    def __init__(self, dictionary: bytes) -> None:
        held = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._compressor = zstandard.ZstdCompressor(
            level=LEVEL, dict_data=held, write_checksum=False, write_dict_id=False
        )

    def packed(self, blocks: list[bytes]) -> tuple[bytes, Array]:
        """Return the compressed blocks in one text, and the end of each, int64, shape (blocks,).

        Raises
        ------
        GraphError
            If a block is too large.
        """
        if (largest := max(map(len, blocks), default=0)) > LARGEST_BLOCK:
            raise GraphError(
                f"{IN_BLOCK} successive addresses have {largest:,} bytes; "
                f"at most {LARGEST_BLOCK:,} can be stored"
            )
        done = [self._compressor.compress(block) for block in blocks]
        ends = np.cumsum([len(one) for one in done], dtype=np.int64)
        return b"".join(done), ends


def _fit(pairs: list[list[int]], texts: int, blocks: int) -> bool:
    """Return whether the first texts and the first blocks of parts lead from 0 to all of them."""
    if pairs[0] != [0, 0] or pairs[-1] != [texts, blocks]:
        return False
    return all(
        text < next_text and next_block - block == -(-(next_text - text) // IN_BLOCK)
        for (text, block), (next_text, next_block) in pairwise(pairs)
    )


def _divided(data: bytes) -> list[bytes]:
    """Return the texts of a block; raise ValueError if it is invalid."""
    texts, at, last = [], 0, b""
    while at < len(data):
        end = data.index(_LINE_FEED, at + 1)
        last = last[: data[at]] + data[at + 1 : end]
        texts.append(last)
        at = end + 1
        if len(texts) > IN_BLOCK:
            raise ValueError("a block has too many texts")
    return texts


class Texts:
    """A packed dictionary, which returns texts by number.

    Parameters
    ----------
    data : uint8
        The compressed blocks.
    starts : uint64, shape (blocks + 1,)
        Where each block begins, and the end.
    parts : uint64, shape (2 * (parts + 1),)
        The first text and the first block of each part; at the end the numbers of both.
    dictionary : bytes
        The dictionary of Zstandard; may be empty.
    count : int
        How many texts there must be.
    name : str
        Names the dictionary in errors.

    Raises
    ------
    GraphError
        If the parts do not fit together, also later, if a block is invalid.
    """

    def __init__(
        self, data: Array, starts: Array, parts: Array, dictionary: bytes, count: int, name: str
    ) -> None:
        self._data, self._starts, self._count, self._name = data, starts, count, name
        pairs = parts[: len(parts) // 2 * 2].reshape(-1, 2).tolist()
        if len(parts) % 2 or not _fit(pairs, count, len(starts) - 1):
            raise GraphError(f"{name}: its parts do not fit together")
        self._first_texts = [text for text, _ in pairs]
        self._first_blocks = [block for _, block in pairs]
        self._parts = np.array(pairs, dtype=np.int64)
        try:
            held = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
            self._decompressor = zstandard.ZstdDecompressor(dict_data=held)
        except zstandard.ZstdError:
            raise GraphError(f"{name}: its dictionary is invalid") from None
        self._kept: dict[int, list[bytes]] = {}
        self._bytes, self._lock = 0, Lock()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> bytes:
        text = self._text(number)
        if len(text.translate(None, _CONTROL)) < len(text):
            raise self.with_control(number)
        return text

    def with_control(self, number: int) -> GraphError:
        """Return the error for a text that has a control character."""
        return GraphError(f"{self._name}: text {number:,} has a control character")

    def invalid(self, block: int) -> GraphError:
        """Return the error for a block that is no block of texts."""
        return GraphError(f"{self._name}: block {block:,} is invalid or too large")

    def where(self, numbers: Array) -> tuple[Array, Array]:
        """Return the blocks of some texts, and their places there; int64."""
        part = np.searchsorted(self._parts[:, 0], numbers, side="right") - 1
        block, inside = np.divmod(numbers - self._parts[part, 0], IN_BLOCK)
        return self._parts[part, 1] + block, inside

    def numbers_of(self, blocks: Array) -> tuple[Array, Array]:
        """Return the numbers of the first texts of some blocks, and of those after the last ones.

        Shape (blocks,) each, int64.
        """
        part = np.searchsorted(self._parts[:, 1], blocks, side="right") - 1
        first = self._parts[part, 0] + IN_BLOCK * (blocks - self._parts[part, 1])
        return first, np.minimum(first + IN_BLOCK, self._parts[part + 1, 0])

    def _text(self, number: int) -> bytes:
        part = bisect.bisect_right(self._first_texts, number) - 1
        block, inside = divmod(number - self._first_texts[part], IN_BLOCK)
        texts = self._block(self._first_blocks[part] + block)
        if inside >= len(texts):
            raise GraphError(f"{self._name}: there is no text {number:,}")
        return texts[inside]

    def _block(self, block: int) -> list[bytes]:
        """Return the texts of a block, which is kept until others need its room."""
        found = self._kept.get(block)
        if found is not None:
            return found
        found = self._read(block)
        with self._lock:
            if block not in self._kept:
                self._bytes += sum(map(len, found))
            self._kept[block] = found
            while self._bytes > KEPT and len(self._kept) > 1:
                oldest = self._kept.pop(next(iter(self._kept)))
                self._bytes -= sum(map(len, oldest))
        return found

    def _read(self, block: int) -> list[bytes]:
        try:
            return _divided(self.unpacked(block))
        except ValueError:
            raise self.invalid(block) from None

    def unpacked(self, block: int) -> bytes:
        """Return a block, decompressed; raise GraphError if it cannot be, or is too large."""
        low, high = int(self._starts[block]), int(self._starts[block + 1])
        frame = self._data[low:high].tobytes() if low <= high <= len(self._data) else b""
        try:
            if zstandard.frame_content_size(frame) <= LARGEST_BLOCK:  # it is allocated at once
                return self._decompressor.decompress(frame)
        except (zstandard.ZstdError, ValueError):
            pass
        raise self.invalid(block)

    def place(self, text: bytes, first: int, last: int) -> int | None:
        """Return the number of a text among ``first`` to ``last - 1``, or None.

        These texts must be ascending.
        """
        low, high = first, last
        while low < high:
            middle = (low + high) // 2
            if self._text(middle) < text:
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
"""If a table of all texts would need more bytes, they are sorted without one."""


def sorted_within(texts: Ragged, groups: Array) -> Array:
    """Return the order that sorts texts within each group, int64, shape (texts,).

    Parameters
    ----------
    texts : Ragged
    groups : int64, shape (texts,)
        The group of each text, ascending.
    """
    width = int(np.diff(texts.offsets).max(initial=1))
    if width * texts.many > LARGEST_TABLE:
        each = [texts.text(k) for k in range(texts.many)]
        group = groups.tolist()
        return np.array(sorted(range(texts.many), key=lambda k: (group[k], each[k])))
    table = np.zeros((texts.many, max(width, 1)), dtype=np.uint8)
    _columns(texts.data, texts.offsets, table)
    by_text = np.argsort(table.view(f"S{max(width, 1)}").ravel(), kind="stable")
    return by_text[np.argsort(groups[by_text], kind="stable")]


def has_control(texts: Ragged) -> int:
    """Return the number of the first text with a control character (below a blank), or -1."""
    bad = np.flatnonzero(texts.data < ord(" "))
    return int(np.searchsorted(texts.offsets, bad[0], side="right")) - 1 if len(bad) else -1
