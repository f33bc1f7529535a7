"""Samples of a synthetic web as rows that can be printed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterpoint.crawler.coverage.ranking import among, weights
from counterpoint.crawler.coverage.samplers import Kind, breadth_first, expanded, whole_sites
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Pages
from counterpoint.sim_web.describe.memory import must_fit
from counterpoint.sim_web.pages.address import address, page_at
from counterpoint.sim_web.profile import Profile
from counterpoint.studies.comparison.plan import Plan
from counterpoint.studies.comparison.planted import Planted

from .truth import Domain

Array = np.ndarray[Any, Any]


class Row(NamedTuple):
    """A page of a sample, with its weight if pages are ranked."""

    address: str
    weight: float | None


class Asked(NamedTuple):
    """An address that was asked, what it answered, and the page if there is one."""

    address: str
    answer: str
    page: str | None


class SyntheticWeb:
    """A web from which samples are drawn.

    Parameters
    ----------
    profile : Profile
    pages : int, optional
        By default the profile's.
    seed : int
        Of the web.
    """

    def __init__(self, profile: Profile, pages: int | None, seed: int) -> None:
        plan = Plan((), profile, 1, pages)
        must_fit(profile, plan.pages_of_web)
        self._planted = Planted(plan, seed)
        self.domain = Domain(self._planted)

    def addresses(
        self, draws: int, seed: int, times: int, sites: bool
    ) -> tuple[list[Asked], Pages, int]:
        """Ask random addresses; return what they answered, the sample, and all requests.

        Parameters
        ----------
        draws : int
        seed : int
        times : int
            Expansions.
        sites : bool
            Whether all pages of the sites join instead.
        """
        asked, fronts = [], []
        for one in self.domain.blocks.draw(draws, seed):
            front = self.domain.front(one)
            if front.kind is Kind.SITE:
                fronts.append(front.page)
            page = self.url(front.page) if front.kind is Kind.SITE else None
            asked.append(Asked(str(one), front.kind.value, page))
        if sites:
            found = whole_sites(self.domain, fronts, self.domain.host)
        else:
            found = expanded(self.domain, fronts, times)
        return asked, found.pages, draws + found.fetched

    def search(self, start: str | None, size: int, seed: int, counted: str) -> tuple[Pages, int]:
        """Return a breadth-first sample, and what it cost.

        Raises
        ------
        CrawlError
            If the start is no page of the web.
        """
        if start is None:
            page: int | None = int(np.random.default_rng(seed).choice(self.domain.known))
        else:
            page = page_at(self._planted.web, start)
        if page is None or page >= self.domain.pages:
            raise CrawlError(f"--start: {start} is no page of this web")
        found = breadth_first(self.domain, page, size, counted)
        return found.pages, found.fetched

    def url(self, page: int) -> str:
        """Return the address of a page."""
        return address(self._planted.web, page)

    def rows(self, pages: Pages, signal: str | None) -> list[Row]:
        """Return the rows of a sample, with weights by the links among its pages if wanted."""
        held = weights(*among(self.domain, pages))[signal].tolist() if signal else None
        return [
            Row(self.url(page), None if held is None else held[place])
            for place, page in enumerate(pages.tolist())
        ]
