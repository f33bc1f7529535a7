"""The way into the adjacency from Python: its numbers in two arrays, and one compiled function."""

from __future__ import annotations

import numpy as np

from .adjacency import Numbers, drawn_degree, out_links
from .kernels import Array, compiled


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
def drawn_total(numbers: Numbers, first: int, step: int, number: int) -> int:
    """Return the sum of the degrees drawn for the pages of `links_of_pages`."""
    total = 0
    for k in range(number):
        total += drawn_degree(numbers, first + k * step)
    return total


def expected_mean(numbers: Numbers, pages: int, sample: int) -> float:
    """Return the mean out-degree to expect.

    It is the mean of the drawn degrees, whose tail no sample can tell, and what some pages owe
    beyond that or cannot have, which a sample tells well.
    """
    step = pages // sample
    counts, _ = links_of_pages(*packed(numbers), 0, step, sample)
    beyond = int(counts.sum()) - drawn_total(numbers, 0, step, sample)
    return drawn_mean(numbers) + beyond / sample


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
        real[75:80],
        whole[b:c],
        whole[c:],
    )
