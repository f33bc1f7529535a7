"""Calls the adjacency from Python: its parameters in two arrays, and one compiled function."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled

from .adjacency import out_links
from .degrees import drawn_degree, tail_chance
from .numbers import Numbers


@compiled
def links(whole: Array, real: Array, first: int, step: int, number: int) -> Array:
    """Return the out-degrees of some pages, followed by their targets.

    Python calls the adjacency through this function only: any further entry would have to be
    compiled together with the whole adjacency again, which takes seconds.

    Parameters
    ----------
    whole, real
        The parameters, from `packed`.
    first, step, number : int
        The pages ``first``, ``first + step`` and so on, ``number`` of them. If ``number`` is 0, the
        result is the targets of page ``first`` without its degree.
    """
    numbers = unpacked(whole, real)
    if number == 0:
        return out_links(numbers, first)
    result = np.empty(9 * number + 64, dtype=np.int64)
    total = number
    for k in range(number):
        found = out_links(numbers, first + k * step)
        if total + len(found) > len(result):
            larger = np.empty(2 * len(result) + len(found), dtype=np.int64)
            larger[:total] = result[:total]
            result = larger
        result[total : total + len(found)] = found
        total += len(found)
        result[k] = len(found)
    return result[:total]


def links_of_pages(
    whole: Array, real: Array, first: int, step: int, number: int
) -> tuple[Array, Array]:
    """Return the out-degrees of some pages, and their targets.

    The arguments are as in `links`; ``number`` is at least 1.
    """
    found = links(whole, real, first, step, number)
    return found[:number], found[number:]


@compiled
def drawn_degrees(numbers: Numbers, first: int, step: int, number: int) -> Array:
    """Return the degrees drawn for some pages, int64; the pages are as in `links`."""
    found = np.empty(number, dtype=np.int64)
    for k in range(number):
        found[k] = drawn_degree(numbers, first + k * step)
    return found


@compiled
def drawn_chances(numbers: Numbers, first: int, step: int, number: int) -> Array:
    """Return `degrees.tail_chance` of some pages, float64; the pages are as in `links`."""
    found = np.empty(number)
    for k in range(number):
        found[k] = tail_chance(numbers, first + k * step)
    return found


class Means:
    """Estimates the mean out-degree, for any share of the tail of the degrees.

    The estimate is the exact mean of the drawn degrees, because a sample cannot measure their tail,
    plus the mean difference between actual and drawn degrees in a sample of pages: guaranteed links
    add to the drawn degree, and missing targets take from it. A page has one of two degrees, that
    of the body or that of the tail, so both are computed once.

    Parameters
    ----------
    numbers : Numbers
        The parameters of the web; their share of the tail is not used and stays unchanged.
    pages, sample : int
        The number of pages of the web, and of the sample.
    """

    def __init__(self, numbers: Numbers, pages: int, sample: int) -> None:
        self._numbers, self._sample = numbers, sample
        before = float(numbers.degrees[0])
        self._body, self._tail = (self._beyond(share, pages // sample) for share in (0.0, 1.0))
        numbers.degrees[0] = before
        self._chances = drawn_chances(numbers, 0, pages // sample, sample)

    def _beyond(self, share: float, step: int) -> Array:
        self._numbers.degrees[0] = share
        counts, _ = links_of_pages(*packed(self._numbers), 0, step, self._sample)
        return counts - drawn_degrees(self._numbers, 0, step, self._sample)

    def expected(self) -> float:
        """Return the estimate for the share of the tail in the parameters."""
        tail = self._chances < self._numbers.degrees[0]
        beyond = int(np.where(tail, self._tail, self._body).sum())
        return drawn_mean(self._numbers) + beyond / self._sample


def drawn_mean(numbers: Numbers) -> float:
    """Return the mean of the drawn degrees."""
    share, least, exponent, most = numbers.degrees[:4].tolist()
    degrees = np.arange(least, most + 1)
    above = ((degrees - 0.5) / (least - 0.5)) ** (1.0 - exponent)
    tail = least + float(above[1:].sum())
    return float(share * tail + (1.0 - share) * (least - 1.0) / 2.0)


def packed(numbers: Numbers) -> tuple[Array, Array]:
    """Return the parameters as an int64 and a float64 array; `unpacked` is the inverse."""
    key = np.array([numbers.key], dtype=np.uint64).view(np.int64)
    many = (numbers.bounds, numbers.site_blocks, numbers.fixed_pages, numbers.fixed_targets)
    sizes = np.array([len(one) for one in many], dtype=np.int64)
    whole = [key, sizes, numbers.regions.ravel(), numbers.blocks, *many]
    real = [numbers.mix.ravel(), numbers.reals, numbers.degrees, numbers.choices, numbers.themes,
            numbers.articles]  # fmt: skip
    return np.concatenate(whole), np.concatenate(real)


@compiled
def unpacked(whole: Array, real: Array) -> Numbers:
    """Return the parameters from the arrays of `packed`."""
    a, b, c = 35 + whole[1], 35 + whole[1] + whole[2], 35 + whole[1] + whole[2] + whole[3]
    regions, mix = np.empty((7, 4), dtype=np.int64), np.empty((7, 7))
    for row in range(7):  # a reshape takes seconds to compile
        for column in range(4):
            regions[row, column] = whole[5 + 4 * row + column]
        for column in range(7):
            mix[row, column] = real[7 * row + column]
    return Numbers(
        np.uint64(whole[0]),
        regions,
        real[49:65],
        whole[33:35],
        whole[35:a],
        whole[a:b],
        mix,
        real[65:71],
        real[71:75],
        real[75:84],
        whole[b:c],
        whole[c:],
        real[84:],
    )
