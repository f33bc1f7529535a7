"""Sets: a truth value for each value that may be in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation.errors import SpecError
from counterpoint.spec.notation.symbolic import Value, count, every, implies, ite, no, some
from counterpoint.spec.notation.variables import Boolean, Scalar

from .composite import Composite, Leaf, Part, Plan, Where, Whole
from .members import PRESENT, absent, domain_of, inner_key_of, key_of, members, span


class Set(Composite):
    """A set of members of an index, or of values of a scalar; empty at the start.

    Parameters
    ----------
    of : Index or Scalar
        What can be in it.
    initially : iterable of int
        The members at the start.
    """

    def __init__(self, of: Index | Scalar, *, initially: Iterable[int] = ()) -> None:
        super().__init__()
        self.of = domain_of(of, "Set")
        self.initially = frozenset(initially)

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield the truth values of the members."""
        first = len(plan.indices)
        start = Boolean(lambda spec, *key: self._starts(spec, key[first])) if self.initially \
            else PRESENT  # fmt: skip
        over = plan.over(self.of)
        yield Part(over.name, over.indices, start, over.pattern, over.place)

    def _starts(self, spec: Any, member: int) -> bool:
        values = [self.of.argument(spec, k) for k in range(self.of.size(spec))]
        for one in self.initially - set(values):
            raise SpecError(f"{self.place}: a Set cannot start with {one!r}, which is none of the "
                            f"values that may be in it")  # fmt: skip
        return values[member] in self.initially

    def view(self, where: Where) -> SetView:
        """Return the set."""
        return SetView(self, where)

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield the cells of all members."""
        for member in members(self.of, where):
            blank = int(bool(self.initially) and self._starts(where.spec, member))
            yield Leaf(where.name, (*where.key, member), blank)

    def wholes(self, where: Where, label: str) -> Iterator[Whole]:
        """Yield the set itself."""
        yield Whole(label, self.show(where), True, tuple(self.leaves(where)))

    def show(self, where: Where) -> str:
        """Return the members, as in ``{a, b}``."""
        inside = [k for k in members(self.of, where) if where.at(k).read()]
        return "{" + ", ".join(self.of.label(where.spec, k) for k in inside) + "}"

    def assign(self, where: Where, value: Any) -> None:
        """Assign another set over the same index, or members."""
        for member, truth in enumerate(truths_of(self, where, value)):
            where.at(member).write(truth)


def truths_of(of: Set, where: Where, value: Any) -> list[Value]:
    """Return for each member whether it is in a set, or among some members.

    Raises
    ------
    SpecError
        If it is neither a set over the same index nor a collection of members.
    RangeError
        If one of them cannot be in the set.
    """
    if isinstance(value, SetValue):
        if value.span != span(of.of, where):
            raise SpecError(f"{where.shown}: the other set is over another index")
        return value.truths()
    if not isinstance(value, Iterable):
        raise SpecError(f"{where.shown} is a set: {value!r} is no set and no collection of members")
    found: list[Value] = [False] * len(members(of.of, where))
    for one in value:
        key = inner_key_of(of.of, where, one)
        for member in range(len(found)):
            found[member] = some(found[member], key == member)
    return found


class SetValue:
    """A set that stays as it is when the state changes; its members' truth may be symbolic."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, of: Set, where: Where, truths: list[Value]) -> None:
        self._of, self._where, self._truths = of, where, truths

    def truths(self) -> list[Value]:
        """Return for each member whether it is in the set."""
        return self._truths

    @property
    def span(self) -> range:
        """The values that could be in it."""
        return span(self._of.of, self._where)

    def now(self) -> SetValue:
        """Return the set as it is now."""
        return SetValue(self._of, self._where, list(self.truths()))

    def has(self, value: Value) -> Value:
        """Return whether a value is in the set; unlike ``in``, this does not fork."""
        key = inner_key_of(self._of.of, self._where, value)
        return some(*(every(one, key == k) for k, one in enumerate(self.truths())))

    def __contains__(self, value: Value) -> bool:
        return bool(self.has(value))

    def __iter__(self) -> Iterator[Any]:
        raise SpecError(
            f"{self._where.shown} is a set: loop over its index and ask has, as in "
            f"some(s.{self._where.shown}.has(p) for p in ...)"
        )

    def __len__(self) -> int:
        raise SpecError(f"{self._where.shown} is a set: write s.{self._where.shown}.size")

    def __bool__(self) -> bool:
        raise SpecError(f"{self._where.shown} is a set: write s.{self._where.shown}.empty")

    @property
    def size(self) -> Value:
        """The number of members."""
        return count(*self.truths())

    @property
    def empty(self) -> Value:
        """Whether nothing is in it."""
        return no(*self.truths())

    def _with(self, other: Any) -> list[tuple[Value, Value]]:
        return list(zip(self.truths(), truths_of(self._of, self._where, other), strict=True))

    def _made(self, truths: list[Value]) -> SetValue:
        return SetValue(self._of, self._where, truths)

    def __or__(self, other: Any) -> SetValue:
        """Return the union."""
        return self._made([some(a, b) for a, b in self._with(other)])

    def __and__(self, other: Any) -> SetValue:
        """Return the intersection."""
        return self._made([every(a, b) for a, b in self._with(other)])

    def __sub__(self, other: Any) -> SetValue:
        """Return the difference."""
        return self._made([every(a, no(b)) for a, b in self._with(other)])

    def __le__(self, other: Any) -> Any:
        """Return whether it is a subset."""
        return every(*(implies(a, b) for a, b in self._with(other)))

    def __ge__(self, other: Any) -> Any:
        """Return whether it contains another set."""
        return every(*(implies(b, a) for a, b in self._with(other)))

    def __eq__(self, other: object) -> Any:
        """Return whether both sets have the same members."""
        return every(*(ite(a, b, no(b)) for a, b in self._with(other)))

    def __ne__(self, other: object) -> Any:
        """Return whether the sets differ."""
        return no(self == other)


class SetView(SetValue):
    """A set on a state."""

    def __init__(self, of: Set, where: Where) -> None:
        super().__init__(of, where, [])

    def truths(self) -> list[Value]:
        """Return for each member whether it is in the set."""
        return [self._where.at(k).read() for k in members(self._of.of, self._where)]

    def has(self, value: Value) -> Value:
        """Return whether a value is in the set; unlike ``in``, this does not fork."""
        return self._where.at(key_of(self._of.of, self._where, value)).read()

    def add(self, value: Value) -> None:
        """Add a value; it may be in the set already."""
        self._where.at(key_of(self._of.of, self._where, value)).write(True)

    def remove(self, value: Value) -> None:
        """Remove a value.

        Raises
        ------
        RangeError
            If it is not in the set.
        """
        if no(self.has(value)):
            raise absent(self._where.shown)
        self.discard(value)

    def discard(self, value: Value) -> None:
        """Remove a value, if it is in the set."""
        self._where.at(key_of(self._of.of, self._where, value)).write(False)

    def clear(self) -> None:
        """Remove all."""
        for member in members(self._of.of, self._where):
            self._where.at(member).write(False)
