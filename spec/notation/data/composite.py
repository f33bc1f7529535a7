"""Variables with parts: how they become cells.

A composite variable declares an ordinary variable for each of its parts, so engines, exports and
charts only see cells. What a part has when it is not used is fixed, so that equal values are equal
states.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation._sources import place_of_declaration
from counterpoint.spec.notation.errors import SpecError
from counterpoint.spec.notation.symbolic import Value
from counterpoint.spec.notation.variables import (
    AnyValue,
    Array,
    IndexMember,
    Scalar,
)

if TYPE_CHECKING:
    from counterpoint.spec.notation._spec import Spec

Key = tuple[Value, ...]


class Leaf(NamedTuple):
    """One cell of a value: the variable, the key of its element, and its value when not used."""

    variable: str
    key: Key
    blank: int


class Whole(NamedTuple):
    """A value with parts that people read as one.

    Attributes
    ----------
    label : str
        What it is called, as in ``rows[T0]``.
    text : str
        The value, as in ``⟨a, b⟩``.
    is_set : bool
        Whether it is a set, and not a sequence.
    leaves : tuple of Leaf
        Its cells.
    """

    label: str
    text: str
    is_set: bool
    leaves: tuple[Leaf, ...]


def own_name(base: str, name: str, depth: int) -> str:
    """Return the variable of what a collection keeps about itself, behind ``depth`` indices.

    It is another one than that of a field of its elements, and of a collection within it.
    """
    return f"{base}__{name}_{depth}" if depth else f"{base}__{name}"


class Where(NamedTuple):
    """Where a value stands in a state.

    Attributes
    ----------
    spec : Spec
        The state.
    name : str
        The first part of the names of its variables.
    key : tuple
        The indices before those of its own parts.
    shown : str
        What it is called in an error.
    """

    spec: Spec
    name: str
    key: Key
    shown: str = ""

    def part(self, name: str) -> Where:
        """Return where a part stands."""
        return Where(self.spec, f"{self.name}_{name}", self.key, f"{self.shown}.{name}")

    def own(self, name: str) -> Where:
        """Return where a collection keeps something about itself; see `own_name`."""
        found = own_name(self.name, name, len(self.key))
        return Where(self.spec, found, self.key, f"{self.shown}.{name}")

    def at(self, *key: Value) -> Where:
        """Return where an element stands."""
        return Where(self.spec, self.name, (*self.key, *key), self.shown)

    def read(self) -> Value:
        """Return the value of a cell."""
        return self.spec._store.read(self.name, self.key)

    def write(self, value: Value) -> None:
        """Assign to a cell."""
        self.spec._store.write(self.name, self.key, value)


class Part(Array):
    """An ordinary variable that is one part of a composite one.

    Parameters
    ----------
    name : str
        Its name in a state.
    indices : tuple of Index
        May be empty.
    of : Scalar
    pattern : str
        A format of its cells' labels: ``{0}`` is the label of the member of the first index.
    place : str
        File and line of the composite variable.
    """

    def __init__(
        self, name: str, indices: tuple[Index, ...], of: Scalar, pattern: str, place: str
    ) -> None:
        self.indices, self.of, self.place, self.name = indices, of, place, name
        self.initially = of.initially
        self.boolean, self.grows, self.pattern = of.boolean, of.grows, pattern

    @property
    def called(self) -> str:
        """What it is called in an error, as in ``net.vote``."""
        return self.pattern.partition("[")[0]

    def label(self, spec: Spec, index: tuple[int, ...]) -> str:
        """Return the label of a cell."""
        members = zip(self.indices, index, strict=True)
        return self.pattern.format(*(i.label(spec, m) for i, m in members))


class Plan(NamedTuple):
    """The names, labels and indices of the variables that a value is made of, so far."""

    name: str
    pattern: str
    indices: tuple[Index, ...]
    place: str

    def part(self, name: str) -> Plan:
        """Return the plan for a part."""
        return self._replace(name=f"{self.name}_{name}", pattern=f"{self.pattern}.{name}")

    def own(self, name: str) -> Plan:
        """Return the plan for what a collection keeps about itself; see `own_name`."""
        found = own_name(self.name, name, len(self.indices))
        return self._replace(name=found, pattern=f"{self.pattern}.{name}")

    def over(self, *indices: Index) -> Plan:
        """Return the plan for the elements over indices."""
        first = len(self.indices)
        inside = ", ".join(f"{{{first + k}}}" for k in range(len(indices)))
        return self._replace(pattern=f"{self.pattern}[{inside}]", indices=(*self.indices, *indices))


class Composite:
    """The base of variables with parts."""

    def __init__(self) -> None:
        self.name = ""
        self.place = place_of_declaration()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, spec: Spec | None, owner: type) -> Any:
        return self if spec is None else self.view(Where(spec, self.name, (), self.name))

    def __set__(self, spec: Spec, value: Any) -> None:
        self.assign(Where(spec, self.name, (), self.name), value)

    def variables(self) -> list[Part]:
        """Return the ordinary variables of which it is made."""
        return list(self.declare(Plan(self.name, self.name, (), self.place)))

    def texts(self) -> list[Any]:
        """Return the functions that it runs, after their text was checked; by default none."""
        return []

    def specs(self) -> set[Any]:
        """Return the specs of which it is made; by default none."""
        return set()

    def array_of(self, over: Index | tuple[Index, ...]) -> ArrayOf:
        """Return an array of such values: what ``Array(over, ...)`` makes of them."""
        return ArrayOf(over, self)

    def wholes(self, where: Where, label: str) -> Iterator[Whole]:
        """Yield the sequences and sets in a value of a concrete state, the outer ones only."""
        yield from ()

    def show(self, where: Where) -> str:
        """Return a value of a concrete state as text; by default the values of its cells."""
        store = where.spec._store
        inside = (int(store.read(leaf.variable, leaf.key)) for leaf in self.leaves(where))
        return f"({', '.join(map(str, inside))})"

    # What each kind defines

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield the ordinary variables of a value of this kind."""
        raise NotImplementedError

    def view(self, where: Where) -> Any:
        """Return the value as a state shows it."""
        raise NotImplementedError

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield all cells of a value."""
        raise NotImplementedError

    def assign(self, where: Where, value: Any) -> None:
        """Assign a value of this kind.

        Raises
        ------
        SpecError
            If it is none.
        """
        raise NotImplementedError


Kind = Scalar | Composite
"""What an element can be."""


def must_be_kind(of: object, by: str) -> Kind:
    """Return a kind of element; an index stands for one of its members.

    Raises
    ------
    SpecError
        If it is none, or a scalar that may start with any value.
    """
    if isinstance(of, Index):
        return IndexMember(of)
    if isinstance(of, Scalar):
        if isinstance(of.initially, AnyValue) or callable(of.initially):
            raise SpecError(f"an element of {by} starts with one fixed value")
        return of
    if isinstance(of, Composite):
        return of
    raise SpecError(
        f"{by} takes an index, or a variable such as Integer(0, 3), Boolean(), Record(...) or "
        f"Set(...), not {of!r}"
    )


def declare(of: Kind, plan: Plan) -> Iterator[Part]:
    """Yield the ordinary variables of a value of some kind."""
    if isinstance(of, Composite):
        yield from of.declare(plan)
    else:
        yield Part(plan.name, plan.indices, of, plan.pattern, plan.place)


def view(of: Kind, where: Where) -> Any:
    """Return a value of some kind as a state shows it."""
    return of.view(where) if isinstance(of, Composite) else where.read()


def assign(of: Kind, where: Where, value: Any) -> None:
    """Assign a value of some kind."""
    if isinstance(of, Composite):
        of.assign(where, value)
    else:
        where.write(value)


def show(of: Kind, where: Where) -> str:
    """Return a value of a concrete state as text."""
    if isinstance(of, Composite):
        return of.show(where)
    return str(of.show(where.spec, int(where.read())))


def wholes(of: Kind, where: Where, label: str) -> Iterator[Whole]:
    """Yield the sequences and sets in a value of a concrete state; see `Composite.wholes`."""
    if isinstance(of, Composite):
        yield from of.wholes(where, label)


def leaves(of: Kind, where: Where) -> Iterator[Leaf]:
    """Yield all cells of a value of some kind."""
    if isinstance(of, Composite):
        yield from of.leaves(where)
        return
    low, high = of.bounds(where.spec)
    blank = min(max(0, low), high) if of.initially is None else int(of.initially)
    yield Leaf(where.name, where.key, blank)


def copy(of: Kind, source: Where, to: Where) -> None:
    """Copy a value cell by cell."""
    for one, other in zip(leaves(of, source), leaves(of, to), strict=True):
        value = source.spec._store.read(one.variable, one.key)
        to.spec._store.write(other.variable, other.key, value)


def clear(of: Kind, where: Where) -> None:
    """Give all cells of a value what they have when they are not used."""
    for leaf in leaves(of, where):
        where.spec._store.write(leaf.variable, leaf.key, leaf.blank)


def snapshot(of: Kind, where: Where) -> Any:
    """Return a value that stays as it is when the state changes."""
    found = view(of, where)
    if not isinstance(of, Composite):
        return found
    now = getattr(type(found), "now", None)
    if now is None:
        raise SpecError(f"{where.shown} has no value by itself: read one of its parts")
    return now(found)


class ArrayOf(Composite):
    """An array whose elements have parts: what ``Array(over, Record(...))`` makes."""

    def __init__(self, over: Index | tuple[Index, ...], of: Composite) -> None:
        super().__init__()
        self.over = over if isinstance(over, tuple) else (over,)
        if not self.over or not all(isinstance(index, Index) for index in self.over):
            raise SpecError(f"Array takes an Index or a tuple of several, not {over!r}")
        self.of = of

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield the variables of the elements."""
        yield from self.of.declare(plan.over(*self.over))

    def specs(self) -> set[Any]:
        """Return the specs of which the elements are made."""
        return self.of.specs()

    def texts(self) -> list[Any]:
        """Return the functions of the elements."""
        return self.of.texts()

    def view(self, where: Where) -> ElementsView:
        """Return the array."""
        return ElementsView(where, self)

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield the cells of all elements."""
        for key in self._keys(where):
            yield from self.of.leaves(where.at(*key))

    def _keys(self, where: Where) -> Iterator[tuple[int, ...]]:
        yield from product(*(range(index.size(where.spec)) for index in self.over))

    def wholes(self, where: Where, label: str) -> Iterator[Whole]:
        """Yield what the elements have."""
        for key in self._keys(where):
            inside = ", ".join(i.label(where.spec, k) for i, k in zip(self.over, key, strict=True))
            yield from self.of.wholes(where.at(*key), f"{label}[{inside}]")

    def assign(self, where: Where, value: Any) -> None:
        """Refuse."""
        raise SpecError(f"{where.shown} is an array: assign to its elements")


class ElementsView:
    """An array on a state: ``s.slots[i]``."""

    __slots__ = ("_array", "_where")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, where: Where, array: ArrayOf) -> None:
        self._where, self._array = where, array

    def _at(self, key: Any) -> Where:
        parts = key if type(key) is tuple else (key,)
        if len(parts) != len(self._array.over):
            number = len(self._array.over)
            raise SpecError(f"{self._where.shown} has {number} indices, not {len(parts)}")
        return self._where.at(*parts)

    def __getitem__(self, key: Any) -> Any:
        return self._array.of.view(self._at(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._array.of.assign(self._at(key), value)

    def __iter__(self) -> Iterator[Any]:
        raise SpecError(f"{self._where.shown} is an array: loop over its index")
