"""Variables of a state: bounded integers, truth values, named values, references, and arrays.

A variable is declared in the body of a spec; on a state, ``s.clock`` and ``s.date[x]`` read and
write it. Assigning a value outside the declared range is an error: values neither wrap around nor
stop at the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from ._domains import ValueDomain
from ._parameters import Index
from ._sources import place_of_declaration
from .errors import SpecError
from .nodes import UNBOUNDED, Cell
from .symbolic import Value

if TYPE_CHECKING:
    from ._spec import Spec

Bound: TypeAlias = "int | Callable[[Any], int]"


MOST_CELLS = 65_536
"""The most cells of a spec. Each is a term in every state, in symbolic runs and in z3."""


class AnyValue:  # its one instance, ANY, is the public name
    """The initial value of a variable that may start anywhere in its range."""

    def __repr__(self) -> str:
        return "ANY"


ANY = AnyValue()


class Variable:
    """The base of scalars and arrays: a name, the range of an element, and an initial value."""

    indices: tuple[Index, ...] = ()
    boolean = False
    grows = False

    def __init__(self, initially: Any = None) -> None:
        self.initially = initially
        self.name = ""
        self.place = place_of_declaration()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def bounds(self, spec: Spec) -> tuple[int, int]:
        """Return the least and the greatest value of an element."""
        raise NotImplementedError

    def show(self, spec: Spec, value: int) -> str | int | bool:
        """Return an element's value as people and JSON see it."""
        return value

    def cells(self, spec: Spec, *, unbounded: bool = False) -> list[Cell]:
        """Return the cells of this variable, in row-major order.

        With ``unbounded``, a range declared with ``grows`` has no upper end, unless it has one
        value only.
        """
        self._must_be_few(spec)
        low, high = self.bounds(spec)
        if low > high:
            raise SpecError(
                f"{self.place}: variable {self.name} has an empty range: {low} is greater than "
                f"{high}"
            )
        if unbounded and self.grows and low < high:
            high = UNBOUNDED
        found = []
        for index in product(*(range(i.size(spec)) for i in self.indices)):
            found.append(Cell(self.name, index, self.label(spec, index), low, high, self.boolean))
        return found

    def _must_be_few(self, spec: Spec) -> None:
        """Refuse an array of more than `MOST_CELLS` cells before they are made."""
        for fault in filter(None, (index.fault(spec) for index in self.indices)):
            raise SpecError(f"{self.place}: {self.called}: {fault}")
        sizes = [index.size(spec) for index in self.indices]
        number = prod(sizes)
        if number > MOST_CELLS:
            shown = f" ({' x '.join(map(str, sizes))})" if len(sizes) > 1 else ""
            widest = self.indices[sizes.index(max(sizes))]
            raise SpecError(
                f"{self.place}: {self.called} would have {number:,} cells{shown}, and at most "
                f"{MOST_CELLS:,} are allowed: make {widest.called}, of {max(sizes):,}, or another "
                f"part of it smaller"
            )

    @property
    def called(self) -> str:
        """What it is called in an error."""
        return self.name

    def label(self, spec: Spec, index: tuple[int, ...]) -> str:
        """Return the label of a cell."""
        inside = ", ".join(i.label(spec, m) for i, m in zip(self.indices, index, strict=True))
        return f"{self.name}[{inside}]" if self.indices else self.name

    def initial_values(self, spec: Spec, cell: Cell) -> Sequence[int]:
        """Return the values that a cell may have at the start."""
        if self.initially is ANY:
            return range(cell.low, self.bounds(spec)[1] + 1)
        first = self.initially
        if callable(first):
            first = first(spec, *cell.index)
        if first is None:
            first = min(max(0, cell.low), cell.high)
        if not isinstance(first, int):
            raise SpecError(f"{self.place}: {cell.label} starts at {first!r}, which is no integer")
        if not cell.low <= int(first) <= cell.high:
            raise SpecError(
                f"{self.place}: {cell.label} starts at {first}, outside {cell.low}..{cell.high}"
            )
        return [int(first)]


class Scalar(Variable):
    """A variable with a single value."""

    @overload
    def __get__(self, spec: None, owner: type) -> Scalar: ...
    @overload
    def __get__(self, spec: Spec, owner: type) -> Value: ...
    def __get__(self, spec: Spec | None, owner: type) -> Any:
        return self if spec is None else spec._store.read(self.name, ())

    def __set__(self, spec: Spec, value: Value) -> None:
        spec._store.write(self.name, (), value)

    def domain(self) -> ValueDomain:
        """Return the domain of an action's parameter with these values; see `choose`."""
        return ValueDomain(self)


