"""Evaluates expressions in one state, node by node: slow and simple, as a reference for engines."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from counterpoint.spec.notation import Values
from counterpoint.spec.notation.nodes import Node

ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.floordiv,
    "modulo": operator.mod,
    "less": operator.lt,
    "equal": operator.eq,
}


class Evaluation:
    """A state in which expressions can be evaluated; the value of each node is computed once.

    Parameters
    ----------
    cells : sequence of Node
        The node of every cell.
    values : sequence of int
        The value of every cell.
    """

    def __init__(self, cells: Sequence[Node], values: Values) -> None:
        self._known: dict[Node, int] = dict(zip(cells, values, strict=True))

    def value(self, node: Node) -> int:
        """Return the value of an expression; that of a condition is 0 or 1."""
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = int(self._compute(node))
        return found

    def all(self, conditions: Sequence[Node]) -> bool:
        """Return whether all conditions are true."""
        known = self._known
        for condition in conditions:
            found = known.get(condition)
            if not (self.value(condition) if found is None else found):
                return False
        return True

    def _compute(self, node: Node) -> int:
        op, args = node.op, node.args
        if op == "constant":
            return int(args[0])
        if op == "not":
            return not self.value(args[0])
        if op == "and":
            return self.all(args)
        if op == "or":
            return any(self.value(a) for a in args)
        if op == "ite":
            return self.value(args[1] if self.value(args[0]) else args[2])
        return ARITHMETIC[op](self.value(args[0]), self.value(args[1]))


class SizedEvaluation(Evaluation):
    """A state of a spec whose indices have given sizes, in which variables are functions.

    Parameters
    ----------
    sizes : mapping of str to int
        The number of members of every index, by name.
    read : callable
        Returns the value of a variable, given its name and the members that index it. Outside the
        array it may return any value.
    members : mapping of Node to int
        The members that symbols stand for.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        read: Callable[[str, tuple[int, ...]], int],
        members: Mapping[Node, int],
    ) -> None:
        super().__init__((), ())
        self._sizes, self._read = sizes, read
        self._known = dict(members)

    def _compute(self, node: Node) -> int:
        if node.op == "size":
            return self._sizes[node.args[0]]
        if node.op == "apply":
            name, *key = node.args
            return self._read(name, tuple(map(self.value, key)))
        if node.op == "all":
            return self._of_all(*node.args)
        return super()._compute(node)

    def _of_all(self, bound: Sequence[Node], body: Node) -> bool:
        members = [range(self._sizes[symbol.args[0]]) for symbol in bound]
        own = {node: value for node, value in self._known.items() if node.op == "symbol"}
        return all(
            SizedEvaluation(
                self._sizes, self._read, own | dict(zip(bound, chosen, strict=True))
            ).value(body)
            for chosen in product(*members)
        )
