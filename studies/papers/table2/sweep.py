"""Shows for which n of R2 and m of R3 there is a table of links with all figures of Table 2.

Each search begins with the table of the value before, so most are short. Close to 200, where the
first pages of each site are nearly the whole budget, the figures differ by few pages, and these
need many links: the more links a page of a university may have, the further the sweep goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from .certificate import faults
from .search import Search, Wanted
from .table import LinkTable

FEW, MORE, MANY = 6, 40, 600
"""The most links on a page of a university, for values up to 120, up to 180, and beyond."""


class Swept(NamedTuple):
    """The result for a pair of parameters.

    Attributes
    ----------
    step, initial : int
        n of R2, and m of R3.
    cap : int
        The most links that a page of a university might have.
    table : LinkTable or None
        A table whose figures the real rules have confirmed; None: the search found none.
    """

    step: int
    initial: int
    cap: int
    table: LinkTable | None


def cap_of(value: int) -> int:
    """Return the most links on a page of a university for a value of n or m."""
    return FEW if value <= 120 else MORE if value <= 180 else MANY


def sweep(
    first: LinkTable, reading: str, pairs: Iterable[tuple[int, int]], seed: int = 0
) -> Iterator[Swept]:
    """Yield a result for each pair of n and m, in turn.

    Parameters
    ----------
    first : LinkTable
        The table with which the search for the first pair begins.
    reading : str
        `corrected` or `printed`.
    pairs : iterable of (int, int)
    seed : int
    """
    wanted = Wanted((reading,), empty=0, moves=80_000, warmth=2.0, rounds=40)
    for step, initial in pairs:
        cap = cap_of(max(step, initial))
        search = Search(replace(wanted, steps=(step,), initials=(initial,), cap=cap), seed, first)
        table = search.find()
        if table is not None and faults(table, reading, (step,), (initial,)):
            table = None
        first = search.table()
        yield Swept(step, initial, cap, table)
