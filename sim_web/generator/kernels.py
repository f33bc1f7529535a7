"""Compiled functions for keyed hashing, permutations, and draws from distributions.

All are pure functions. The generator has no random state: it draws a number by hashing the purpose
of the number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numba.extending
import numpy as np
from numba.core import cgutils

from counterpoint.compiling import Array, compiled, compiled_as


def _copied(
    typing: Any, goal: Any, at: Any, source: Any, begin: Any, number: Any
) -> tuple[Any, Any]:
    """Generate a call of memcpy; the arguments are the Numba types of those of `copied`."""

    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        goal_type, _, source_type, _, _ = signature.args
        goal, at, source, begin, number = arguments
        into = context.make_array(goal_type)(context, builder, goal).data
        of = context.make_array(source_type)(context, builder, source).data
        cgutils.raw_memcpy(  # type: ignore[no-untyped-call]  # Numba has types here, not there
            builder, builder.gep(into, [at]), builder.gep(of, [begin]), number, 1
        )
        return context.get_dummy_value()

    signed = numba.types.int64
    return numba.types.void(goal, signed, source, signed, signed), generated


copied = cast(Callable[[Array, int, Array, int, int], None], numba.extending.intrinsic(_copied))
"""Copy bytes in compiled code: ``copied(goal, at, source, begin, number)``.

It copies ``number`` bytes from ``source[begin]`` on to ``goal[at]`` on. There are no checks, and
the arrays must not overlap. A loop would copy byte by byte, because the compiler cannot know that
they do not overlap.
"""


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0


@compiled_as("uint64(uint64, int64)")
def mixed(key: np.uint64, number: int) -> np.uint64:
    """Return 64 bits that depend on a key and a number (the finalizer of SplitMix64)."""
    z = key + _GOLDEN * (np.uint64(number) + np.uint64(1))
    z = (z ^ (z >> _S30)) * _FIRST
    z = (z ^ (z >> _S27)) * _SECOND
    return z ^ (z >> _S31)


def subkey(key: np.uint64, number: int) -> np.uint64:
    """Return `mixed` as a uint64 for calls from Python, which would get an int."""
    return np.uint64(mixed(key, number))


@compiled_as("uint64(uint64, int64, int64, int64)")
def hashed(key: np.uint64, stream: int, a: int, b: int) -> np.uint64:
    """Return 64 bits that depend on a key, a stream and a pair of numbers.

    Parameters
    ----------
    key : uint64
    stream : int
        A number for each use, so that different uses get independent bits.
    a, b : int
        The pair.
    """
    return mixed(mixed(mixed(key, stream), a), b)


@compiled_as("float64(uint64, int64, int64, int64)")
def unit(key: np.uint64, stream: int, a: int, b: int) -> float:
    """Return a uniform number in [0, 1); the arguments are as in `hashed`."""
    return np.float64(hashed(key, stream, a, b) >> _S11) * _UNIT


@compiled
def permuted(key: np.uint64, number: int, size: int) -> int:
    """Return the image of ``number`` under a keyed permutation of range(size).

    It is a Feistel network of four rounds on the next even number of bits. An image outside the
    range is mapped again, until one is inside.
    """
    half = 1
    while (1 << (2 * half)) < size:
        half += 1
    mask = (1 << half) - 1
    while True:
        left, right = number >> half, number & mask
        for turn in range(4):
            left, right = right, left ^ (int(np.int64(mixed(key, right * 4 + turn) >> _S11)) & mask)
        number = (left << half) | right
        if number < size:
            return number


@compiled
def unpermuted(key: np.uint64, number: int, size: int) -> int:
    """Return the number whose image under `permuted` is ``number``."""
    half = 1
    while (1 << (2 * half)) < size:
        half += 1
    mask = (1 << half) - 1
    while True:
        left, right = number >> half, number & mask
        for turn in range(3, -1, -1):
            left, right = right ^ (int(np.int64(mixed(key, left * 4 + turn) >> _S11)) & mask), left
        number = (left << half) | right
        if number < size:
            return number


@compiled
def zipf_mass(rank: float, size: float, exponent: float, shift: float) -> float:
    """Return the share of the weight of the ranks below ``rank`` in that of all ``size`` ranks.

    The weight of a rank r is (r + shift)^-exponent, integrated.
    """
    e = 1.0 - exponent
    low = shift**e
    return ((rank + shift) ** e - low) / ((size + shift) ** e - low)


@compiled
def zipf_top(size: int, exponent: float, shift: float) -> float:
    """Return a number that `zipf_rank_below` needs, to share it between several draws."""
    return (size + shift) ** (1.0 - exponent)


@compiled
def zipf_rank_below(u: float, size: int, top: float, exponent: float, shift: float) -> int:
    """Return the same as `zipf_rank`; ``top`` is the result of `zipf_top`."""
    e = 1.0 - exponent
    low = 1.0 if shift == 1.0 else shift**e
    rank = int((low + u * (top - low)) ** (1.0 / e) - shift)
    return min(max(rank, 0), size - 1)


@compiled
def zipf_rank(u: float, size: int, exponent: float, shift: float) -> int:
    """Draw a rank below ``size`` with weights (rank + shift)^-exponent.

    Parameters
    ----------
    u : float
        A uniform random number in [0, 1).
    size : int
        The number of ranks.
    exponent, shift : float
        The parameters of the weights.
    """
    return zipf_rank_below(u, size, zipf_top(size, exponent, shift), exponent, shift)
