"""Where on a site external links stand: at what level, in what order, and on how few pages.

[BeeBot] announces such statistics. For each site the pages that were answered with status 200 are
read in the order in which they were scanned; only counts are kept: by level, by section of the
site, by tenth of the pages scanned, and by number of links on a page.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import BigInteger, Connection, Select, cast, func, select

from .companions import BATCH
from .opening import Store
from .schema import external_links, pages, seeds, visits

TENTHS = 10

SECTIONS = 1_000
"""The most sections of a site that are counted; all further ones count as one."""

DEEPEST = 30
"""The deepest level that is counted by itself; all deeper ones count as this one."""

OTHER = "(other)"
"""The name of all further sections."""


@dataclass
class Counts:
    """Pages, pages with external links, and external links."""

    pages: int = 0
    with_links: int = 0
    links: int = 0

    def add(self, links: int, pages: int = 1) -> None:
        """Count pages with so many links each."""
        self.pages += pages
        self.with_links += pages if links else 0
        self.links += links * pages


@dataclass
class Placement:
    """Where the external links of a site stand.

    Attributes
    ----------
    number : int
        The site's number; 0: all sites together.
    start : str
        Its start address.
    levels : dict of int to Counts
        By level: the fewest links from the start page; `DEEPEST` has all deeper levels, too.
    tenths : list of Counts
        By tenth of the pages in the order of scanning.
    sections : dict of str to Counts
        By the first folder of the address, such as ``/news/``; ``/``: in no folder.
    histogram : Counter
        How many pages have so many links.
    """

    number: int
    start: str
    levels: dict[int, Counts] = field(default_factory=dict)
    tenths: list[Counts] = field(default_factory=lambda: [Counts() for _ in range(TENTHS)])
    sections: dict[str, Counts] = field(default_factory=dict)
    histogram: Counter[int] = field(default_factory=Counter)

    @property
    def counts(self) -> Counts:
        """The counts of all pages."""
        found = Counts()
        for links, number in self.histogram.items():
            found.add(links, number)
        return found

    def share_of_top(self, percent: float) -> float:
        """Return the share of the links that stands on the pages with most links.

        Parameters
        ----------
        percent : float
            How many percent of the pages; at least one page.
        """
        counts = self.counts
        left, found = math.ceil(counts.pages * percent / 100), 0
        for links, number in sorted(self.histogram.items(), reverse=True):
            found += links * min(left, number)
            left -= min(left, number)
        return found / counts.links if counts.links else 0.0

    def gini(self) -> float:
        """Return the Gini coefficient of links over pages; 0: each page has as many."""
        counts = self.counts
        if not counts.links:
            return 0.0
        below = weighted = 0
        for links, number in sorted(self.histogram.items()):
            # The ranks of these pages, from 1 on, add up to number * below + 1 + ... + number.
            weighted += links * (number * below + number * (number + 1) // 2)
            below += number
        return (2 * weighted / (counts.pages * counts.links)) - (counts.pages + 1) / counts.pages

    def read(self, number: int, of: int, level: int, section: str, links: int) -> None:
        """Count a page, the `number`-th from 0 on of so many."""
        self.levels.setdefault(min(level, DEEPEST), Counts()).add(links)
        self.tenths[min(TENTHS - 1, number * TENTHS // of)].add(links)
        if section not in self.sections and len(self.sections) >= SECTIONS:
            section = OTHER
        self.sections.setdefault(section, Counts()).add(links)
        self.histogram[links] += 1

    def join(self, other: Placement) -> None:
        """Add the counts of a further site; sections are of one site, and left out."""
        self.histogram += other.histogram
        pairs = [(self.levels.setdefault(k, Counts()), one) for k, one in other.levels.items()]
        for mine, one in [*pairs, *zip(self.tenths, other.tenths, strict=True)]:
            mine.pages += one.pages
            mine.with_links += one.with_links
            mine.links += one.links


def placements(store: Store) -> Iterator[Placement]:
    """Yield where external links stand, for each site that has pages, by number."""
    with store.reading() as connection:
        for number, start in connection.execute(
            select(seeds.c.number, seeds.c.start).order_by(seeds.c.number)
        ).all():
            found = _of_site(connection, number, start)
            if found.histogram:
                yield found


def together(found: list[Placement]) -> Placement:
    """Return the counts of all sites; each site's pages have an order of their own."""
    all_sites = Placement(0, "all sites")
    for one in found:
        all_sites.join(one)
    return all_sites


def name_of_level(level: int) -> str:
    """Return the name of a level, or of the deepest ones together."""
    return str(level) if level < DEEPEST else f"{DEEPEST} and deeper"


def section_of(address: str) -> str:
    """Return the first folder of an address."""
    folder, slash, _ = urlsplit(address).path[1:].partition("/")
    return f"/{folder}/" if slash else "/"


def _of_site(connection: Connection, number: int, start: str) -> Placement:
    found = Placement(number, start)
    scanned = (pages.c.seed == number) & (pages.c.status == 200)
    of = connection.scalar(select(func.count()).select_from(pages).where(scanned)) or 0
    rows = connection.execute(_in_order(scanned), execution_options={"yield_per": BATCH})
    for place, (level, address, links) in enumerate(rows):
        found.read(place, of, level, section_of(address), links)
    return found


def _in_order(scanned: Any) -> Select[Any]:
    """Return a query of pages in the order of their first visits; others come last."""
    # A page is visited again by a new plan, or to see whether it has changed.
    number = cast(visits.c.plan, BigInteger) * 2**40 + visits.c.number
    first = select(func.min(number)).where(visits.c.page == pages.c.id).scalar_subquery()
    links = (
        select(func.count())
        .where(external_links.c.page == pages.c.id, external_links.c.deleted.is_(False))
        .scalar_subquery()
    )
    query = select(pages.c.level, pages.c.address, links).where(scanned)
    return query.order_by(func.coalesce(first, 2**62), pages.c.id)
