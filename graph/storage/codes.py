"""The format of lists of links as bits, and the compiled functions that read it.

Nodes form blocks of `BLOCK` nodes; an index gives the bit at which each block begins. The list of a
node has two parts, the links within its host and the links to other hosts, each in ascending order:

    locals, remotes             the number of links of each part
    body                        the number of bits of all gaps; only with `LONG` links or more
    first local, first remote   the signed difference from the first link of that part in the last
                                list that had this part; from the block's first node if none had
    gaps of locals, of remotes  the differences between successive targets, minus one

Each kind of number has a code of its own (`codebook`). The code of a gap also depends on the class
of the gap before it, because the gaps of a list are similar: large in large hosts, small in long
lists. The first links stand before the gaps, and long lists store their length, so that a reader
can skip a list without decoding it.

Most numbers are unsigned and have 64 bits, because Numba converts a signed and an unsigned number
to a float.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, Number, compiled

from .codebook import CONTEXTS, LONGEST

BLOCK = 64
"""The number of nodes of a block."""

LONG = 32
"""Lists with at least so many links store their length."""

LOCALS, REMOTES, BODY, FIRST_LOCAL, FIRST_REMOTE, GAP_LOCAL, GAP_REMOTE = (
    np.uint64(kind) for kind in (0, 1, 2, 3, 4, 5, 5 + CONTEXTS)
)
"""The kinds of numbers; the last two are the first of a range with one kind for each context."""

AT, LINKS, LOCAL_LINKS, LOCAL_FIRST, REMOTE_FIRST, CURSOR = range(6)
"""Indices into a cursor, and its length: the bit where the gaps begin; how many links the list has,
and how many of them are local; the first link of each part."""

NOWHERE = np.uint64(2**64 - 1)
"""The bit after a number that is not within the words, and after a list that is invalid. Reading
from there gives it again, so that loops need no other end."""

_ZERO, _ONE, _BLOCK, _LONG = np.uint64(0), np.uint64(1), np.uint64(BLOCK), np.uint64(LONG)
_SIX, _SIXTY_THREE, _FOUR, _FIFTEEN = np.uint64(6), np.uint64(63), np.uint64(4), np.uint64(15)
_TWO, _PAIRED = np.uint64(2), np.uint64(1)
_LONGEST, _MASK = np.uint64(LONGEST), np.uint64((1 << LONGEST) - 1)
_STRETCH = np.uint64(1 << 29)
"""After so many links it is checked that they are pages. A gap has less than 35 bits, so that the
sum of the gaps in between has less than 64."""


@compiled
def _hold(words: Array, tables: Array) -> None:
    """Do nothing; called where all branches of a function that uses the arrays have met.

    Numba counts the references to an array in each function that uses it, by atomic instructions,
    which take longer than to decode a number. It leaves that out where all branches of a function
    have the last use of the array in common.
    """


@compiled
def _read_gap(
    words: Array, tables: Array, at: Number, kind: Number
) -> tuple[Number, Number, Number]:
    """Decode a number; return it, the bit after it, and the context of the gap after it.

    Parameters
    ----------
    words, tables
        As in `Packed`.
    at : uint64
        The bit at which the number begins; below `_limit`, which is not checked. The bit after it
        is less than 64 bits later.
    kind : uint64
        The kind of the number.
    """
    word, shift = at >> _SIX, at & _SIXTY_THREE
    bits = (words[word] >> shift) | ((words[word + _ONE] << _ONE) << (_SIXTY_THREE - shift))
    entry = np.uint64(tables[(kind << _LONGEST) | (bits & _MASK)])
    length, size = entry & _FIFTEEN, entry >> _FOUR
    high = _ONE << size
    number = ((bits >> length) & (high - _ONE)) + high - _ONE
    return number, at + length + size, _ONE + (size >> _PAIRED)


@compiled
def _limit(words: Array) -> Number:
    """Return the first bit at which no number can begin: the first one of the last word."""
    return (np.uint64(len(words)) - _ONE) << _SIX


@compiled
def _many(at: Number, limit: Number, count: Number) -> Number:
    """Return how many of ``count`` numbers from bit ``at`` on surely begin below the limit.

    A number has less than 64 bits; ``at`` must be below the limit.
    """
    return min(count, ((limit - _ONE - at) >> _SIX) + _ONE)


@compiled
def _read(
    words: Array, tables: Array, limit: Number, at: Number, kind: Number
) -> tuple[Number, Number]:
    """Decode a number that begins at any bit; return it and the bit after it, or `NOWHERE`."""
    number = _ZERO
    if at < limit:
        number, at, _ = _read_gap(words, tables, at, kind)
    else:
        at = NOWHERE
    _hold(words, tables)
    return number, at


@compiled
def _signed(number: Number, base: Number) -> Number:
    """Return the page at a difference from ``base``; the lowest bit of the number is the sign."""
    if number & _ONE:
        return base - ((number + _ONE) >> _ONE)
    return base + (number >> _ONE)


@compiled
def _head(
    words: Array, tables: Array, longest: Number, cursor: Array, first_local: Number,
    first_remote: Number,
) -> Number:  # fmt: skip
    """Read the head of a list, its counts and first links, and move the cursor to its first gap.

    Parameters
    ----------
    words, tables, longest
        As in `Packed`.
    cursor : uint64, shape (CURSOR,)
        Stands at the head of the list; it is changed. If the list has more than ``longest`` links
        or is not within the words, it is empty, and the cursor is `NOWHERE`.
    first_local, first_remote : uint64
        The first links to which the differences refer.

    Returns
    -------
    uint64
        The number of bits of the gaps; 0 for a list that does not store it.
    """
    limit = _limit(words)
    local, at = _read(words, tables, limit, cursor[AT], LOCALS)
    remote, at = _read(words, tables, limit, at, REMOTES)
    links, body = local + remote, _ZERO
    if links >= _LONG:
        body, at = _read(words, tables, limit, at, BODY)
        if body == _ZERO:
            at = NOWHERE
    if local > _ZERO:
        number, at = _read(words, tables, limit, at, FIRST_LOCAL)
        first_local = _signed(number, first_local)
    if remote > _ZERO:
        number, at = _read(words, tables, limit, at, FIRST_REMOTE)
        first_remote = _signed(number, first_remote)
    if at == NOWHERE or links > np.uint64(longest):
        local, links, body, at = _ZERO, _ZERO, _ZERO, NOWHERE
    cursor[AT], cursor[LINKS], cursor[LOCAL_LINKS] = at, links, local
    cursor[LOCAL_FIRST], cursor[REMOTE_FIRST] = first_local, first_remote
    _hold(words, tables)
    return body


@compiled
def _skip(words: Array, tables: Array, cursor: Array, body: Number) -> None:
    """Move a cursor from the first gap of a list to the end of the list.

    ``body`` is the number of bits of the gaps; 0: it is not known, and the gaps are decoded.
    """
    at, local, limit = cursor[AT], cursor[LOCAL_LINKS], _limit(words)
    kind, count = GAP_LOCAL, max(local, _ONE) - _ONE
    other = max(cursor[LINKS] - local, _ONE) - _ONE
    if body > _ZERO:
        at, count, other = at + body, _ZERO, _ZERO
    for _ in range(2):
        context = _ZERO
        while count > _ZERO and at < limit:
            many = _many(at, limit, count)
            for _ in range(many):
                _, at, context = _read_gap(words, tables, at, kind + context)
            count -= many
        if count > _ZERO:
            at = NOWHERE
        kind, count = GAP_REMOTE, other
    cursor[AT] = at
    _hold(words, tables)


@compiled
def open_list(
    words: Array, starts: Array, tables: Array, longest: Number, node: Number, cursor: Array
) -> Number:
    """Put a cursor before the first link of a node, and return the number of its links.

    Parameters
    ----------
    words, starts, tables, longest
        As in `Packed`.
    node : int
        Below the number of nodes; this is not checked.
    cursor : uint64, shape (CURSOR,)
        Is overwritten.

    Returns
    -------
    int64
        At most ``longest``; -1 if the list, or one before it in its block, is invalid.
    """
    node_ = np.uint64(node)
    block = node_ // _BLOCK
    cursor[AT] = starts[block]
    first_local = first_remote = block * _BLOCK
    for _ in range(node_ - block * _BLOCK):
        body = _head(words, tables, longest, cursor, first_local, first_remote)
        first_local, first_remote = cursor[LOCAL_FIRST], cursor[REMOTE_FIRST]
        _skip(words, tables, cursor, body)
    _head(words, tables, longest, cursor, first_local, first_remote)
    return np.int64(cursor[LINKS]) if cursor[AT] != NOWHERE else np.int64(-1)


@compiled
def _run(
    words: Array, tables: Array, nodes: Number, at: Number, kind: Number, first: Number,
    count: Number, targets: Array, end: Number,
) -> Number:  # fmt: skip
    """Decode a part of a list; return the bit after it, or `NOWHERE` if a link is not a page.

    Parameters
    ----------
    words, tables, nodes
        As in `Packed`.
    at : uint64
        The bit at which the first gap begins.
    kind : uint64
        The kind of the gaps in their first context.
    first, count : uint64
        The first link, and how many there are.
    targets : unsigned int
        Gets the links from index ``end`` on; there must be room for them.
    end : uint64
        How many links ``targets`` has already.
    """
    target, context, most, limit = first, _ZERO, np.uint64(nodes), _limit(words)
    k, last = end + _ONE, end + count
    if count > _ZERO:
        if target < most:
            targets[end] = target
        else:
            at = NOWHERE
    while k < last and at < limit:
        many = _many(at, limit, min(last - k, _STRETCH))
        for place in range(k, k + many):
            gap, at, context = _read_gap(words, tables, at, kind + context)
            target += gap + _ONE
            targets[place] = target
        k += many
        if target >= most:  # the links are ascending: if the last one is a page, all are
            at = NOWHERE
    if k < last:
        at = NOWHERE
    _hold(words, tables)
    return at


@compiled
def read_list(
    words: Array, tables: Array, nodes: Number, cursor: Array, targets: Array, end: Number
) -> Number:
    """Decode the list at whose first gap a cursor stands, as `open_list` leaves it.

    Parameters
    ----------
    words, tables, nodes
        As in `Packed`.
    cursor : uint64, shape (CURSOR,)
    targets : uint32 or another integer
        Gets the links from index ``end`` on, first those within the host of the node, then the
        others, both ascending; it must have room for all links of the list.
    end : uint64
        How many links ``targets`` has already.

    Returns
    -------
    uint64
        The bit after the list, or `NOWHERE` if it is invalid.
    """
    local, first, other = cursor[LOCAL_LINKS], cursor[LOCAL_FIRST], cursor[REMOTE_FIRST]
    remote, middle = cursor[LINKS] - local, end + local
    at = _run(words, tables, nodes, cursor[AT], GAP_LOCAL, first, local, targets, end)
    return _run(words, tables, nodes, at, GAP_REMOTE, other, remote, targets, middle)


@compiled
def unpack_block(
    words: Array, starts: Array, tables: Array, nodes: Number, longest: Number, block: Number,
    ends: Array, targets: Array,
) -> Number:  # fmt: skip
    """Decode all lists of a block's nodes, one after another; return the number of its nodes.

    Parameters
    ----------
    words, starts, tables, nodes, longest
        As in `Packed`.
    block : int
        The block of the nodes from ``block * BLOCK`` on.
    ends : int64, shape (2 * BLOCK + 1,) or longer
        ``ends[2 * i]`` and ``ends[2 * i + 2]`` get the begin and the end of the i-th node's list,
        ``ends[2 * i + 1]`` the end of its first part.
    targets : uint32 or another integer, shape (Packed.widest,) or longer
        Gets the links: for each node first those within its host, then the others, both ascending.

    Returns
    -------
    int64
        -1 if a list is invalid: it has more links than there is room for, a link is not a page, it
        is longer than it says, or it does not end before the next block.
    """
    first = np.uint64(block) * _BLOCK
    count = min(_BLOCK, np.uint64(nodes) - first)
    room = np.uint64(len(targets))
    cursor = np.empty(CURSOR, np.uint64)
    at: Number = starts[block]
    first_local = first_remote = first
    end = _ZERO
    ends[0] = 0
    for i in range(count):
        cursor[AT] = at
        body = _head(words, tables, longest, cursor, first_local, first_remote)
        goal, links = cursor[AT] + body, cursor[LINKS]
        first_local, first_remote = cursor[LOCAL_FIRST], cursor[REMOTE_FIRST]
        at = NOWHERE
        if end + links <= room:
            at = read_list(words, tables, nodes, cursor, targets, end)
        if body > _ZERO and at != goal:
            at = NOWHERE
        ends[_TWO * i + _ONE] = end + cursor[LOCAL_LINKS]
        end += links
        ends[_TWO * i + _TWO] = end
    valid = at != NOWHERE and at <= starts[np.uint64(block) + _ONE]
    return np.int64(count) if valid else np.int64(-1)


@compiled
def degrees_of_block(
    words: Array, starts: Array, tables: Array, nodes: Number, longest: Number, block: Number,
    cursor: Array, degrees: Array,
) -> Number:  # fmt: skip
    """Count the links of each of a block's nodes; return the number of its nodes.

    Parameters
    ----------
    words, starts, tables, nodes, longest, block
        As in `unpack_block`.
    cursor : uint64, shape (CURSOR,)
        Is overwritten.
    degrees : int64, shape (BLOCK,) or longer
        Gets the numbers of links.

    Returns
    -------
    int64
        -1 if a list has more than ``longest`` links or is not within the words.
    """
    first = np.uint64(block) * _BLOCK
    count = min(_BLOCK, np.uint64(nodes) - first)
    cursor[AT] = starts[block]
    for i in range(count):
        body = _head(words, tables, longest, cursor, first, first)
        degrees[i] = cursor[LINKS]
        _skip(words, tables, cursor, body)
    return np.int64(count) if cursor[AT] != NOWHERE else np.int64(-1)
