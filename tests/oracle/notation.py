"""A second implementation of the notation, in plain Python on integers.

It imports nothing of the project. The text of a spec runs with these definitions in place of
`counterpoint.spec.notation`, so that both do not share an error. There are no symbolic values, no
messages and no checks of declarations: only what runs and properties need.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from enum import IntEnum
from itertools import product
from types import FunctionType
from typing import Any

from tests.oracle.functions import (
    Disabled,
    Leaves,
    SpecError,
    Value,
    action,
    count,
    decreases,
    every,
    finished,
    implies,
    infinitely_often,
    initially,
    invariant,
    ite,
    leads_to,
    lemma,
    maximum,
    minimum,
    no,
    require,
    some,
    sometimes,
    tabulated,
    transition,
    value,
)

# Parameters


class Parameter:
    """A value that a spec gets when it is created."""

    def __init__(self, default: Any, *, names: str = "", **of_no_concern: Any) -> None:
        self.default, self.names = default, names.split()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, s: Any, owner: type) -> Any:
        return self if s is None else s._given[self.name]


class Number(Parameter):
    """A number."""


class Choice(Parameter):
    """One of several words, the first by default."""

    def __init__(self, *words: str, **of_no_concern: Any) -> None:
        super().__init__(words[0])


class Index(Parameter):
    """A number of members, numbered from 0."""

    def __get__(self, s: Any, owner: type) -> Any:
        return self if s is None else range(s._given[self.name])


# Variables


class _Any:
    """Any value of the range."""


ANY = _Any()


class Variable:
    """A variable: its range, how it starts, and over which indices it is an array."""

    def __init__(
        self, low: Any, high: Any, start: Any = None, grows: bool = False, boolean: bool = False
    ) -> None:
        self.low, self.high, self.start = low, high, start
        self.grows, self.boolean = grows, boolean
        self.over: tuple[Index, ...] = ()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, s: Any, owner: type) -> Any:
        if s is None:
            return self
        return Elements(s, self) if self.over else s._read(self, ())

    def __set__(self, s: Any, new: Any) -> None:
        if self.over:
            raise SpecError(f"{self.name} is an array: assign to its elements")
        s._write(self, (), new)

    def range(self, s: Spec) -> tuple[int, int]:
        """Return the least and the greatest value."""
        low, high = (end(s) if callable(end) else end for end in (self.low, self.high))
        return low, high

    def keys(self, s: Spec) -> Iterator[tuple[int, ...]]:
        """Return the indices of an array's elements, row by row; for other variables one key."""
        return product(*(range(s._given[index.name]) for index in self.over))

    def starts(self, s: Spec, key: tuple[int, ...]) -> list[int]:
        """Return the values that the variable may start with."""
        low, high = self.range(s)
        if self.start is ANY:
            return list(range(low, high + 1))
        first = self.start(s, *key) if callable(self.start) else self.start
        if first is None:  # 0 if the range has it, else the bound next to 0
            first = min(max(low, 0), high)
        if not low <= first <= high:
            raise SpecError(f"{self.name} starts outside of its range")
        return [int(first)]


class Elements:
    """The elements of an array in a state."""

    def __init__(self, s: Spec, variable: Variable) -> None:
        self.s, self.variable = s, variable

    def __getitem__(self, key: Any) -> Any:
        return self.s._read(self.variable, key if isinstance(key, tuple) else (key,))

    def __setitem__(self, key: Any, new: Any) -> None:
        self.s._write(self.variable, key if isinstance(key, tuple) else (key,), new)


def Integer(low: Any, high: Any, *, initially: Any = None, grows: bool = False) -> Variable:
    """An integer from low to high."""
    return Variable(low, high, initially, grows=grows)


def Boolean(initially: Any = None) -> Variable:
    """A truth value."""
    return Variable(0, 1, initially, boolean=True)


def Member(of: type[IntEnum], *, initially: Any = None) -> Variable:
    """A member of an enumeration; the least one is the default initial value."""
    return Variable(int(min(of)), int(max(of)), min(of) if initially is None else initially)


def Reference(to: Index, otherwise: type[IntEnum], *, initially: Any = None) -> Variable:
    """A member of an index, or a named value below 0; the least of those at the start."""
    start = min(otherwise) if initially is None else initially
    return Variable(int(min(otherwise)), lambda s: s._given[to.name] - 1, start)


