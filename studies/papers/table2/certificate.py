"""The certificate for a table of links: the real rules find the figures of Table 2 on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.schedulers.rules import STUCK
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.studies.papers.arms import Arms
from counterpoint.studies.papers.beebot import BUDGET, INITIALS, STEPS
from counterpoint.studies.papers.beebot import PRINTED as FIGURES
from counterpoint.studies.papers.starvation import starved

from .table import INSTITUTES, SETS, UNIVERSITIES, LinkTable

Array = np.ndarray[Any, Any]

ENDINGS = {"corrected": "", "printed": "-printed"}
"""What is appended to a rule's name, by reading."""


class Figure(NamedTuple):
    """What a rule finds on a set.

    Attributes
    ----------
    web : str
        The set.
    rule : str
        The policy, as users name it.
    found : int or None
        The links found; None if the rule fails, or needs a page of an exhausted site.
    wanted : int
        The figure of Table 2.
    """

    web: str
    rule: str
    found: int | None
    wanted: int


def rules(
    reading: str, steps: Iterable[int] = STEPS, initials: Iterable[int] = INITIALS
) -> Iterator[tuple[int, str]]:
    """Yield the policies of a reading, each with its column in Table 2."""
    ending = ENDINGS[reading]
    yield 0, f"R1{ending}"
    yield from ((1, f"R2{ending},step={n}") for n in steps)
    yield from ((2, f"R3{ending},initial={m}") for m in initials)


def visits(rows: Sequence[Array], rule: str, budget: int = BUDGET) -> Array | None:
    """Return how many pages of each site a real rule scans; None if it fails, or is stuck."""
    world, policy = Arms(rows), find(rule)
    ended = crawl(
        rule, policy.scheduler(world.starts, budget), world, world.starts, budget, Scope.SITE,
        may_overspend=policy.policy.overspends,
    )  # fmt: skip
    if ended.failed or ended.why == STUCK:
        return None
    return np.bincount(world.sites_of(ended.order), minlength=len(rows))


def links_found(rows: Sequence[Array], rule: str, budget: int = BUDGET) -> int | None:
    """Return how many links a real rule finds; None if it fails, or is stuck."""
    pages = visits(rows, rule, budget)
    if pages is None:
        return None
    return sum(int(row[:t].sum()) for row, t in zip(rows, pages.tolist(), strict=True))


def figures(
    table: LinkTable,
    reading: str,
    steps: Iterable[int] = STEPS,
    initials: Iterable[int] = INITIALS,
) -> list[Figure]:
    """Return what each rule finds on each set.

    Parameters
    ----------
    table : LinkTable
    reading : str
        `corrected` or `printed`.
    steps, initials : iterable of int
        The values of n of R2, and of m of R3.
    """
    chosen = list(rules(reading, steps, initials))
    return [
        Figure(web, rule, links_found(table.of(web), rule), FIGURES[web][column])
        for web in SETS
        for column, rule in chosen
    ]


def faults(
    table: LinkTable,
    reading: str,
    steps: Iterable[int] = STEPS,
    initials: Iterable[int] = INITIALS,
) -> list[str]:
    """Return what contradicts Table 1 or Table 2; nothing, if the table is a certificate."""
    return table.faults() + [
        f"{one.rule} finds {one.found} links on {one.web}, not {one.wanted}"
        for one in figures(table, reading, steps, initials)
        if one.found != one.wanted
    ]


class Shape(NamedTuple):
    """Where the links of some sites stand.

    Attributes
    ----------
    pages, links : int
    with_links : int
        The pages that have links.
    largest : int
        The most links on a page.
    on_richest : float
        The share of the links that stands on the hundredth of the pages with most links.
    """

    pages: int
    links: int
    with_links: int
    largest: int
    on_richest: float


def shape(rows: Iterable[Array]) -> Shape:
    """Return where the links of rows stand."""
    links = np.sort(np.concatenate(list(rows)))[::-1]
    total = int(links.sum())
    richest = int(links[: max(1, len(links) // 100)].sum())
    return Shape(
        len(links), total, int(np.count_nonzero(links)), int(links[0]), richest / max(1, total)
    )


def shapes(table: LinkTable) -> dict[str, Shape]:
    """Return where the links of institutes and of universities stand."""
    return {
        "institutes": shape(table.rows[site] for site in INSTITUTES),
        "universities": shape(table.rows[site] for site in UNIVERSITIES),
    }


def left_alone(table: LinkTable, web: str, rule: str, step: int) -> list[str]:
    """Return the sites of a set that R2 never visits after ``step`` pages without links."""
    rows = table.of(web)
    pages = visits(rows, rule)
    if pages is None:
        return []
    return [
        site
        for k, site in enumerate(SETS[web])
        if starved(rows[k : k + 1], pages[k : k + 1], step).sites
    ]
