"""Bandits over sites that [BeeBot] does not have: Thompson sampling, and UCB that forgets."""

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
    """Thompson sampling: external links on a page of a site follow Poisson's law.

    The mean of that law has a Gamma distribution, at first with ``shape`` and ``rate``, after t
    pages with s links with shape + s and rate + t. For each page a mean is drawn for every site,
    and the site with the largest is next (Thompson, 1933).
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
    """D-UCB of Garivier and Moulines (2011), for sites whose yield changes as they are crawled.

    What a page brought counts ``discount`` times less with each later page. With N(i) the
    discounted number of pages, the index is the discounted mean over Xmax, plus
    2 sqrt(``exploration`` ln(sum of N) / N(i)). Sites without a page come first.
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
