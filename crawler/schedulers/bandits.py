"""Bandits over sites that are not in [BeeBot]: Thompson sampling and discounted UCB."""

from __future__ import annotations

import numpy as np

from counterpoint.crawler.policy.site_kernels import (
    MEMORY,
    take_of_largest_discounted,
    take_of_largest_draw,
)

from .parameters import number
from .rules import Chooser, Order


class Thompson(Chooser):
    """Thompson sampling (1933), with a Poisson number of external links on each page of a site.

    The prior of a site's Poisson mean is a Gamma distribution with ``shape`` and ``rate``; after t
    pages with s links the posterior has shape + s and rate + t. For each request a mean is drawn
    from every site's posterior, and the site with the largest mean is chosen.
    """

    def prepare(self) -> None:
        """Read ``shape`` and ``rate``."""
        self._shape = number(self.setting, "shape", 1.0, 1e-3, 1e6)
        self._rate = number(self.setting, "rate", 1.0, 1e-3, 1e6)
        self._state = np.array([self.setting.seed % 2**64], dtype=np.uint64)
        table, unused = np.zeros_like(self.sites.table), np.zeros(1, dtype=np.uint64)
        take_of_largest_draw(self.sites.following, table, unused, self._shape, self._rate)

    def order(self) -> Order:
        """Yield the next page of the site with the largest mean drawn."""
        return self.chosen()

    def draw(self) -> int:
        """Take a page of the site with the largest mean drawn."""
        sites = self.sites
        return take_of_largest_draw(
            sites.following, sites.table, self._state, self._shape, self._rate
        )


class DiscountedUcb(Chooser):
    """Discounted UCB (Garivier and Moulines, 2011), for sites whose yield changes during a crawl.

    With each later page, the weight of a page is multiplied by ``discount``. With N(i) the
    discounted number of pages of site i, the index is the discounted mean over Xmax, plus
    2 sqrt(``exploration`` ln(sum of N) / N(i)). Sites of which no page was fetched come first.
    """

    def prepare(self) -> None:
        """Read ``discount`` and ``exploration``."""
        self._discount = number(self.setting, "discount", 0.995, 0.01, 1.0)
        self._exploration = number(self.setting, "exploration", 0.1, 0.0, 1e6)
        self._memory = np.zeros((self.sites.count, MEMORY))
        table, unused = np.zeros_like(self.sites.table), np.zeros_like(self._memory)
        take_of_largest_discounted(self.sites.following, table, unused, self._discount, 0.0)

    def order(self) -> Order:
        """Yield the next page of the site with the largest index."""
        return self.chosen()

    def draw(self) -> int:
        """Take a page of the site with the largest index."""
        sites = self.sites
        return take_of_largest_discounted(
            sites.following, sites.table, self._memory, self._discount, self._exploration
        )
