"""Values that may be symbolic, and choices that do not fork.

A specification runs on integers (the simulator) or on symbolic values (for the engines). The
operators below work on both. A Python ``if`` on a symbolic condition asks the running symbolic run
which side to take; a later run of the same code takes the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from types import FunctionType, GeneratorType, MethodType
from typing import Any, Protocol, TypeAlias

from . import nodes
from .errors import SpecError
from .formulas import Formula, joined
from .nodes import Node

Value: TypeAlias = Any
"""An integer or a truth value, concrete or symbolic."""


class SymbolicPath(Protocol):
    """A symbolic run, which decides symbolic conditions."""

    def decide(self, condition: Node) -> bool:
        """Return which side of a branch this run takes."""

    def assume(self, condition: Node) -> None:
        """Restrict this run to states in which the condition holds."""


deciding: ContextVar[SymbolicPath | None] = ContextVar("deciding", default=None)
"""The current symbolic run, if any."""

judging: ContextVar[str] = ContextVar("judging", default="")
"""The name of the property that is being evaluated, if any: it must not change the state."""


class Mapping(str):
    """The name of a mapping that is being evaluated: it assigns to the state that it makes."""


class Quantifiers(Protocol):
    """A symbolic run over indices of any size: a generator over an index stands for all members."""

    def junction(self, conditions: tuple[Value, ...], every: bool) -> Value:
        """Return whether every condition, or some condition, holds of all members."""

    def count(self, conditions: tuple[Value, ...]) -> Any:
        """Return how many conditions hold, as a value that can be compared with a constant."""


quantifying: ContextVar[Quantifiers | None] = ContextVar("quantifying", default=None)
"""Set during a symbolic run over indices of any size."""


class UnhashableValue(SpecError, TypeError):
    """The error for a symbolic value used as a key; a `TypeError`, as Python expects."""


class Symbolic:
    """An integer or truth value that depends on the state.

    It supports ``+ - *``, ``//`` and ``%`` by a positive constant, comparisons, ``&`` and ``|`` on
    truth values; ``if``, ``and``, ``or`` and ``not`` on it fork the trace.
    """

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def __hash__(self) -> int:  # a dictionary would compare, and so fork, silently
        raise UnhashableValue(
            "a value of the state cannot be looked up in a dict or set: compare it in a loop, or "
            "use tabulated"
        )

    def __getattr__(self, name: str) -> Any:
        raise SpecError(
            f"a value of the state has no attribute {name}: for an engine it is a symbol"
        )

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class; in a symbolic run no code may distinguish symbols from integers."""
        if deciding.get() is not None:
            raise SpecError("a value of the state has no type: compare it instead")
        return Symbolic

    def __dir__(self) -> list[str]:
        raise SpecError("a value of the state has no attributes: compare it instead")

    def __repr__(self) -> str:
        if deciding.get() is not None:
            raise SpecError("a value of the state has no text: it stands for many values at once")
        return f"Symbolic({self.node!r})"

    def __format__(self, how: str) -> str:
        return repr(self)

    def __bool__(self) -> bool:
        path = deciding.get()
        if path is None:
            raise SpecError("a symbolic condition has a truth value in a symbolic run only")
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

    def __pos__(self) -> Value:
        return 0 + self

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

    def _no_operator(self, *others: object) -> Any:
        raise SpecError("values of the state support + - * // % abs and comparisons, but no "
                        "other operators: multiply, or use tabulated")  # fmt: skip

    __pow__ = __rpow__ = __truediv__ = __rtruediv__ = __divmod__ = __rdivmod__ = _no_operator
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __xor__ = __rxor__ = _no_operator
    __round__ = __matmul__ = __trunc__ = _no_operator

    def __invert__(self) -> Value:
        raise SpecError("~ negates a formula: the negation of a condition is no(...) or not")

    def _no_divisor(self, other: object) -> Any:
        raise SpecError("the right operand of // and % must be a plain integer, not a value of "
                        "the state: use tabulated")  # fmt: skip

    __rfloordiv__ = __rmod__ = _no_divisor

    def __and__(self, other: Value) -> Value:
        return every(*_truths(self, other))

    __rand__ = __and__

    def __or__(self, other: Value) -> Value:
        return some(*_truths(self, other))

    __ror__ = __or__


def node_of(value: Value) -> Node:
    """Return the node of a value."""
    if type(value) is Symbolic:
        return value.node
    if isinstance(value, bool):
        return nodes.constant(value)
    if isinstance(value, int):
        return nodes.constant(int(value))
    raise no_value(value)


def no_value(given: object) -> SpecError:
    """Return the error for an object that is not a value, with what to write instead."""
    if given is None:
        return SpecError(
            "None is neither an integer nor a truth value: does a method lack its return?"
        )
    refusal = getattr(given, "refusal", "")
    if refusal and isinstance(refusal, str):
        return SpecError(refusal)
    if isinstance(given, str | bytes):
        return SpecError(f"{given!r} is a text, not an integer or truth value")
    if isinstance(given, MethodType | FunctionType):
        name = given.__name__
        return SpecError(f"{name} is a method, and always true: call it, as in {name}()")
    if isinstance(given, Iterable):
        kind = type(given).__name__
        return SpecError(
            f"a {kind} is not a value: every, some, no, count, minimum and maximum take either "
            f"values, or a single generator or list of values"
        )
    return SpecError(f"a {type(given).__name__} is no integer and no truth value")


