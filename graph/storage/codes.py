"""Lists of links as bits, and how they are read: the compiled ground of the store.

Nodes are taken in blocks of `BLOCK`; the bit at which each block begins is known. A node's list has
two parts, the links within its host, then those to other hosts, each part in ascending order:

    locals, remotes             how many links each part has
    body                        the bits of all gaps; only if there are `LONG` links or more
    first local, first remote   with its sign, the difference from the last list that had such a
                                part; from the block's first node if none had
    gaps of locals, of remotes  what lies between a target and the next

Each kind of number has a code of its own (`codebook`); that of a gap depends on the class of the
gap before it as well, since a list's gaps are alike: of large hosts large, in long lists small.
Firsts stand before gaps, and long lists say how long they are, so that a reader can pass over a
list without reading it.

Most numbers are unsigned, 64 bits: Numba makes a float of a signed and an unsigned one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.cpython.unsafe import numbers

from counterpoint.compiling import Array, Number, compiled

from .codebook import CLASSES, CONTEXTS, LONGEST

BLOCK = 64
"""Nodes of a block."""

LONG = 32
"""From so many links on, a list says how long it is."""

LOCALS, REMOTES, BODY, FIRST_LOCAL, FIRST_REMOTE, GAP_LOCAL, GAP_REMOTE = (
    np.uint64(kind) for kind in (0, 1, 2, 3, 4, 5, 5 + CONTEXTS)
)
"""Kinds of numbers; from each of the last two on, one for each context."""

AT, LEFT, LOCAL_LEFT, NEXT, FIRST_OF_REMOTE, CONTEXT, CURSOR = range(7)
"""Places of a cursor, and how many: the bit where the next gap begins; links and, among them, local
links that are still to come; the next link; the first remote one; the next gap's context."""

_ZERO, _ONE, _BLOCK, _LONG = np.uint64(0), np.uint64(1), np.uint64(BLOCK), np.uint64(LONG)
_SIX, _SIXTY_THREE, _FOUR, _FIFTEEN = np.uint64(6), np.uint64(63), np.uint64(4), np.uint64(15)
_TWO, _PAIRED = np.uint64(2), np.uint64(1)
_LONGEST, _MASK = np.uint64(LONGEST), np.uint64((1 << LONGEST) - 1)
_CLASSES = np.uint64(CLASSES)


@compiled
def _read_gap(
    words: Array, tables: Array, at: Number, kind: Number
) -> tuple[Number, Number, Number]:
    """Return the number of a kind that begins at a bit, the bit after it, the context it makes."""
    word, shift = at >> _SIX, at & _SIXTY_THREE
    bits = (words[word] >> shift) | ((words[word + _ONE] << _ONE) << (_SIXTY_THREE - shift))
    entry = np.uint64(tables[(kind << _LONGEST) | (bits & _MASK)])
    length, size = entry & _FIFTEEN, entry >> _FOUR
    high = _ONE << size
    number = ((bits >> length) & (high - _ONE)) + high - _ONE
    return number, at + length + size, _ONE + (size >> _PAIRED)


@compiled
def _read(words: Array, tables: Array, at: Number, kind: Number) -> tuple[Number, Number]:
    """Return the number of a kind that begins at a bit, and the bit after it."""
    number, at, _ = _read_gap(words, tables, at, kind)
    return number, at


@compiled
def _signed(number: Number, base: Number) -> Number:
    """Return a page from its difference to another, written with its sign in the lowest bit."""
    if number & _ONE:
        return base - ((number + _ONE) >> _ONE)
    return base + (number >> _ONE)


