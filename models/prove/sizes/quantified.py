"""Expressions over indices of any size: symbolic members, functions of them, quantifiers.

They are nodes like those of `counterpoint.spec.notation.nodes`, with four more operators:
``symbol`` (a member of an index), ``size`` (the number of its members), ``apply`` (a variable's
value at members) and ``all`` (a condition holds of all members that its bound symbols can name).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from itertools import count as numbers

from counterpoint.spec.notation import SpecError, nodes
from counterpoint.spec.notation.nodes import TRUE, UNBOUNDED, Node
from counterpoint.spec.notation.symbolic import Value, value_of

MOST_WITNESSES = 8
"""The greatest number with which a count over an index can be compared."""

_serial = numbers()


def symbol(index: str) -> Node:
    """Return a new symbol for any member of an index."""
    return nodes._node("symbol", (index, next(_serial)), 0, UNBOUNDED)


def size(index: str, at_least: int) -> Node:
    """Return the number of members of an index, of which only the minimum is known."""
    return nodes._node("size", (index,), at_least, UNBOUNDED)


def applied(name: str, key: Sequence[Node], low: int, high: int, boolean: bool) -> Node:
    """Return the value of an element of a variable in the state before.

    Parameters
    ----------
    name : str
        The variable.
    key : sequence of Node
        One member for each index.
    low, high : int
        The range of the variable.
    boolean : bool
        Whether it is a truth value.
    """
    return nodes._node("apply", (name, *key), low, high, boolean)


def for_all(bound: Sequence[Node], body: Node) -> Node:
    """Return whether the body holds for all members that the bound symbols can name.

    A symbol that does not occur in the body is left out, since each index has a member.
    """
    bound = [v for v in bound if v in symbols_of(body)]
    return nodes._node("all", (tuple(bound), body), 0, 1, True) if bound else body


def for_some(bound: Sequence[Node], body: Node) -> Node:
    """Return whether the body holds for some members that the bound symbols can name."""
    return nodes.negation(for_all(bound, nodes.negation(body)))


_free: dict[Node, frozenset[Node]] = {}


def symbols_of(node: Node) -> frozenset[Node]:
    """Return the free symbols of an expression."""
    found = _free.get(node)
    if found is None:
        if node.op == "symbol":
            found = frozenset([node])
        elif node.op == "all":
            found = symbols_of(node.args[1]) - frozenset(node.args[0])
        else:
            parts = (a for a in node.args if isinstance(a, Node))
            found = frozenset().union(*map(symbols_of, parts))
        _free[node] = found
    return found


def substituted(node: Node, replace: dict[Node, Node]) -> Node:
    """Return an expression with some of its symbols replaced."""
    return _substituted(node, replace, {})


def _substituted(node: Node, replace: dict[Node, Node], done: dict[Node, Node]) -> Node:
    if symbols_of(node).isdisjoint(replace):
        return node
    found = done.get(node)
    if found is None:
        found = done[node] = _replaced(node, replace, done)
    return found


def _replaced(node: Node, replace: dict[Node, Node], done: dict[Node, Node]) -> Node:
    if node.op == "symbol":
        return replace[node]
    if node.op == "all":
        return for_all(node.args[0], _substituted(node.args[1], replace, done))
    if node.op == "apply":
        key = [_substituted(a, replace, done) for a in node.args[1:]]
        return applied(node.args[0], key, node.low, node.high, node.boolean)
    args = [_substituted(a, replace, done) for a in node.args]
    if node.op in ("and", "or"):
        return nodes.conjunction(args) if node.op == "and" else nodes.disjunction(args)
    return nodes.BUILD[node.op](*args)


def within(node: Node, low: int, high: Node | int) -> Node:
    """Return the condition that a value lies in a range.

    Parameters
    ----------
    node : Node
        The value.
    low : int
        The lower end, included.
    high : Node or int
        The upper end, included; it may be `UNBOUNDED`.
    """
    if node.boolean:
        return TRUE
    ends = [nodes.negation(nodes.less(node, nodes.constant(low)))]
    if isinstance(high, Node):
        ends.append(nodes.negation(nodes.less(high, node)))
    elif high != UNBOUNDED:
        ends.append(nodes.negation(nodes.less(nodes.constant(high), node)))
    return nodes.conjunction(ends)


def parts(node: Node) -> list[Node]:
    """Return conditions whose conjunction is equivalent, to be proved one by one."""
    if node.op == "and":
        return [part for inner in node.args for part in parts(inner)]
    if node.op == "all":
        return [for_all(node.args[0], part) for part in parts(node.args[1])]
    return [node]


class Count:
    """The number of members for which a condition holds; it can be compared with a constant.

    "At least k" is expressed by k different members, so the size of the index is not needed.

    Parameters
    ----------
    bound : sequence of Node
        The symbols that stand for all members.
    condition : Node
        The condition that is counted.
    """

    __hash__ = None  # type: ignore[assignment]  # refused as a key; mypy wants a method
    refusal = "compare a count over an index of any size with a constant, as in count(...) <= 1"

    def __init__(self, bound: Sequence[Node], condition: Node) -> None:
        self._bound, self._condition = tuple(bound), condition

    def at_least(self, number: int) -> Node:
        """Return whether the condition holds for at least so many members."""
        if number <= 0:
            return TRUE
        if number > MOST_WITNESSES:
            raise SpecError(
                f"a count over an index of any size can be compared with at most {MOST_WITNESSES}"
            )
        chosen = [tuple(symbol(v.args[0]) for v in self._bound) for _ in range(number)]
        wanted = [
            substituted(self._condition, dict(zip(self._bound, members, strict=True)))
            for members in chosen
        ]
        wanted += [
            nodes.negation(nodes.conjunction(map(nodes.equal, one, other)))
            for one, other in combinations(chosen, 2)
        ]
        return for_some([v for members in chosen for v in members], nodes.conjunction(wanted))

    def __ge__(self, number: object) -> Value:
        return value_of(self.at_least(_constant(number)))

    def __gt__(self, number: object) -> Value:
        return value_of(self.at_least(_constant(number) + 1))

    def __lt__(self, number: object) -> Value:
        return value_of(nodes.negation(self.at_least(_constant(number))))

    def __le__(self, number: object) -> Value:
        return value_of(nodes.negation(self.at_least(_constant(number) + 1)))

    def _is(self, number: object) -> Node:
        least = _constant(number)
        return nodes.conjunction([self.at_least(least), nodes.negation(self.at_least(least + 1))])

    def __eq__(self, number: object) -> Value:
        return value_of(self._is(number))

    def __ne__(self, number: object) -> Value:
        return value_of(nodes.negation(self._is(number)))

    def _refuse(self, *_: object) -> Value:
        raise SpecError(Count.refusal)

    __bool__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __mod__ = __floordiv__ = __neg__ = __abs__ = __index__ = __int__ = _refuse


def _constant(number: object) -> int:
    if isinstance(number, int):
        return int(number)
    raise SpecError(Count.refusal)