def Array(over: Any, of: Variable, *, initially: Any = None) -> Variable:
    """A variable for each member of an index, or of several."""
    found = copy.copy(of)
    found.over = over if isinstance(over, tuple) else (over,)
    found.start = of.start if initially is None else initially
    return found


# Specs


def declared(of: type, kind: type) -> dict[str, Any]:
    """Return the declarations of one kind in a class and its bases, in order, the bases first."""
    found: dict[str, Any] = {}
    for base in reversed(of.__mro__):
        found.update(vars(base))
    return {name: what for name, what in found.items() if isinstance(what, kind)}


class Spec:
    """A spec with its parameters and, in ``_values``, one of its states.

    Attributes
    ----------
    _given : dict
        The parameters.
    _endless : bool
        Whether ranges that grow have no upper end, as in proofs.
    _values : dict
        (Variable, place) to value.
    _fixed : bool
        Whether assignments are forbidden, because a property is evaluated.
    """

    _given: dict[str, Any]
    _endless: bool
    _values: dict[tuple[str, tuple[int, ...]], int]
    _fixed: bool

    def __init_subclass__(cls) -> None:
        """Let ``derive`` find the parameters by their public names."""
        parameters = declared(cls, Parameter)
        cls.declared_parameters = {n.replace("_", "-"): p for n, p in parameters.items()}

    def __init__(self, endless: bool = False, **given: Any) -> None:
        defaults = {name: p.default for name, p in declared(type(self), Parameter).items()}
        if not given.keys() <= defaults.keys():
            raise SpecError(f"no such parameter among {sorted(given)}")
        derived = self.derive({name.replace("_", "-"): v for name, v in given.items()})
        given |= {name.replace("-", "_"): v for name, v in derived.items()}
        self.__dict__.update(_given=defaults | given, _endless=endless, _values={}, _fixed=True)

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters that depend on others; a subclass may define some."""
        return {}

    def __setattr__(self, name: str, new: Any) -> None:
        if not isinstance(getattr(type(self), name, None), Variable):
            raise SpecError(f"there is no variable {name} to assign to")
        super().__setattr__(name, new)

    def _methods(self, *kinds: str) -> dict[str, Any]:
        """Return the methods of a kind that apply under the parameters."""
        found = declared(type(self), FunctionType)
        marked = {n: f for n, f in found.items() if getattr(f, "kind", "") in kinds}
        return {n: f for n, f in marked.items() if f.when is None or f.when(self)}

    def _read(self, variable: Variable, key: tuple[Any, ...]) -> Any:
        """Return the value of an element."""
        found = self._values[self._place(variable, key)]
        return bool(found) if variable.boolean else found

    def _write(self, variable: Variable, key: tuple[Any, ...], new: Any) -> None:
        """Assign to an element."""
        if self._fixed:
            raise SpecError("a property cannot change the state")
        place = self._place(variable, key)
        low, high = variable.range(self)
        if value(new) < low or (new > high and not self._grows(variable)):
            raise Leaves(f"{variable.name} would become {new}", new > high and variable.grows)
        self._values[place] = int(new)

    def _grows(self, variable: Variable) -> bool:
        low, high = variable.range(self)
        return self._endless and variable.grows and low < high

    def _place(self, variable: Variable, key: tuple[Any, ...]) -> tuple[str, tuple[int, ...]]:
        if len(key) != len(variable.over):
            raise SpecError(f"{variable.name} has {len(variable.over)} indices, not {len(key)}")
        place = variable.name, tuple(map(value, key))
        if place not in self._values:
            raise Leaves(f"there is no {place}")
        return place


__all__ = [
    "ANY",
    "Array",
    "Boolean",
    "Choice",
    "Disabled",
    "Index",
    "Integer",
    "Member",
    "Number",
    "Reference",
    "Spec",
    "SpecError",
    "Value",
    "action",
    "count",
    "decreases",
    "every",
    "finished",
    "implies",
    "infinitely_often",
    "initially",
    "invariant",
    "ite",
    "leads_to",
    "lemma",
    "maximum",
    "minimum",
    "no",
    "require",
    "some",
    "sometimes",
    "tabulated",
    "transition",
]
