"""Expressions over the cells of a state: immutable, shared, each with an interval of its values.

The functions below build all nodes and simplify them. Nodes are interned: equal nodes are the same
object. A node is an integer or a truth value; its values lie between ``low`` and ``high``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

from .errors import SpecError

UNBOUNDED = cast(int, float("inf"))
"""The upper end of a range without one; used in the arithmetic of intervals only."""


@dataclass(frozen=True)
class Cell:
    """One bounded integer of a state.

    Attributes
    ----------
    variable : str
        The variable that the cell belongs to.
    index : tuple of int
        Position within an array; empty for a scalar.
    label : str
        The name shown to people, for example ``date[x]``.
    low, high : int
        The declared range, both ends included; ``high`` may be `UNBOUNDED`.
    boolean : bool
        Whether its value is a truth value (0 or 1).
    """

    variable: str
    index: tuple[int, ...]
    label: str
    low: int
    high: int
    boolean: bool

    def __hash__(self) -> int:
        return hash(self.label)


class Node:
    """An interned expression: an operator and its arguments."""

    __slots__ = ("args", "boolean", "high", "low", "op", "serial")

    op: str
    args: tuple[Any, ...]
    boolean: bool
    low: int
    high: int
    serial: int

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(repr, self.args))})"


_interned: dict[tuple[Any, ...], Node] = {}


def _node(op: str, args: tuple[Any, ...], low: int, high: int, boolean: bool = False) -> Node:
    """Return the node with an operator, arguments and a range; equal nodes are one object."""
    key = (op, boolean, low, high, *args)
    found = _interned.get(key)
    if found is None:
        found = Node()
        found.op, found.args, found.boolean = op, args, boolean
        found.low, found.high, found.serial = low, high, len(_interned)
        _interned[key] = found
    return found


def constant(value: int | bool) -> Node:
    """Return the node of a Python integer or truth value."""
    boolean = isinstance(value, bool)
    return _node("constant", (int(value),), int(value), int(value), boolean)


TRUE = constant(True)
FALSE = constant(False)


def cell(of: Cell) -> Node:
    """Return the node of a cell's value; a cell with one possible value becomes a constant."""
    if of.low == of.high:
        return constant(bool(of.low)) if of.boolean else constant(of.low)
    return _node("cell", (of,), of.low, of.high, of.boolean)


def integer(node: Node) -> Node:
    """Read a truth value as 0 or 1, as Python does."""
    return ite(node, constant(1), constant(0)) if node.boolean else node


def truth(node: Node) -> Node:
    """Read an integer as a truth value, as Python does."""
    return node if node.boolean else negation(equal(node, constant(0)))


def _split(node: Node) -> tuple[Node | None, int]:
    """Return ``(rest, k)`` with ``node == rest + k``; rest is None for a constant."""
    if node.op == "constant":
        return None, node.args[0]
    if node.op == "add" and node.args[1].op == "constant":
        return node.args[0], node.args[1].args[0]
    return node, 0


def add(a: Node, b: Node) -> Node:
    """Return ``a + b``."""
    (rest_a, k_a), (rest_b, k_b) = _split(integer(a)), _split(integer(b))
    k = k_a + k_b
    if rest_a is None or rest_b is None:
        rest = rest_a or rest_b
        if rest is None:
            return constant(k)
    else:
        first, second = sorted((rest_a, rest_b), key=lambda n: n.serial)
        low, high = first.low + second.low, first.high + second.high
        rest = _node("add", (first, second), low, high)
    return rest if k == 0 else _node("add", (rest, constant(k)), rest.low + k, rest.high + k)


def subtract(a: Node, b: Node) -> Node:
    """Return ``a - b``."""
    a, b = integer(a), integer(b)
    rest, k = _split(b)
    if rest is None:
        return add(a, constant(-k))
    if a is b:
        return constant(0)
    return _node("subtract", (a, b), a.low - b.high, a.high - b.low)


