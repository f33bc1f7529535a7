"""When pages change: a Poisson process for each page, computed for any time without a history.

Time is divided into spans. The number of changes of a page in a span has a Poisson distribution.
The changes are then divided between the halves of the span, the halves of the halves, and so on, by
a coin toss for each change. This gives exactly the distribution of a Poisson process. Every toss is
a hash of its purpose, so that a query takes a walk down one branch of this tree.
"""

from __future__ import annotations

import math

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.kernels import hashed, mixed, unit

SPAN = 33_554_432.0
"""The length of a span in seconds, about 388 days."""

SPANS = 7_450
"""Nothing changes after so many spans, because a date has four digits for the year."""

GRAIN = 2.0**-16
"""Times of changes are multiples of this, in seconds, so that sums with whole spans are exact."""

DEPTH = 41
"""How many halvings lead from a span to a grain; all changes in a grain are simultaneous."""

FASTEST = 0.1
"""The greatest rate of change of a page, in changes per second."""

_DAY = 86_400.0
_STATIC, _RATE, _ANGLE, _TOTAL, _TOSS, _PLACE = ((1 << 56) + k for k in range(6))
_PIECE = 16.0
"""Poisson numbers are drawn by inversion up to this mean, and as a sum of such draws above it."""

_M1, _M2, _M4 = (np.uint64(m) for m in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_H01, _S1, _S2, _S4, _S56 = (np.uint64(m) for m in (0x0101010101010101, 1, 2, 4, 56))


@compiled
def _ones(word: np.uint64) -> int:
    word = word - ((word >> _S1) & _M1)
    word = (word & _M2) + ((word >> _S2) & _M2)
    word = (word + (word >> _S4)) & _M4
    return int(np.int64((word * _H01) >> _S56))


@compiled
def rate_of(key: np.uint64, law: Array, page: int) -> float:
    """Return the rate of change of a page, in changes per second.

    Parameters
    ----------
    key : uint64
        The key of all hashes of the web.
    law : float64, shape (3,)
        The share of static pages, the mean number of changes a day, sigma.
    page : int
    """
    static, per_day, sigma = law[:3]
    if per_day <= 0.0 or unit(key, _STATIC, page, 0) < static:
        return 0.0
    radius = math.sqrt(-2.0 * math.log(1.0 - unit(key, _RATE, page, 0)))
    normal = radius * math.cos(2.0 * math.pi * unit(key, _ANGLE, page, 0))
    return min(float(per_day) * math.exp(sigma * normal - sigma * sigma / 2.0) / _DAY, FASTEST)


@compiled
def _poisson(key: np.uint64, mean: float) -> int:
    pieces = math.ceil(mean / _PIECE)
    total = 0
    for piece in range(pieces):
        u = unit(key, _TOTAL, piece, 0)
        term = math.exp(-mean / pieces)
        number, below = 0, term
        while below <= u and number < 200:
            number += 1
            term *= mean / pieces / number
            below += term
        total += number
    return total


@compiled
def _left(key: np.uint64, level: int, index: int, number: int) -> int:
    """Return how many of the changes of a node of the tree fall into its first half.

    Parameters
    ----------
    key : uint64
        The key of the page's span.
    level, index : int
        The node: its depth in the tree, and its index at that depth.
    number : int
        The number of changes of the node.
    """
    node = mixed(mixed(key, _TOSS + level), index)
    heads, word = 0, 0
    while number >= 64:
        heads += _ones(mixed(node, word))
        number -= 64
        word += 1
    if number:
        heads += _ones(mixed(node, word) >> np.uint64(64 - number))
    return heads


@compiled
def _place(key: np.uint64, index: int, low: float, width: float) -> float:
    """Return the time of the only change of a node, in seconds after the span's beginning.

    Parameters
    ----------
    key : uint64
        The key of the page's span.
    index : int
        The index of the node.
    low, width : float
        The beginning and the length of the node, in seconds.
    """
    return low + math.floor(unit(key, _PLACE, index, 0) * width / GRAIN) * GRAIN


@compiled
def _count_by(key: np.uint64, number: int, time: float) -> int:
    """Return how many of a span's ``number`` changes happen in its first ``time`` seconds."""
    low, width, index, before = 0.0, SPAN, 0, 0
    for level in range(DEPTH):
        if number < 2:
            break
        width /= 2.0
        left = _left(key, level, index, number)
        index *= 2
        if time >= low + width:
            before += left
            low, number, index = low + width, number - left, index + 1
        else:
            number = left
    return before + (number if time >= _place(key, index, low, width) else 0)


@compiled
def _time_of(key: np.uint64, number: int, which: int) -> float:
    """Return the time of the ``which``-th of a span's ``number`` changes, counted from 1.

    The time is in seconds after the beginning of the span.
    """
    low, width, index = 0.0, SPAN, 0
    for level in range(DEPTH):
        if number < 2:
            break
        width /= 2.0
        left = _left(key, level, index, number)
        index *= 2
        if which > left:
            low, number, index, which = low + width, number - left, index + 1, which - left
        else:
            number = left
    return _place(key, index, low, width)


@compiled
def version_at(key: np.uint64, law: Array, page: int, time: float) -> int:
    """Return how often a page has changed by a time; the arguments are as in `rate_of`."""
    rate = rate_of(key, law, page)
    if rate <= 0.0 or time < 0.0:
        return 0
    total = 0
    for span in range(SPANS):
        of_span = hashed(key, _TOTAL, page, span)
        number = _poisson(of_span, rate * SPAN)
        if time < (span + 1) * SPAN:
            return total + _count_by(of_span, number, time - span * SPAN)
        total += number
    return total


@compiled
def time_of(key: np.uint64, law: Array, page: int, version: int) -> float:
    """Return when a page got a version: 0 for the first one, infinite if it never does.

    ``key`` and ``law`` are as in `rate_of`.
    """
    rate = rate_of(key, law, page)
    if version <= 0:
        return 0.0
    if rate <= 0.0:
        return math.inf
    for span in range(SPANS):
        of_span = hashed(key, _TOTAL, page, span)
        number = _poisson(of_span, rate * SPAN)
        if version <= number:
            return span * SPAN + _time_of(of_span, number, version)
        version -= number
    return math.inf


@compiled
def last_change(key: np.uint64, law: Array, page: int, time: float) -> float:
    """Return the same as `changed_at` by a search backward, whose time does not grow with ``time``.

    ``key`` and ``law`` are as in `rate_of`.
    """
    rate = rate_of(key, law, page)
    if rate <= 0.0 or time < 0.0:
        return 0.0
    span = min(int(time // SPAN), SPANS - 1)
    of_span = hashed(key, _TOTAL, page, span)
    number = _poisson(of_span, rate * SPAN)
    which = number
    if time < (span + 1) * SPAN:
        which = _count_by(of_span, number, time - span * SPAN)
    while which == 0 and span > 0:
        span -= 1
        of_span = hashed(key, _TOTAL, page, span)
        number = _poisson(of_span, rate * SPAN)
        which = number
    return span * SPAN + _time_of(of_span, number, which) if which > 0 else 0.0


@compiled
def contents_since(key: np.uint64, law: Array, first: int, last: int, time: float) -> Array:
    """Return when the pages ``first`` to ``last - 1`` got the content that they have at a time.

    ``key`` and ``law`` are as in `rate_of`.
    """
    found = np.zeros(last - first)
    for at in range(last - first):
        found[at] = last_change(key, law, first + at, time)
    return found


def law(web: Web) -> Array:
    """Return the parameters of change for the compiled functions, float64, shape (3,)."""
    change = web.profile.change
    return np.array([change.static, change.per_day, change.spread], dtype=np.float64)


def rate(web: Web, page: int) -> float:
    """Return how often a page changes per second, on average; 0: never."""
    return float(rate_of(web.numbers.key, law(web), page))


def version(web: Web, page: int, time: float) -> int:
    """Return how often a page has changed by ``time``, in seconds; a change at ``time`` counts."""
    return int(version_at(web.numbers.key, law(web), page, float(time)))


def changed_at(web: Web, page: int, time: float) -> float:
    """Return when a page got the content that it has at ``time``; 0.0: at the web's beginning."""
    key, laws = web.numbers.key, law(web)
    return float(time_of(key, laws, page, version_at(key, laws, page, float(time))))


def next_change(web: Web, page: int, time: float) -> float:
    """Return when a page changes for the first time after ``time``; infinite: never."""
    key, laws = web.numbers.key, law(web)
    return float(time_of(key, laws, page, version_at(key, laws, page, float(time)) + 1))
