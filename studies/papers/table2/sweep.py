"""Shows for which n of R2 and m of R3 there is a table of links with all figures of Table 2.

Close to 200, where the first pages of each site are nearly the whole budget, the rules differ by
few pages, and these need many links. If no page of a university has more than c links, then R2
finds at most 10 c (200 - n) fewer links than R1 in universities, and R3 at most 10 c (200 - m)
more. For the rules as corrected the differences are 563 and 110, so with c = 6 there is no table
for n > 190 or m > 198. With n = 200 or m = 200 the rules are R1, and there is none for any c.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .certificate import faults
from .search import Search, Wanted
from .table import OTHER_UNIVERSITIES, SITES, LinkTable, stored

SHARE = 200
"""N / K, the pages of each site that R1 scans."""

FEW, LATE = 6, 120
"""The most links on a page of a university up to the greatest value that is not late."""

EARLY_LINKS, EARLY = 160, 1000
"""The links on the last pages before `SHARE` if n is late; where the other links begin."""


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
    """Return the most links on a page of a university for the greater of n and m."""
    return FEW if value <= LATE else max(FEW, 2 - -SHARE // max(1, SHARE - value))


def begun_late(table: LinkTable, step: int, seed: int) -> LinkTable:
    """Return a table whose universities outside Table 1 have no links on their first pages.

    Four of them have many on the pages from ``step`` to `SHARE`, which R1 scans and R2 does not.
    """
    chance = np.random.default_rng([seed, 0x1A7E])
    rows = dict(table.rows)
    for site in OTHER_UNIVERSITIES:
        links = int(rows[site].sum())
        row = np.zeros_like(rows[site])
        if site != OTHER_UNIVERSITIES[0]:
            np.add.at(row, step + np.arange(EARLY_LINKS) % max(1, SHARE - step), 1)
        np.add.at(row, chance.integers(EARLY, len(row), links - int(row.sum())), 1)
        rows[site] = row
    return LinkTable({site: rows[site] for site in SITES})


def attempt(reading: str, step: int, initial: int, seed: int = 0) -> Swept:
    """Search for a table for a pair of n and m, beginning with the stored table of the reading.

    Parameters
    ----------
    reading : str
        `corrected` or `printed`.
    step, initial : int
        n of R2, and m of R3.
    seed : int
    """
    first, warmth = stored(reading), 2.0
    if step > LATE:
        first, warmth = begun_late(first, step, seed), 10.0
    cap = cap_of(max(step, initial))
    wanted = Wanted(
        (reading,), (step,), (initial,), cap, empty=0, moves=100_000, warmth=warmth, rounds=40
    )
    table = Search(wanted, seed, first).find()
    if table is not None and faults(table, reading, (step,), (initial,)):
        table = None
    return Swept(step, initial, cap, table)
