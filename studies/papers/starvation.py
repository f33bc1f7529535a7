"""Studies why R2 finds few links on some webs: sites that begin with empty pages are starved.

A site whose first n pages have no external link has the index 0. So R2 does not return to it while
any other site has found a link; [BeeBot] says so itself. `starved` counts such sites on generated
webs. The `experiment` creates them: in k sites, the first n pages without external links are moved
before all other pages. The sites keep their pages and links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .arms import play

Array = np.ndarray[Any, Any]


class Starvation(NamedTuple):
    """The sites of a web to which R2 never returned.

    Attributes
    ----------
    sites : int
        Their number.
    links : float
        Their share of the links on the first N pages of all sites.
    richest : bool
        Whether the site with the most links on its first N pages is one of them.
    """

    sites: int
    links: float
    richest: bool


def starved(rows: Sequence[Array], pages: Sequence[int] | Array, step: int) -> Starvation:
    """Summarize the sites that R2 did not visit again after their first `step` empty pages.

    Parameters
    ----------
    rows : sequence of integers
        Numbers of external links on the first N pages of each site.
    pages : sequence of int
        How many pages of each site R2 has scanned.
    step : int
        The parameter n of R2.
    """
    found = [
        k
        for k, (row, scanned) in enumerate(zip(rows, pages, strict=True))
        if not row[:step].any() and scanned <= step < len(row)
    ]
    links = [int(row.sum()) for row in rows]
    return Starvation(
        len(found),
        sum(links[k] for k in found) / max(1, sum(links)),
        int(np.argmax(links)) in found,
    )


def begun_empty(row: Array, pages: int) -> Array:
    """Return a site's row with its first `pages` pages without external links moved ahead."""
    empty = np.flatnonzero(row == 0)[:pages]
    return np.concatenate((row[empty], np.delete(row, empty)))


def with_empty_starts(rows: Sequence[Array], step: int, order: Sequence[int]) -> list[Array]:
    """Return rows in which the sites in `order` begin with `step` empty pages."""
    return [begun_empty(row, step) if k in order else row for k, row in enumerate(rows)]


def experiment(
    rows: Sequence[Array], step: int, initial: int, budget: int, order: Sequence[int]
) -> Array:
    """Return the numbers of links that R1, R2 and R3 find if k sites begin with empty pages.

    Parameters
    ----------
    rows : sequence of integers
        Numbers of external links on the first pages of each site.
    step : int
        The parameter n of R2, and the number of empty pages at the beginning.
    initial : int
        The parameter m of R3.
    budget : int
        N, the number of pages to scan.
    order : sequence of int
        The sites; the k sites are the first k of them.

    Returns
    -------
    int64[len(order) + 1, 3]
        A row for each k from 0 on: links found by R1, R2 and R3.
    """
    rules = ("R1", f"R2,step={step}", f"R3,initial={initial}")
    found = []
    for k in range(len(order) + 1):
        changed = with_empty_starts(rows, step, order[:k])
        found.append([play(rule, changed, budget).total for rule in rules])
    return np.array(found, dtype=np.int64)


def by_links(rows: Sequence[Array], sites: Sequence[int], richest: bool) -> list[int]:
    """Return sites in the order of their links on the rows, most or fewest first."""
    links = [int(rows[k].sum()) for k in sites]
    order = np.argsort([-x for x in links] if richest else links, kind="stable")
    return [sites[place] for place in order.tolist()]
