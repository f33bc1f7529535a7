"""Small random webs, worlds that answer from them, and ways to run a policy."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from counterpoint.crawler.policy.protocol import NONE, Content, Outcome, Scheduler, Scope
from counterpoint.crawler.schedulers.finding import ChosenPolicy, find
from counterpoint.crawler.worlds.crawl import CrawlResult, crawl

QUERY = "red foxes"
_SAID = "red fox runs over the lazy dog and foxes sleep under red trees"
_WORDS = re.findall("[a-z]+", _SAID)


def text_of(page: int) -> str:
    """Return the text of a page; some texts are about `QUERY`."""
    return " ".join(_WORDS[(page * 7 + k * k) % len(_WORDS)] for k in range(page % 5 * 4))


def anchor_of(page: int, target: int) -> str:
    """Return the anchor of a link; some anchors are about `QUERY`."""
    return _WORDS[(page + 3 * target) % len(_WORDS)]


def language_of(page: int) -> str:
    """Return the declared language of a page, or none for some pages."""
    return "en" if page % 3 else ""


@dataclass(frozen=True)
class Web:
    """Pages 0 .. n - 1; ``starts`` holds the first page of each site."""

    sites: int
    site: tuple[int, ...]
    links: tuple[tuple[int, ...], ...]
    external: tuple[int, ...]
    failing: frozenset[int]

    @property
    def starts(self) -> list[int]:
        return [self.site.index(k) for k in range(self.sites)]

    def links_for(self, page: int, scope: Scope) -> list[int]:
        """Return the links of a page that a policy with a given scope gets."""
        if page in self.failing or scope is Scope.KNOWN:
            return []
        own = self.site[page]
        return [q for q in self.links[page] if scope is Scope.WEB or self.site[q] == own]

    def reachable(self, scope: Scope) -> set[int]:
        """Return the pages that can be found from the starts."""
        found, left = set(self.starts), self.starts
        while left:
            new = set(self.links_for(left.pop(), scope)) - found
            found |= new
            left += sorted(new)
        return found


@st.composite
def webs(draw: st.DrawFn, most: int = 24, failures: bool = True) -> Web:
    """Return a web of one to five sites."""
    sites = draw(st.integers(1, 5))
    count = draw(st.integers(sites, most))
    numbers = random.Random(draw(st.integers(0, 2**32)))
    site = [*range(sites), *(numbers.randrange(sites) for _ in range(count - sites))]
    share = draw(st.sampled_from([0.0, 0.1, 0.3]))
    most_links = draw(st.sampled_from([1, 2, 3, 6]))
    links = []
    for p in range(count):
        near = [q for q in range(count) if numbers.random() < 0.8 or site[q] == site[p]]
        links.append(tuple(numbers.sample(near, min(len(near), numbers.randint(0, most_links)))))
    largest = draw(st.sampled_from([0, 1, 2, 9]))
    external = tuple(numbers.choice([0, 0, numbers.randint(0, largest)]) for _ in range(count))
    failing = frozenset(p for p in range(count) if failures and numbers.random() < share)
    return Web(sites, tuple(site), tuple(links), external, failing)


@st.composite
def contests(draw: st.DrawFn) -> tuple[Web, int]:
    """Return a web of sites whose pages can all be found, and a budget that suffices for them.

    Contests between its sites are long and have ties. All is drawn from one seed, because
    Hypothesis prefers small examples.
    """
    numbers = random.Random(draw(st.integers(0, 2**32)))
    sites = numbers.randint(2, 4)
    site = [k for k in range(sites) for _ in range(numbers.randint(1, 9))]
    links: list[list[int]] = [[] for _ in site]
    for p, k in enumerate(site):
        first = site.index(k)
        if p > first:
            links[max(first, p - numbers.randint(1, 3))].append(p)
        links[p] += [numbers.randint(0, p)] * numbers.randint(0, 1)
    for known in links:
        numbers.shuffle(known)
    largest = numbers.choice([0, 1, 1, 2])
    external = tuple(numbers.randint(0, largest) for _ in site)
    share = numbers.choice([0.0, 0.0, 0.1])
    failing = frozenset(p for p in range(len(site)) if numbers.random() < share)
    web = Web(sites, tuple(site), tuple(map(tuple, links)), external, failing)
    return web, numbers.randint(len(site) // 2, len(site) + 1)


class World:
    """Answers from a web. Pages have other handles, if ``handles`` has them by page.

    A policy may read nothing into a page that failed; the only page such a page links to is known.
    """

    def __init__(
        self, web: Web, scope: Scope, handles: Sequence[int] | None = None, *, reads: bool = False
    ) -> None:  # fmt: skip
        self.web, self.scope, self.reads = web, scope, reads
        self.handle = list(handles) if handles is not None else list(range(len(web.site)))
        self.page = {handle: page for page, handle in enumerate(self.handle)}
        self.visits = [0] * len(web.site)
        self.clock = 0.0
        known = range(len(web.site)) if scope is Scope.KNOWN else web.starts
        self.starts = [self.handle[p] for p in known]

    def fetch(self, handle: int) -> Outcome:
        page = self.page[handle]
        self.clock += 1.5
        if page in self.web.failing:  # an error page with links, which do not count
            known = np.array(self.starts[:1], dtype=np.int64)
            return Outcome(handle, 503, known, 7, 50, 20, self.clock)
        links = [self.handle[q] for q in self.web.links_for(page, self.scope)]
        visit = self.visits[page]
        self.visits[page] += 1
        difference = (page * 7 + visit * visit) % (page + 2) * 10 if visit else 0
        return Outcome(handle, 200, np.array(links, dtype=np.int64) if links else NONE,
                       self.web.external[page], 100 + page, difference, self.clock,
                       self.content(page) if self.reads else None)  # fmt: skip

    def content(self, page: int) -> Content:
        """Return the content of a page."""
        anchors = tuple(anchor_of(page, q) for q in self.web.links_for(page, self.scope))
        return Content(f"page {page}", text_of(page), anchors, language_of(page))

    def host(self, handle: int) -> int | None:
        """Return the site of a page, or None where it is unknown."""
        page = self.page[handle]
        return None if page % 5 == 4 else self.web.site[page]

    def external(self, handle: int) -> int:
        return self.web.external[self.page[handle]]

    def rate(self, handle: int) -> float:
        return 0.01 * (self.page[handle] % 4)


def run(
    name: str, web: Web, budget: int, seed: int = 0, handles: Sequence[int] | None = None
) -> tuple[list[int], CrawlResult]:
    """Run a policy by itself and return the pages in the order of visits, and how it ended."""
    chosen = find(name)
    world = World(web, chosen.policy.scope, handles, reads=chosen.policy.reads)
    scheduler = chosen.scheduler(world.starts, budget, seed, world, query=QUERY, hosts=world.host)
    ended = crawl(name, scheduler, world, world.starts, budget, chosen.policy.scope,
                  may_overspend=chosen.policy.overspends)  # fmt: skip
    return [world.page[int(handle)] for handle in ended.order], ended


def fly(
    chosen: ChosenPolicy, web: Web, budget: int, flight: int, chance: random.Random,
    check: Callable[[int, set[int]], None],
) -> tuple[list[int], str]:  # fmt: skip
    """Run a policy with several requests in flight, answered in any order."""
    world = World(web, chosen.policy.scope, reads=chosen.policy.reads)
    scheduler: Scheduler = chosen.scheduler(
        world.starts, budget, 0, world, query=QUERY, hosts=world.host
    )
    flying: list[int] = []
    order: list[int] = []
    while True:
        request = scheduler.next() if len(flying) < flight else None
        if request is not None:
            check(request.page, set(flying))
            order.append(request.page)
            flying.append(request.page)
        elif flying:
            page = flying.pop(chance.randrange(len(flying)))
            scheduler.observe(world.fetch(page))
        else:
            return order, scheduler.why
