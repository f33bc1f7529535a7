"""Samples of a synthetic web as rows for printing."""

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
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted

from .truth import Domain

Array = np.ndarray[Any, Any]


class SampleRow(NamedTuple):
    """A page of a sample; ``weight`` is None if pages are not ranked."""

    address: str
    weight: float | None


class AddressAnswer(NamedTuple):
    """The answer of an address: ``site``, ``default`` or ``empty``, and its page, if any."""

    address: str
    answer: str
    page: str | None


class SyntheticWeb:
    """A web from which samples are drawn.

    Parameters
    ----------
    profile : Profile
    pages : int, optional
        Number of pages; by default as the profile says.
    seed : int
        The seed of the web.
    """

    def __init__(self, profile: Profile, pages: int | None, seed: int) -> None:
        plan = ComparisonPlan((), profile, 1, pages)
        must_fit(profile, plan.pages_of_web)
        self._planted = Planted(plan, seed)
        self.domain = Domain(self._planted)

    def addresses(
        self, draws: int, seed: int, times: int, sites: bool
    ) -> tuple[list[AddressAnswer], Pages, int]:
        """Request random addresses, and sample the pages of those that answer.

        Parameters
        ----------
        draws : int
            Number of addresses.
        seed : int
            Seed of the random draw.
        times : int
            How many times the pages that sampled pages link to are added.
        sites : bool
            Whether all pages of the sites are added instead.

        Returns
        -------
        list of AddressAnswer
            The answers, in the order of the requests.
        int64, shape (n,)
            The pages of the sample.
        int
            The number of requests.
        """
        answers, fronts = [], []
        for one in self.domain.blocks.draw(draws, seed):
            front = self.domain.front(one)
            if front.kind is Kind.SITE:
                fronts.append(front.page)
            page = self.url(front.page) if front.kind is Kind.SITE else None
            answers.append(AddressAnswer(str(one), front.kind.value, page))
        if sites:
            found = whole_sites(self.domain, fronts, self.domain.host)
        else:
            found = expanded(self.domain, fronts, times)
        return answers, found.pages, draws + found.fetched

    def search(self, start: str | None, size: int, seed: int, counted: str) -> tuple[Pages, int]:
        """Return a breadth-first sample, and the number of requests that it cost.

        Parameters
        ----------
        start : str or None
            The address of the start page; None: a page with many in-links, drawn at random.
        size : int
            Number of pages.
        seed : int
            Seed of the random draw.
        counted : str
            ``fetched`` or ``found``: which pages are the sample.

        Raises
        ------
        CrawlError
            If the start page is not in the web.
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

    def rows(self, pages: Pages, signal: str | None) -> list[SampleRow]:
        """Return the rows of a sample; ``signal`` names the weights of pages, None: no weights."""
        ranks = weights(*among(self.domain, pages))[signal].tolist() if signal else None
        return [
            SampleRow(self.url(page), None if ranks is None else ranks[place])
            for place, page in enumerate(pages.tolist())
        ]
