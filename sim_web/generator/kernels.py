"""Compiled functions, keyed hashing, and draws from distributions: the ground of the generator.

Everything here is a pure function of its arguments. There is no state of a random generator: a
number is drawn by hashing what it is for.
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
    """Generate a call of C's memcpy."""

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
"""Copy bytes in compiled code: to an array and a place in it, from an array and a place, so many.

Nothing is checked, and the arrays must be two. A loop would copy byte by byte, since compiled code
cannot know that they are.
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
    """Return `mixed` as a key again, where it is called from Python, which makes an int of it."""
    return np.uint64(mixed(key, number))


@compiled_as("uint64(uint64, int64, int64, int64)")
def hashed(key: np.uint64, stream: int, a: int, b: int) -> np.uint64:
    """Return 64 bits for a pair of numbers; ``stream`` keeps different uses apart."""
    return mixed(mixed(mixed(key, stream), a), b)


@compiled_as("float64(uint64, int64, int64, int64)")
def unit(key: np.uint64, stream: int, a: int, b: int) -> float:
    """Return a number in [0, 1) for a pair of numbers."""
    return np.float64(hashed(key, stream, a, b) >> _S11) * _UNIT


@compiled
def permuted(key: np.uint64, number: int, size: int) -> int:
    """Return the image of ``number`` under a keyed permutation of range(size).

    Four rounds of a Feistel network on the next even number of bits; images outside the range are
    mapped again until one is inside.
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
    """Return the share of the ranks below ``rank`` of ``size``, with weights (rank + shift)^-s."""
    e = 1.0 - exponent
    low = shift**e
    return ((rank + shift) ** e - low) / ((size + shift) ** e - low)


@compiled
def zipf_top(size: int, exponent: float, shift: float) -> float:
    """Return what `zipf_rank_below` needs of the number of ranks, for several draws."""
    return (size + shift) ** (1.0 - exponent)


@compiled
def zipf_rank_below(u: float, size: int, top: float, exponent: float, shift: float) -> int:
    """Return what `zipf_rank` does; ``top``: as `zipf_top` has it."""
    e = 1.0 - exponent
    low = 1.0 if shift == 1.0 else shift**e
    rank = int((low + u * (top - low)) ** (1.0 / e) - shift)
    return min(max(rank, 0), size - 1)


@compiled
def zipf_rank(u: float, size: int, exponent: float, shift: float) -> int:
    """Return the rank below ``size`` at which a share ``u`` of the weights has passed."""
    return zipf_rank_below(u, size, zipf_top(size, exponent, shift), exponent, shift)
