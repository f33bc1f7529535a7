"""Random schedules that find a fault of small depth with a known probability.

Each thread has a random priority, and the able one with the highest goes on; at a few random steps
the priority of the one that goes on falls below all others (S. Burckhardt, P. Kothari, M.
Musuvathi and S. Nagarakatte, *A randomized scheduler with probabilistic guarantees of finding
bugs*, ASPLOS 2010).
"""

from __future__ import annotations

import random

from counterpoint.memories.controller import Controlled
from counterpoint.memories.points import Point

DEPTH = 3
"""How many constraints on the order of steps a fault may need that is sought."""


class RandomSchedules:
    """A number of random schedules.

    Parameters
    ----------
    number : int
    seed : int
    depth : int

    Attributes
    ----------
    tried : int
        How many schedules have been run.
    """

    def __init__(self, number: int, seed: int, depth: int = DEPTH) -> None:
        self._number, self._depth = number, depth
        self._chance = random.Random(seed)
        self._longest = 1
        self.tried = 0

    def more(self) -> bool:
        """Return whether schedules are left."""
        return self.tried < self._number

    def run(self, controlled: Controlled) -> bool:
        """Run threads along the next schedule; return True, since they run to their ends.

        Raises
        ------
        Deadlock, Endless, Unreached
            From the threads.
        """
        self.tried += 1
        priority: dict[int, float] = {}
        falls = {self._chance.randrange(self._longest): -k for k in range(1, self._depth)}

        def choose(able: list[Point]) -> int:
            step = len(controlled.passed)
            for point in able:
                priority.setdefault(point.thread, self._chance.random())
            best = max(range(len(able)), key=lambda k: priority[able[k].thread])
            if step in falls:
                priority[able[best].thread] = falls.pop(step)
                best = max(range(len(able)), key=lambda k: priority[able[k].thread])
            return best

        try:
            controlled.run(choose)
        finally:
            self._longest = max(self._longest, len(controlled.passed))
        return True
