"""Bandits over sites that [BeeBot] does not have: Thompson sampling, and UCB that forgets."""

from __future__ import annotations

import numpy as np

from crawler.kernels import EMPTY, SCANNED, SUM, WAITING, Array, compiled

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
        of_largest_draw(self.sites.table, np.zeros(1, dtype=np.uint64), self._shape, self._rate)

    def order(self) -> Order:
        """Yield the next page of the site with the largest mean drawn."""
        return self.chosen()

    def choice(self) -> int:
        """Return the site with the largest mean drawn."""
        return of_largest_draw(self.sites.table, self._state, self._shape, self._rate)


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
        of_largest_discounted(self.sites.table, self._memory, self._discount, self._exploration)

    def order(self) -> Order:
        """Yield the next page of the site with the largest index."""
        return self.chosen()

    def choice(self) -> int:
        """Return the site with the largest index."""
        return of_largest_discounted(
            self.sites.table, self._memory, self._discount, self._exploration
        )


PAGES, LINKS, PAGES_BEFORE, LINKS_BEFORE, MOST = range(5)
MEMORY = 5
"""Columns of what `DiscountedUcb` remembers of a site."""


@compiled
def of_largest_discounted(table: Array, memory: Array, discount: float, exploration: float) -> int:
    """Forget a little, add what came since the last call, and return the site of largest index.

    Parameters
    ----------
    table : int64 array
    memory : float64 array of shape (K, MEMORY)
    discount, exploration : float
    """
    sites = table.shape[0] - 1
    news = 0.0
    for k in range(sites):
        news += table[k, SCANNED] - memory[k, PAGES_BEFORE]
    fading = discount**news
    total, most = 0.0, 0.0
    for k in range(sites):
        pages = table[k, SCANNED] - memory[k, PAGES_BEFORE]
        links = table[k, SUM] - memory[k, LINKS_BEFORE]
        memory[k, PAGES] = memory[k, PAGES] * fading + pages
        memory[k, LINKS] = memory[k, LINKS] * fading + links
        memory[k, PAGES_BEFORE] = table[k, SCANNED]
        memory[k, LINKS_BEFORE] = table[k, SUM]
        if pages:
            memory[k, MOST] = max(memory[k, MOST], links / pages)
        total += memory[k, PAGES]
        most = max(most, memory[k, MOST])
    return of_largest_faded(table, memory, max(most, 1.0), exploration * np.log(max(total, 1.0)))


@compiled
def of_largest_faded(table: Array, memory: Array, most: float, width: float) -> int:
    """Return the site with pages waiting whose discounted index is largest."""
    best, top = EMPTY, -1.0
    for k in range(table.shape[0] - 1):
        if table[k, WAITING]:
            pages = memory[k, PAGES]
            index = np.inf
            if pages > 0.0:
                index = memory[k, LINKS] / (pages * most) + 2.0 * np.sqrt(width / pages)
            if index > top:
                best, top = k, index
    return best


@compiled
def of_largest_draw(table: Array, state: Array, shape: float, rate: float) -> int:
    """Return the site with pages waiting whose mean, drawn at random, is largest.

    Parameters
    ----------
    table : int64 array
    state : uint64 array of shape (1,)
        Of the random generator.
    shape, rate : float
        Of the Gamma distribution before any page is known.
    """
    best, top = EMPTY, -1.0
    for k in range(table.shape[0] - 1):
        if table[k, WAITING]:
            mean = gamma(state, shape + table[k, SUM]) / (rate + table[k, SCANNED])
            if mean > top:
                best, top = k, mean
    return best


@compiled
def gamma(state: Array, shape: float) -> float:
    """Draw from the Gamma distribution of rate 1 (Marsaglia and Tsang, 2000)."""
    if shape < 1.0:
        return float(gamma_above(state, shape + 1.0) * uniform(state) ** (1.0 / shape))
    return gamma_above(state, shape)


@compiled
def gamma_above(state: Array, shape: float) -> float:
    """Draw from the Gamma distribution of rate 1 and a shape of at least 1."""
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        x = np.sqrt(-2.0 * np.log(uniform(state))) * np.cos(2.0 * np.pi * uniform(state))
        v = (1.0 + c * x) ** 3
        if v > 0.0 and np.log(uniform(state)) < 0.5 * x * x + d - d * v + d * np.log(v):
            return float(d * v)


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@compiled
def uniform(state: Array) -> float:
    """Draw a number above 0 and at most 1 (SplitMix64)."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _S30)) * _FIRST
    z = (z ^ (z >> _S27)) * _SECOND
    z = z ^ (z >> _S31)
    return float((float(z >> _S11) + 1.0) / 9007199254740992.0)