@compiled
def _head(
    words: Array, tables: Array, cursor: Array, first_local: Number, first_remote: Number
) -> Number:
    """Read the head of the list at a cursor: counts and firsts; return the bits of its gaps.

    ``cursor`` is left at the first gap; the bits are 0 for a list that does not say how long it is.
    """
    local, at = _read(words, tables, cursor[AT], LOCALS)
    remote, at = _read(words, tables, at, REMOTES)
    body = _ZERO
    if local + remote >= _LONG:
        body, at = _read(words, tables, at, BODY)
    cursor[LEFT], cursor[LOCAL_LEFT] = local + remote, local
    if local > _ZERO:
        number, at = _read(words, tables, at, FIRST_LOCAL)
        first_local = _signed(number, first_local)
    if remote > _ZERO:
        number, at = _read(words, tables, at, FIRST_REMOTE)
        first_remote = _signed(number, first_remote)
    cursor[NEXT] = first_local if local > _ZERO else first_remote
    cursor[FIRST_OF_REMOTE] = first_remote
    cursor[AT], cursor[CONTEXT] = at, _ZERO
    return body


@compiled
def _passed(words: Array, tables: Array, cursor: Array, body: Number) -> None:
    """Move a cursor from the first gap of a list to the end of the list."""
    if body > _ZERO:
        cursor[AT] += body
        return
    at, local = cursor[AT], cursor[LOCAL_LEFT]
    remote = cursor[LEFT] - local
    context = _ZERO
    for _ in range(np.int64(local) - 1):
        _, at, context = _read_gap(words, tables, at, GAP_LOCAL + context)
    context = _ZERO
    for _ in range(np.int64(remote) - 1):
        _, at, context = _read_gap(words, tables, at, GAP_REMOTE + context)
    cursor[AT] = at


@compiled
def open_list(words: Array, starts: Array, tables: Array, node: Number, cursor: Array) -> Number:
    """Put a cursor before the first link of a node, and return how many links it has.

    Parameters
    ----------
    words, starts, tables
        As in `Packed`.
    node : int
        Below the number of nodes; this is not checked.
    cursor : uint64[CURSOR]
        Is written. A copy of it goes on from the same place.
    """
    node_ = np.uint64(node)
    block = node_ // _BLOCK
    cursor[AT] = starts[block]
    first_local = first_remote = block * _BLOCK
    for _ in range(node_ - block * _BLOCK):
        body = _head(words, tables, cursor, first_local, first_remote)
        if cursor[LOCAL_LEFT] > _ZERO:
            first_local = cursor[NEXT]
        first_remote = cursor[FIRST_OF_REMOTE]
        _passed(words, tables, cursor, body)
    _head(words, tables, cursor, first_local, first_remote)
    return np.int64(cursor[LEFT])


@compiled
def advance(words: Array, tables: Array, cursor: Array) -> Number:
    """Return the link that a cursor stands before, and pass it; there must be one."""
    target = cursor[NEXT]
    cursor[LEFT] -= _ONE
    if cursor[LOCAL_LEFT] > _ZERO:
        cursor[LOCAL_LEFT] -= _ONE
        if cursor[LOCAL_LEFT] == _ZERO:
            cursor[NEXT], cursor[CONTEXT] = cursor[FIRST_OF_REMOTE], _ZERO
            return np.int64(target)
        kind = GAP_LOCAL + cursor[CONTEXT]
    elif cursor[LEFT] > _ZERO:
        kind = GAP_REMOTE + cursor[CONTEXT]
    else:
        return np.int64(target)
    gap, at, context = _read_gap(words, tables, cursor[AT], kind)
    cursor[NEXT], cursor[AT], cursor[CONTEXT] = target + gap + _ONE, at, context
    return np.int64(target)


@compiled
def _run(
    words: Array, tables: Array, at: Number, kind: Number, first: Number, count: Number,
    targets: Array, end: Number,
) -> tuple[Number, Number]:  # fmt: skip
    """Write a part of a list to ``targets`` from ``end`` on; return the bit and the end after."""
    target, context = first, _ZERO
    targets[end] = target
    for k in range(end + _ONE, end + count):
        gap, at, context = _read_gap(words, tables, at, kind + context)
        target += gap + _ONE
        targets[k] = target
    return at, end + count