def multiply(a: Node, b: Node) -> Node:
    """Return ``a * b``."""
    a, b = sorted((integer(a), integer(b)), key=lambda n: n.serial)
    corners = [x * y if x and y else 0 for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = min(corners), max(corners)
    if low == high:
        return constant(low)
    for one, other in ((a, b), (b, a)):
        if one.low == one.high == 1:
            return other
    return _node("multiply", (a, b), low, high)


def divide(a: Node, b: Node) -> Node:
    """Return ``a // b`` for a positive constant b."""
    a, by = integer(a), _divisor(b)
    if by == 1:
        return a
    low, high = _quotient(a.low, by), _quotient(a.high, by)
    return constant(low) if low == high else _node("divide", (a, b), low, high)


def modulo(a: Node, b: Node) -> Node:
    """Return ``a % b`` for a positive constant b."""
    a, by = integer(a), _divisor(b)
    if _quotient(a.low, by) == _quotient(a.high, by) and a.high != UNBOUNDED:
        return subtract(a, constant(a.low // by * by))
    return _node("modulo", (a, b), 0, by - 1)


def _quotient(end: int, by: int) -> int:
    return end if abs(end) == UNBOUNDED else end // by


def _divisor(b: Node) -> int:
    if b.op != "constant" or b.boolean or b.args[0] <= 0:
        raise SpecError("// and % take a positive constant on the right")
    value: int = b.args[0]
    return value


def _constant_choice(node: Node) -> bool:
    return node.op == "ite" and all(n.op == "constant" for n in node.args[1:])


def less(a: Node, b: Node) -> Node:
    """Return ``a < b``."""
    a, b = integer(a), integer(b)
    (rest_a, k_a), (rest_b, k_b) = _split(a), _split(b)
    if rest_a is rest_b:
        return constant(k_a < k_b)
    if rest_b is None and rest_a is not None:
        a, b = rest_a, constant(k_b - k_a)
    elif rest_a is None and rest_b is not None:
        a, b = constant(k_a - k_b), rest_b
    if a.high < b.low:
        return TRUE
    if a.low >= b.high:
        return FALSE
    if _constant_choice(a) and b.op == "constant":
        return ite(a.args[0], less(a.args[1], b), less(a.args[2], b))
    if _constant_choice(b) and a.op == "constant":
        return ite(b.args[0], less(a, b.args[1]), less(a, b.args[2]))
    return _node("less", (a, b), 0, 1, True)


def equal(a: Node, b: Node) -> Node:
    """Return ``a == b``, of two integers or of two truth values."""
    if a is b:
        return TRUE
    if a.boolean and b.boolean:
        return _same_truth(a, b)
    a, b = integer(a), integer(b)
    if a.op == "constant" or (b.op != "constant" and a.serial > b.serial):
        a, b = b, a
    (rest_a, k_a), (rest_b, k_b) = _split(a), _split(b)
    if rest_a is rest_b:
        return constant(k_a == k_b)
    if rest_b is None and rest_a is not None:
        a, b = rest_a, constant(k_b - k_a)
    if a.high < b.low or b.high < a.low:
        return FALSE
    if _constant_choice(a) and b.op == "constant":
        return ite(a.args[0], equal(a.args[1], b), equal(a.args[2], b))
    return _node("equal", (a, b), 0, 1, True)


def _same_truth(a: Node, b: Node) -> Node:
    for one, other in ((a, b), (b, a)):
        if one.op == "constant":
            return other if one.args[0] else negation(other)
    if negation(a) is b:
        return FALSE
    a, b = sorted((a, b), key=lambda n: n.serial)
    return _node("equal", (a, b), 0, 1, True)


def negation(a: Node) -> Node:
    """Return ``not a``."""
    a = truth(a)
    if a.op == "constant":
        return FALSE if a.args[0] else TRUE
    if a.op == "not":
        inner: Node = a.args[0]
        return inner
    return _node("not", (a,), 0, 1, True)


def _junction(op: str, parts: Iterable[Node], neutral: Node, absorbing: Node) -> Node:
    """Return a conjunction or a disjunction, simplified.

    Parameters
    ----------
    op : str
    parts : iterable of Node
    neutral, absorbing : Node
        The value that changes nothing, and the value that decides the result alone.
    """
    found: dict[Node, None] = {}
    for part in map(truth, parts):
        for leaf in part.args if part.op == op else (part,):
            if leaf is absorbing or negation(leaf) in found:
                return absorbing
            if leaf is not neutral:
                found[leaf] = None
    if not found:
        return neutral
    if len(found) == 1:
        return next(iter(found))
    return _node(op, tuple(sorted(found, key=lambda n: n.serial)), 0, 1, True)


def conjunction(parts: Iterable[Node]) -> Node:
    """Return whether all parts are true; true for no parts."""
    return _junction("and", parts, TRUE, FALSE)


def disjunction(parts: Iterable[Node]) -> Node:
    """Return whether at least one part is true; false for no parts."""
    return _junction("or", parts, FALSE, TRUE)


def ite(condition: Node, then: Node, otherwise: Node) -> Node:
    """Return the node of a choice.

    Parameters
    ----------
    condition : Node
        A condition; an integer counts as true if it is not 0.
    then : Node
        The value where the condition is true.
    otherwise : Node
        The value elsewhere.
    """
    condition = truth(condition)
    if condition.op == "constant":
        return then if condition.args[0] else otherwise
    if then is otherwise:
        return then
    if condition.op == "not":
        condition, then, otherwise = condition.args[0], otherwise, then
    if then.boolean and otherwise.boolean:
        return disjunction(
            [
                conjunction([condition, then]),
                conjunction([negation(condition), otherwise]),
            ]
        )
    then, otherwise = integer(then), integer(otherwise)
    low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
    return _node("ite", (condition, then, otherwise), low, high)


BUILD: dict[str, Callable[..., Node]] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "modulo": modulo,
    "less": less,
    "equal": equal,
    "not": negation,
    "ite": ite,
}


def rebuild(node: Node, replace: dict[Node, Node], done: dict[Node, Node]) -> Node:
    """Return the node with some nodes replaced, simplified again.

    Parameters
    ----------
    node : Node
        The expression to rewrite.
    replace : dict
        From old nodes to new ones.
    done : dict
        A cache for one set of replacements; pass the same one to further calls.
    """
    found = replace.get(node) or done.get(node)
    if found is not None:
        return found
    if node.op in ("constant", "cell"):
        return node
    args = [rebuild(a, replace, done) for a in node.args]
    if node.op in ("and", "or"):
        result = conjunction(args) if node.op == "and" else disjunction(args)
    else:
        result = BUILD[node.op](*args)
    done[node] = result
    return result


def cells_of(nodes: Iterable[Node]) -> set[Cell]:
    """Return the cells that the nodes read."""
    found: set[Cell] = set()
    seen: set[Node] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if node in seen or node.op == "constant":
            continue
        seen.add(node)
        if node.op == "cell":
            found.add(node.args[0])
        else:
            todo.extend(node.args)
    return found
