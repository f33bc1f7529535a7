"""The focused crawler of Blekanov and Bondarenko: good hubs are expanded, good authorities kept.

A page is *found* when it has been fetched, since only then its links are known; it is *expanded*
when the pages it links to are fetched. When all of them are, a step is over, and the next begins:

    weigh     HITS on all links known, those of old and of new pages, from the last weights on
    take      the c pages of the greatest authority weight, of those that were fetched and are not
              in the index, go there; a page that no link leads to is no authority
    expand    the c pages of the greatest hub weight, of those not yet expanded, are

Of equal pages the one discovered first comes first. A page whose links were all asked for already
is expanded for nothing; if all pages of a step are, the next step has no new links and so the same
weights. The crawl ends when all pages that were found are expanded, or by a rule: a number of
steps, the last of which expands nothing, or an index whose best pages stay the same.
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
"""How many pages of the index are watched."""


class FocusedHits:
    """The best hubs are expanded and the best authorities go to the index, c of each in a step.

    Parameters of its setting: ``c``; ``steps``, after how many it ends; ``same``, after how many
    steps in which the best pages of the index, ``best`` of them, were the same ones; ``iterations``
    of HITS in a step, at most, and ``residual``, at which they end; ``internal`` and ``divided``:
    see `GrowingHits`.

    Attributes
    ----------
    expanded : list of int
        The pages that were expanded, in that order.
    hits : GrowingHits
        What the crawl knows.
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
        """Keep the links of a page that was fetched; begin a step if it was the last one of one."""
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
        """Make steps until there is something to ask for, or an end."""
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
            self.hits.weigh()
            self._weighed = self.hits.rows

    def _take(self) -> None:
        """Put the best authorities that are not in the index there."""
        weights = self.hits.authorities
        best = _greatest(weights, self._is_out[: len(weights)] & (weights > 0), self._c)
        self._index += best
        self._is_out[best] = False

    def _expand(self) -> None:
        """Queue what the best hubs link to and was not asked for."""
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
    """Return the pages of the greatest weights among some, greatest first.

    Of equal ones the lower number is first: the page discovered first.

    Parameters
    ----------
    weights : float64[known]
    among : bool[known]
    count : int
        Pages at most.
    """
    pages = np.flatnonzero(among)
    return [int(page) for page in pages[top(weights[pages], count)]]


@functools.cache
def _compile() -> None:
    """Compile what steps need before there is a step."""
    for internal in (1.0, 0.5):
        small = GrowingHits(internal=internal)
        small.add(0, np.arange(2))
        small.weigh()
