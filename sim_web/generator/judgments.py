"""Writes out what pages are about: the truth by which topical crawls are judged."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled

from .layout import host_of_page, region_of_page
from .packing import unpacked
from .subjects import edition_of, relevant, theme_of


@compiled
def subjects(whole: Array, real: Array, first: int, number: int) -> Array:
    """Return what some consecutive pages are about.

    Parameters
    ----------
    whole, real
        The web's numbers, from `packed`.
    first, number : int
        The first page, and the number of pages.

    Returns
    -------
    int32, shape (3, number)
        The theme of each page, whether the page is about it (1 or 0), and its edition.
    """
    numbers = unpacked(whole, real)
    found = np.empty((3, number), dtype=np.int32)
    for k in range(number):
        page = first + k
        region = region_of_page(numbers.regions, page)
        rank, _, _ = host_of_page(numbers.regions, numbers.reals, numbers.bounds, region, page)
        found[0, k] = theme_of(numbers, region, rank, page)
        found[1, k] = relevant(numbers, page)
        found[2, k] = edition_of(numbers, region, rank, page)
    return found
