"""Prints expressions as statements; shared and deeply nested parts get names first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterpoint.spec.notation.nodes import Cell, Node

DEEP = 12
"""The most levels of an expression within one statement; compilers fail on deeper nesting."""

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "//", "modulo": "%",
         "less": "<", "equal": "=="}  # fmt: skip


class Statements:
    """Prints nodes as Python; subclasses print other languages.

    Attributes
    ----------
    named : dict of Node to str
        Expressions that already have a name.
    """

    all_of, one_of = "and", "or"

    def __init__(self) -> None:
        self.named: dict[Node, str] = {}
        self._count = 0

    def name(self, roots: Iterable[Node], least: int = 1) -> list[str]:
        """Return statements that name the shared and the deeply nested parts of some expressions.

        Parameters
        ----------
        roots : iterable of Node
            The expressions to print afterwards.
        least : int
            The least number of levels of a shared expression that gets a name.
        """
        lines = []
        for node in worth_naming(roots, self.named, least):
            text = self.show(node)
            self.named[node] = f"t{self._count}"
            self._count += 1
            lines.append(self.assign(self.named[node], text))
        return lines

    def show(self, node: Node) -> str:
        """Return an expression; nodes in `named` stand as their names."""
        if node in self.named:
            return self.named[node]
        if node.op == "constant":
            return self.constant(node)
        if node.op == "cell":
            return self.cell(node.args[0])
        return self.operation(node.op, [self.show(a) for a in node.args])

    def assign(self, name: str, text: str) -> str:
        """Return the statement that names an expression."""
        return f"{name} = {text}"

    def constant(self, node: Node) -> str:
        """Return a number or a truth value."""
        value = node.args[0]
        return str(bool(value)) if node.boolean else f"({value})" if value < 0 else str(value)

    def cell(self, cell: Cell) -> str:
        """Return the expression of a cell's value."""
        raise NotImplementedError  # each language has its own

    def operation(self, op: str, a: Sequence[str]) -> str:
        """Return an operation on printed arguments."""
        if op in ("and", "or"):
            return "(" + f" {self.all_of if op == 'and' else self.one_of} ".join(a) + ")"
        if op == "not":
            return f"(not {a[0]})"
        if op == "ite":
            return f"({a[1]} if {a[0]} else {a[2]})"
        return f"({a[0]} {SIGNS[op]} {a[1]})"


def worth_naming(roots: Iterable[Node], known: dict[Node, str], least: int = 1) -> list[Node]:
    """Return nodes used more than once or nested `DEEP` levels, arguments before their users.

    Parameters
    ----------
    roots : iterable of Node
        The expressions.
    known : dict of Node to str
        Nodes that have names already.
    least : int
        The least number of levels of a shared node.
    """
    uses: dict[Node, int] = {}
    order: list[Node] = []
    todo = [(r, False) for r in roots][::-1]
    while todo:
        node, done = todo.pop()
        if done:
            order.append(node)
            continue
        uses[node] = uses.get(node, 0) + 1
        if uses[node] == 1 and node.op not in ("cell", "constant") and node not in known:
            todo.append((node, True))
            todo.extend((a, False) for a in reversed(node.args))
    height: dict[Node, int] = {}
    found = []
    for node in order:
        height[node] = 1 + max(height.get(a, 0) for a in node.args)
        if (uses[node] > 1 and height[node] >= least) or height[node] >= DEEP:
            height[node] = 0
            found.append(node)
    return found
