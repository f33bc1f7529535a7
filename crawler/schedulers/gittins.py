"""The index policy of Gittins over sites, for links of a page or for pages with links."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from counterpoint.compiling import compiled
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome
from counterpoint.crawler.policy.site_kernels import EMPTY, SCANNED, SUM, WAITING
from counterpoint.spec.crawl import gittins_index

from .parameters import choice, number, whole
from .rules import Chooser, Order

_of_pages, _of_counts = compiled(gittins_index.of_pages), compiled(gittins_index.of_counts)

MOST_HORIZON = 2000
"""The longest horizon: an index then takes about ten seconds."""


@lru_cache(maxsize=2**17)
def index(by_pages: bool, a: float, b: float, discount: float, horizon: int) -> float:
    """Return an index, computed once for each pair of counts; see `gittins_index`."""
    return (_of_pages if by_pages else _of_counts)(a, b, discount, horizon)


class Gittins(Chooser):
    """Always a page of the site with the highest index of Gittins (1979).

    The reward of a page is its number of external links (``rewards=counts``: Poisson, with the
    prior Gamma(``shape``, ``rate``) of a site's mean), or 1 if it has any (``rewards=pages``:
    Bernoulli, with the prior Beta(``shape``, ``rate``)). A later page counts ``discount`` times the
    one before it. Stopping rules that the index compares decide within ``horizon`` pages.
    """

    def prepare(self) -> None:
        """Read the parameters, and compute the index of the prior."""
        self._by_pages = choice(self.setting, "rewards", ("counts", "pages")) == "pages"
        self._discount = number(self.setting, "discount", 0.99, 0.0, 0.9999)
        self._horizon = whole(self.setting, "horizon", 50)
        if self._horizon > MOST_HORIZON:
            raise CrawlError(f"horizon is at most {MOST_HORIZON}, not {self._horizon}")
        self._shape = number(self.setting, "shape", 1.0, 1e-3, 1e6)
        self._rate = number(self.setting, "rate", 1.0, 1e-3, 1e6)
        # Of a prior that knows little, counts vary more, and more of them are looked at.
        most = int(MOST_HORIZON * min(1.0, self._rate) ** 0.5)
        if not self._by_pages and self._horizon > most:
            raise CrawlError(f"horizon is at most {most} with rate={self._rate:g}, "
                             f"not {self._horizon}")  # fmt: skip
        self._scanned, self._fruitful = np.zeros((2, self.sites.count), dtype=np.int64)
        self._index = np.full(self.sites.count, self._index_of(0, 0))

    def _index_of(self, reward: int, pages: int) -> float:
        left = pages - reward if self._by_pages else pages
        return index(self._by_pages, self._shape + reward, self._rate + left, self._discount,
                     self._horizon)  # fmt: skip

    def order(self) -> Order:
        """Yield the next page of the site with the highest index."""
        return self.chosen()

    def draw(self) -> int:
        """Take a page of the site with the highest index; of equal sites, of the first."""
        waiting = self.sites.table[:-1, WAITING] > 0
        if not waiting.any():
            return EMPTY
        return self.sites.take(int(np.where(waiting, self._index, -1.0).argmax()))

    def observe(self, outcome: Outcome) -> None:
        """Count the page, and compute the index of its site anew."""
        super().observe(outcome)
        table = self.sites.table
        k = int((table[:-1, SCANNED] != self._scanned).argmax())
        pages = self._scanned[k] = int(table[k, SCANNED])
        if outcome.status == 200 and outcome.external > 0:
            self._fruitful[k] += 1
        reward = self._fruitful[k] if self._by_pages else table[k, SUM]
        self._index[k] = self._index_of(int(reward), int(pages))
