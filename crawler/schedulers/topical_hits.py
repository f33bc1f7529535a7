"""Combines TF-IDF and HITS, as [HITS] announced: the text of pages and the links between them.

The worth of a waiting page combines the promise of its best link (`topical`) with its authority
among all known links. In each step the weights are computed again, and the ``expand`` pages of
greatest worth are fetched; of equal pages, those found first. There are two ways to combine both:

- ``mix=sum``: the worth is a weighted sum of both, each divided by its largest value among the
  waiting pages; ``share`` is the weight of HITS. Every link counts the same in HITS.
- ``mix=links``: a link's weight in HITS is its promise, so that irrelevant links pass no weight on.
  The worth is the resulting authority times the promise of the best link (after Bharat and
  Henzinger, 1998, who weight hubs and authorities by their relevance).

The index orders the fetched pages in the same way, with the relevance of each page in place of the
promise of its best link.
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
from .topical import ReadingScheduler
from .weights import GrowingHits

MIXES = ("sum", "links")


class TfIdfHits(ReadingScheduler):
    """Fetches the pages of greatest worth by TF-IDF and HITS, ``expand`` pages in a step.

    Parameters of its setting in addition to those of `ReadingScheduler`: ``mix``, ``share``,
    ``expand``, and ``internal``, the weight in HITS of a link within a host.

    Attributes
    ----------
    hits : GrowingHits
        All known links.
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
        """Take the next page of the step; if there is none, begin another step."""
        if not self._queue:
            self._choose()
        return self._queue.popleft() if self._queue else None

    def learn(self, outcome: Outcome, page: float, anchors: Array) -> None:
        """Add the links of a page, and let new pages wait."""
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
        """Queue the pages of greatest worth."""
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
        """Return the fetched pages, the one of greatest worth first; of equal ones, the older."""
        if not self.fetched:
            return []
        hits = self.hits
        before = hits.hubs, hits.authorities
        hits.weigh()
        worth = self._worth(hits.authorities[hits.meet(self.fetched)], self.reader.relevances())
        hits.hubs, hits.authorities = before  # to read the index must not change later decisions
        return [self.fetched[place] for place in np.argsort(-worth, kind="stable").tolist()]


def _of_largest(values: Array) -> Array:
    """Return the values divided by the largest one, unless all are 0."""
    largest = values.max(initial=0.0)
    return values / largest if largest > 0.0 else values


@functools.cache
def _compile() -> None:
    """Compile the functions of a step in advance, so that no step is slowed down by compilation."""
    for by_link in (None, np.ones(2)):
        small = GrowingHits()
        small.add(0, np.arange(2), by_link)
        small.weigh()
