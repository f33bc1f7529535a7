"""Formulas about whole runs: temporal operators over conditions on a state.

They are the operators of linear temporal logic (A. Pnueli, *The temporal logic of programs*, FOCS
1977) without `next`: whether a run satisfies a formula does not depend on how long it stays in each
of its states (L. Lamport, *What good is temporal logic?*, IFIP 1983).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from .errors import SpecError

DEEPEST = 50
"""The most operators that may stand in each other."""

MOST_CONDITIONS = 200
"""The most conditions of a formula."""


@dataclass(frozen=True)
class Shape:
    """A formula whose conditions are numbers.

    Attributes
    ----------
    op : str
        ``condition``, ``not``, ``and``, ``or``, ``implies``, ``always``, ``sometime``,
        ``strong until``, ``weak until`` or ``release``.
    parts : tuple of Shape
        What it is made of.
    number : int
        Of a condition: its place among those of the whole formula, from 0 on.
    depth : int
        How many operators stand in each other.
    """

    op: str
    parts: tuple[Shape, ...] = ()
    number: int = 0
    depth: int = field(default=0, compare=False)

    @property
    def constant(self) -> bool:
        """Whether it says nothing of the run: it joins no parts."""
        return self.op in ("and", "or") and not self.parts

    def moved(self, by: int) -> Shape:
        """Return the same formula with greater numbers."""
        if by == 0:
            return self
        number = self.number + by if self.op == "condition" else 0
        return replace(self, parts=tuple(p.moved(by) for p in self.parts), number=number)


class Formula:
    """A formula with its conditions in one state.

    Parameters
    ----------
    shape : Shape
    conditions : tuple of Value
        By their numbers.
    """

    __slots__ = ("conditions", "shape")

    refusal = "a formula stands for a whole run, and is no condition on a state: a method marked " \
              "@temporal returns it"  # fmt: skip

    def __init__(self, shape: Shape, conditions: tuple[Any, ...]) -> None:
        self.shape, self.conditions = shape, conditions

    def __and__(self, other: Any) -> Formula:
        return joined("and", (self, _truth(other)))

    def __rand__(self, other: Any) -> Formula:
        return joined("and", (_truth(other), self))

    def __or__(self, other: Any) -> Formula:
        return joined("or", (self, _truth(other)))

    def __ror__(self, other: Any) -> Formula:
        return joined("or", (_truth(other), self))

    def __invert__(self) -> Formula:
        return joined("not", (self,))

    def _no_value(self, *others: object) -> Any:
        raise SpecError("a formula has no truth value in a state: join formulas by &, |, ~, "
                        "implies, every, some and no")  # fmt: skip

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _no_value
    __xor__ = __rxor__ = __add__ = __radd__ = __sub__ = __rsub__ = __rshift__ = _no_value
    __hash__ = None  # type: ignore[assignment]


Part: TypeAlias = Any
"""A formula, or a condition on a state."""


def _truth(part: Part) -> Part:
    """Return an operand of & or | if it is no number; Python's ``~True`` is one, and true."""
    node = getattr(part, "node", None)
    number = issubclass(type(part), int) and type(part) is not bool
    if number or (node is not None and not node.boolean):
        raise SpecError("& and | take truth values; write no(...) for ~ of a condition")
    return part


def joined(op: str, parts: Sequence[Part]) -> Formula:
    """Return a formula made of others; a condition is one as well.

    Raises
    ------
    SpecError
        If it becomes too large.
    """
    shapes: list[Shape] = []
    conditions: list[Any] = []
    for part in parts:
        one = part if type(part) is Formula else Formula(Shape("condition"), (part,))
        moved = one.shape.moved(len(conditions))
        shapes += moved.parts if op in ("and", "or") and moved.op == op else (moved,)
        conditions += one.conditions
    if op in ("and", "or") and len(shapes) == 1:
        return Formula(shapes[0], tuple(conditions))
    depth = 1 + max((shape.depth for shape in shapes), default=0)
    if depth > DEEPEST:
        raise SpecError(f"a formula of more than {DEEPEST} operators in each other is too large")
    if len(conditions) > MOST_CONDITIONS:
        raise SpecError(f"a formula with more than {MOST_CONDITIONS} conditions is too large")
    return Formula(Shape(op, tuple(shapes), depth=depth), tuple(conditions))


def always(formula: Part) -> Formula:
    """Say that a formula or condition is true now and at all later times; ``[]`` in TLA+."""
    return joined("always", (formula,))


def sometime(formula: Part) -> Formula:
    """Say that a formula or condition is true now or at some later time; ``<>`` in TLA+."""
    return joined("sometime", (formula,))


def strong_until(first: Part, second: Part) -> Formula:
    """Say that the second is true now or later, the first at all times before; ``U`` in Spin."""
    return joined("strong until", (first, second))


def weak_until(first: Part, second: Part) -> Formula:
    """Say that the first is true at all times before the second, or for ever; ``W`` in Spin."""
    return joined("weak until", (first, second))


def release(first: Part, second: Part) -> Formula:
    """Say that the second is true as long as the first has not been true before; ``V`` in Spin.

    It is true up to and including the time when the first is, or for ever.
    """
    return joined("release", (first, second))


def conditions_of(found: Any) -> tuple[Any, ...]:
    """Return the conditions of what a temporal property returned: one, two, or a formula's."""
    if type(found) is Formula:
        return found.conditions
    return found if type(found) is tuple else (found,)


class Shapes:
    """The formulas of a spec's properties, which must be the same in all states."""

    def __init__(self) -> None:
        self._known: dict[str, Shape] = {}

    def checked(self, method: str, found: Any) -> Any:
        """Return what a property returned.

        Raises
        ------
        SpecError
            If it is another formula than in a state before.
        """
        if type(found) is Formula and self._known.setdefault(method, found.shape) != found.shape:
            raise SpecError(
                "the formula is not the same in all states: write what differs into its "
                "conditions, and join formulas by & and |, not by and, or, if"
            )
        return found

    def of(self, model: Any, method: str) -> Shape:
        """Return the formula that a method marked ``temporal`` returns.

        Raises
        ------
        SpecError
            If it returns none.
        """
        if method not in self._known:
            first = [values[0] for values in model.initial_values()]
            model.call(method, model.at(first))
        return self._known[method]
