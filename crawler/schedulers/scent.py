"""S.C.E.N.T. (Sotnik): revisits pages that brought news, in the manner of ant colony algorithms.

Every page has a scent. An iteration visits the ``batch`` pages with the strongest scent; of equal
pages the one given first comes first. A visit halves the page's scent and adds the harvest. When
all pages of the iteration are visited, the scent of every page grows by ``delta``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from counterpoint.crawler.policy.protocol import Outcome, Setting

from .parameters import number, whole
from .revisit import ANSWERED, Revisit


def news(outcome: Outcome) -> float:
    """Return the harvest of the corrected policy: it grows with the bytes that have changed."""
    return math.log(outcome.difference + 1)


def text(outcome: Outcome) -> float:
    """Return the harvest as printed: it grows with the page's size, even if nothing has changed."""
    return math.log(outcome.size + 1)


class Scent(Revisit):
    """The pages with the strongest scent are next, ``batch`` at a time.

    Parameters
    ----------
    setting : Setting
    harvest : callable
        Returns the value of a successful visit. A failed visit has the value 0.
    """

    def __init__(self, setting: Setting, harvest: Callable[[Outcome], float] = news) -> None:
        self._harvest = harvest
        super().__init__(setting)

    def prepare(self) -> None:
        """Read ``delta``, ``batch`` and ``initial``."""
        count = len(self.pages)
        self._delta = number(self.setting, "delta", 1.0, 0.0, 1e6)
        self._batch = min(count, whole(self.setting, "batch", max(1, count // 20)))
        # This is more than two harvests of a page of 20 kB: each page is visited once before any
        # page is visited twice.
        initial = number(self.setting, "initial", 20.0, 0.0, 1e6)
        self.scent = np.full(count, initial)
        self._answers = 0
        self._left: Iterator[int] = iter(self._strongest())
        self._next = next(self._left, -1)

    def choice(self) -> int:
        """Return the next page of the iteration; -1 while the iteration waits for answers."""
        return self._next

    def advance(self) -> None:
        """Move on to the next page of the iteration."""
        self._next = next(self._left, -1)

    def learn(self, i: int, outcome: Outcome) -> None:
        """Halve the scent of a page and add the harvest; after a batch, add ``delta`` to all."""
        self._answers += 1
        gain = self._harvest(outcome) if outcome.status in ANSWERED else 0.0
        self.scent[i] = self.scent[i] / 2 + gain
        if self._next < 0 and self._answers == self.issued:
            self.scent += self._delta
            self._left = iter(self._strongest())
            self.advance()

    def _strongest(self) -> list[int]:
        """Return the numbers of the pages with the strongest scent, the strongest first."""
        scent, batch = self.scent, self._batch
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

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, text)
