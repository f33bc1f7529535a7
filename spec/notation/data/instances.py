"""A spec as a part of another one: its variables, and its methods on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from counterpoint.spec.notation._domains import Domain
from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation.errors import SpecError
from counterpoint.spec.notation.symbolic import Value
from counterpoint.spec.notation.variables import AnyValue, Array, Scalar, Variable

from .composite import Composite, Leaf, Part, Plan, Where, Whole

if TYPE_CHECKING:
    from counterpoint.spec.notation._spec import Spec


class Instance(Composite):
    """Another spec as a variable: ``lock = Instance(Lock, processes=lambda s: len(s.nodes))``.

    On a state ``s.lock.holder`` is a variable of that spec, and ``s.lock.take(p)`` in an action
    does what its action does, with its requirements. Its own steps are not steps of the spec around
    it, and its properties not properties, unless methods there call them.

    Parameters
    ----------
    of : type of Spec
    **parameters
        Its parameters, as values or functions of the spec around it.
    """

    def __init__(self, of: type[Spec], **parameters: Any) -> None:
        super().__init__()
        if not (isinstance(of, type) and hasattr(of, "declared_variables")):
            raise SpecError(f"Instance takes a spec, a class derived from Spec, not {of!r}")
        self.of, self.parameters = of, parameters
        self._made: dict[tuple[Any, ...], Spec] = {}
        of(**{name: value for name, value in parameters.items() if not callable(value)})

    def inner(self, spec: Spec) -> Spec:
        """Return the spec with its parameters, for the spec around it."""
        given = {n: v(spec) if callable(v) else v for n, v in self.parameters.items()}
        key = tuple(given.values())
        if key not in self._made:
            self._made[key] = self.of(**given)
        return self._made[key]

    def specs(self) -> set[Any]:
        """Return the other spec."""
        return {self.of}

    def texts(self) -> list[Any]:
        """Return the functions of the other spec, after their text was checked."""
        self.of.read_text()
        found: list[Any] = self.of.__dict__["_text_was_read"]
        return found

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield the variables of the other spec."""
        for name, variable in self.of.declared_variables.items():
            indices = [InnerIndex(self, index) for index in variable.indices]
            pattern = f"{plan.pattern}.{_pattern(variable, len(plan.indices))}"
            yield Part(
                f"{plan.name}_{name}", (*plan.indices, *indices),
                InnerScalar(self, variable, len(plan.indices)), pattern, plan.place,
            )  # fmt: skip

    def view(self, where: Where) -> Spec:
        """Return a state of the other spec, which is a part of this one."""
        found = object.__new__(self.of)
        found.__dict__.update(self.inner(where.spec).__dict__)
        found.__dict__["_store"] = InnerStore(where)
        return found

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield all cells of the other spec."""
        inner = self.inner(where.spec)
        for name, variable in self.of.declared_variables.items():
            for cell in variable.cells(inner):
                first = variable.initial_values(inner, cell)[0]
                yield Leaf(f"{where.name}_{name}", (*where.key, *cell.index), first)

    def wholes(self, where: Where, label: str) -> Iterator[Whole]:
        """Yield what the variables of the other spec have."""
        inner = self.view(where)
        for name, of in self.of.declared_composites.items():
            for one in of.wholes(Where(inner, name, (), name), f"{label}.{name}"):
                own = [
                    Leaf(f"{where.name}_{leaf.variable}", (*where.key, *leaf.key), leaf.blank)
                    for leaf in one.leaves
                ]
                yield one._replace(leaves=tuple(own))

    def assign(self, where: Where, value: Any) -> None:
        """Refuse."""
        raise SpecError(f"{where.name} is a spec: assign to its variables, or call its actions")


def _pattern(variable: Variable, shift: int) -> str:
    """Return the format of a variable's labels, with the numbers of its indices shifted."""
    places = [f"{{{shift + k}}}" for k in range(len(variable.indices))]
    if isinstance(variable, Part):
        return variable.pattern.format(*places)
    return f"{variable.name}[{', '.join(places)}]" if places else variable.name


class InnerIndex(Domain):
    """An index of the other spec, seen from the spec around it."""

    def __init__(self, instance: Instance, index: Index) -> None:
        super().__init__()
        self._instance, self._index = instance, index

    def count(self, spec: Spec) -> int:
        """Return the number of members."""
        return self._index.size(self._instance.inner(spec))

    def label(self, spec: Spec, member: int) -> str:
        """Return the label of a member."""
        return self._index.label(self._instance.inner(spec), member)


class InnerScalar(Scalar):
    """The elements of a variable of the other spec, seen from the spec around it."""

    def __init__(self, instance: Instance, variable: Variable, outer: int) -> None:
        self._instance, self._variable = instance, variable
        of = variable.of if isinstance(variable, Array) else variable
        self.boolean, self.grows, self.place = of.boolean, of.grows, variable.place
        first = variable.initially
        starts: Callable[..., Any] | Any = first
        if callable(first):
            starts = lambda spec, *key: first(instance.inner(spec), *key[outer:])  # noqa: E731
        self.initially = first if isinstance(first, AnyValue) else starts

    def bounds(self, spec: Spec) -> tuple[int, int]:
        """Return the range."""
        return self._variable.bounds(self._instance.inner(spec))

    def show(self, spec: Spec, value: int) -> str | int | bool:
        """Return a value as people and JSON see it."""
        return self._variable.show(self._instance.inner(spec), value)


class InnerStore:
    """The values of the other spec, within the state around it."""

    __slots__ = ("_where",)

    def __init__(self, where: Where) -> None:
        self._where = where

    def read(self, name: str, key: tuple[Value, ...]) -> Value:
        """Return the value of an element."""
        return self._where.part(name).at(*key).read()

    def write(self, name: str, key: tuple[Value, ...], value: Value) -> None:
        """Assign a value to an element."""
        self._where.part(name).at(*key).write(value)
