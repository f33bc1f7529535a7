"""A solver for open orders that learns from cycles."""

from __future__ import annotations

from collections.abc import Iterable

import z3


class Learner:
    """Proposes orders of pairs, and learns which ones cannot stand together.

    Parameters
    ----------
    number : int
        How many pairs there are.
    """

    def __init__(self, number: int) -> None:
        self._solver = z3.SimpleSolver()
        self._ways = [z3.Bool(f"w{k}") for k in range(number)]
        self.rounds = 0

    def next(self) -> list[bool] | None:
        """Return for each pair whether it is in its first order; None if nothing is left."""
        self.rounds += 1
        if self._solver.check() != z3.sat:
            return None
        model = self._solver.model()
        return [not z3.is_false(model.eval(way)) for way in self._ways]

    def forbid(self, ways: Iterable[tuple[int, bool]]) -> None:
        """Learn that some orders of pairs cannot stand together."""
        self._solver.add(z3.Or([z3.Not(self._ways[k]) if way else self._ways[k]
                                for k, way in ways]))  # fmt: skip
