"""The states in which a run can wait: after the first condition of a `leads_to`, or from its start.

Which states these are depends on what has happened before. They are enclosed by the values that the
cells of the two conditions can have: those with which a run begins to wait, and those that steps
give them from there until the goal is reached. If these values are too many, the parts of the first
condition are kept that no step ends before the goal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import z3

from counterpoint.models.prove.proving import Prover
from counterpoint.spec.notation import nodes
from counterpoint.spec.notation.nodes import FALSE, Cell, Node

MOST_VALUES = 128
"""The most combinations of values of the cells."""

After = Callable[[Node, int], Node]
"""Returns a condition on the state after a command as one on the state before."""


class Waiting:
    """The search for the states in which a run can wait.

    Parameters
    ----------
    prover : Prover
        Assumes the lemmas.
    first, goal : Node
        The condition with which a run begins to wait, and the one for which it waits.
    moves : sequence of int
        The commands that are steps.
    after : callable
        See `After`.
    name : str
        The name of the property, for the questions to z3.
    """

    def __init__(
        self,
        prover: Prover,
        first: Node,
        goal: Node,
        moves: Sequence[int],
        after: After,
        name: str,
    ) -> None:
        self.prover, self.first, self.goal = prover, first, goal
        self.moves, self.after, self.name = moves, after, name
        self.open = nodes.negation(goal)
        found = nodes.cells_of([first, goal])
        self.cells = sorted(found, key=lambda cell: (cell.variable, cell.index))

    def states(self) -> Node:
        """Return a condition that all states satisfy in which a run waits."""
        if math.prod(cell.high - cell.low + 1 for cell in self.cells) > MOST_VALUES:
            return self._by_parts()
        return self._by_values()

    def _ask(self, name: str, parts: Sequence[Node]) -> z3.CheckSatResult:
        where = nodes.conjunction(parts)
        if where is FALSE:
            return z3.unsat
        return self.prover.ask(f"{self.name}/{name}", self.prover.frame.show(where))

    def _taken(self, waits: Node, number: int) -> list[Node]:
        """Return the conditions that a command leads from a waiting state to one without the goal.

        Parameters
        ----------
        waits : Node
            The condition that a state is a waiting one.
        number : int
            The command.
        """
        guard = self.prover.system.commands[number].guard
        return [waits, self.open, *guard, nodes.negation(self.after(self.goal, number))]

    def _by_values(self) -> Node:
        known: set[tuple[int, ...]] = set()
        places = list(map(nodes.cell, self.cells))
        waits: Node | None = self._closed(known, places, "begins-to-wait", [self.first, self.open])
        size = -1
        while waits is not None and size < len(known):
            size = len(known)
            for number in self.moves:
                then = [self.after(place, number) for place in places]
                if waits is not None and then != places:
                    step = self.prover.system.model.show_step(
                        self.prover.system.commands[number].step
                    )
                    taken = self._taken(waits, number)
                    waits = self._closed(known, then, f"{step}/still-waits", taken)
        return self._by_parts() if waits is None else nodes.conjunction([waits, self.open])

    def _closed(
        self,
        known: set[tuple[int, ...]],
        values: Sequence[Node],
        name: str,
        parts: Sequence[Node],
    ) -> Node | None:
        """Add all values that some expressions can have; None if z3 gives up.

        Parameters
        ----------
        known : set of tuple of int
            The values of the cells so far.
        values : sequence of Node
            The expressions.
        name : str
            The name of the question.
        parts : sequence of Node
            Conditions that hold where the expressions have these values.

        Returns
        -------
        Node or None
            The condition that the cells have one of the known values.
        """
        answer = z3.sat
        while answer == z3.sat:
            other = nodes.negation(_is_one_of(values, known, self.cells))
            answer = self._ask(name, [*parts, other])
            if answer == z3.sat:
                known.add(tuple(self._value(one) for one in values))
        if answer == z3.unknown:
            return None
        return _is_one_of(list(map(nodes.cell, self.cells)), known, self.cells)

    def _value(self, node: Node) -> int:
        """Return the value of an expression in the last state that z3 has found."""
        found = self.prover.found.eval(self.prover.frame.show(node), model_completion=True)
        return int(z3.is_true(found)) if node.boolean else int(found.as_long())

    def _by_parts(self) -> Node:
        parts = list(self.first.args) if self.first.op == "and" else [self.first]
        lost: Node | None = self.first
        while lost is not None:
            waits = nodes.conjunction(parts)
            lost = next((part for part in parts if self._is_lost(waits, part)), None)
            parts = [part for part in parts if part is not lost]
        return nodes.conjunction([*parts, self.open])

    def _is_lost(self, waits: Node, part: Node) -> bool:
        for number in self.moves:
            then = self.after(part, number)
            if then is not part:
                step = self.prover.system.model.show_step(self.prover.system.commands[number].step)
                taken = [*self._taken(waits, number), nodes.negation(then)]
                if self._ask(f"{step}/still-waits", taken) != z3.unsat:
                    return True
        return False


def _is_one_of(values: Sequence[Node], known: set[tuple[int, ...]], cells: Sequence[Cell]) -> Node:
    """Return the condition that expressions have one of some combinations of values."""
    return nodes.disjunction(
        nodes.conjunction(
            nodes.equal(one, nodes.constant(bool(value) if cell.boolean else value))
            for one, value, cell in zip(values, combination, cells, strict=True)
        )
        for combination in sorted(known)
    )
