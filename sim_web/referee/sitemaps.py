"""What the sitemaps of a web were worth to a crawler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web.answer import Kind

from .reached import Covered, covered, first_fetches
from .reading import RequestLog, address_hash
from .truth import ERRORS, PlantedSitemaps, WebTruth


@dataclass(frozen=True)
class SitemapWorth:
    """What sitemaps named, and what the crawler made of it.

    A page, or a request, counts as found by a sitemap if it was requested after a sitemap of the
    host that names it had been sent with status 200. Entries are those of the sitemaps at the time
    of the last request.

    Attributes
    ----------
    requests : int
        Requests for sitemaps.
    hosts : Covered
        Hosts whose sitemap was read, of those that have one.
    pages : Covered
        Pages that were fetched, of those that the sitemaps list, however they were found.
    alone : Covered
        Pages that sitemaps list and to which no page links: those found by a sitemap, of all.
    entries : dict of str to int
        Planted errors of the sitemaps: ``dead`` addresses of their own host at which nothing is,
        ``foreign`` ones of another host at which nothing is, and ``duplicate`` addresses of pages.
    wasted : dict of str to int
        Requests that followed such an entry and brought no new page.
    """

    requests: int
    hosts: Covered
    pages: Covered
    alone: Covered
    entries: dict[str, int]
    wasted: dict[str, int]

    @property
    def wasted_requests(self) -> int:
        """How many requests the errors of sitemaps cost."""
        return sum(self.wasted.values())


def worth(log: RequestLog, truth: WebTruth) -> SitemapWorth:
    """Return what sitemaps were worth, from the log of a web and the truth about it."""
    requests = log.requests
    planted = truth.sitemaps(float(requests.started[-1]) if len(requests) else 0.0)
    read = _read(log, truth)
    first = first_fetches(requests)
    began = dict(zip(requests.page[first].tolist(), requests.started[first].tolist(), strict=True))
    fetched = [page in began for page in planted.pages.tolist()]
    found = sum(
        began.get(page, -1.0) >= read.get(truth.web.host(page), np.inf)
        for page in planted.pages[planted.alone].tolist()
    )
    known = set(planted.hosts.tolist())
    return SitemapWorth(
        int(requests.of(Kind.SITEMAP).sum()),
        covered(len(known & read.keys()), len(known)),
        covered(sum(fetched), len(planted.pages)),
        covered(found, int(planted.alone.sum())),
        {kind: len(planted.errors.get(kind, ())) for kind in ERRORS},
        {kind: _wasted(log, planted, kind, read, first) for kind in ERRORS},
    )


def _read(log: RequestLog, truth: WebTruth) -> dict[int, float]:
    """Return when the first sitemap of each host had been sent."""
    requests = log.requests
    sent = requests.of(Kind.SITEMAP) & requests.get & (requests.status == 200)
    found: dict[int, float] = {}
    for k in np.flatnonzero(sent).tolist():
        host = truth.web.named(log.hosts[requests.host[k]])
        if host is not None:
            found[host] = min(found.get(host, np.inf), float(requests.ended[k]))
    return found


def _wasted(
    log: RequestLog, planted: PlantedSitemaps, kind: str, read: dict[int, float],
    first: NDArray[np.int64],
) -> int:  # fmt: skip
    """Return how many requests followed an error of a sitemap that had been read.

    Parameters
    ----------
    log : RequestLog
    planted : PlantedSitemaps
    kind : str
        One of `ERRORS`.
    read : dict of int to float
        When the sitemap of each host had been read.
    first : int64
        The requests that fetched a page for the first time; they are no waste.
    """
    named = {address_hash(url): read[host] for host, url in planted.errors.get(kind, ())
             if host in read}  # fmt: skip
    requests = log.requests
    if not named:
        return 0
    asked = np.isin(requests.address, np.fromiter(named, np.uint64, len(named)))
    asked[first] = False
    return sum(
        float(requests.started[k]) >= named[int(requests.address[k])]
        for k in np.flatnonzero(asked).tolist()
    )
