"""TF-IDF and HITS together, which [HITS] announced: what pages say, and what links to them.

A page that waits is worth what its best link promises (`topical`) and what authority it has among
all links known. In each step links are weighed anew, and the ``expand`` pages that are worth most
are fetched; of equals those found first. There are two ways to put both together:

- ``mix=sum``: worth is a weighted sum of both, each divided by its largest value among the pages
  that wait; ``share`` is that of HITS. Every link counts the same in HITS.
- ``mix=links``: a link counts in HITS as much as it promises, so that what is not relevant passes
  nothing on, and worth is the authority that is left times what the best link promises (after
  Bharat and Henzinger, 1998, who weigh hubs and authorities by their relevance).

The index is ordered in the same way, of the pages that came, with the relevance of each page in
the place of what its links promised.
"""

from __future__ import annotations

import functools
from collections import deque

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.content.reader import PLACES
from counterpoint.crawler.policy.protocol import NONE, Outcome, Setting
from counterpoint.crawler.policy.tables import FIRST, grown

from .parameters import choice, number, whole
from .topical import Reading
from .weights import GrowingHits

MIXES = ("sum", "links")


class TfIdfHits(Reading):
    """What is worth most by TF-IDF and HITS is fetched, ``expand`` pages in a step.

    Parameters of its setting beside those of `Reading`: ``mix``, ``share``, ``expand``, and
    ``internal``, what a link inside a host counts in HITS.

    Attributes
    ----------
    hits : GrowingHits
        All links known.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._by_link = choice(setting, "mix", MIXES) == "links"
        self._share = number(setting, "share", 0.2, 0.0, 1.0)
        self._expand = whole(setting, "expand", 20)
        internal = number(setting, "internal", 1.0, 0.0, 1.0)
        self.hits = GrowingHits(internal=internal, hosts=setting.hosts)
        self._queue = deque(dict.fromkeys(setting.starts))
        self._promises = np.zeros(FIRST)
        self._waits = np.zeros(FIRST, dtype=np.bool_)
        self._known = len(self.hits.meet(self._queue))
        _compile()

    def take(self) -> int | None:
        """Take the next page of a step; if there is none, begin another step."""
        if not self._queue:
            self._choose()
        return self._queue.popleft() if self._queue else None

    def learn(self, outcome: Outcome, page: float, anchors: Array) -> None:
        """Add the links of a page, and let the pages wait that are new."""
        promised, links = self.promised(page, anchors), outcome.links
        self.hits.add(outcome.page, links, promised if self._by_link else None)
        numbers = np.array(self.hits.meet(links.tolist()), dtype=np.int64)
        known, met = self._known, len(self.hits.pages)
        if met > len(self._promises):
            self._promises, self._waits = grown(self._promises, met), grown(self._waits, met)
        self._waits[known:met] = True
        self._known = met
        self._promises[numbers] = np.maximum(self._promises[numbers], promised)

    def failed(self, page: int) -> None:
        """Add a page without links."""
        self.hits.add(page, NONE)

    def _choose(self) -> None:
        """Queue the pages that are worth most."""
        waiting = np.flatnonzero(self._waits[: self._known])
        if not len(waiting):
            return
        self.hits.weigh()
        worth = self._worth(self.hits.authorities[waiting], self._promises[waiting])
        best = waiting[np.argsort(-worth, kind="stable")[: self._expand]]
        self._waits[best] = False
        pages = self.hits.pages
        self._queue.extend(pages[place] for place in best.tolist())

    def _worth(self, authorities: Array, relevances: Array) -> Array:
        of_hits, of_words = _of_largest(authorities), _of_largest(relevances)
        worth = of_hits * of_words
        if not self._by_link:
            worth = self._share * of_hits + (1.0 - self._share) * of_words
        return worth.round(PLACES)

    def index(self) -> list[int]:
        """Return the pages that came, the one that is worth most first; of equals the older."""
        if not self.fetched:
            return []
        hits = self.hits
        before = hits.hubs, hits.authorities
        hits.weigh()
        worth = self._worth(hits.authorities[hits.meet(self.fetched)], self.reader.relevances())
        hits.hubs, hits.authorities = before  # who looks at the index changes no decision
        return [self.fetched[place] for place in np.argsort(-worth, kind="stable").tolist()]


def _of_largest(values: Array) -> Array:
    """Return values divided by the largest one, unless all are 0."""
    largest = values.max(initial=0.0)
    return values / largest if largest > 0.0 else values


@functools.cache
def _compile() -> None:
    """Compile what steps need before there is a step."""
    for by_link in (None, np.ones(2)):
        small = GrowingHits()
        small.add(0, np.arange(2), by_link)
        small.weigh()
