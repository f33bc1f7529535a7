"""The ways in which a random run chooses its steps; each run takes the next of them in turn.

No way is best for all specs. A run that prefers states which runs visited seldom covers most; a
run from a state at the edge of what is known gets deep; orders that go wrong are found by runs that
seldom change lanes. Steps that change nothing are judged, but no way chooses them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from counterpoint.spec.notation import Values

from .walker import Change, Walker, lane_of

BURSTS = (0, 1, 1, 2, 3, 40, 40, 40)
"""How many further steps a lane may take in `Bursts` after the first."""

DEMOTIONS = 3
"""How often a run of `Priorities` makes a lane the last."""

DEMOTED_WITHIN = 20
"""The number of first steps in which that happens."""


class SeldomVisited:
    """Takes a step to the state that runs visited least; chance decides between equals.

    Parameters
    ----------
    walker : Walker
        Knows the states.
    chance : random.Random
        Makes all choices of the run.
    """

    def __init__(self, walker: Walker, chance: random.Random) -> None:
        self.walker, self.chance = walker, chance

    def begin(self) -> Values:
        """Return the state in which the run begins: an initial state."""
        return self.chance.choice(self.walker.starts)

    def choose(self, changes: Sequence[Change]) -> Change:
        """Return one of the possible steps that change something; there is at least one."""
        visits = [self.walker.visits.get(after, 0) for _, after in changes]
        least = min(visits)
        return self.chance.choice([c for c, v in zip(changes, visits, strict=True) if v == least])


class FromTheEdge(SeldomVisited):
    """Begins in a state that is one step from where earlier runs were, and that none visited."""

    def begin(self) -> Values:
        """Return a state that no run visited, if one is known; else an initial state."""
        state = self.walker.unvisited(self.chance)
        return super().begin() if state is None else state


class Priorities(SeldomVisited):
    """Lets the lane with the highest random priority go, and demotes a lane a few times.

    Burckhardt et al., A randomized scheduler with probabilistic guarantees of finding bugs, ASPLOS
    2010.
    """

    def __init__(self, walker: Walker, chance: random.Random) -> None:
        super().__init__(walker, chance)
        self.taken, self.lowest = 0, 0.0
        self.priority: dict[int, float] = {}
        self.demotions = {chance.randrange(DEMOTED_WITHIN) for _ in range(DEMOTIONS)}

    def choose(self, changes: Sequence[Change]) -> Change:
        """Return a step of the lane with the highest priority."""
        for step, _ in changes:
            self.priority.setdefault(lane_of(step), self.chance.random())
        first = max((lane_of(step) for step, _ in changes), key=self.priority.__getitem__)
        chosen = super().choose([c for c in changes if lane_of(c[0]) == first])
        if self.taken in self.demotions:
            self.lowest -= 1
            self.priority[first] = self.lowest
        self.taken += 1
        return chosen


class Bursts(SeldomVisited):
    """Seldom changes lanes, avoids some actions of some lanes, and avoids states where it has been.

    Musuvathi and Qadeer, PLDI 2007: few changes suffice. Groce et al., Swarm testing, ISSTA 2012.
    """

    def __init__(self, walker: Walker, chance: random.Random) -> None:
        super().__init__(walker, chance)
        self.avoided: dict[tuple[str, int], bool] = {}
        self.been: set[Values] = set()
        self.lane, self.left = -1, 0

    def choose(self, changes: Sequence[Change]) -> Change:
        """Return a step of the present lane, or of another one if its burst is over."""
        wanted = [c for c in changes if c[1] not in self.been] or changes
        own = [c for c in wanted if lane_of(c[0]) == self.lane] if self.left > 0 else []
        self.left -= 1
        if not own:
            own, self.left = list(wanted), self.chance.choice(BURSTS)
        chosen = self.chance.choice([c for c in own if not self._avoids(c)] or own)
        self.lane = lane_of(chosen[0])
        self.been.add(chosen[1])
        return chosen

    def _avoids(self, change: Change) -> bool:
        pair = change[0].action, lane_of(change[0])
        if pair not in self.avoided:
            self.avoided[pair] = self.chance.random() < 0.5
        return self.avoided[pair]


WAYS = (SeldomVisited, FromTheEdge, Priorities, Bursts)
"""The ways, in the order in which runs use them."""
