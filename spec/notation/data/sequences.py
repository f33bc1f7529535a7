"""Sequences and queues: a fixed number of places, of which the first ones are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from counterpoint.spec.notation._domains import Positions
from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation.errors import RangeError, SpecError
from counterpoint.spec.notation.symbolic import Value, every, ite, no, some
from counterpoint.spec.notation.variables import Integer

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
    copy,
    declare,
    leaves,
    must_be_kind,
    show,
    snapshot,
    view,
)
from .members import is_nothing
from .records import Record


class Sequence(Composite):
    """Values one after the other, at most as many as its capacity; empty at the start.

    Parameters
    ----------
    of : Index, Scalar or Composite
        The kind of its values; an index stands for its members.
    capacity : int or callable
        The most values, as an integer or a function of the spec.
    """

    def __init__(self, of: Kind | Index, capacity: int | Callable[[Any], int]) -> None:
        super().__init__()
        kind = type(self).__name__
        self.of = must_be_kind(of, f"a {kind}")
        if not callable(capacity) and (type(capacity) is not int or capacity < 1):
            raise SpecError(f"the capacity of a {kind} is a whole number from 1 on, "
                            f"not {capacity!r}")  # fmt: skip
        self.places = Positions(capacity, kind)
        self.number = Integer(0, self.places.size)

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield the length and the values."""
        length = plan.own("length")
        yield Part(length.name, length.indices, self.number, length.pattern, length.place)
        yield from declare(self.of, plan.over(self.places))

    def view(self, where: Where) -> SequenceView:
        """Return the sequence."""
        return SequenceView(self, where)

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield the cells of the length and of all places."""
        yield Leaf(where.own("length").name, where.key, 0)
        for place in range(self.places.size(where.spec)):
            yield from leaves(self.of, where.at(place))

    def wholes(self, where: Where, label: str) -> Iterator[Whole]:
        """Yield the sequence itself."""
        yield Whole(label, self.show(where), False, tuple(self.leaves(where)))

    def show(self, where: Where) -> str:
        """Return the values in order, as in ``⟨a, b⟩``."""
        length = int(where.own("length").read())
        return "⟨" + ", ".join(show(self.of, where.at(k)) for k in range(length)) + "⟩"

    def assign(self, where: Where, value: Any) -> None:
        """Assign another sequence of the same capacity and kind of values, or ``[]``."""
        if is_nothing(value):
            clear(self, where)
            return
        if not isinstance(value, SequenceView) or not value.like(self, where):
            raise SpecError(f"{where.shown} is a sequence: append changes it, or assign another "
                            f"sequence of the same capacity and kind, or []")  # fmt: skip
        copy(self, value.where, where)


def _shape(of: Sequence, where: Where) -> list[tuple[str, int]]:
    """Return which cells a sequence has, and what they have when they are not used."""
    return [(leaf.variable, leaf.blank) for leaf in leaves(of, Where(where.spec, "", ()))]


class SequenceView:
    """A sequence on a state: ``s.log[0]`` is its first value."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, of: Sequence, where: Where) -> None:
        self._of, self.where = of, where

    def like(self, of: Sequence, where: Where) -> bool:
        """Return whether another sequence has the same capacity and the same kind of values."""
        return _shape(self._of, self.where) == _shape(of, where)

    @property
    def capacity(self) -> int:
        """The most values that it can have."""
        return self._of.places.size(self.where.spec)

    @property
    def length(self) -> Value:
        """The number of its values."""
        return self.where.own("length").read()

    @property
    def empty(self) -> Value:
        """Whether it has no value."""
        return self.length == 0

    @property
    def full(self) -> Value:
        """Whether it has as many values as it can have."""
        return self.length == self.capacity

    def _inside(self, place: Value) -> Where:
        if not every(place >= 0, place < self.length):
            name = self.where.shown
            raise RangeError(name, f"{name} has no value at the place that is used: an action must "
                                   f"require that it has, and a property ask with if")  # fmt: skip
        return self.where.at(place)

    def __getitem__(self, place: Value) -> Any:
        """Return the value at a place.

        Raises
        ------
        RangeError
            If there is none.
        """
        return view(self._of.of, self._inside(place))

    def __setitem__(self, place: Value, value: Any) -> None:
        assign(self._of.of, self._inside(place), value)

    @property
    def first(self) -> Any:
        """The first value; an empty sequence has none."""
        return self[0]

    @property
    def last(self) -> Any:
        """The last value; an empty sequence has none."""
        return self[self.length - 1]

    def has(self, value: Any) -> Value:
        """Return whether a value is in the sequence."""
        length, of = self.length, self._of.of
        return some(
            *(every(k < length, view(of, self.where.at(k)) == value) for k in range(self.capacity))
        )

    def append(self, value: Any = None, /, **fields: Any) -> None:
        """Add a value at the end; a record's fields may be named: ``append(term=1, of=p)``.

        Raises
        ------
        RangeError
            If the sequence is full.
        """
        name, length = self.where.shown, self.length
        if fields and (value is not None or not isinstance(self._of.of, Record)):
            raise SpecError(f"{name}.append takes one value, or the fields of a record")
        if self.full:
            values = "1 value" if self.capacity == 1 else f"{self.capacity} values"
            raise RangeError(
                name,
                f"{name} is full: it has room for {values}, so the action must "
                f"require that it is not full",
            )
        assign(self._of.of, self.where.at(length), fields or value)
        self.where.own("length").write(length + 1)

    def pop_first(self) -> Any:
        """Remove the first value and return it.

        Raises
        ------
        RangeError
            If the sequence is empty.
        """
        of, where = self._of.of, self.where
        found = snapshot(of, self._inside(0))
        for place in range(self.capacity - 1):
            copy(of, where.at(place + 1), where.at(place))
        clear(of, where.at(self.capacity - 1))
        where.own("length").write(self.length - 1)
        return found

    def pop_last(self) -> Any:
        """Remove the last value and return it.

        Raises
        ------
        RangeError
            If the sequence is empty.
        """
        place = self.length - 1
        found = snapshot(self._of.of, self._inside(place))
        clear(self._of.of, self.where.at(place))
        self.where.own("length").write(place)
        return found

    def pop(self, place: Value) -> Any:
        """Remove the value at a place and return it; those behind it move up.

        Raises
        ------
        RangeError
            If there is none.
        """
        of, where = self._of.of, self.where
        store = where.spec._store
        found = snapshot(of, self._inside(place))
        for k in range(self.capacity - 1):
            for here, behind in zip(leaves(of, where.at(k)), leaves(of, where.at(k + 1)),
                                    strict=True):  # fmt: skip
                moved = store.read(behind.variable, behind.key)
                kept = store.read(here.variable, here.key)
                store.write(here.variable, here.key, ite(place <= k, moved, kept))
        clear(of, where.at(self.capacity - 1))
        where.own("length").write(self.length - 1)
        return found

    def clear(self) -> None:
        """Remove all values."""
        clear(self._of, self.where)

    def __eq__(self, other: object) -> Any:
        """Return whether both have the same values in the same order."""
        if not isinstance(other, SequenceView) or not other.like(self._of, self.where):
            raise SpecError(f"{self.where.shown} is compared with a sequence of the same "
                            f"capacity and kind")  # fmt: skip
        pairs = zip(leaves(self._of, self.where), leaves(other._of, other.where), strict=True)
        here, there = self.where.spec._store, other.where.spec._store
        return every(
            *(here.read(a.variable, a.key) == there.read(b.variable, b.key) for a, b in pairs)
        )

    def __ne__(self, other: object) -> Any:
        """Return whether they differ."""
        return no(self == other)

    def __iter__(self) -> Iterator[Any]:
        raise SpecError(
            f"{self.where.shown} is a sequence: loop over range(s.{self.where.shown}.capacity) and "
            f"compare with its length"
        )

    def __len__(self) -> int:
        raise SpecError(f"{self.where.shown} is a sequence: write s.{self.where.shown}.length")

    def __bool__(self) -> bool:
        raise SpecError(f"{self.where.shown} is a sequence: write s.{self.where.shown}.empty")


class Queue(Sequence):
    """A sequence that is used as a queue: ``put`` at the end, ``take`` from the front."""

    def view(self, where: Where) -> QueueView:
        """Return the queue."""
        return QueueView(self, where)


class QueueView(SequenceView):
    """A queue on a state."""

    def put(self, value: Any = None, /, **fields: Any) -> None:
        """Add a value at the end; a full queue is an error, so require that it is not full."""
        self.append(value, **fields)

    def take(self) -> Any:
        """Remove the first value and return it; an empty queue is an error."""
        return self.pop_first()