def _bound(spec: Spec, bound: Bound, place: str) -> int:
    found = bound(spec) if callable(bound) else bound
    if not isinstance(found, int):
        raise SpecError(f"{place}: a bound of an Integer is {found!r}, not a whole number")
    return int(found)


def _values_of(named: object, by: str) -> type[IntEnum]:
    """Return a class of named values.

    Raises
    ------
    SpecError
        If it is not an `enum.IntEnum` with members.
    """
    if not (isinstance(named, type) and issubclass(named, IntEnum) and len(named)):
        raise SpecError(f"{by} takes an enum.IntEnum with at least one name, not {named!r}")
    return named


class Integer(Scalar):
    """An integer from ``low`` to ``high``, both included.

    Parameters
    ----------
    low, high : int or callable
        The bounds, as integers or functions of the spec.
    initially
        The initial value, a function of the spec, or ``ANY``. By default a variable starts at 0 if
        its range contains 0, else at the bound next to 0.
    grows : bool
        Whether the upper bound only limits what is explored: a proof assumes no upper bound.
    """

    def __init__(
        self, low: Bound, high: Bound, *, initially: Any = None, grows: bool = False
    ) -> None:
        super().__init__(initially)
        for bound in (low, high):
            if not callable(bound) and type(bound) is not int:
                raise SpecError(f"Integer({low!r}, {high!r}): {bound!r} is not a whole number")
        if isinstance(low, int) and isinstance(high, int) and low > high:
            raise SpecError(
                f"Integer({low}, {high}) is an empty range: {low} is greater than {high}"
            )
        self.low, self.high, self.grows = low, high, grows

    def bounds(self, spec: Spec) -> tuple[int, int]:
        """Return the declared range."""
        return _bound(spec, self.low, self.place), _bound(spec, self.high, self.place)


class Boolean(Scalar):
    """A truth value, false at the start."""

    boolean = True

    def bounds(self, spec: Spec) -> tuple[int, int]:
        """Return 0 and 1."""
        return 0, 1

    def show(self, spec: Spec, value: int) -> bool:
        """Return the truth value."""
        return bool(value)


class Member(Scalar):
    """A member of an `enum.IntEnum` whose values leave no gap; it starts at the least value."""

    def __init__(self, of: type[IntEnum], *, initially: Any = None) -> None:
        self.of = _values_of(of, "Member")
        super().__init__(min(of) if initially is None else initially)
        if sorted(of) != list(range(min(of), max(of) + 1)):
            raise SpecError(f"the values of {of.__name__} leave a gap")

    def bounds(self, spec: Spec) -> tuple[int, int]:
        """Return the least and the greatest member."""
        return int(min(self.of)), int(max(self.of))

    def show(self, spec: Spec, value: int) -> str:
        """Return the member's name."""
        return self.of(value).name


class Reference(Scalar):
    """A member of an index, or one of a few named values below zero (an `enum.IntEnum` up to -1).

    Parameters
    ----------
    to : Index
        The index whose members it refers to.
    otherwise : type of IntEnum
        The named values below zero, without gaps up to -1.
    initially
        The initial value; by default the least named value.
    """

    def __init__(
        self, to: Index, otherwise: type[IntEnum] | None = None, *, initially: Any = None
    ) -> None:
        if not isinstance(to, Index):
            raise SpecError(f"Reference takes the index that it refers to, not {to!r}")
        if otherwise is None:
            raise SpecError(
                "Reference also takes the names for no member, as in Reference(nodes, Nobody) with "
                "class Nobody(IntEnum): NONE = -1"
            )
        self.to, self.otherwise = to, _values_of(otherwise, "Reference")
        super().__init__(min(otherwise) if initially is None else initially)
        if sorted(otherwise) != list(range(min(otherwise), 0)):
            raise SpecError(f"the values of {otherwise.__name__} must end at -1, without a gap")

    def bounds(self, spec: Spec) -> tuple[int, int]:
        """Return the least named value and the last member."""
        return int(min(self.otherwise)), self.to.size(spec) - 1

    def show(self, spec: Spec, value: int) -> str:
        """Return the member's label or the value's name."""
        return self.otherwise(value).name if value < 0 else self.to.label(spec, value)


