"""HITS for a growing graph: hubs and authorities of the pages of a crawl (Kleinberg, 1999).

Operation I: the authority weight of a page is the sum of the hub weights of the pages that link to
it. Operation O: its hub weight is the sum of the authority weights of the pages that it links to.
One iteration is I and then O; after each the weights are scaled to a sum of squares of 1. So
weights are never negative, and they are all 0 if no link counts.

**Ties and components.** Started from all ones, the iteration converges to the scaled orthogonal
projection of the vector of ones onto the space of the dominant singular vectors. Of several
components, those with the largest singular value keep weights, and the weights of all others tend
to 0; components with equal singular values get weights in proportion to their projections. Pages of
equal weight are in the order in which they were found.

**A warm start** from the last weights needs fewer iterations. No hub begins with less than `LEAST`
of the mean, so a component whose weights tended to 0 can still become dominant. Between components
that tie, the last weights decide the share of each, not the vector of ones.

**Links within a host** are mostly navigation and hide the links that express an author's judgement
(Bharat and Henzinger, 1998); each counts ``internal``, from 0 (ignored) to 1. With ``divided``, if
k pages of a host link to the same page, each of the k links counts 1/k, so that each host has one
vote. The paper applies 1/k in operation I only; here both operations apply it, so that the weights
remain singular vectors of one matrix. Two pages of unknown host are never taken to share a host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import NONE, Pages
from counterpoint.crawler.policy.tables import FIRST, grown
from counterpoint.graph.csr import Both, Csr, both
from counterpoint.graph.ranking.products import (
    Run,
    gather,
    gather_weighed,
    must_iterate,
    spread,
    spread_weighed,
)

ITERATIONS = 20
"""About so many iterations make the 20 highest weights stable (Kleinberg)."""

TOLERANCE = 1e-4
"""Change of weights that ends a step's iteration; as measured, the 20 pages of highest weight are
then those of the limit."""

LEAST = 1e-3
"""The least weight with which a hub begins an iteration, as a part of the mean."""

Hosts = Callable[[int], int | None]


class GrowingHits:
    """HITS weights of known pages, from the links of fetched pages.

    Arrays grow in the order of the crawl. A *row* stands for a fetched page, a *number* for a known
    page; both count from 0 on, in the order in which the pages came.

    Parameters
    ----------
    internal : float
        The weight of a link within a host, from 0 to 1.
    divided : bool
        Whether k links from one host to one page count 1/k each.
    hosts : callable, optional
        Returns the number of a page's host, or None if it is unknown; by default all are unknown.
    tolerance : float
        The iteration ends when the Euclidean norms of the changes of authorities and of hubs are
        both at most this.
    most : int
        The largest number of iterations.

    Attributes
    ----------
    rows, links : int
        How many pages were fetched, and how many links they have.
    pages : list of int
        The handles of the known pages, by number.
    hubs : float64 array, shape (rows,)
        Hub weights by row; all other pages have the hub weight 0.
    authorities : float64 array, shape (known,)
        Authority weights by number. Both are of the last call of `weigh`.
    """

    def __init__(
        self, *, internal: float = 1.0, divided: bool = False, hosts: Hosts | None = None,
        tolerance: float = TOLERANCE, most: int = ITERATIONS,
    ) -> None:  # fmt: skip
        must_iterate(tolerance, most)
        if not 0 <= internal <= 1:
            raise CrawlError(f"links inside a host count from 0 to 1 times, not {internal}")
        self._tolerance, self._most = tolerance, most
        self._internal, self._hosts = internal, hosts or _nowhere
        self.rows = self.links = 0
        self.pages: list[int] = []
        self._number: dict[int, int] = {}
        self._source = np.empty(FIRST, np.int64)
        self._offsets = np.zeros(FIRST + 1, np.uint64)
        self._targets = np.empty(FIRST, np.uint32)
        self._by_link: Array | None = None
        self._voices = _Voices() if divided else None
        self.hubs, self.authorities = np.zeros(0), np.zeros(0)

    @property
    def sources(self) -> Array:
        """The number of the page of each row, int64[rows]."""
        return self._source[: self.rows]

    @property
    def graph(self) -> Csr:
        """The numbers of the pages that each row links to."""
        return Csr(self._offsets[: self.rows + 1], self._targets[: self.links])

    def by_number(self) -> Both:
        """Return a copy of all links between numbers, in both directions.

        `base_set` and all algorithms of `counterpoint.graph` can be applied to it.
        """
        offsets = np.zeros(len(self.pages) + 1, np.uint64)
        offsets[self.sources + 1] = np.diff(self.graph.offsets)
        rows = np.argsort(self.sources)
        return both(Csr(np.cumsum(offsets, dtype=np.uint64), self.graph.lists(rows).targets))

    def meet(self, pages: Iterable[int]) -> list[int]:
        """Return the numbers of pages; pages not known before get the next numbers."""
        number, found = self._number, []
        for page in pages:
            known = number.get(page)
            if known is None:
                known = number[page] = len(number)
                self.pages.append(page)
            found.append(known)
        return found

    def add(self, page: int, links: Pages, by_link: Array | None = None) -> int:
        """Append a page that was fetched, and return its row.

        Parameters
        ----------
        page : int
        links : int64 array
            The distinct pages it links to.
        by_link : float64 array, optional
            The weight of each of these links, at least 0; links within a host are in addition
            multiplied by ``internal``.
        """
        row, begin, end = self.rows, self.links, self.links + len(links)
        if row == len(self._source):
            self._source = grown(self._source, row + 1)
            self._offsets = grown(self._offsets, len(self._source) + 1)
        if end > len(self._targets):
            self._targets = grown(self._targets, end)
        self._source[row] = self.meet([page])[0]
        self._targets[begin:end] = self.meet(links.tolist())
        self._offsets[row + 1] = end
        self.rows, self.links = row + 1, end
        self._count(page, links.tolist(), begin, by_link)
        return row

    def _count(self, page: int, links: list[int], begin: int, by_link: Array | None) -> None:
        """Store the weights of the last page's links, unless all weights so far are 1.

        Parameters
        ----------
        page : int
        links : list of int
            Handles.
        begin : int
            The position of the first of them among all links.
        by_link : float64 array, optional
            As in `add`.
        """
        if self._voices is not None:
            host = self._hosts(page)
            whose = -1 - page if host is None else host
            self._voices.add(whose, self._targets[begin : self.links], begin)
        if self._internal != 1.0:
            inside = [link == page or self._alike(page, link) for link in links]
            counts = np.where(inside, self._internal, 1.0)
            by_link = counts if by_link is None else counts * by_link
        if by_link is not None and self._by_link is None:
            self._by_link = np.ones(len(self._targets))
        if self._by_link is not None:
            if self.links > len(self._by_link):
                self._by_link = grown(self._by_link, len(self._targets))
            self._by_link[begin : self.links] = 1.0 if by_link is None else by_link

    def _alike(self, page: int, other: int) -> bool:
        host = self._hosts(page)
        return host is not None and host == self._hosts(other)

    def weigh(self, *, from_ones: bool = False) -> Run:
        """Iterate until the change is small enough, and return how the iteration ended.

        Parameters
        ----------
        from_ones : bool
            Begin with all ones instead of the last weights.
        """
        rule = (f"the change of hubs and of authorities is at most {self._tolerance:g} each, or "
                f"{self._most:,} iterations are done")  # fmt: skip
        graph, weights = self.graph, self._weights()
        hubs = np.ones(self.rows)
        if not from_ones:
            hubs /= np.sqrt(max(1, self.rows)) / LEAST
            np.maximum(hubs[: len(self.hubs)], self.hubs, out=hubs[: len(self.hubs)])
        authorities = np.zeros(len(self.pages))
        authorities[: len(self.authorities)] = self.authorities
        sums, of_rows = np.empty(len(self.pages)), np.empty(self.rows)
        residuals: list[float] = []
        while not residuals or (residuals[-1] > self._tolerance and len(residuals) < self._most):
            sums[:] = 0.0
            if weights is None:
                spread(graph, hubs, sums)
                change = _scaled(authorities, sums)
                gather(graph, authorities, of_rows)
            else:
                spread_weighed(graph, weights, hubs, sums)
                change = _scaled(authorities, sums)
                gather_weighed(graph, weights, authorities, of_rows)
            residuals.append(max(float(change), float(_scaled(hubs, of_rows))))
        self.hubs, self.authorities = hubs, authorities
        return Run(rule, tuple(residuals), residuals[-1] <= self._tolerance)

    def _weights(self) -> Array | None:
        """Return the weight of each link; None: all weights are 1."""
        given = None if self._by_link is None else self._by_link[: self.links]
        if self._voices is None:
            return given
        shares = self._voices.shares(self.links)
        return shares if given is None else shares * given


class _Voices:
    """How many links lead from each host to each page."""

    def __init__(self) -> None:
        self._place: dict[tuple[int, int], int] = {}
        self._of_link = np.empty(FIRST, np.int64)
        self._counts = np.zeros(FIRST)

    def add(self, host: int, targets: Array, begin: int) -> None:
        """Count the links of a page.

        Parameters
        ----------
        host : int
            The page's host.
        targets : int64 array
            The numbers of the pages linked to.
        begin : int
            The position of the first of these links among all links.
        """
        place, end = self._place, begin + len(targets)
        found = [place.setdefault((host, target), len(place)) for target in targets.tolist()]
        if end > len(self._of_link):
            self._of_link = grown(self._of_link, end)
        if len(place) > len(self._counts):
            self._counts = grown(self._counts, len(place))
        self._of_link[begin:end] = found
        self._counts[found] += 1.0  # links of a page are distinct, so no place is there twice

    def shares(self, links: int) -> Array:
        """Return 1/k for each of the first ``links`` links."""
        shares: Array = 1.0 / self._counts[self._of_link[:links]]
        return shares


def _nowhere(page: int) -> None:
    """Return that the host is not known."""


@compiled
def _scaled(weights: Array, sums: Array) -> float:
    """Replace the weights by the sums, scaled to a sum of squares of 1 unless all are 0.

    Returns the Euclidean norm of the change.
    """
    squares, change = 0.0, 0.0
    for one in sums:
        squares += one * one
    factor = 1 / np.sqrt(squares) if squares > 0.0 else 0.0
    for i in range(np.uint64(0), np.uint64(len(sums))):
        new = sums[i] * factor
        change += (new - weights[i]) ** 2
        weights[i] = new
    norm: float = np.sqrt(change)
    return norm


def ranked(
    links: Mapping[int, Pages], fetched: Sequence[int], *, internal: float = 1.0,
    divided: bool = False, hosts: Hosts | None = None, tolerance: float = 1e-9,
    most: int = ITERATIONS,
) -> list[int]:  # fmt: skip
    """Rank a whole collection once, after the crawl, as the standard crawler of [HITS] does.

    Parameters
    ----------
    links : mapping of int to int64 array
        The distinct pages that each page links to; a page without an entry has no links.
    fetched : sequence of int
        The pages of the collection, in the order of the crawl.
    internal, divided, hosts, tolerance, most
        As in `GrowingHits`; the iteration begins with all ones.

    Returns
    -------
    list of int
        The fetched pages, those of greatest authority first; of equal ones, those fetched first.
    """
    weights = GrowingHits(
        internal=internal, divided=divided, hosts=hosts, tolerance=tolerance, most=most
    )
    for page in fetched:
        weights.add(page, links.get(page, NONE))
    weights.weigh(from_ones=True)
    order = np.argsort(-weights.authorities[weights.sources], kind="stable")
    return [fetched[row] for row in order]
