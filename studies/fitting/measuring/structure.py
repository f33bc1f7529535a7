"""The graph of the captured pages of a web, with its hosts, and what is measured in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.documents.addresses import key
from counterpoint.sim_web.measure import (
    BowtieComponents,
    Distances,
    MeasuredGraph,
    Tail,
    decompose,
    distances,
    levels,
    sampled,
    tail,
)
from counterpoint.studies.captured.arrays import CapturedArrays

IN, TENDRILS = 1, 3
SOURCES = 128
"""From so many pages distances are measured."""
_MENU_OF = 20
"""Menus are looked for in hosts of so many pages or more."""
_IN_MENU = 0.8
"""Of a host's pages this share must link to a page of the menu."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Structure:
    """The graph of pages; the pages of a host are consecutive, and the first is its start page.

    Attributes
    ----------
    graph : MeasuredGraph
        Each link once, without links from a page to itself.
    starts : int64, shape (hosts,)
        The first page of each host.
    seed : int
        The seed of the sample from which distances are measured.
    """

    graph: MeasuredGraph
    starts: Array
    seed: int = 0

    @property
    def pages(self) -> int:
        """The number of pages."""
        return self.graph.pages

    @cached_property
    def sizes(self) -> Array:
        """The numbers of pages of the hosts, the largest first, int64."""
        return np.sort(np.diff(np.append(self.starts, self.pages)))[::-1]

    @cached_property
    def bowtie(self) -> BowtieComponents:
        """The bow-tie."""
        return decompose(self.graph)

    @property
    def mean_degree(self) -> float:
        """The number of distinct links of a page, on average."""
        return self.graph.links / self.pages

    @cached_property
    def tails(self) -> tuple[Tail | None, Tail | None]:
        """The tails of the in- and of the out-degrees."""
        return tail(self.graph.in_degrees), tail(self.graph.out_degrees)

    @property
    def top_in(self) -> float:
        """The share of the links that lead to the hundredth of the pages with most in-links."""
        return _top(self.graph.in_degrees, 100)

    @property
    def top_out(self) -> float:
        """The share of the links that are on the tenth of the pages with most links."""
        return _top(self.graph.out_degrees, 10)

    @cached_property
    def _levels(self) -> tuple[Array, int]:
        return levels(self.graph, self.starts)

    @property
    def internal(self) -> float:
        """The share of the links that stay within their host."""
        return self._levels[1] / max(1, self.graph.links)

    @property
    def depth(self) -> float:
        """The mean level of the pages that links within their host reach from its start page."""
        level = self._levels[0]
        return float(level[level >= 0].mean())

    @property
    def deepest(self) -> int:
        """The greatest level."""
        return int(self._levels[0].max())

    @property
    def unreached(self) -> float:
        """The share of the pages that no links within their host reach from its start page."""
        return float((self._levels[0] < 0).mean())

    @cached_property
    def host(self) -> Array:
        """The host of each page, int64."""
        return np.repeat(np.arange(len(self.starts)),
                         np.diff(np.append(self.starts, self.pages)))  # fmt: skip

    @property
    def orphans(self) -> tuple[int, float]:
        """How many pages of IN, and of tendrils to OUT, no page links to; of how many pages.

        Start pages of hosts do not count.
        """
        kinds = self.bowtie.components.copy()
        kinds[self.starts] = 255
        tendrils = (1 - self.bowtie.hanging_off_in) * int((kinds == TENDRILS).sum())
        able = (kinds == IN) | (kinds == TENDRILS)
        alone = able & (self.graph.in_degrees == 0)
        return int(alone.sum()), int((kinds == IN).sum()) + tendrils

    @property
    def able(self) -> tuple[int, int]:
        """How many pages are no start pages, and how many of these have links to them."""
        linked = self.graph.in_degrees > 0
        linked[self.starts] = False
        return self.pages - len(self.starts), int(linked.sum())

    @property
    def menu(self) -> tuple[float, int]:
        """The mean number of pages to which nearly all pages of a host link; of how many pages.

        The start page does not count, and hosts of few pages are left out.
        """
        sizes = np.diff(np.append(self.starts, self.pages))
        sources = np.repeat(np.arange(self.pages), self.graph.out_degrees)
        targets = self.graph.targets
        within = self.host[sources] == self.host[targets]
        linked = np.bincount(targets[within], minlength=self.pages)
        common = linked >= _IN_MENU * (sizes[self.host] - 1)
        common[self.starts] = False
        large = sizes >= _MENU_OF
        counted = int(sizes[large].sum())
        menus = np.bincount(self.host[common], minlength=len(sizes))
        return float((menus * sizes)[large].sum()) / max(1, counted), counted

    @property
    def reciprocal(self) -> float:
        """The share of the links that are answered by a link back."""
        sources = np.repeat(np.arange(self.pages, dtype=np.int64), self.graph.out_degrees)
        targets = self.graph.targets.astype(np.int64)
        there, back = sources * self.pages + targets, targets * self.pages + sources
        return float(np.isin(there, back).mean()) if len(there) else 0.0

    @cached_property
    def distances(self) -> tuple[Distances, Distances]:
        """The distances along links, and along links that are followed in both directions."""
        sample = sampled(self.bowtie.components, SOURCES, self.seed)
        one, two = (distances(self.graph, sample, seed=self.seed, undirected=u)
                    for u in (False, True))  # fmt: skip
        return one, two


def _top(degrees: Array, part: int) -> float:
    most = np.sort(degrees)[::-1][: max(1, len(degrees) // part)]
    return float(most.sum() / max(1, degrees.sum()))


def structure_of(offsets: Array, targets: Array, starts: Array) -> Structure:
    """Return the structure of a graph whose pages are in the order of their hosts.

    Parameters
    ----------
    offsets : int64, shape (pages + 1,)
    targets : int, shape (links,)
    starts : int64, shape (hosts,)
        The first page of each host, ascending from 0.
    """
    pages = len(offsets) - 1
    degrees: Array = np.diff(offsets.astype(np.int64))
    sources = np.repeat(np.arange(pages, dtype=np.int64), degrees)
    return _packed(sources, targets.astype(np.int64), pages, starts)


def of_capture(arrays: CapturedArrays) -> tuple[Structure, set[str]]:
    """Return the structure of the captured pages, and the keys of these pages.

    A page is an HTML page whose first capture has status 200. The start page of a host is the page
    that was captured first, and of several the one with the shortest address.

    Parameters
    ----------
    arrays : CapturedArrays
    """
    kept = np.flatnonzero(arrays.html)
    length = np.array([len(arrays.addresses[page]) for page in kept.tolist()])
    order = kept[np.lexsort((kept, length, arrays.first[kept], arrays.host[kept]))]
    new = np.full(arrays.pages, -1)
    new[order] = np.arange(len(order))
    sources = new[np.repeat(np.arange(arrays.pages), np.diff(arrays.offsets))]
    targets = new[arrays.targets]
    there = (sources >= 0) & (targets >= 0)
    starts = np.flatnonzero(np.diff(arrays.host[order], prepend=-1))
    keys = {key(str(arrays.addresses[page])) for page in kept.tolist()}
    return _packed(sources[there], targets[there], len(order), starts), keys


def _packed(sources: Array, targets: Array, pages: int, starts: Array) -> Structure:
    other = sources != targets
    pairs = np.unique(sources[other] * pages + targets[other])
    offsets = np.searchsorted(pairs // pages, np.arange(pages + 1))
    return Structure(MeasuredGraph(offsets, pairs % pages), starts.astype(np.int64))
