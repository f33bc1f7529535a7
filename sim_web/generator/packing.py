"""The way into the adjacency from Python: its numbers in two arrays, and one compiled function."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled

from .adjacency import out_links
from .degrees import drawn_degree, tail_chance
from .numbers import Numbers


@compiled
def links(whole: Array, real: Array, first: int, step: int, number: int) -> Array:
    """Return the out-degrees of pages at equal distances, from ``first`` on, then their targets.

    Of no pages (``number`` is 0): the targets of the page ``first`` alone.

    This is the one way in from Python, with the numbers packed (`packed`): each further one would
    be compiled with all of the above again, which takes seconds.
    """
    numbers = unpacked(whole, real)
    if number == 0:
        return out_links(numbers, first)
    told = np.empty(9 * number + 64, dtype=np.int64)
    total = number
    for k in range(number):
        found = out_links(numbers, first + k * step)
        if total + len(found) > len(told):
            more = np.empty(2 * len(told) + len(found), dtype=np.int64)
            more[:total] = told[:total]
            told = more
        told[total : total + len(found)] = found
        total += len(found)
        told[k] = len(found)
    return told[:total]


def links_of_pages(
    whole: Array, real: Array, first: int, step: int, number: int
) -> tuple[Array, Array]:
    """Return the out-degrees of at least one page and their targets, as `links` finds them."""
    found = links(whole, real, first, step, number)
    return found[:number], found[number:]


@compiled
def drawn_degrees(numbers: Numbers, first: int, step: int, number: int) -> Array:
    """Return the degrees drawn for the pages of `links_of_pages`, int64."""
    found = np.empty(number, dtype=np.int64)
    for k in range(number):
        found[k] = drawn_degree(numbers, first + k * step)
    return found


@compiled
def drawn_chances(numbers: Numbers, first: int, step: int, number: int) -> Array:
    """Return what decides for the same pages whether their degree is of the tail, float64."""
    found = np.empty(number)
    for k in range(number):
        found[k] = tail_chance(numbers, first + k * step)
    return found


class Means:
    """The mean out-degree to expect, for each share of the tail of the degrees.

    It is the mean of the drawn degrees, whose tail no sample can tell, and what some pages owe
    beyond that or cannot have, which a sample tells well. A page has one of two degrees, whatever
    the share: that of the body or that of the tail. Hence both are computed once.

    Parameters
    ----------
    numbers : Numbers
        Of the web; the share that stands in it does not matter, and stays.
    pages, sample : int
        Of the web, and how many of them are looked at.
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
        """Return the mean for the share that stands in the numbers."""
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
    """Return the numbers as an int64 and a float64 array; `unpacked` is the inverse."""
    key = np.array([numbers.key], dtype=np.uint64).view(np.int64)
    many = (numbers.bounds, numbers.site_blocks, numbers.fixed_pages, numbers.fixed_targets)
    sizes = np.array([len(one) for one in many], dtype=np.int64)
    whole = [key, sizes, numbers.regions.ravel(), numbers.blocks, *many]
    real = [numbers.mix.ravel(), numbers.reals, numbers.degrees, numbers.choices, numbers.themes]
    return np.concatenate(whole), np.concatenate(real)


@compiled
def unpacked(whole: Array, real: Array) -> Numbers:
    """Return the numbers that `packed` packed."""
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
    )