class IndexMember(Scalar):
    """A member of an index, the first one at the start: what a Queue or Record makes of it."""

    def __init__(self, to: Index) -> None:
        super().__init__()
        self.to = to

    def bounds(self, spec: Spec) -> tuple[int, int]:
        """Return the first and the last member."""
        return 0, self.to.size(spec) - 1

    def show(self, spec: Spec, value: int) -> str:
        """Return the member's label."""
        return self.to.label(spec, value)


class ArrayView:
    """An array on a state: ``s.date[x]``, ``s.holds[t, x]``."""

    __slots__ = ("_name", "_spec")

    def __init__(self, spec: Spec, name: str) -> None:
        self._spec, self._name = spec, name

    def __getitem__(self, key: Value | tuple[Value, ...]) -> Value:
        return self._spec._store.read(self._name, key if type(key) is tuple else (key,))

    def __setitem__(self, key: Value | tuple[Value, ...], value: Value) -> None:
        self._spec._store.write(self._name, key if type(key) is tuple else (key,), value)

    def _whole(self, *_: object) -> Any:
        raise SpecError(
            f"{self._name} is an array, not a value: name an element, as in {self._name}[p], or "
            f"loop over an index, as in every(s.{self._name}[p] for p in ...)"
        )

    __bool__ = __iter__ = __len__ = __eq__ = __contains__ = _whole
    __hash__ = None  # type: ignore[assignment]


class Array(Variable):
    """An array of variables over one index or several.

    Parameters
    ----------
    over : Index or tuple of Index
        Its dimensions.
    of : Scalar
        The kind and range of an element.
    initially
        A value for every element, a function of the spec and the indices, or ``ANY``.
    """

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """Return an array; if its elements have parts, one that is made of several variables."""
        of = given[1] if len(given) > 1 else named.get("of")
        make = getattr(of, "array_of", None)
        if cls is not Array or make is None:
            return super().__new__(cls)
        if named.keys() - {"over", "of"}:
            raise SpecError("an Array of elements with parts takes no initially")
        return make(given[0] if given else named["over"])

    def __init__(
        self, over: Index | tuple[Index, ...], of: Scalar, *, initially: Any = None
    ) -> None:
        self.indices = over if isinstance(over, tuple) else (over,)
        if not self.indices or not all(isinstance(index, Index) for index in self.indices):
            raise SpecError(f"Array takes an Index or a tuple of several, not {over!r}")
        if not isinstance(of, Scalar):
            raise SpecError(
                f"an element of an Array is an Integer, Boolean, Member or Reference, or a Record, "
                f"Set, Queue or another variable with parts, not {of!r} "
                f"(instead of an array of arrays, use two indices: Array((rows, columns), ...))"
            )
        super().__init__(of.initially if initially is None else initially)
        self.of = of
        self.boolean, self.grows = of.boolean, of.grows

    def bounds(self, spec: Spec) -> tuple[int, int]:
        """Return the range of an element."""
        return self.of.bounds(spec)

    def show(self, spec: Spec, value: int) -> str | int | bool:
        """Return an element's value as people and JSON see it."""
        return self.of.show(spec, value)

    @overload
    def __get__(self, spec: None, owner: type) -> Array: ...
    @overload
    def __get__(self, spec: Spec, owner: type) -> ArrayView: ...
    def __get__(self, spec: Spec | None, owner: type) -> Any:
        return self if spec is None else ArrayView(spec, self.name)

    def __set__(self, spec: Spec, value: object) -> None:
        raise SpecError(f"{self.name} is an array: assign to its elements")


def cells_of(
    spec: Spec, variables: Iterable[Variable], unbounded: bool
) -> list[tuple[Variable, list[Cell]]]:
    """Return the cells of each variable.

    Raises
    ------
    SpecError
        If a variable, or all of them together, have more than `MOST_CELLS`.
    """
    found = [(v, v.cells(spec, unbounded=unbounded)) for v in variables]
    number = sum(len(cells) for _, cells in found)
    if number > MOST_CELLS:
        widest, cells = max(found, key=lambda one: len(one[1]))
        raise SpecError(
            f"{widest.place}: the variables of {spec.name} would have {number:,} cells, and at "
            f"most {MOST_CELLS:,} are allowed: {widest.called} has most of them, {len(cells):,}"
        )
    return found
