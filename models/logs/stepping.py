"""Steps in plain Python, each run once for all states in which it reads the same values.

What a step does follows from the cells that it reads. So its outcome is kept by their values, in
the order in which it reads them: which cell comes next follows from those before. In a state with
the same values in these cells the outcome is looked up, whatever the other cells have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from counterpoint.spec.notation import Disabled, Model, RangeError, Step, Values

MOST_READ = 24
"""The most cells that a step may read for its outcome to be kept."""
MOST_KEPT = 200_000
"""The most parts of outcomes that are kept, of all steps together, some 45 MB; beyond, all are
forgotten."""

Outcome = tuple[tuple[int, int], ...] | None
"""The cells that a step changes, with their new values; None if the step is not possible."""


class _Watched(list[Any]):
    """The values of a state, which notes what is read before it is written, and what is written."""

    def __init__(self, values: Values) -> None:
        super().__init__(values)
        self.read: dict[int, int] = {}
        self.written: dict[int, int] = {}

    def __getitem__(self, place: Any) -> Any:
        value = super().__getitem__(place)
        if place not in self.written:
            self.read[place] = value
        return value

    def __setitem__(self, place: Any, value: Any) -> None:
        super().__setitem__(place, value)
        self.written[place] = value


@dataclass(slots=True)
class _Node:
    """The cell that a step reads next, and by its value what comes then."""

    place: int
    by_value: dict[int, _Node | tuple[Outcome]] = field(default_factory=dict)


class Steps:
    """Takes steps of a model.

    Parameters
    ----------
    model : Model
    most : int
        The most parts of outcomes that are kept.

    Attributes
    ----------
    run : int
        How many steps were run, and not looked up.
    kept : int
        How many parts of outcomes are kept now: cells that are read, and what is known then.
    """

    def __init__(self, model: Model, most: int = MOST_KEPT) -> None:
        self._model, self._most = model, most
        self._kept: dict[int, _Node | tuple[Outcome]] = {}  # by the identity of a step: no hashes
        self._steps: list[Step] = []  # those that are kept, so no other gets their identity
        self.run = self.kept = 0

    def after(self, values: Values, step: Step) -> Values | None:
        """Return the state after a step; None if it is not possible or leaves a range.

        Raises
        ------
        SpecError
            If the code of the step raises another error.
        """
        found = self._kept.get(id(step))
        while isinstance(found, _Node):
            found = found.by_value.get(values[found.place])
        outcome = self._taken(values, step) if found is None else found[0]
        if outcome is None:
            return None
        new = list(values)
        for place, value in outcome:
            new[place] = value
        return tuple(new)

    def _taken(self, values: Values, step: Step) -> Outcome:
        """Run a step, and keep its outcome."""
        self.run += 1
        model, watched = self._model, _Watched(values)
        state = model.at(values)
        state._store.values = watched
        outcome: Outcome = None
        try:
            model.call(step.action, state, *step.binding)
            if all(model.call(method, state) for method in model.constraints):
                outcome = tuple(watched.written.items())
        except (Disabled, RangeError):
            pass
        if len(watched.read) <= MOST_READ:
            self._keep(step, list(watched.read.items()), outcome)
        return outcome

    def _keep(self, step: Step, read: list[tuple[int, int]], outcome: Outcome) -> None:
        if self.kept + len(read) + 1 > self._most:
            self._kept, self._steps, self.kept = {}, [], 0
        leaf = (outcome,)
        if id(step) not in self._kept:
            self._steps.append(step)
            self._kept[id(step)] = _Node(read[0][0]) if read else leaf
            self.kept += 1
        node = self._kept[id(step)]
        for (_, value), (place, _) in pairwise(read):
            if isinstance(node, _Node):
                if value not in node.by_value:
                    node.by_value[value] = _Node(place)
                    self.kept += 1
                node = node.by_value[value]
        if isinstance(node, _Node) and node.place == read[-1][0]:
            self.kept += read[-1][1] not in node.by_value
            node.by_value[read[-1][1]] = leaf
