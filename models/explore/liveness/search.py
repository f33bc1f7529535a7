"""The answer to a question about a temporal property, in Python."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from .graph import StateGraph, fair_parts
from .question import Path, Question


class RegionSearch:
    """The states that a run can reach without leaving a region, and the fair parts of these.

    Parameters
    ----------
    graph : StateGraph
    truth : bytes
        For each state, the truth values of the conditions as a number: first + 2 * second.
    question : Question
    """

    def __init__(self, graph: StateGraph, truth: bytes, question: Question) -> None:
        self._graph, self._truth, self._question = graph, truth, question
        self._depth: dict[int, int] = {}
        self._before: dict[int, tuple[int, int]] = {}
        self._widen()
        self._parts = [
            part for part in fair_parts(graph, self._depth) if any(map(self.is_wanted, part))
        ]
        self._part = {state: k for k, part in enumerate(self._parts) for state in part}

    def _widen(self) -> None:
        """Visit the region breadth first; runs enter it after as many steps as they need."""
        levels = self._graph.run.levels
        begins = [0, *levels]
        front: list[int] = []
        for level in range(len(levels)):
            if self._question.entry or level == 0:
                front += self._entered(range(begins[level], begins[level + 1]), level)
            front = self._next(front, level)
        level = len(levels)
        while front:
            front = self._next(front, level)
            level += 1

    def _entered(self, states: range, level: int) -> list[int]:
        """Return the new states of a level in which a run can enter, and add them."""
        inside, entry = self._question.inside, self._question.entry
        found = []
        for state in states:
            truth = self._truth[state]
            enters = inside >> truth & 1 and (not entry or entry >> truth & 1)
            if enters and state not in self._depth:
                self._depth[state] = level
                found.append(state)
        return found

    def _next(self, front: list[int], level: int) -> list[int]:
        """Return the states that are one step further than those of a front, and add them."""
        graph, new = self._graph, []
        for state in front:
            for place in graph.steps(state):
                after = graph.targets[place]
                if after not in self._depth and self._question.inside >> self._truth[after] & 1:
                    self._depth[after] = level + 1
                    self._before[after] = (state, graph.commands[place])
                    new.append(after)
        return new

    def nearest_wanted(self) -> int | None:
        """Return the nearest state of the region that is wanted, the least of several."""
        wanted = filter(self.is_wanted, self._depth)
        return min(wanted, key=lambda state: (self._depth[state], state), default=None)

    def candidates(self) -> Iterator[int]:
        """Yield the states of the fair parts that have a wanted state, the nearest first."""
        return (state for state in self._depth if state in self._part)

    def part(self, state: int) -> int:
        """Return the number of a state's fair part."""
        return self._part[state]

    def depth(self, state: int) -> int:
        """Return the length of the shortest run to a state of the region."""
        return self._depth[state]

    def way(self, state: int) -> tuple[int, Path]:
        """Return the state where the way to a state enters the region, and the steps from there."""
        steps: Path = []
        while state in self._before:
            previous, command = self._before[state]
            steps.append((command, state))
            state = previous
        return state, steps[::-1]

    def is_wanted(self, state: int) -> bool:
        """Return whether a state is wanted."""
        return bool(self._question.wanted >> self._truth[state] & 1)

    def due(self, state: int) -> int:
        """Return the mask of the promises that are due in a state."""
        return self._graph.due[state]

    def due_in_part(self, part: int) -> int:
        """Return the mask of the promises that are due in some state of a part."""
        found = 0
        for state in self._parts[part]:
            found |= self._graph.due[state]
        return found

    def way_within(
        self, begin: int, left: int, missing: bool, goal: int | None = None
    ) -> tuple[Path, int]:
        """Return a shortest way within a part, and how many states were visited to find it."""
        graph, part = self._graph, self._part[begin]
        before: dict[int, tuple[int, int]] = {}
        todo, seen, visited = deque([begin]), {begin}, 0
        while todo:
            state = todo.popleft()
            visited += 1
            for place in graph.steps(state):
                after, command = graph.targets[place], graph.commands[place]
                if self._part.get(after) != part:
                    continue
                if after == goal or (goal is None and self._helps(command, after, left, missing)):
                    path = [(command, after)]
                    while state != begin:
                        previous, via = before[state]
                        path.append((via, state))
                        state = previous
                    return path[::-1], visited
                if after not in seen:
                    seen.add(after)
                    before[after] = (state, command)
                    todo.append(after)
        raise AssertionError("a fair part is strongly connected and keeps its promises")

    def _helps(self, command: int, after: int, left: int, missing: bool) -> bool:
        promises = self._graph.promises
        met = promises.kept_by[command] | promises.weak & ~self._graph.due[after]
        return bool(met & left) or (missing and self.is_wanted(after))
