"""The focused crawler of Blekanov and Bondarenko [HITS]: expands hubs and collects authorities.

A page is *found* when it has been fetched, since only then its links are known. It is *expanded*
when the pages that it links to are fetched. When all requests of a step are answered, the next step
begins:

    weigh     run HITS on all links known so far, starting from the last weights
    take      put the c fetched pages of greatest authority weight that are not yet in the index
              into the index; a page to which no link leads is no authority
    expand    expand the c pages of greatest hub weight that are not yet expanded

Of equal pages the one discovered first comes first. To expand a page whose links were all requested
before has no effect; if that is true of all pages of a step, the next step has no new links and so
the same weights. The crawl ends when all found pages are expanded, or by a rule: after a number of
steps (the last one expands nothing), or when the best pages of the index stay the same.
"""

from __future__ import annotations

import functools
from collections import deque

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.policy.protocol import Outcome, Request, Setting
from counterpoint.crawler.policy.tables import FIRST, grown
from counterpoint.graph.ranking.topk import top

from .parameters import number, switch, whole
from .web import FETCHED, FLYING, SPENT
from .weights import ITERATIONS, TOLERANCE, GrowingHits

C = 10
"""How many hubs and how many authorities a step chooses; 5 to 10 in [HITS]."""

BEST = 20
"""How many of the best pages of the index must stay the same."""


class FocusedHits:
    """In each step expands the c best hubs and puts the c best authorities into the index.

    Parameters of its setting: ``c``; ``steps``: the crawl ends after so many steps; ``same``: it
    ends when the ``best`` best pages of the index were the same in so many consecutive steps;
    ``iterations``: at most so many iterations of HITS in a step; ``residual``: the iteration ends
    at this change of weights; ``anew``: the weights of each step begin with all ones instead of the
    last weights; ``internal`` and ``divided``: see `GrowingHits`.

    Attributes
    ----------
    expanded : list of int
        The pages that were expanded, in that order.
    hits : GrowingHits
        The links known and their weights.
    steps : int
        How many steps have begun.
    """

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self.expanded: list[int] = []
        self.steps = 0
        self.hits = GrowingHits(
            internal=number(setting, "internal", 1.0, 0.0, 1.0),
            divided=switch(setting, "divided"),
            hosts=setting.hosts,
            tolerance=number(setting, "residual", TOLERANCE, 0.0, 0.5),
            most=whole(setting, "iterations", ITERATIONS),
        )
        self._anew = switch(setting, "anew")
        self._c = whole(setting, "c", C)
        self._most_steps = whole(setting, "steps", 0)
        self._most_same = whole(setting, "same", 0)
        self._best = whole(setting, "best", BEST)
        self._budget = setting.budget
        self._issued = self._observed = 0
        self._weighed = -1
        self._queue = deque(dict.fromkeys(setting.starts))
        self._asked = set(self._queue)
        self._row = np.zeros(FIRST, np.int64)
        self._waits = np.zeros(FIRST, np.bool_)
        self._is_out = np.zeros(FIRST, np.bool_)
        self._index: list[int] = []
        self._last: set[int] = set()
        self._same = 0
        self._over = ""
        self.hits.meet(self._queue)
        _compile()

    def next(self) -> Request | None:
        """Return a page that one of the best hubs links to."""
        if self._issued >= self._budget:
            self.why = SPENT
        elif self._queue:
            self._issued += 1
            return Request(self._queue.popleft())
        else:
            self.why = FLYING if self._issued > self._observed else self._over or FETCHED
        return None

    def observe(self, outcome: Outcome) -> None:
        """Add the links of a fetched page; after the last answer of a step, begin the next one."""
        self._observed += 1
        if outcome.status == 200:
            row = self.hits.add(outcome.page, outcome.links)
            known = len(self.hits.pages)
            if known > len(self._row):
                self._row, self._waits, self._is_out = (
                    grown(table, known) for table in (self._row, self._waits, self._is_out)
                )
            page = self.hits.sources[row]
            self._row[page] = row
            self._waits[page] = self._is_out[page] = True
        if self._observed == self._issued:
            self._go_on()

    def index(self) -> list[int]:
        """Return the pages in the index, those of the greatest authority first.

        Only pages that were fetched are there. Weights are those of the last step.
        """
        return [self.hits.pages[one] for one in self._ranked()]

    def _go_on(self) -> None:
        """Make steps until there is a page to request, or the crawl ends."""
        while not self._queue or self._issued >= self._budget:
            if self.steps and not self._waits.any():
                self._over = FETCHED
                return
            self.steps += 1
            self._weigh()
            self._take()
            self._over = self._end()
            if self._over or self._issued >= self._budget:
                return
            self._expand()

    def _weigh(self) -> None:
        if self.hits.rows > self._weighed:
            self.hits.weigh(from_ones=self._anew)
            self._weighed = self.hits.rows

    def _take(self) -> None:
        """Put the best authorities that are not yet in the index into it."""
        weights = self.hits.authorities
        best = _greatest(weights, self._is_out[: len(weights)] & (weights > 0), self._c)
        self._index += best
        self._is_out[best] = False

    def _expand(self) -> None:
        """Queue the pages that the best hubs link to and that were not requested before."""
        hits = self.hits
        weights = np.zeros(len(hits.pages))
        weights[hits.sources] = hits.hubs
        best = _greatest(weights, self._waits[: len(weights)], self._c)
        self._waits[best] = False
        offsets, targets = hits.graph
        for hub in best:
            self.expanded.append(hits.pages[hub])
            row = self._row[hub]
            for one in targets[offsets[row] : offsets[row + 1]].tolist():
                page = hits.pages[one]
                if page not in self._asked:
                    self._asked.add(page)
                    self._queue.append(page)

    def _end(self) -> str:
        """Return why this step is the last one; "": it is not."""
        if self._most_same:
            best = set(self._ranked()[: self._best])
            self._same = self._same + 1 if best and best == self._last else 0
            self._last = best
            if self._same == self._most_same:
                return f"the best pages of the index were the same for {self._same} steps"
        return "" if self.steps != self._most_steps else f"{self.steps} steps are done"

    def _ranked(self) -> list[int]:
        """Return the numbers of the pages in the index, those of the greatest authority first."""
        pages = np.sort(np.array(self._index, np.int64))
        order = np.argsort(-self.hits.authorities[pages], kind="stable")
        return [int(page) for page in pages[order]]


def _greatest(weights: Array, among: Array, count: int) -> list[int]:
    """Return the marked pages of greatest weight, greatest first.

    Of equal pages the lower number is first: the page discovered first.

    Parameters
    ----------
    weights : float64 array, shape (known,)
    among : bool array, shape (known,)
        Marks the pages that can be chosen.
    count : int
        The largest number of pages to return.
    """
    pages = np.flatnonzero(among)
    return [int(page) for page in pages[top(weights[pages], count)]]


@functools.cache
def _compile() -> None:
    """Compile the functions of a step in advance, so that no step is slowed down by compilation."""
    for internal in (1.0, 0.5):
        small = GrowingHits(internal=internal)
        small.add(0, np.arange(2))
        small.weigh()
