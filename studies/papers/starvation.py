"""Why does R2 find little on some webs? Sites that begin with empty pages are never visited again.

A site whose first n pages have no external link has the index 0, so R2 never returns to it as
long as any other site has found one: [BeeBot] says so itself. Here that is looked for on webs as
they are, and then brought about: in the *experiment* the n pages without external links that come
first in a site's order are put before all others, so that k sites begin with n empty pages; the
site has the same pages and the same links as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .arms import play

Array = np.ndarray[Any, Any]


class Starved(NamedTuple):
    """What R2 never returned to on a web.

    Attributes
    ----------
    sites : int
        How many sites.
    links : float
        Their share of the links on the first N pages of all sites.
    richest : bool
        Whether the site with the most links on its first N pages is one of them.
    """

    sites: int
    links: float
    richest: bool


def starved(rows: Sequence[Array], pages: Sequence[int] | Array, step: int) -> Starved:
    """Return which sites R2 left alone after their first ``step`` pages, which were empty.

    Parameters
    ----------
    rows : sequence of integers
        External links on the first N pages of each site.
    pages : sequence of int
        How many pages of each site R2 has scanned.
    step : int
        n of R2.
    """
    found = [
        k
        for k, (row, scanned) in enumerate(zip(rows, pages, strict=True))
        if not row[:step].any() and scanned <= step < len(row)
    ]
    links = [int(row.sum()) for row in rows]
    return Starved(
        len(found),
        sum(links[k] for k in found) / max(1, sum(links)),
        int(np.argmax(links)) in found,
    )


def begun_empty(row: Array, pages: int) -> Array:
    """Return a site's pages with the first so many that have no external link put first."""
    empty = np.flatnonzero(row == 0)[:pages]
    return np.concatenate((row[empty], np.delete(row, empty)))


def with_empty_starts(rows: Sequence[Array], step: int, order: Sequence[int]) -> list[Array]:
    """Return sites of which some, named in ``order``, begin with ``step`` empty pages."""
    return [begun_empty(row, step) if k in order else row for k, row in enumerate(rows)]


def experiment(rows: Sequence[Array], step: int, budget: int, richest: bool) -> Array:
    """Return what R1 and R2 find if k sites begin with empty pages, for each k.

    Parameters
    ----------
    rows : sequence of integers
        External links on the first pages of each site.
    step : int
        n of R2, and how many empty pages come first.
    budget : int
        N.
    richest : bool
        Whether the k sites are those with the most links, or those with the fewest.

    Returns
    -------
    int64[sites + 1, 2]
        A row for each k, from 0 on: links found by R1 and by R2.
    """
    links = np.array([int(row.sum()) for row in rows])
    order = np.argsort(-links if richest else links, kind="stable").tolist()
    found = []
    for k in range(len(rows) + 1):
        changed = with_empty_starts(rows, step, order[:k])
        found.append([play(rule, changed, budget).total for rule in ("R1", f"R2,step={step}")])
    return np.array(found, dtype=np.int64)
