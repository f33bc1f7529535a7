"""The compiled functions that write lists of links as bits, in the format of `codes`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.cpython.unsafe import numbers

from counterpoint.compiling import Array, Number, compiled

from .codebook import CLASSES
from .codes import (
    BLOCK,
    BODY,
    FIRST_LOCAL,
    FIRST_REMOTE,
    GAP_LOCAL,
    GAP_REMOTE,
    LOCALS,
    LONG,
    REMOTES,
)

_ZERO, _ONE, _SIX, _SIXTY_THREE, _PAIRED = (np.uint64(n) for n in (0, 1, 6, 63, 1))
_CLASSES = np.uint64(CLASSES)

leading_zeros: Any = numbers.leading_zeros


@compiled
def _class(number: Number) -> Number:
    return _SIXTY_THREE - np.uint64(leading_zeros(number + _ONE))


@compiled
def _write(
    words: Array, at: Number, number: Number, kind: Number, codes: Array, lengths: Array,
    tally: Array,
) -> Number:  # fmt: skip
    """Write a number and count it; return the bit after it.

    Parameters
    ----------
    words : uint64
        The bits; empty: the number is only counted.
    at : uint64
        The bit at which the number begins.
    number, kind : uint64
        The number and its kind.
    codes, lengths, tally
        As in `pack_lists`.
    """
    one = _class(number)
    place = kind * _CLASSES + one
    tally[place] += 1
    length = lengths[place]
    if words.size > 0:
        bits = codes[place] | ((number + _ONE - (_ONE << one)) << length)
        word, shift = at >> _SIX, at & _SIXTY_THREE
        words[word] |= bits << shift
        words[word + _ONE] |= (bits >> _ONE) >> (_SIXTY_THREE - shift)
    return at + length + one


@compiled
def _difference(page: Number, base: Number) -> Number:
    if page < base:
        return ((base - page) << _ONE) - _ONE
    return (page - base) << _ONE


@compiled
def _write_gaps(
    words: Array, at: Number, row: Array, local_begin: Number, local_end: Number,
    codes: Array, lengths: Array, tally: Array,
) -> Number:  # fmt: skip
    """Write the gaps of a list; return the bit after them. The arguments are as in `_pack_list`."""
    context = _ZERO
    for k in range(local_begin + 1, local_end):
        gap = np.uint64(row[k] - row[k - 1]) - _ONE
        at = _write(words, at, gap, GAP_LOCAL + context, codes, lengths, tally)
        context = _ONE + (_class(gap) >> _PAIRED)
    last, context = -1, _ZERO
    for k in range(len(row)):
        if local_begin <= k < local_end:
            continue
        if last >= 0:
            gap = np.uint64(row[k] - row[last]) - _ONE
            at = _write(words, at, gap, GAP_REMOTE + context, codes, lengths, tally)
            context = _ONE + (_class(gap) >> _PAIRED)
        last = k
    return at


@compiled
def _pack_list(
    words: Array, at: Number, row: Array, local_begin: Number, local_end: Number, firsts: Array,
    codes: Array, lengths: Array, tally: Array,
) -> Number:  # fmt: skip
    """Write a list; return the bit after it.

    Parameters
    ----------
    words, codes, lengths, tally
        As in `pack_lists`.
    at : uint64
        The bit at which the list begins.
    row : unsigned int, shape (links,)
        The list, ascending.
    local_begin, local_end : int
        The local links are ``row[local_begin:local_end]``.
    firsts : uint64, shape (2,)
        The first links to which the differences refer, local and remote; it is updated.
    """
    local, remote = local_end - local_begin, len(row) - (local_end - local_begin)
    at = _write(words, at, np.uint64(local), LOCALS, codes, lengths, tally)
    at = _write(words, at, np.uint64(remote), REMOTES, codes, lengths, tally)
    if len(row) >= LONG:
        nowhere, uncounted = words[:0], np.empty_like(tally)
        body = _write_gaps(nowhere, _ZERO, row, local_begin, local_end, codes, lengths, uncounted)
        at = _write(words, at, body, BODY, codes, lengths, tally)
    if local > 0:
        first = np.uint64(row[local_begin])
        at = _write(words, at, _difference(first, firsts[0]), FIRST_LOCAL, codes, lengths, tally)
        firsts[0] = first
    if remote > 0:
        first = np.uint64(row[0 if local_begin > 0 else local_end])
        at = _write(words, at, _difference(first, firsts[1]), FIRST_REMOTE, codes, lengths, tally)
        firsts[1] = first
    return _write_gaps(words, at, row, local_begin, local_end, codes, lengths, tally)


@compiled
def pack_lists(
    words: Array, at: Number, first: Number, offsets: Array, targets: Array, hosts: Array,
    codes: Array, lengths: Array, tally: Array, starts: Array,
) -> Number:  # fmt: skip
    """Write the lists of consecutive nodes; return the bit after the last one.

    Parameters
    ----------
    words : uint64, shape (words,)
        Zero from bit ``at`` on, with room for the lists and one more word. If it is empty, the
        numbers are not written, only counted.
    at : uint64
        The bit at which the first list begins.
    first : int
        The first node, a multiple of `BLOCK`.
    offsets, targets : int64, shape (nodes + 1,), and unsigned int, shape (links,)
        The lists, each ascending and without repetition.
    hosts : unsigned int, shape (hosts + 1,)
        The first page of each host, and at the end the number of pages.
    codes, lengths : uint64, shape (KINDS * CLASSES,)
        The words of the codes and their lengths in bits.
    tally : int64, shape (KINDS * CLASSES,)
        Counts the written numbers by kind and class.
    starts : uint64, shape (blocks,)
        Gets the bit at which each block begins.
    """
    host = np.searchsorted(hosts, np.uint64(first), side="right") - 1
    firsts = np.empty(2, np.uint64)
    at = np.uint64(at)
    for i in range(len(offsets) - 1):
        node = first + i
        while node >= hosts[host + 1]:
            host += 1
        if i % BLOCK == 0:
            starts[i // BLOCK] = at
            firsts[:] = np.uint64(node)
        row = targets[offsets[i] : offsets[i + 1]]
        begin = end = 0
        while begin < len(row) and row[begin] < hosts[host]:
            begin += 1
        end = begin
        while end < len(row) and row[end] < hosts[host + 1]:
            end += 1
        at = _pack_list(words, at, row, begin, end, firsts, codes, lengths, tally)
    return at
