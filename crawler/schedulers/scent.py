"""S.C.E.N.T. (Sotnik): revisits pages that brought news, in the manner of ant colony algorithms.

Every page has a scent. An iteration visits the ``batch`` pages with the strongest scent; of equal
pages the one given first comes first. A visit halves the page's scent and adds the harvest. When
all pages of the iteration are visited, the scent of every page grows by ``delta``.

With ``time``, an iteration has a budget of time instead of a number of pages, and a visit costs
A x size + B. The next page is then the one with the strongest scent of those that still fit; with
``by=second``, that with the strongest scent for a second of its visit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Setting

from .costs import TimeBudget, VisitCost
from .harvests import HARVESTS, REMEMBERING
from .parameters import choice, number, whole
from .revisit import ANSWERED, Revisit
from .web import FLYING

TOO_LARGE = "no visit fits into the time of an iteration"


class Scent(Revisit):
    """The pages with the strongest scent are next, ``batch`` at a time or for ``time`` seconds.

    Parameters
    ----------
    setting : Setting
    harvest : callable, optional
        Returns the value of a successful visit; by default the parameter ``harvest`` decides. A
        failed visit has the value 0.
    """

    harvests = tuple(HARVESTS)
    """The values of the parameter ``harvest``; the first is the default."""

    def __init__(self, setting: Setting, harvest: Callable[[Outcome], float] | None = None) -> None:
        self._given = harvest
        super().__init__(setting)

    def prepare(self) -> None:
        """Read ``delta``, ``batch``, ``initial``, ``harvest``, ``time``, ``by`` and the costs."""
        count = len(self.pages)
        self._delta = number(self.setting, "delta", 1.0, 0.0, 1e6)
        self._batch = min(count, whole(self.setting, "batch", max(1, count // 20)))
        # This is more than two harvests of a page of 20 kB: each page is visited once before any
        # page is visited twice.
        initial = self._initial = number(self.setting, "initial", 20.0, 0.0, 1e6)
        self._harvest = HARVESTS[choice(self.setting, "harvest", self.harvests)]
        self._remembers = self._harvest in REMEMBERING
        self._cost = VisitCost.of(self.setting)
        self._time = self._budget()
        self._by_second = choice(self.setting, "by", ("scent", "second")) == "second"
        self.scent = np.full(count, initial)
        self._sizes = [0] * count  # of the last answers
        self._copies = [0] * count  # of the last successful ones
        self._last = [0] * count
        self._iteration = 1
        self._answers = 0
        self._left: Iterator[int] = iter(self._strongest())
        self._next = next(self._left, -1)

    def _budget(self) -> TimeBudget | None:
        if self.setting.parameters.get("time") is None:
            for name in ("by", "per_byte", "per_visit"):
                if self.setting.parameters.get(name) is not None:
                    raise CrawlError(f"{name} has no effect without time, which it needs")
            return None
        if self.setting.parameters.get("batch") is not None:
            raise CrawlError("time and batch both limit an iteration; give one of them")
        return TimeBudget(number(self.setting, "time", 1.0, 1e-6, 1e9))

    def grow(self, count: int) -> None:
        """Give new pages the scent that pages have at the beginning."""
        self.scent = np.append(self.scent, np.full(count, self._initial))
        for numbers in (self._sizes, self._copies, self._last):
            numbers += [0] * count
        if self.setting.parameters.get("batch") is None:
            self._batch = max(1, len(self.pages) // 20)

    def begin(self, i: int) -> None:
        """Take the time of the visit to a new page."""
        if self._time is not None:
            self._time.take(self._expected(i))

    def waits(self) -> str:
        """Return why there is no page now: nothing is in flight only if no visit fits."""
        return TOO_LARGE if self._answers == self.issued else FLYING

    def choice(self) -> int:
        """Return the next page of the iteration; -1 while the iteration waits for answers."""
        if self._time is not None:
            self._skip()
            while self._next < 0 and self._answers == self.issued and not self._stuck():
                self._end()
                self._skip()
        return self._next

    def advance(self) -> None:
        """Move on to the next page of the iteration."""
        if self._time is not None:
            self._time.take(self._expected(self._next))
        self._next = next(self._left, -1)

    def _skip(self) -> None:
        """Pass over the pages for whose visits the time does not suffice."""
        if self._time is not None:
            while self._next >= 0 and not self._time.allows(self._expected(self._next)):
                self._next = next(self._left, -1)

    def _stuck(self) -> bool:
        """Return whether no visit fits into the time of a whole iteration."""
        if self._time is None or not self.pages:
            return False
        return not self._time.allows_ever(self._cost.seconds(min(self._sizes)))

    def _expected(self, i: int) -> float:
        """Return the seconds that a visit should take, by the size of the answer before."""
        return self._cost.seconds(self._sizes[i])

    def learn(self, i: int, outcome: Outcome) -> None:
        """Halve the scent of a page and add the harvest; after a batch, add ``delta`` to all."""
        self._answers += 1
        gain = self._gain(i, outcome) if outcome.status in ANSWERED else 0.0
        self.scent[i] = self.scent[i] / 2 + gain
        if self._time is not None:
            self._time.settle(self._expected(i), self._cost.seconds(outcome.size))
            self._sizes[i] = outcome.size
            self._skip()
        if self._next < 0 and self._answers == self.issued:
            self._end()

    def _gain(self, i: int, outcome: Outcome) -> float:
        if self._given is not None:
            return self._given(outcome)
        if not self._remembers:
            return self._harvest(outcome.size, 0, outcome.difference, 1.0)
        before, waited = self._copies[i], max(1, self._iteration - self._last[i])
        self._copies[i], self._last[i] = outcome.size, self._iteration
        return self._harvest(outcome.size, before, outcome.difference, waited)

    def _end(self) -> None:
        """End the iteration: all pages gain, and the strongest are next.

        A debt of time can take many iterations, in which no visit fits; they are ended together.
        """
        runs = 1
        if self._time is not None:
            if not self._stuck():
                runs = self._time.runs_until(self._cost.seconds(min(self._sizes)))
            self._time.begin(runs)
        self.scent += runs * self._delta
        self._iteration += runs
        self._left = iter(self._strongest())
        self._next = next(self._left, -1)

    def _strongest(self) -> list[int]:
        """Return the numbers of the pages with the strongest scent, the strongest first."""
        scent, batch = self.scent, self._batch
        if self._time is not None:
            costs = [self._expected(i) for i in range(len(scent))] if self._by_second else 1.0
            return [int(i) for i in np.argsort(-scent / np.maximum(costs, 1e-12), kind="stable")]
        if not batch:
            return []
        least = np.partition(scent, len(scent) - batch)[len(scent) - batch]
        above = np.flatnonzero(scent > least)
        chosen = np.sort(
            np.concatenate([above, np.flatnonzero(scent == least)[: batch - len(above)]])
        )
        return [int(i) for i in chosen[np.argsort(-scent[chosen], kind="stable")]]


class ScentPrinted(Scent):
    """S.C.E.N.T. with the harvest as printed."""

    harvests = ("size",)
