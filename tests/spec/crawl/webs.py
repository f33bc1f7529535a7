"""Webs as lists of links, a plain simulator of the rules on them, and runs of the specs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, TypeAlias

from hypothesis import strategies as st

from counterpoint.spec.notation import Model, Spec, Step

Page: TypeAlias = tuple[int, int]
"""The number of a page's external links, and the pages that it is the first to link to."""

Web: TypeAlias = Sequence[Sequence[Page]]
"""For each site its pages in the order in which they may be scanned."""

PAGES, LINKS, REVEALS = 8, 3, 2


@st.composite
def sites(draw: st.DrawFn) -> list[Page]:
    """Return the pages of a site that the links of earlier pages reveal."""
    pages: list[Page] = []
    known = 1
    while len(pages) < known:
        new = draw(st.integers(0, min(REVEALS, PAGES - known)))
        known += new
        pages.append((draw(st.sampled_from([0, 0, 0, 1, 2, LINKS])), new))
    return pages


webs = st.lists(sites(), min_size=1, max_size=4)


@dataclass
class Site:
    """The crawler's knowledge of a site."""

    pages: list[Page]
    links: list[int]

    @property
    def ended(self) -> bool:
        """Whether all pages of the site are scanned."""
        return len(self.links) == len(self.pages)


class Crawl:
    """A crawl by hand: the order in which sites are scanned.

    Attributes
    ----------
    order : list of int
        The site of each page scanned.
    """

    def __init__(self, web: Web, budget: int) -> None:
        self.sites = [Site(list(pages), []) for pages in web]
        self.budget = budget
        self.order: list[int] = []

    @property
    def over(self) -> bool:
        """Whether the budget is spent or no page is left."""
        return len(self.order) == self.budget or all(s.ended for s in self.sites)

    def scan(self, i: int, pages: int) -> None:
        """Scan a number of pages of a site, or fewer if it has fewer."""
        site = self.sites[i]
        for _ in range(pages):
            if not self.over and not site.ended:
                site.links.append(site.pages[len(site.links)][0])
                self.order.append(i)

    def scan_best(self, pages: int, index: Callable[[Site], Any]) -> None:
        """Scan some pages of the site with the highest index, until the crawl is over."""
        while not self.over:
            rest = [i for i, s in enumerate(self.sites) if not s.ended]
            self.scan(max(rest, key=lambda i: (index(self.sites[i]), -i)), pages)

    def sample(self, pages: int) -> None:
        """Scan the first pages of every site."""
        for i in range(len(self.sites)):
            self.scan(i, pages)


def equal_quanta(web: Web, budget: int, quantum: int) -> list[int]:
    """Return the order of equal quanta."""
    crawl = Crawl(web, budget)
    while not crawl.over:
        crawl.sample(quantum)
    return crawl.order


def r1(web: Web, budget: int) -> list[int]:
    """Return the order of R1."""
    crawl = Crawl(web, budget)
    crawl.sample(max(1, budget // len(web)))
    crawl.scan_best(1, lambda site: sum(site.links))
    return crawl.order


def r2(web: Web, budget: int, step: int) -> list[int]:
    """Return the order of R2."""
    crawl = Crawl(web, budget)
    crawl.sample(step)
    crawl.scan_best(step, lambda site: Fraction(sum(site.links), len(site.links)))
    return crawl.order


def r3(web: Web, budget: int, initial: int) -> list[int]:
    """Return the order of R3, computed with decimals rounded to 60 of 100 digits, to have ties."""
    crawl = Crawl(web, budget)
    crawl.sample(initial)

    def index(site: Site) -> Decimal:
        largest = max(max(s.links, default=0) for s in crawl.sites) or 1
        pages = len(site.links)
        with localcontext() as context:
            context.prec = 100
            root = (2 * Decimal(len(crawl.order)).ln() / pages).sqrt()
            return round(Decimal(sum(site.links)) / (pages * largest) + root, 60)

    crawl.scan_best(1, index)
    return crawl.order


def run(spec: type[Spec], web: Web, **given: int) -> list[int]:
    """Return the order in which a spec scans a web; each step must have exactly one choice."""
    model = Model(spec(sites=len(web), pages=PAGES, links=LINKS, reveals=REVEALS, **given))
    (values,) = model.initial_states()
    done = [0] * len(web)
    order: list[int] = []
    while True:
        possible = []
        for i, pages in enumerate(web):
            if done[i] < len(pages):
                after = model.take(values, Step("scan", (i, *pages[done[i]])))
                possible += [] if after is None else [(i, after)]
        if not possible:
            assert model.may_end(values)
            return order
        ((i, values),) = possible
        done[i] += 1
        order.append(i)
