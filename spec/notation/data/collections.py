"""Bags and maps: a number, or a value, for each of some values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation.errors import RangeError, SpecError
from counterpoint.spec.notation.symbolic import Value, count, every, no
from counterpoint.spec.notation.variables import Integer, Scalar

from .composite import (
    Composite,
    Kind,
    Leaf,
    Part,
    Plan,
    Where,
    Whole,
    assign,
    clear,
    declare,
    leaves,
    must_be_kind,
    view,
    wholes,
)
from .members import PRESENT, absent, domain_of, is_nothing, key_of, members


class Bag(Composite):
    """A multiset: how often each value is in it, up to a number of copies; empty at the start.

    Parameters
    ----------
    of : Index or Scalar
        What can be in it.
    copies : int
        The most copies of one value.
    """

    def __init__(self, of: Index | Scalar, *, copies: int) -> None:
        super().__init__()
        self.of = domain_of(of, "Bag")
        self.number = Integer(0, copies)

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield the numbers of copies."""
        over = plan.over(self.of)
        yield Part(over.name, over.indices, self.number, over.pattern, over.place)

    def view(self, where: Where) -> BagView:
        """Return the bag."""
        return BagView(self, where)

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield the cells of all values."""
        for member in members(self.of, where):
            yield Leaf(where.name, (*where.key, member), 0)

    def assign(self, where: Where, value: Any) -> None:
        """Assign ``[]``; refuse anything else."""
        if not is_nothing(value):
            raise SpecError(f"{where.shown} is a bag: add and remove change it, or assign []")
        clear(self, where)


class BagView:
    """A bag on a state."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, of: Bag, where: Where) -> None:
        self._of, self._where = of, where

    def _cell(self, value: Value) -> Where:
        return self._where.at(key_of(self._of.of, self._where, value))

    def count(self, value: Value) -> Value:
        """Return how many copies of a value are in the bag."""
        return self._cell(value).read()

    def has(self, value: Value) -> Value:
        """Return whether a value is in the bag."""
        return self.count(value) > 0

    def add(self, value: Value) -> None:
        """Add a copy of a value.

        Raises
        ------
        RangeError
            If the bag has all copies of it already.
        """
        cell = self._cell(value)
        most = self._of.number.bounds(self._where.spec)[1]
        if cell.read() >= most:
            name = self._where.shown
            raise RangeError(name, f"{name} would have more than {most} copies of a value")
        cell.write(cell.read() + 1)

    def remove(self, value: Value) -> None:
        """Remove a copy of a value.

        Raises
        ------
        RangeError
            If there is none.
        """
        if self.count(value) == 0:
            raise absent(self._where.shown)
        self.discard(value)

    def discard(self, value: Value) -> None:
        """Remove a copy of a value, if there is one."""
        cell = self._cell(value)
        if cell.read() > 0:
            cell.write(cell.read() - 1)

    def _counts(self) -> list[Value]:
        return [self._where.at(k).read() for k in members(self._of.of, self._where)]

    @property
    def size(self) -> Value:
        """The number of copies of all values together."""
        return sum(self._counts())

    @property
    def empty(self) -> Value:
        """Whether nothing is in it."""
        return every(*(one == 0 for one in self._counts()))

    def clear(self) -> None:
        """Remove all."""
        clear(self._of, self._where)


class Map(Composite):
    """A value for some members of an index; for none at the start.

    Parameters
    ----------
    keys : Index or Scalar
        What can have a value.
    of : Index, Scalar or Composite
        The kind of the values; an index stands for its members.
    """

    def __init__(self, keys: Index | Scalar, of: Kind | Index) -> None:
        super().__init__()
        self.keys, self.of = domain_of(keys, "Map"), must_be_kind(of, "a Map")

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield which keys have a value, and the values."""
        has = plan.own("has").over(self.keys)
        yield Part(has.name, has.indices, PRESENT, has.pattern, has.place)
        yield from declare(self.of, plan.over(self.keys))

    def view(self, where: Where) -> MapView:
        """Return the map."""
        return MapView(self, where)

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield the cells of all keys."""
        for key in members(self.keys, where):
            yield Leaf(where.own("has").name, (*where.key, key), 0)
            yield from leaves(self.of, where.at(key))

    def wholes(self, where: Where, label: str) -> Iterator[Whole]:
        """Yield what the values have."""
        for key in members(self.keys, where):
            shown = self.keys.label(where.spec, key)
            yield from wholes(self.of, where.at(key), f"{label}[{shown}]")

    def assign(self, where: Where, value: Any) -> None:
        """Assign ``{}``; refuse anything else."""
        if not is_nothing(value):
            raise SpecError(f"{where.shown} is a map: assign to one of its keys, or {{}}")
        clear(self, where)


class MapView:
    """A map on a state: ``s.value[k]``."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, of: Map, where: Where) -> None:
        self._of, self._where = of, where

    def _key(self, key: Value) -> Value:
        return key_of(self._of.keys, self._where, key)

    def has(self, key: Value) -> Value:
        """Return whether a key has a value."""
        return self._where.own("has").at(self._key(key)).read()

    def __getitem__(self, key: Value) -> Any:
        """Return the value of a key.

        Raises
        ------
        RangeError
            If it has none.
        """
        if no(self.has(key)):
            name = self._where.shown
            raise RangeError(name, f"{name} has no value for the key that is read: an action must "
                                   f"require has, and a property ask with if")  # fmt: skip
        return view(self._of.of, self._where.at(self._key(key)))

    def __setitem__(self, key: Value, value: Any) -> None:
        self._where.own("has").at(self._key(key)).write(True)
        assign(self._of.of, self._where.at(self._key(key)), value)

    def remove(self, key: Value) -> None:
        """Remove a key with its value.

        Raises
        ------
        RangeError
            If it has none.
        """
        if no(self.has(key)):
            raise absent(self._where.shown)
        self.discard(key)

    def discard(self, key: Value) -> None:
        """Remove a key with its value, if it has one."""
        self._where.own("has").at(self._key(key)).write(False)
        clear(self._of.of, self._where.at(self._key(key)))

    @property
    def size(self) -> Value:
        """The number of keys that have a value."""
        has = self._where.own("has")
        return count(*(has.at(k).read() for k in members(self._of.keys, self._where)))

    def clear(self) -> None:
        """Remove all keys."""
        clear(self._of, self._where)

    def __iter__(self) -> Iterator[Any]:
        raise SpecError(f"{self._where.shown} is a map: loop over its index and ask has")

    def __contains__(self, key: Value) -> bool:
        return bool(self.has(key))

    def __len__(self) -> int:
        raise SpecError(f"{self._where.shown} is a map: write s.{self._where.shown}.size")
