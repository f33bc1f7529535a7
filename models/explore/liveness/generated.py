"""Answers to questions about temporal properties in generated Python, which starts at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoint.models.explore.python.exploration import Exploration
from counterpoint.models.explore.python.generate import BytePacking, compile_function, judge_source
from counterpoint.models.limits import Limits
from counterpoint.spec.notation import Property

from .graph import state_graph
from .question import Question
from .search import RegionSearch


class GeneratedGraph:
    """All reachable states with the steps between them, in Python.

    Parameters
    ----------
    run : Exploration
        A complete exploration in Python.
    limits : Limits

    Raises
    ------
    LimitReached
        If time or memory end before.
    """

    def __init__(self, run: Exploration, limits: Limits) -> None:
        self.run, self._limits = run, limits
        self._graph = state_graph(run, limits)
        self.promises = self._graph.promises
        self._truths: dict[str, Sequence[int]] = {}

    @property
    def size(self) -> int:
        """The number of steps that change the state."""
        return len(self._graph.targets)

    @property
    def changing(self) -> set[int]:
        """The commands of which some step changes the state."""
        return set(self._graph.commands)

    def truths(self, claim: Property, places: int) -> Sequence[int]:
        """Return for each state which conditions of a property are true, as a mask."""
        return self._truth(claim)

    def following(self, state: int) -> Iterator[tuple[int, int]]:
        """Yield the command and the next state of each step that changes a state."""
        graph = self._graph
        return ((graph.commands[place], graph.targets[place]) for place in graph.steps(state))

    def due(self, state: int) -> int:
        """Return the mask of the promises that are due in a state."""
        return self._graph.due[state]

    def conditions(self, claim: Property, state: int) -> tuple[bool, ...]:
        """Return the conditions of a temporal property in a state."""
        truth = self._truth(claim)[state]
        number = len(self.run.system.formulas(claim.method))
        return tuple(bool(truth >> k & 1) for k in range(number))

    def ever(self, claim: Property) -> bool:
        """Return whether the first condition of a property is true in some state."""
        return any(truth & 1 for truth in self._truth(claim))

    def ask(self, claim: Property, question: Question) -> RegionSearch:
        """Return the answer to a question about a property."""
        return RegionSearch(self._graph, bytes(self._truth(claim)), question)

    def _truth(self, claim: Property) -> Sequence[int]:
        """Return for each state the truth values of the conditions: first + 2 * second + ..."""
        if claim.name not in self._truths:
            layout = self.run.layout
            assert isinstance(layout, BytePacking)
            formulas = self.run.system.formulas(claim.method)
            judge = compile_function(judge_source(layout, formulas, "judge"), "judge")
            every = (1 << len(formulas)) - 1
            found: bytearray | list[int] = bytearray() if len(formulas) <= 8 else []
            for k, state in enumerate(self.run.states):
                if k % 512 == 0:
                    self._limits.check()
                found.append(every & ~judge(state))
            self._truths[claim.name] = found
        return self._truths[claim.name]
