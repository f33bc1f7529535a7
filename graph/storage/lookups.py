"""Looks up many texts of a dictionary at once: a block is decompressed once for all of them.

Texts are found in compiled code, so that a lookup costs little more than the decompression of its
block. Blocks may be damaged or crafted: no kernel reads or writes outside of its arrays.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.compiling import Array, Number, compiled

from .texts import Ragged, Texts, ragged

AT_ONCE = 2048
"""The most blocks that are decompressed at a time."""
ENOUGH = 1 << 26
"""So many bytes of decompressed blocks are not exceeded by more than one block."""

_LINE_FEED = 10

BEFORE, AFTER, NOWHERE = -1, -2, -3
"""Where a text is that is not in a block: before it, after it, or in no block."""


def texts_of(texts: Texts, numbers: Array) -> Ragged:
    """Return the texts with some numbers, in the order of ``numbers``.

    Parameters
    ----------
    texts : Texts
    numbers : int64
        At least 0 and less than the number of texts.

    Raises
    ------
    GraphError
        If a block is invalid, or a text has a control character.
    """
    wanted, back = np.unique(numbers, return_inverse=True)
    blocks, inside = texts.where(wanted)
    data, sizes = [], np.zeros(len(wanted), dtype=np.int64)
    for low, high, unpacked, of_block in _unpacked(texts, blocks):
        many = sizes[low:high]
        needed = _sizes(unpacked.data, unpacked.offsets, of_block, inside[low:high], many)
        _must_be_valid(texts, needed, blocks, low)
        out = np.empty(needed, dtype=np.uint8)
        wrong = _copied(unpacked.data, unpacked.offsets, of_block, inside[low:high], many, out)
        if wrong >= 0:
            raise texts.with_control(int(wanted[low + wrong]))
        data.append(out)
    found = Ragged(np.concatenate([np.empty(0, dtype=np.uint8), *data]), _ends(sizes))
    return _taken(found, back.ravel())


def places_of(texts: Texts, wanted: Ragged, first: Array, last: Array) -> Array:
    """Return the numbers of some texts, int64; -1 for one that there is not.

    All queries take a step of their binary searches at the same time, so that a block in the middle
    is decompressed once for all of them.

    Parameters
    ----------
    texts : Texts
    wanted : Ragged
    first, last : int64
        Each is searched among the texts ``first`` to ``last - 1``, which must be ascending.
    """
    found = np.full(wanted.many, -1, dtype=np.int64)
    low, high = first.astype(np.int64), last.astype(np.int64)
    open_ = np.flatnonzero(low < high)
    while len(open_):
        middle, _ = texts.where((low[open_] + high[open_]) // 2)
        order = np.argsort(middle, kind="stable")
        open_, middle = open_[order], middle[order]
        begin, end = texts.numbers_of(middle)
        begin, end = np.maximum(begin, low[open_]), np.minimum(end, high[open_])
        places = np.empty(len(open_), dtype=np.int64)
        for one, other, unpacked, of_block in _unpacked(texts, middle):
            part = slice(one, other)
            skipped = begin[part] - texts.numbers_of(middle[part])[0]
            wrong = _compared(
                unpacked.data, unpacked.offsets, of_block, skipped, end[part] - begin[part],
                wanted.data, wanted.offsets, open_[part], places[part],
            )  # fmt: skip
            _must_be_valid(texts, wrong, middle, one)
        before, after = places == BEFORE, places == AFTER
        high[open_[before]] = begin[before]
        low[open_[after]] = end[after]
        here = places >= 0
        found[open_[here]] = begin[here] + places[here]
        ended = ~(before | after)
        open_ = open_[~ended]
        open_ = open_[low[open_] < high[open_]]
    return found


def numbers_of(names: Ragged, order: Array, wanted: Ragged) -> Array:
    """Return the numbers of some texts, int64; -1 for one that there is not.

    Parameters
    ----------
    names : Ragged
    order : uint32
        The numbers of the texts, less than their number, in the order of the texts.
    wanted : Ragged
    """
    found = np.empty(wanted.many, dtype=np.int64)
    _searched(names.data, names.offsets, order, wanted.data, wanted.offsets, found)
    return found


def _must_be_valid(texts: Texts, found: int, blocks: Array, first: int) -> None:
    """Raise a GraphError for the result of a kernel that has found an invalid block."""
    if found < 0:
        raise texts.invalid(int(blocks[first + -int(found) - 1]))


def _unpacked(texts: Texts, blocks: Array) -> Iterator[tuple[int, int, Ragged, Array]]:
    """Yield decompressed blocks, some at a time.

    Parameters
    ----------
    texts : Texts
    blocks : int64
        Ascending; a block may occur several times.

    Yields
    ------
    int, int
        The part of ``blocks``.
    Ragged
        Its blocks, each once.
    int64
        For each of the part, which of these it is.
    """
    low = 0
    while low < len(blocks):
        part = blocks[low : low + AT_ONCE]
        each, of_block = np.unique(part, return_inverse=True)
        held: list[bytes] = []
        size = 0
        for block in each.tolist():
            held.append(texts.unpacked(block))
            size += len(held[-1])
            if size > ENOUGH:
                break
        many = int(np.searchsorted(part, each[len(held) - 1], side="right"))
        yield low, low + many, ragged(held), of_block.ravel()[:many]
        low += many


def _ends(sizes: Array) -> Array:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])


def _taken(found: Ragged, chosen: Array) -> Ragged:
    """Return some of the texts, in the order of ``chosen``."""
    offsets = _ends(np.diff(found.offsets)[chosen])
    data = np.empty(int(offsets[-1]), dtype=np.uint8)
    _moved(found.data, found.offsets, chosen, data, offsets)
    return Ragged(data, offsets)


@compiled
def _moved(data: Array, starts: Array, chosen: Array, out: Array, offsets: Array) -> None:
    for i in range(len(chosen)):
        begin = starts[chosen[i]]
        for k in range(offsets[i + 1] - offsets[i]):
            out[offsets[i] + k] = data[begin + k]


@compiled
def _line_end(data: Array, at: Number, end: Number) -> Number:
    """Return where the next line feed is, from ``at`` on; -1 if there is none before ``end``."""
    while at < end:
        if data[at] == _LINE_FEED:
            return at
        at += 1
    return -1


@compiled
def _sizes(data: Array, offsets: Array, of_block: Array, inside: Array, sizes: Array) -> Number:
    """Write the sizes of texts; return their sum.

    Parameters
    ----------
    data, offsets
        The blocks, front coded: for each text the number of bytes that it shares with the one
        before it, the rest of the text, and a line feed.
    of_block, inside : int64
        The block of each text, and its place there; ascending.
    sizes : int64
        Gets the sizes.

    Returns
    -------
    int
        The sum; -(i + 1) if the block of text i is invalid.
    """
    total, block = 0, -1
    at = place = size = 0
    for i in range(len(of_block)):
        if of_block[i] != block:
            block = of_block[i]
            at, place, size = offsets[block], -1, 0
        end = offsets[block + 1]
        while place < inside[i]:
            stop = _line_end(data, at + 1, end)
            if stop < 0:
                return -(i + 1)
            size = min(size, np.int64(data[at])) + stop - at - 1
            at = stop + 1
            place += 1
        sizes[i] = size
        total += size
    return total


@compiled
def _copied(
    data: Array, offsets: Array, of_block: Array, inside: Array, sizes: Array, out: Array
) -> Number:
    """Write texts of valid blocks; return the first one with a control character, or -1.

    The parameters are as for `_sizes`, which has checked the blocks; ``out`` gets the texts.
    """
    most = 0
    for k in range(len(offsets) - 1):
        most = max(most, offsets[k + 1] - offsets[k])
    text = np.empty(most, dtype=np.uint8)
    block, filled, wrong = -1, 0, -1
    at = place = 0
    size: Number = 0
    for i in range(len(of_block)):
        if of_block[i] != block:
            block = of_block[i]
            at, place, size = offsets[block], -1, 0
        while place < inside[i]:
            stop = _line_end(data, at + 1, offsets[block + 1])
            size = min(size, np.int64(data[at]))
            for k in range(at + 1, stop):
                text[size] = data[k]
                size += 1
            at = stop + 1
            place += 1
        for k in range(sizes[i]):
            if text[k] < 32 and wrong < 0:
                wrong = i
            out[filled] = text[k]
            filled += 1
    return wrong


@compiled
def _common(text: Array, other: Array) -> Number:
    """Return how many bytes two texts begin with alike."""
    most = min(len(text), len(other))
    same = 0
    while same < most and text[same] == other[same]:
        same += 1
    return same


@compiled
def _precedes(text: Array, other: Array, same: Number) -> Number:
    """Return whether a text is less than another one that begins with ``same`` bytes alike."""
    return same < len(other) and (same == len(text) or text[same] < other[same])


@compiled
def _compared(
    data: Array, offsets: Array, of_block: Array, skipped: Array, many: Array,
    wanted: Array, wanted_offsets: Array, chosen: Array, places: Array,
) -> Number:  # fmt: skip
    """Search texts in blocks; return 0, or -(i + 1) if the block of query i is invalid.

    Parameters
    ----------
    data, offsets, of_block
        As for `_sizes`.
    skipped, many : int64
        How many texts of the block stand before those that are searched, and how many are searched.
    wanted, wanted_offsets, chosen
        The texts that are searched, and which of them each query wants.
    places : int64
        Gets the place of the text among those that are searched; or `BEFORE`, `AFTER`, `NOWHERE`.
    """
    for i in range(len(of_block)):
        begin = wanted_offsets[chosen[i]]
        size = wanted_offsets[chosen[i] + 1] - begin
        at, end = offsets[of_block[i]], offsets[of_block[i] + 1]
        # `same` counts the bytes with which both the last text and the wanted one begin. A text
        # that shares more bytes than that with the one before it compares as that one does.
        same = length = 0
        is_less, places[i] = True, AFTER
        for place in range(-skipped[i], many[i]):
            stop = _line_end(data, at + 1, end)
            if stop < 0:
                return -(i + 1)
            shared: Number = min(length, np.int64(data[at]))
            length = shared + stop - at - 1
            if shared <= same:
                rest = wanted[begin + shared : begin + size]
                same = shared + _common(data[at + 1 : stop], rest)
                is_less = _precedes(data[at + 1 : stop], rest, same - shared)
            at = stop + 1
            if place >= 0 and not is_less:
                is_it = same == size and same == length
                places[i] = place if is_it else BEFORE if place == 0 else NOWHERE
                break
    return 0


@compiled
def _searched(
    data: Array, offsets: Array, order: Array, wanted: Array, wanted_offsets: Array, found: Array
) -> None:
    for i in range(len(found)):
        begin = wanted_offsets[i]
        size = wanted_offsets[i + 1] - begin
        low, high = 0, len(order)
        found[i] = -1
        while low < high:
            middle = (low + high) // 2
            start = offsets[order[middle]]
            length = offsets[order[middle] + 1] - start
            name, text = data[start : start + length], wanted[begin : begin + size]
            same = _common(name, text)
            if same == size and same == length:
                found[i] = order[middle]
                break
            if _precedes(name, text, same):
                low = middle + 1
            else:
                high = middle