def as_value(given: object) -> Value:
    """Return the argument if it is a value.

    Raises
    ------
    SpecError
        If it is not a value; the message says what to write instead.
    """
    if type(given) is Symbolic or isinstance(given, int):
        return given
    raise no_value(given)


def _truths(*values: Value) -> tuple[Value, ...]:
    """Return the values if they are truth values; Python's & and | on integers work on bits."""
    if not all(type(value) is Formula or node_of(value).boolean for value in values):
        raise SpecError("& and | take truth values; use every, some or ite on numbers")
    return values


def value_of(node: Node) -> Value:
    """Return a plain Python value for a constant node, a symbolic value for any other."""
    if node.op == "constant":
        return bool(node.args[0]) if node.boolean else node.args[0]
    return Symbolic(node)


def ite(condition: Value, then: Value, otherwise: Value) -> Value:
    """Choose without forking: ``then`` if the condition holds, else ``otherwise``.

    Parameters
    ----------
    condition : Value
        A truth value; an integer counts as true if it is not 0.
    then, otherwise : Value
        Both are evaluated before the choice.

    Raises
    ------
    SpecError
        If an argument is not a value.
    """
    as_value(condition), as_value(then), as_value(otherwise)
    if type(condition) is Symbolic:
        return value_of(nodes.ite(condition.node, node_of(then), node_of(otherwise)))
    return then if condition else otherwise


def _given(given: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the values of a call that takes several, or one iterable of them."""
    if len(given) == 1:
        (alone,) = given
        kind = type(alone)
        if kind is GeneratorType or kind is list:
            return tuple(alone)
        if kind in (Symbolic, Formula) or isinstance(alone, int):
            return given
        if isinstance(alone, str | bytes) or not isinstance(alone, Iterable):
            raise no_value(alone)
        return tuple(alone)
    return given


def _values(given: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the given values, passed as several or as one iterable."""
    return tuple(map(as_value, _given(given)))


def _junction(op: str, given: tuple[Value, ...], decisive: bool) -> Value:
    """Return a conjunction or a disjunction; one condition that has the decisive value decides it.

    All conditions are looked at, so that each that is no value is refused.
    """
    decided, formula = False, False
    symbolic = []
    parts = _given(given)
    for part in parts:
        if part is True or part is False:
            decided = decided or part is decisive
        elif type(part) is Symbolic:
            symbolic.append(part.node)
        elif type(part) is Formula:
            formula = True
        elif bool(as_value(part)) is decisive:
            decided = True
    if formula:
        return joined(op, parts)
    if decided or not symbolic:
        return decided is decisive
    return value_of(nodes.disjunction(symbolic) if decisive else nodes.conjunction(symbolic))


def every(*conditions: Value) -> Value:
    """Return whether all conditions hold, without forking.

    All conditions are evaluated, even after one that does not hold, so that plain and symbolic runs
    execute the same code.

    Parameters
    ----------
    *conditions
        Several conditions, or one iterable of them.

    Raises
    ------
    SpecError
        If a condition is not a value.
    """
    quantifiers = quantifying.get()
    if quantifiers is not None:
        return quantifiers.junction(conditions, True)
    return _junction("and", conditions, False)


def some(*conditions: Value) -> Value:
    """Return whether at least one condition holds, without forking (see `every`)."""
    quantifiers = quantifying.get()
    if quantifiers is not None:
        return quantifiers.junction(conditions, False)
    return _junction("or", conditions, True)


def no(*conditions: Value) -> Value:
    """Return whether none of the conditions holds, without forking (see `every`)."""
    found = some(*conditions)
    if type(found) is Symbolic:
        return value_of(nodes.negation(found.node))
    return ~found if type(found) is Formula else not found


def implies(condition: Value, consequence: Value) -> Value:
    """Return whether the consequence holds if the condition does, without forking."""
    if Formula in (type(condition), type(consequence)):
        return joined("implies", (condition, consequence))
    return some(no(as_value(condition)), as_value(consequence))


def count(*conditions: Value) -> Value:
    """Return how many of the conditions hold, without forking (see `every`)."""
    quantifiers = quantifying.get()
    if quantifiers is not None:
        return quantifiers.count(conditions)
    return sum(ite(condition, 1, 0) for condition in _values(conditions))


def minimum(*values: Value) -> Value:
    """Return the least of several values, or of one iterable of them, without forking."""
    return _extreme(values, lambda a, b: a < b)


def maximum(*values: Value) -> Value:
    """Return the greatest of several values, or of one iterable of them, without forking."""
    return _extreme(values, lambda a, b: b < a)


def _extreme(values: tuple[Value, ...], better: Callable[[Value, Value], Value]) -> Value:
    found = _values(values)
    if not found:
        raise SpecError("minimum and maximum need at least one value")
    best = found[0]
    for one in found[1:]:
        best = ite(better(one, best), one, best)
    return best
