"""How many links a page has, and how often it repeats each, as functions of the page's id."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import compiled

from .kernels import unit
from .numbers import Numbers

_DEGREE, _BODY, _COPIES = 2, 3, 10
"""Streams of hashes, one for each use; `adjacency` uses other streams."""


@compiled
def tail_chance(numbers: Numbers, page: int) -> float:
    """Return a page's random number in [0, 1); below the share of the tail, its degree is large."""
    return unit(numbers.key, _DEGREE, page, 0)


@compiled
def drawn_degree(numbers: Numbers, page: int) -> int:
    """Return the out-degree drawn for a page: from a uniform body or from a power-law tail.

    It is 0 in a web with articles, in which all links are planted.
    """
    if len(numbers.articles) > 0:
        return 0
    degrees = numbers.degrees
    least, exponent, most = degrees[1], degrees[2], degrees[3]
    u = unit(numbers.key, _BODY, page, 0)
    if tail_chance(numbers, page) >= degrees[0]:
        return int(u * least)
    return int(min((least - 0.5) * (1.0 - u) ** (-1.0 / (exponent - 1.0)) + 0.5, most))


@compiled
def copies(numbers: Numbers, page: int, position: int) -> int:
    """Return how often a page has the link at a position, from a geometric distribution."""
    return copies_of(numbers.key, numbers.degrees[5], page, position)


@compiled
def copies_of(key: np.uint64, mean: float, page: int, position: int) -> int:
    """Return how often a page has the link at a position.

    Parameters
    ----------
    key : uint64
        The key of all hashes of the web.
    mean : float
        How often a page has a link on average.
    page, position : int
        The page, and the position of the link in its list.
    """
    again = 1.0 - 1.0 / mean
    number = 1
    while number < 100 and unit(key, _COPIES, page, position * 128 + number) < again:
        number += 1
    return number
