"""How many links a page has, and how often it repeats each.

Functions of the page's id, like the links themselves.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import compiled

from .kernels import unit
from .numbers import Numbers

_DEGREE, _BODY, _COPIES = 2, 3, 10
"""Streams of hashes, one for each use; those of `adjacency` are others."""


@compiled
def tail_chance(numbers: Numbers, page: int) -> float:
    """Return what is below the share of the tail if a page's degree is of the tail."""
    return unit(numbers.key, _DEGREE, page, 0)


@compiled
def drawn_degree(numbers: Numbers, page: int) -> int:
    """Return the out-degree drawn for a page: a flat body, then a power law."""
    degrees = numbers.degrees
    least, exponent, most = degrees[1], degrees[2], degrees[3]
    u = unit(numbers.key, _BODY, page, 0)
    if tail_chance(numbers, page) >= degrees[0]:
        return int(u * least)
    return int(min((least - 0.5) * (1.0 - u) ** (-1.0 / (exponent - 1.0)) + 0.5, most))


@compiled
def copies(numbers: Numbers, page: int, position: int) -> int:
    """Return how often a page repeats the link at a position: a geometric distribution."""
    return copies_of(numbers.key, numbers.degrees[5], page, position)


@compiled
def copies_of(key: np.uint64, mean: float, page: int, position: int) -> int:
    """Return `copies` in a web whose pages repeat a link ``mean`` times on average."""
    again = 1.0 - 1.0 / mean
    number = 1
    while number < 100 and unit(key, _COPIES, page, position * 128 + number) < again:
        number += 1
    return number
