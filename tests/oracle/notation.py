"""The notation once more, as plain Python on integers: what the text of a spec means.

Nothing of the project is imported here. The same text runs with these definitions in the place
of `counterpoint.spec.notation`, so that a slip in the one is not in the other. There are no
symbolic values, no messages and no checks of a declaration: only what a run and a property need.
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
    every,
    finished,
    implies,
    initially,
    invariant,
    ite,
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
    """What a spec is given when it is made."""

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
    """So many members, numbered from 0."""

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
        """Return the places of an array, row by row; one place of anything else."""
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
    """An array in a state."""

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
    """A member of an enumeration, the least one at the start."""
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
    """Return what a class and its bases declare of one kind, in order, the bases first."""
    found: dict[str, Any] = {}
    for base in reversed(of.__mro__):
        found.update(vars(base))
    return {name: what for name, what in found.items() if isinstance(what, kind)}


class Spec:
    """A spec under its parameters; with ``_values``, one state of it.

    Attributes
    ----------
    _given : dict
        The parameters.
    _endless : bool
        Whether ranges that grow have no upper end, as in proofs.
    _values : dict
        (Variable, place) to value.
    _fixed : bool
        Whether nothing may be assigned: a property looks at it.
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
        """Return parameters that follow from others; a subclass may have some."""
        return {}

    def __setattr__(self, name: str, new: Any) -> None:
        if not isinstance(getattr(type(self), name, None), Variable):
            raise SpecError(f"there is no variable {name} to assign to")
        super().__setattr__(name, new)

    def _methods(self, *kinds: str) -> dict[str, Any]:
        """Return the methods marked as one of the kinds that count under the parameters."""
        found = declared(type(self), FunctionType)
        marked = {n: f for n, f in found.items() if getattr(f, "kind", "") in kinds}
        return {n: f for n, f in marked.items() if f.when is None or f.when(self)}

    def _read(self, variable: Variable, key: tuple[Any, ...]) -> Any:
        """Return the value at a place."""
        found = self._values[self._place(variable, key)]
        return bool(found) if variable.boolean else found

    def _write(self, variable: Variable, key: tuple[Any, ...], new: Any) -> None:
        """Assign to a place."""
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
    "every",
    "finished",
    "implies",
    "initially",
    "invariant",
    "ite",
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
