"""The run that violates a temporal property: a stem, and a fair cycle that is repeated for ever."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from .graph import StateGraph

TRIED = 64
"""The most states of a fair part from which a cycle is tried."""

Path = list[tuple[int, int]]
"""Steps: the place of each in the graph, and the state after it."""


@dataclass
class Region:
    """The states in which a violating run can be once it does not leave a region any more.

    Attributes
    ----------
    depth : dict of int to int
        For each state of the region, the length of the shortest way there.
    before : dict of int to (int, int)
        The state before on this way and the place of the step; not for states where it enters.
    """

    depth: dict[int, int] = field(default_factory=dict)
    before: dict[int, tuple[int, int]] = field(default_factory=dict)

    def way(self, state: int) -> tuple[int, Path]:
        """Return the state where the way to a state enters the region, and the steps from there."""
        steps: Path = []
        while state in self.before:
            previous, place = self.before[state]
            steps.append((place, state))
            state = previous
        return state, steps[::-1]


def region(
    graph: StateGraph,
    inside: Callable[[int], bool],
    entry: Callable[[int], bool] | None,
) -> Region:
    """Return the states that a run can reach without leaving a region that it has entered.

    Parameters
    ----------
    graph : StateGraph
    inside : callable
        Whether a state is in the region.
    entry : callable or None
        Whether a run can enter in a state, after any steps; None if it must be in the region from
        its initial state on.
    """
    run, found = graph.run, Region()
    begins: list[int] = [0, *run.levels]
    front: list[int] = []
    for level in range(len(run.levels) + 1):
        # States in which a run enters after as many steps as the others of the front have taken.
        if level < len(run.levels) and (entry is not None or level == 0):
            for state in range(begins[level], begins[level + 1]):
                may = entry is None or entry(state)
                if may and inside(state) and state not in found.depth:
                    found.depth[state] = level
                    front.append(state)
        front = _next(graph, inside, found, front, level)
    level = len(run.levels) + 1
    while front:
        front = _next(graph, inside, found, front, level)
        level += 1
    return found


def _next(
    graph: StateGraph, inside: Callable[[int], bool], found: Region, front: list[int], level: int
) -> list[int]:
    """Return the states that are one step further than those of a front, and add them."""
    new = []
    for state in front:
        for place in graph.steps(state):
            after = graph.targets[place]
            if after not in found.depth and inside(after):
                found.depth[after] = level + 1
                found.before[after] = (state, place)
                new.append(after)
    return new


def shortest(
    graph: StateGraph,
    reached: Region,
    parts: Sequence[list[int]],
    wanted: Callable[[int], bool] | None,
) -> tuple[int, Path] | None:
    """Return the state where a fair cycle begins, and its steps; none of them if it stutters.

    Of the cycles that are tried, the one is taken whose stem and cycle are shortest together.

    Parameters
    ----------
    graph : StateGraph
    reached : Region
    parts : sequence of lists of int
        The results of `fair_parts`.
    wanted : callable or None
        The cycle must have a state for which this is true.
    """
    best: tuple[int, int, Path] | None = None
    for part in parts:
        if wanted is not None and not any(map(wanted, part)):
            continue
        nearest = sorted(part, key=lambda state: (reached.depth[state], state))[:TRIED]
        for begin in nearest:
            if best is not None and reached.depth[begin] >= best[0]:
                break
            path = _cycle(graph, begin, set(part), wanted)
            length = reached.depth[begin] + len(path)
            if best is None or length < best[0]:
                best = (length, begin, path)
    return None if best is None else best[1:]


def _cycle(
    graph: StateGraph, begin: int, part: Collection[int], wanted: Callable[[int], bool] | None
) -> Path:
    """Return steps from a state back to it, within a part, that keep the promises.

    Each turn goes on to the nearest step or state that meets one of the promises that are left.
    """
    weak = graph.weak

    def seen(state: int) -> bool:
        return wanted is not None and wanted(state)

    def met(place: int, after: int) -> int:
        """Return the promises that a step keeps, or that are not due after it."""
        return graph.kept_by[graph.commands[place]] | weak & ~graph.due[after]

    missing = not (wanted is None or wanted(begin))
    if not missing and not graph.due[begin] & (weak | graph.strong):
        return []
    left = (weak | graph.strong & _ever_due(graph, part)) & ~(weak & ~graph.due[begin])
    path: Path = []
    while left or missing:

        def helps(place: int, after: int, left: int = left, missing: bool = missing) -> bool:
            return bool(met(place, after) & left) or (missing and seen(after))

        for place, after in _way(graph, path[-1][1] if path else begin, part, helps):
            path.append((place, after))
            left &= ~met(place, after)
            missing = missing and not seen(after)
    if path[-1][1] != begin:
        path += _way(graph, path[-1][1], part, lambda _, after: after == begin)
    return path


def _ever_due(graph: StateGraph, part: Collection[int]) -> int:
    """Return the promises that are due in some state of a part."""
    found = 0
    for state in part:
        found |= graph.due[state]
    return found


def _way(
    graph: StateGraph, begin: int, part: Collection[int], ends: Callable[[int, int], bool]
) -> Path:
    """Return the shortest way within a part whose last step is one of those asked for."""
    before: dict[int, tuple[int, int]] = {}
    todo = deque([begin])
    while todo:
        state = todo.popleft()
        for place in graph.steps(state):
            after = graph.targets[place]
            if after not in part:
                continue
            if ends(place, after):
                path = [(place, after)]
                while state != begin:
                    previous, step = before[state]
                    path.append((step, state))
                    state = previous
                return path[::-1]
            if after != begin and after not in before:
                before[after] = (state, place)
                todo.append(after)
    raise AssertionError("a fair part is strongly connected and keeps its promises")
