"""Values that may be symbolic, and the choices that do not fork.

A specification is run on integers (the simulator) or on symbolic values (for the engines). The same
text serves both: the operators below work on either. A Python ``if`` on a symbolic condition asks
the running trace which side to take, and the trace later takes the other side too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, Protocol, TypeAlias

from . import _nodes as nodes
from ._errors import SpecError
from ._nodes import Node

Value: TypeAlias = Any
"""An integer or a truth value, concrete or symbolic."""


class Path(Protocol):
    """A running trace, asked about symbolic conditions."""

    def decide(self, condition: Node) -> bool:
        """Take a side of a branch."""

    def assume(self, condition: Node) -> None:
        """Go on only where the condition holds."""


deciding: ContextVar[Path | None] = ContextVar("deciding", default=None)
"""The trace that is running, if any."""


class Quantifiers(Protocol):
    """A trace over indices of any size, in which a generator over an index stands for all of it."""

    def junction(self, conditions: Iterable[Value], every: bool) -> Value:
        """Return whether every condition, or some condition, holds of all members."""


quantifying: ContextVar[Quantifiers | None] = ContextVar("quantifying", default=None)
"""Set while a trace runs whose indices have no size."""


class Symbolic:
    """An integer or truth value that depends on the state.

    It supports ``+ - *``, ``//`` and ``%`` by a positive constant, comparisons, ``&`` and ``|`` on
    truth values; ``if``, ``and``, ``or`` and ``not`` on it fork the trace.
    """

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]  # a dictionary would compare, and so fork, silently

    def __init__(self, node: Node) -> None:
        self.node = node

    def __repr__(self) -> str:
        return f"Symbolic({self.node!r})"

    def __bool__(self) -> bool:
        path = deciding.get()
        if path is None:
            raise SpecError("a symbolic condition was asked for its truth outside of a trace")
        return path.decide(nodes.truth(self.node))

    def __index__(self) -> int:
        raise SpecError(
            "a value of the state stands where Python needs a plain integer "
            "(index a declared array with it, or compare it in a loop)"
        )

    __int__ = __index__

    def __float__(self) -> float:
        raise SpecError("a value of the state cannot become a float")

    def __add__(self, other: Value) -> Value:
        return value_of(nodes.add(self.node, node_of(other)))

    __radd__ = __add__

    def __sub__(self, other: Value) -> Value:
        return value_of(nodes.subtract(self.node, node_of(other)))

    def __rsub__(self, other: Value) -> Value:
        return value_of(nodes.subtract(node_of(other), self.node))

    def __neg__(self) -> Value:
        return 0 - self

    def __mul__(self, other: Value) -> Value:
        return value_of(nodes.multiply(self.node, node_of(other)))

    __rmul__ = __mul__

    def __floordiv__(self, other: Value) -> Value:
        return value_of(nodes.divide(self.node, node_of(other)))

    def __mod__(self, other: Value) -> Value:
        return value_of(nodes.modulo(self.node, node_of(other)))

    def __abs__(self) -> Value:
        return maximum(self, -self)

    def __lt__(self, other: Value) -> Value:
        return value_of(nodes.less(self.node, node_of(other)))

    def __gt__(self, other: Value) -> Value:
        return value_of(nodes.less(node_of(other), self.node))

    def __le__(self, other: Value) -> Value:
        return value_of(nodes.negation(nodes.less(node_of(other), self.node)))

    def __ge__(self, other: Value) -> Value:
        return value_of(nodes.negation(nodes.less(self.node, node_of(other))))

    def __eq__(self, other: object) -> Value:
        return value_of(nodes.equal(self.node, node_of(other)))

    def __ne__(self, other: object) -> Value:
        return value_of(nodes.negation(nodes.equal(self.node, node_of(other))))

    def __and__(self, other: Value) -> Value:
        return every(*_truths(self, other))

    __rand__ = __and__

    def __or__(self, other: Value) -> Value:
        return some(*_truths(self, other))

    __ror__ = __or__


def node_of(value: Value) -> Node:
    """Return the node of a value."""
    if isinstance(value, Symbolic):
        return value.node
    if isinstance(value, bool):
        return nodes.constant(value)
    if isinstance(value, int):
        return nodes.constant(int(value))
    raise SpecError(f"{value!r} is no integer and no truth value")


def _truths(*values: Value) -> tuple[Value, ...]:
    """Return the values if they are truth values: on integers Python's & and | mean bits."""
    if not all(node_of(value).boolean for value in values):
        raise SpecError("& and | take truth values; use every, some or ite on numbers")
    return values


def value_of(node: Node) -> Value:
    """Return a plain Python value for a constant node, a symbolic value for any other."""
    if node.op == "constant":
        return bool(node.args[0]) if node.boolean else node.args[0]
    return Symbolic(node)


def ite(condition: Value, then: Value, otherwise: Value) -> Value:
    """Choose without forking: ``then`` if the condition holds, else ``otherwise``."""
    if isinstance(condition, Symbolic):
        return value_of(nodes.ite(condition.node, node_of(then), node_of(otherwise)))
    return then if condition else otherwise


def _parts(conditions: tuple[Value, ...]) -> Iterable[Value]:
    alone = len(conditions) == 1 and not isinstance(conditions[0], (int, Symbolic))
    return conditions[0] if alone else conditions


def every(*conditions: Value) -> Value:
    """Return whether all conditions hold, without forking.

    Parameters
    ----------
    *conditions
        Several conditions, or one iterable of them.
    """
    quantifiers = quantifying.get()
    if quantifiers is not None:
        return quantifiers.junction(_parts(conditions), True)
    symbolic = []
    for part in _parts(conditions):
        if isinstance(part, Symbolic):
            symbolic.append(part.node)
        elif not part:
            return False
    return value_of(nodes.conjunction(symbolic)) if symbolic else True


def some(*conditions: Value) -> Value:
    """Return whether at least one condition holds, without forking (see `every`)."""
    quantifiers = quantifying.get()
    if quantifiers is not None:
        return quantifiers.junction(_parts(conditions), False)
    symbolic = []
    for part in _parts(conditions):
        if isinstance(part, Symbolic):
            symbolic.append(part.node)
        elif part:
            return True
    return value_of(nodes.disjunction(symbolic)) if symbolic else False


def no(*conditions: Value) -> Value:
    """Return whether none of the conditions holds, without forking (see `every`)."""
    found = some(*conditions)
    if isinstance(found, Symbolic):
        return value_of(nodes.negation(found.node))
    return not found


def implies(condition: Value, consequence: Value) -> Value:
    """Return whether the consequence holds if the condition does, without forking."""
    return some(no(condition), consequence)


def count(conditions: Iterable[Value]) -> Value:
    """Return how many of the conditions hold, without forking."""
    return sum(ite(condition, 1, 0) for condition in conditions)


def minimum(*values: Value) -> Value:
    """Return the least of several values, or of one iterable of them, without forking."""
    return _extreme(values, lambda a, b: a < b)


def maximum(*values: Value) -> Value:
    """Return the greatest of several values, or of one iterable of them, without forking."""
    return _extreme(values, lambda a, b: b < a)


def _extreme(values: tuple[Value, ...], better: Callable[[Value, Value], Value]) -> Value:
    found = list(_parts(values))
    if not found:
        raise SpecError("minimum and maximum need at least one value")
    best = found[0]
    for value in found[1:]:
        best = ite(better(value, best), value, best)
    return best
