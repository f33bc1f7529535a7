"""Reads what a mapping says: variables of a spec, with the values that the code has.

A mapping may leave out variables, and elements of arrays; nothing is compared there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from counterpoint.models.logs.reading import Facts
from counterpoint.models.runs.steps import member
from counterpoint.spec.notation import (
    Array,
    Index,
    Model,
    RangeError,
    Reference,
    Spec,
    SpecError,
    Values,
)
from counterpoint.spec.notation.data.composite import ArrayOf, Composite, Where, leaves

from .parts import put, text_of


@dataclass(frozen=True)
class Row:
    """What a mapping says of one variable, or of one element of an array.

    Attributes
    ----------
    label : str
        What it is called, as in ``has[W0]``.
    code : str
        The value that the code has, as text.
    facts : Facts
        The same as values of cells.
    of : Composite or None
        If it has parts: its kind.
    where : tuple of (str, tuple of int)
        If it has parts: its name, and the element.
    """

    label: str
    code: str
    facts: Facts
    of: Any = None  # a Composite would act as a descriptor here
    where: tuple[str, tuple[int, ...]] = ("", ())

    def in_spec(self, model: Model, values: Values) -> str:
        """Return the value that a state of the spec has, as text."""
        if self.of is not None:
            name, key = self.where
            return text_of(model, self.of, Where(model.at(values), name, key, self.label))
        ((k, _),) = self.facts
        return str(model.show_value(model.cells[k], values[k]))


class Mapped:
    """Reads what a mapping returns, for one spec.

    Parameters
    ----------
    model : Model
    name : str
        What the mapping is called in errors.
    """

    def __init__(self, model: Model, name: str = "the mapping") -> None:
        self._model, self._name = model, name
        self._cells = {cell.label: k for k, cell in enumerate(model.cells)}
        self._places = {(cell.variable, cell.index): k for k, cell in enumerate(model.cells)}
        self._scratch = tuple(cell.low for cell in model.cells)
        self._members: dict[tuple[int, str], int] = {}

    def rows(self, given: Any) -> tuple[Row, ...]:
        """Return what a mapping says.

        Parameters
        ----------
        given : mapping of str to object
            For a variable, or an element as in ``"has[W0]"``, its value. An array takes a list of
            the values of its elements, or a dict with some of them, by member: its number or its
            label, or a tuple of several. A queue or sequence takes a list, a set a set, a map a
            dict, a bag a list or a dict of numbers, and a record a dict of its fields.

        Raises
        ------
        SpecError
            If it says nothing that can be compared with the spec's variables.
        """
        if not isinstance(given, Mapping):
            raise SpecError(f"{self._name} returned {type(given).__name__}, and no dict of "
                            "variables with their values")  # fmt: skip
        found: list[Row] = []
        for name, value in given.items():
            try:
                found += self._rows(str(name), value)
            except SpecError as error:
                raise SpecError(f"{self._name}: {error}") from error
        return tuple(found)

    def _rows(self, name: str, value: Any) -> list[Row]:
        spec = self._model.spec
        if name in self._cells:
            return [self._scalar(self._cells[name], value)]
        if name in spec.declared_composites:
            of: Composite = spec.declared_composites[name]
            if isinstance(of, ArrayOf):
                return [self._composite(of.of, name, key, one)
                        for key, one in self._elements(name, of.over, value)]  # fmt: skip
            return [self._composite(of, name, (), value)]
        declared = spec.declared_variables.get(name)
        if isinstance(declared, Array):
            return [self._scalar(self._places[name, key], one)
                    for key, one in self._elements(name, declared.indices, value)]  # fmt: skip
        known = ", ".join(_names(spec))
        raise SpecError(f"{self._model.name} has no variable {name!r} (it has: {known})")

    def _elements(
        self, name: str, over: Sequence[Any], value: Any
    ) -> list[tuple[tuple[int, ...], Any]]:
        """Return the elements of an array, each with its value."""
        if isinstance(value, list | tuple):
            size = over[0].size(self._model.spec)
            if len(value) != size:
                raise SpecError(f"{name} has {size} elements, not {len(value)}; a dict may have "
                                "some of them")  # fmt: skip
            value = dict(enumerate(value))
        if not isinstance(value, Mapping):
            raise SpecError(f"{name} is an array: its value is a list, or a dict of elements, "
                            f"not {value!r}")  # fmt: skip
        found = []
        for key, one in value.items():
            keys = key if isinstance(key, tuple) else (key,)
            if len(keys) > len(over):
                raise SpecError(f"{name} has {len(over)} indices, not {len(keys)}")
            first = tuple(
                self._member(name, index, as_text(k)) for index, k in zip(over, keys, strict=False)
            )
            left = over[len(keys) :]
            found += (
                [((*first, *rest), inner) for rest, inner in self._elements(name, left, one)]
                if left
                else [(first, one)]
            )
        return found

    def _member(self, name: str, index: Index, text: str) -> int:
        key = (id(index), text)
        if key not in self._members:
            self._members[key] = member(self._model, name, index, text)
        return self._members[key]

    def _scalar(self, place: int, value: Any) -> Row:
        cell = self._model.cells[place]
        text = shown_as(self._model.spec, cell.variable, value)
        return Row(cell.label, text, ((place, text),))

    def _composite(self, of: Composite, name: str, key: tuple[int, ...], value: Any) -> Row:
        state = self._model.at(self._scratch)
        labels = self._labels(name, key)
        where = Where(state, name, key, labels)
        places = [self._places[leaf.variable, tuple(map(int, leaf.key))]
                  for leaf in leaves(of, where)]  # fmt: skip
        try:
            put(self._model, of, where, value)
        except RangeError:  # no state of the spec has this value
            return Row(labels, repr(value), ((places[0], repr(value)),), of, (name, key))
        has = state._store.values
        facts = tuple(
            (k, str(self._model.show_value(self._model.cells[k], int(has[k])))) for k in places
        )
        return Row(labels, text_of(self._model, of, where), facts, of, (name, key))

    def _labels(self, name: str, key: tuple[int, ...]) -> str:
        of = self._model.spec.declared_composites[name]
        if not isinstance(of, ArrayOf):
            return name
        inside = (i.label(self._model.spec, k) for i, k in zip(of.over, key, strict=True))
        return f"{name}[{', '.join(inside)}]"


def _names(spec: Spec) -> list[str]:
    parts = {part.name for one in spec.declared_composites.values() for part in one.variables()}
    plain = [name for name in spec.declared_variables if name not in parts]
    return [*plain, *spec.declared_composites]


def as_text(value: Any) -> str:
    """Return a member as it can be written: its number, its label, or the name of an `Enum`."""
    return value.name if isinstance(value, Enum) else str(value)


def shown_as(spec: Spec, variable: str, value: Any) -> str:
    """Return a value of the code as the spec shows its own values.

    Raises
    ------
    SpecError
        If no variable can have a value of this kind.
    """
    of = spec.declared_variables[variable]
    scalar = of.of if isinstance(of, Array) else of
    if isinstance(value, Enum):
        return value.name
    if value is None and isinstance(scalar, Reference) and len(scalar.otherwise) == 1:
        return next(iter(scalar.otherwise)).name
    if isinstance(value, int):
        low, high = of.bounds(spec)
        return str(of.show(spec, int(value))) if low <= value <= high else str(value)
    if value is None or isinstance(value, str):
        return str(value)
    raise SpecError(f"{variable}: {value!r} is no number, truth value or name")
