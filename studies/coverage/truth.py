"""A web with IP addresses, and the true coverages of crawls of it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from counterpoint.crawler.coverage.quality import curve, top
from counterpoint.crawler.coverage.ranking import among, weights
from counterpoint.crawler.coverage.samplers import around
from counterpoint.crawler.policy.protocol import Pages
from counterpoint.graph.csr import csr
from counterpoint.studies.comparison.addressed import AddressedWeb
from counterpoint.studies.comparison.planted import Planted

Array = np.ndarray[Any, Any]

PARTS = {"pagerank": 0.05, "in-degree": 0.05, "hub": 0.15, "authority": 0.15}
"""The share of important pages, by ranking; 5% and 15% are the values of [COV]."""

TOPICAL = {"hub of topics": "hub", "authority of topics": "authority"}
"""Coverage of the important pages of topics, with the ranking of each, where hosts have themes."""

GRID = (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0)
"""Thresholds of curves."""


class BackwardLinks(NamedTuple):
    """The reversed links of a web."""

    offsets: list[int]
    targets: Pages

    def links(self, page: int) -> Pages:
        """Return the pages that link to a page."""
        return self.targets[self.offsets[page] : self.offsets[page + 1]]


class Domain(AddressedWeb):
    """The part of a web that is studied, with the true coverages.

    Parameters
    ----------
    planted : Planted

    Attributes
    ----------
    weights : dict of str to float64[pages]
        True weights, by ranking.
    """

    def __init__(self, planted: Planted) -> None:
        super().__init__(planted)
        self.weights = weights(self._offsets, self._targets)
        self._tops = {signal: top(self.weights[signal], part) for signal, part in PARTS.items()}

    @cached_property
    def backward(self) -> BackwardLinks:
        """The links backward."""
        held = csr(self._offsets, self._targets).reversed()
        return BackwardLinks(held.offsets.tolist(), held.targets.astype(np.int64))

    @cached_property
    def topics(self) -> tuple[Pages, ...]:
        """The pages that are about each theme; none, if there is but one theme."""
        web, count = self._planted.web, int(self._planted.web.profile.themes.count)
        if count < 2:
            return ()
        themes = np.array([web.theme(host) for host in range(web.hosts)])
        of_page = themes[self._planted.host[: self.pages]]
        relevant = np.array([web.relevant(page) for page in range(self.pages)])
        held = (np.flatnonzero(relevant & (of_page == theme)) for theme in range(count))
        return tuple(pages for pages in held if len(pages))

    @cached_property
    def _topic_tops(self) -> dict[str, list[Pages]]:
        """The important pages of each topic, among all pages around the pages about it."""
        found: dict[str, list[Pages]] = {what: [] for what in TOPICAL}
        for pages in self.topics:
            whole = around(self, self.backward, pages.tolist()).pages
            by_signal = weights(*among(self, whole))
            for what, signal in TOPICAL.items():
                found[what].append(whole[top(by_signal[signal], PARTS[signal])])
        return found

    def crawled(self, order: Pages, came: Array) -> Array:
        """Return which pages a crawl has, bool[pages]."""
        found = np.zeros(self.pages, dtype=np.bool_)
        pages = order[came]
        found[pages[pages < self.pages]] = True
        return found

    def coverage(self, kind: str, crawled: Array) -> float:
        """Return the true coverage: ``"quantity"``, or of the important pages by a ranking.

        For topics, the result is the mean over topics.
        """
        if kind == "quantity":
            return float(crawled.mean())
        if kind in TOPICAL:
            return float(np.mean([crawled[pages].mean() for pages in self._topic_tops[kind]]))
        return float(crawled[self._tops[kind]].mean())

    def curve(self, signal: str, crawled: Array) -> Array:
        """Return the true quality coverage at each threshold of `GRID`."""
        return curve(self.weights[signal], crawled, GRID)

    def largest_weak_component(self) -> float:
        """Return the share of the domain's pages in its largest weak component."""
        ones = np.ones(len(self._targets), dtype=np.int8)
        held = csr_array((ones, self._targets, self._offsets),
                         shape=(self.pages, self.pages))  # fmt: skip
        _, labels = connected_components(held, connection="weak")
        return float(np.bincount(labels).max() / self.pages)
