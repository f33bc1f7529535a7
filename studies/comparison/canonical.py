"""A digest of how measures are computed, so that a change of them is told from one of a policy.

The measures of a fixed crawl of a fixed small web are computed. Nothing of that web is generated,
so the digest changes with the code of the measures, and not with that of the synthetic web.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from counterpoint.crawler.evaluation.measures import LEVELS
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.sim_web.generator import Explicit

from .measures import ANSWER, INTERPOLATION, answered, by_site
from .planted import Array, Planted
from .revisits import CopyQuality
from .run import measured_crawl

PAGES, HOST, HOURLY = 120, 20, 3600.0
"""The size of the web, that of a host, and the seconds between two visits."""

_DIGITS = 9


class CanonicalWeb(Planted):
    """A web of 120 pages on six hosts, whose links, topics and changes follow from arithmetic."""

    def __init__(self) -> None:
        pages = np.arange(PAGES)
        links = [sorted({(7 * p + 3) % PAGES, (p * p + 1) % PAGES, p // 2, (p + 1) % PAGES})
                 for p in range(PAGES)]  # fmt: skip
        offsets = np.concatenate(([0], np.cumsum([len(some) for some in links])))
        self.links = Explicit(offsets, np.concatenate(links))
        self._first = np.arange(0, PAGES + 1, HOST)
        self.host = pages // HOST
        self.external = np.array([sum(link // HOST != p // HOST for link in some)
                                  for p, some in enumerate(links)])  # fmt: skip
        self.sites = (0, 2, 5)
        self.relevant = pages % 3 == 1
        themes = SimpleNamespace(count=2, sections=0)
        profile = SimpleNamespace(themes=themes, sites=())
        self.web: Any = SimpleNamespace(pages=PAGES, hosts=PAGES // HOST, profile=profile)
        self.texts: Any = _Texts()
        self.lives = np.zeros(PAGES), np.full(PAGES, np.inf)
        self._parts, self._reachable, self._sizes = {}, {}, {}


class _Texts:
    """Texts that change at regular intervals, as `TextSizes` describes them."""

    def versions(self, pages: Array, times: Array) -> Array:
        """Return how often pages have changed until some times."""
        found: Array = (times // self._interval(pages)).astype(np.int64)
        return found

    def times(self, pages: Array, versions: Array) -> Array:
        """Return when versions of pages began."""
        found: Array = versions * self._interval(pages)
        return found

    def compared(self, pages: Array, old: Array, new: Array) -> tuple[Array, Array]:
        """Return the sizes of versions, and the bytes that one of the two versions has alone."""
        size = 500 + 11 * (pages % 17) + new % 5
        return size, np.where(old == new, 0, 2 * (size // 3))

    @staticmethod
    def _interval(pages: Array) -> Array:
        found: Array = HOURLY * (5.5 + pages % 23)
        return found


@cache
def digest_of_policy_measures() -> str:
    """Return a digest of all measures of the canonical crawl: 16 hexadecimal digits."""
    web = CanonicalWeb()
    digest = hashlib.blake2b(repr((ANSWER, LEVELS, str(INTERPOLATION))).encode(), digest_size=8)
    grid = np.array([1, 3, 10, 40, 90])
    order = (np.arange(90) * 37 + 5) % PAGES
    came = np.arange(90) % 7 != 3
    for scope in (Scope.SITE, Scope.WEB, Scope.KNOWN):
        copies = partial(CopyQuality, web, np.arange(PAGES), HOURLY, grid)
        final, curves = measured_crawl(web, scope, order, came, grid, copies)
        digest.update(_text(final) + _text(curves))
    values, points = answered(web, Scope.WEB, order[came][::-1].tolist())
    digest.update(_text(values) + _text({"points": points, "sites": by_site(web, order)}))
    return digest.hexdigest()


def digest_of_results(values: Mapping[str, Any]) -> str:
    """Return a digest of measures by name: 16 hexadecimal digits, the same on all machines."""
    return hashlib.blake2b(_text(values), digest_size=8).hexdigest()


def _text(values: Mapping[str, Any]) -> bytes:
    """Return numbers as text, with as many digits as are the same on all machines."""
    rows = {name: [float(f"{value:.{_DIGITS}g}") for value in np.atleast_1d(row)]
            for name, row in values.items()}  # fmt: skip
    return repr(sorted(rows.items())).encode()
