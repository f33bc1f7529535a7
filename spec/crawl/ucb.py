"""The index of R3, mean / Xmax + sqrt(2 ln n / t), compared exactly.

Two indices of the same n and Xmax differ by ``a + sqrt(2 ln n) (1/sqrt(t1) - 1/sqrt(t2))`` with a
rational ``a``. For an integer n >= 2, ln n is transcendental, hence for t1 != t2 the second part is
no rational number and the difference is never 0: two indices are equal only if t and the mean are
equal. So a comparison by intervals that shrink comes to an end, and a tie is a tie of integers.
"""

from __future__ import annotations

import math

TRUST = 2.0**-48
"""Indices as floats that differ by more than this part of their sum are in their true order.

Let u = 2^-53. ``s / (t * largest)`` is within 2u of its value; with a logarithm within 8u (C
libraries have it within 2u), ``sqrt(2 * log(n) / t)`` is within (8u + u + u) / 2 + u = 6u, and the
sum of the two within 7u + u = 8u = 2^-50, of it. Twice that for two indices, and as much
again to spare.
"""

FIRST_BITS = 64
"""The precision of the first enclosure in bits; each further one has twice as many."""


def index(s: int, t: int, largest: int, n: int) -> float:
    """Return the index of a site as a float; see `TRUST`.

    Parameters
    ----------
    s, t : int
        Links found on the site, and pages scanned of it (at least 1).
    largest : int
        The most links found on a single page; 0: means count as 0.
    n : int
        Pages scanned of all sites (at least 1).
    """
    mean = s / (t * largest) if largest else 0.0
    return mean + math.sqrt(2 * math.log(n) / t)


def compare(s1: int, t1: int, s2: int, t2: int, largest: int, n: int) -> int:
    """Return 1 if the first site's index is greater, -1 if it is less, 0 if the two are equal.

    Parameters
    ----------
    s1, t1 : int
        Links found on the first site, and pages scanned of it (at least 1).
    s2, t2 : int
        The same of the second.
    largest : int
        The most links found on a single page; 0: means count as 0.
    n : int
        Pages scanned of all sites (at least 1).
    """
    first, second = index(s1, t1, largest, n), index(s2, t2, largest, n)
    if abs(first - second) > TRUST * (first + second):
        return 1 if first > second else -1
    return compare_exactly(s1, t1, s2, t2, largest, n)


def compare_exactly(s1: int, t1: int, s2: int, t2: int, largest: int, n: int) -> int:
    """Return the same as `compare`, without any float."""
    by_mean = _sign(s1 * t2 - s2 * t1) if largest else 0
    by_count = _sign(t2 - t1) if n > 1 else 0
    if by_mean * by_count >= 0:
        return by_mean or by_count
    # The two parts pull in opposite directions: the larger one decides, and they are never equal.
    # Squared and multiplied by (t1 t2 largest)^2 they are
    means = (s1 * t2 - s2 * t1) ** 2
    times = 2 * t1 * t2 * largest**2  # ln n (sqrt(t1) - sqrt(t2))^2
    bits = FIRST_BITS
    while True:
        low, high = _product(logarithm(n, bits), _square_of_difference(t1, t2, bits))
        if means << 2 * bits > times * high:
            return by_mean
        if means << 2 * bits < times * low:
            return by_count
        bits *= 2


def logarithm(n: int, bits: int) -> tuple[int, int]:
    """Return integers that enclose 2^bits ln n, for n >= 1."""
    power = n.bit_length() - 1
    low, high = _artanh(n - (1 << power), n + (1 << power), bits)
    two_low, two_high = _artanh(1, 3, bits)
    return 2 * (low + power * two_low), 2 * (high + power * two_high)


def _artanh(above: int, below: int, bits: int) -> tuple[int, int]:
    """Return integers that enclose 2^bits artanh(above / below), for above / below <= 1/3.

    A power is cut to an integer after each step; since its square is at most 1/9, what is lost adds
    up to less than 2, to less than 3 with the division, and to less than 3 in all further terms.
    """
    power = (above << bits) // below
    total = terms = 0
    while power:
        total += power // (2 * terms + 1)
        terms += 1
        power = power * above * above // (below * below)
    return total, total + 3 * terms + 3


def _square_of_difference(t1: int, t2: int, bits: int) -> tuple[int, int]:
    """Return integers that enclose 2^bits (sqrt(t1) - sqrt(t2))^2."""
    root = math.isqrt(t1 * t2 << 2 * bits)
    high = (t1 + t2 << bits) - 2 * root
    return max(0, high - 2), high


def _product(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Return the product of two intervals without negative numbers."""
    return a[0] * b[0], a[1] * b[1]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