@compiled
def unpack_block(
    words: Array,
    starts: Array,
    tables: Array,
    nodes: Number,
    block: Number,
    ends: Array,
    targets: Array,
) -> Number:
    """Write all lists of a block's nodes one after another; return how many nodes it has.

    Parameters
    ----------
    words, starts, tables, nodes
        As in `Packed`.
    block : int
        The block, of nodes from ``block * BLOCK`` on.
    ends : int64[2 * BLOCK + 1] or longer
        ``ends[2 * i]`` and ``ends[2 * i + 2]`` get the begin and the end of the i-th node's list,
        ``ends[2 * i + 1]`` the end of its first part.
    targets : uint32[Packed.widest] or longer, or another type of integers
        Gets the links: of a node, those within its host and then the others, each in order.
    """
    first = np.uint64(block) * _BLOCK
    count = min(_BLOCK, np.uint64(nodes) - first)
    cursor = np.empty(CURSOR, np.uint64)
    cursor[AT] = starts[block]
    first_local = first_remote = first
    end = _ZERO
    ends[0] = 0
    for i in range(count):
        _head(words, tables, cursor, first_local, first_remote)
        at, local = cursor[AT], cursor[LOCAL_LEFT]
        remote = cursor[LEFT] - local
        if local > _ZERO:
            first_local = cursor[NEXT]
            at, end = _run(words, tables, at, GAP_LOCAL, first_local, local, targets, end)
        ends[_TWO * i + _ONE] = end
        if remote > _ZERO:
            first_remote = cursor[FIRST_OF_REMOTE]
            at, end = _run(words, tables, at, GAP_REMOTE, first_remote, remote, targets, end)
        cursor[AT] = at
        ends[_TWO * i + _TWO] = end
    return np.int64(count)


@compiled
def degrees_of_block(
    words: Array, starts: Array, tables: Array, nodes: Number, block: Number, cursor: Array,
    degrees: Array,
) -> Number:  # fmt: skip
    """Write how many links each of a block's nodes has; return how many nodes it has.

    Parameters
    ----------
    words, starts, tables, nodes, block
        As in `unpack_block`.
    cursor : uint64[CURSOR]
        Is written.
    degrees : int64[BLOCK] or longer
    """
    first = np.uint64(block) * _BLOCK
    count = min(_BLOCK, np.uint64(nodes) - first)
    cursor[AT] = starts[block]
    for i in range(count):
        body = _head(words, tables, cursor, first, first)
        degrees[i] = cursor[LEFT]
        _passed(words, tables, cursor, body)
    return np.int64(count)


leading_zeros: Any = numbers.leading_zeros


@compiled
def _class(number: Number) -> Number:
    return _SIXTY_THREE - np.uint64(leading_zeros(number + _ONE))


@compiled
def _write(
    words: Array, at: Number, number: Number, kind: Number, codes: Array, lengths: Array,
    tally: Array,
) -> Number:  # fmt: skip
    """Write a number at a bit unless ``words`` is empty, and count it; return the bit after it."""
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
    """Write the gaps of a list; return the bit after them."""
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
    """Write a list whose local links are ``row[local_begin:local_end]``; return the bit after it.

    ``firsts`` holds the last first links, local and remote.
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
    """Write the lists of consecutive nodes; return the bit after the last.

    Parameters
    ----------
    words : uint64[]
        Zero from bit ``at`` on, with room for the lists and a word to spare; or empty: then
        nothing is written, only counted.
    at : uint64
        The bit at which the first list begins.
    first : int
        The first node, a multiple of `BLOCK`.
    offsets : int64[nodes + 1], targets : unsigned[links]
        The lists, each ascending and without repetition.
    hosts : unsigned[hosts + 1]
        First pages of all hosts, and the end.
    codes : uint64[KINDS * CLASSES], lengths : uint64[KINDS * CLASSES]
        Words of the codes and their lengths.
    tally : int64[KINDS * CLASSES]
        Counts what is written, by kind and class.
    starts : uint64[blocks]
        Gets the bits at which blocks begin.
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
