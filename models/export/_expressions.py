"""Prints expressions for Promela, and for C code embedded in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from counterpoint.spec.notation import Model
from counterpoint.spec.notation.nodes import Cell, Node

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "less": "<", "equal": "==",
         "and": "&&", "or": "||"}  # fmt: skip


def identifier(text: str) -> str:
    """Return a text as an identifier: letters beyond ASCII become their code points."""
    plain = "".join(c if c.isascii() else f"u{ord(c):x}" for c in text)
    return re.sub("[^A-Za-z0-9]+", "_", plain).strip("_")


@dataclass(frozen=True)
class PromelaVariable:
    """How a cell is stored in Promela: the variable's name, its type, and an offset.

    Attributes
    ----------
    name, type : str
        The name and type of the Promela variable.
    shift : int
        The variable contains the cell's value plus this offset, so that a byte can represent
        negative values.
    """

    name: str
    type: str
    shift: int = 0


@dataclass
class PromelaPrinter:
    """Prints nodes as Promela, or as C over Spin's state ``now``.

    Parameters
    ----------
    places : mapping of Cell to Place
        The variables.
    language : str
        ``promela`` or ``c``: they differ in conditional expressions and in names of variables.
    """

    places: Mapping[Cell, PromelaVariable]
    language: str = "promela"
    named: dict[Node, str] = field(default_factory=dict)

    def show(self, node: Node) -> str:
        """Return an expression; nodes in `named` stand as their names."""
        if node in self.named:
            return self.named[node]
        special = {
            "constant": self._constant,
            "cell": self._cell,
            "equal": self._comparison,
            "less": self._comparison,
            "divide": self._quotient,
            "modulo": self._quotient,
            "not": self._negation,
        }.get(node.op)
        return special(node) if special else self._operator(node)

    def _constant(self, node: Node) -> str:
        value = node.args[0]
        return f"({value})" if value < 0 else str(value)

    def _cell(self, node: Node) -> str:
        shift = self.places[node.args[0]].shift
        return f"({self.variable(node)} - {shift})" if shift else self.variable(node)

    def _operator(self, node: Node) -> str:
        a = [self.show(n) for n in node.args]
        if node.op == "ite":
            then = "->" if self.language == "promela" else "?"
            return f"({a[0]} {then} {a[1]} : {a[2]})"
        return f"({f' {SIGNS[node.op]} '.join(a)})"

    def variable(self, cell: Node) -> str:
        """Return the name of a cell's variable, whose value includes the offset."""
        name = self.places[cell.args[0]].name
        return f"now.{name}" if self.language == "c" else name

    def _comparison(self, node: Node, sign: str = "") -> str:
        left, right = node.args
        sign = sign or SIGNS[node.op]
        for one, other, at in ((left, right, 0), (right, left, 1)):
            if one.op == "cell" and other.op == "constant" and one not in self.named:
                shifted = other.args[0] + self.places[one.args[0]].shift
                sides = [self.variable(one), f"({shifted})" if shifted < 0 else str(shifted)]
                return f"({sides[at]} {sign} {sides[1 - at]})"
        return f"({self.show(left)} {sign} {self.show(right)})"

    def _negation(self, node: Node) -> str:
        inner = node.args[0]
        if inner.op in ("equal", "less") and inner not in self.named:
            return self._comparison(inner, "!=" if inner.op == "equal" else ">=")
        return f"(!{self.show(inner)})"

    def _quotient(self, node: Node) -> str:
        """Return ``a / b`` or ``a % b`` rounded down as in Python; C rounds towards zero."""
        a, by = self.show(node.args[0]), node.args[1].args[0]
        rest = f"({a} % {by})" if node.args[0].low >= 0 else f"((({a} % {by}) + {by}) % {by})"
        if node.op == "modulo":
            return rest
        return f"({a} / {by})" if node.args[0].low >= 0 else f"(({a} - {rest}) / {by})"


def places_of(model: Model) -> dict[Cell, PromelaVariable]:
    """Return the variable of every cell that has more than one value."""
    found: dict[Cell, PromelaVariable] = {}
    taken: set[str] = set()
    for cell in model.cells:
        if cell.low == cell.high:
            continue
        plain = "s_" + identifier(cell.label)
        name, number = plain, 1
        while name in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name)
        found[cell] = PromelaVariable(name, *_type(cell))
    return found


def _type(cell: Cell) -> tuple[str, int]:
    """Return the smallest Promela type for a cell, and the cell's offset in it."""
    if cell.low == 0 and cell.high == 1:
        return ("bool" if cell.boolean else "bit"), 0
    span = cell.high - cell.low
    if span <= 255:
        return ("bit" if span == 1 else "byte"), (-cell.low if cell.low < 0 or span == 1 else 0)
    if cell.low >= -(2**15) and cell.high < 2**15:
        return "short", 0
    return "int", 0


def c_function(name: str, node: Node, printer: PromelaPrinter) -> list[str]:
    """Return a C function for a condition on the state."""
    inner = PromelaPrinter(printer.places, "c")
    lines = ["c_code {", f"static int {name}(void)", "{"]
    for k, part in enumerate(shared([node])):
        lines.append(f"  int t{k} = {inner.show(part)};")
        inner.named[part] = f"t{k}"
    return [*lines, f"  return {inner.show(node)};", "}", "};"]


def written(roots: Iterable[Node], sizes: dict[Node, int] | None = None) -> int:
    """Return the number of operators of the roots, printed without names for shared nodes.

    It can be exponential in the number of different nodes.
    """
    known = {} if sizes is None else sizes

    def size(node: Node) -> int:
        if node in known:
            return known[node]
        if node.op in ("cell", "constant"):
            return 1
        found = 1 + sum(map(size, node.args))
        if node.op in ("divide", "modulo"):  # the operand is repeated
            found *= 2
        known[node] = found
        return found

    return sum(map(size, roots))


def shared(roots: Iterable[Node]) -> list[Node]:
    """Return the nodes other than leaves that are used more than once, arguments first."""
    uses: dict[Node, int] = {}
    order: list[Node] = []

    def visit(node: Node) -> None:
        if node.op in ("cell", "constant"):
            return
        uses[node] = uses.get(node, 0) + 1
        if uses[node] == 1:
            for a in node.args:
                visit(a)
            order.append(node)

    for root in roots:
        visit(root)
    return [n for n in order if uses[n] > 1]


def widest(roots: Iterable[Node]) -> tuple[int, int]:
    """Return the least and the greatest value that any part of the roots can take."""
    low, high = 0, 0
    seen: set[Node] = set()
    todo = list(roots)
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        low, high = min(low, node.low), max(high, node.high)
        if node.op == "divide":  # computed as a - a % b first
            low = min(low, node.args[0].low - node.args[1].args[0])
        if node.op not in ("cell", "constant"):
            todo.extend(node.args)
    return low, high


def reads(node: Node, named: Mapping[Node, str]) -> set[Cell]:
    """Return the cells that an expression reads if some nodes are replaced by names."""
    found: set[Cell] = set()
    todo = [node]
    seen: set[Node] = set()
    while todo:
        at = todo.pop()
        if at in seen or at in named or at.op == "constant":
            continue
        seen.add(at)
        if at.op == "cell":
            found.add(at.args[0])
        else:
            todo.extend(at.args)
    return found
