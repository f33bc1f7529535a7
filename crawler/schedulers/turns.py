"""How frequencies become a sequence of visits."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence


class Turns:
    """Stride scheduling (Waldspurger, 1995): the earliest virtual deadline is next.

    Frequency f means a visit in every 1 / f steps. A page's first deadline is 1 / f after the
    beginning, and each further one 1 / f after the one before. Of equal deadlines the page given
    first is next. Frequencies are scaled so that their sum is 1 visit a step.

    Parameters
    ----------
    count : int
        How many pages there are; at first all have the same frequency.
    """

    def __init__(self, count: int) -> None:
        self._strides = [float(count)] * count
        self._deadlines = [(float(count), i) for i in range(count)]
        self._now = 0.0

    def first(self) -> int:
        """Return the page that is next."""
        return self._deadlines[0][1]

    def advance(self) -> None:
        """Count the page that is next as visited."""
        deadline, page = self._deadlines[0]
        self._now = deadline
        heapq.heapreplace(self._deadlines, (deadline + self._strides[page], page))

    def allocate(self, frequencies: Sequence[float]) -> None:
        """Take other frequencies.

        What is left of the way to a page's deadline is scaled with its stride; a page that was not
        to be visited at all has all of it before it.
        """
        total = math.fsum(frequencies)
        strides = [total / f if f > 0 else math.inf for f in frequencies]
        left = {}
        for deadline, page in self._deadlines:
            old = self._strides[page]
            part = min(1.0, max(0.0, (deadline - self._now) / old)) if old < math.inf else 1.0
            left[page] = part
        self._deadlines = [
            (left[page] * stride if stride < math.inf else math.inf, page)
            for page, stride in enumerate(strides)
        ]
        heapq.heapify(self._deadlines)
        self._strides = strides
        self._now = 0.0
