"""Records: named fields, each of its own kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation.errors import SpecError
from counterpoint.spec.notation.symbolic import Value, every, no

from .composite import (
    Composite,
    Kind,
    Leaf,
    Part,
    Plan,
    Where,
    Whole,
    assign,
    declare,
    leaves,
    must_be_kind,
    show,
    snapshot,
    view,
    wholes,
)


class Record(Composite):
    """Named fields: ``Record(kind=Member(Kind), of=Integer(0, 3))``.

    Parameters
    ----------
    **fields
        The kind of each field: an Integer, Boolean, Member or Reference, an index for one of its
        members, or another composite.
    """

    def __init__(self, **fields: Kind | Index) -> None:
        super().__init__()
        if not fields:
            raise SpecError("Record() has no field: name one or more, as in Record(x=Boolean())")
        self.fields: dict[str, Kind] = {}
        for name, of in fields.items():
            if name.startswith("_") or name == "now":
                raise SpecError(f"a field of a Record cannot be called {name!r}")
            self.fields[name] = must_be_kind(of, f"the field {name} of a Record")

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield the variables of the fields."""
        for name, of in self.fields.items():
            yield from declare(of, plan.part(name))

    def view(self, where: Where) -> RecordView:
        """Return the record."""
        return RecordView(self, where)

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield the cells of all fields."""
        for name, of in self.fields.items():
            yield from leaves(of, where.part(name))

    def wholes(self, where: Where, label: str) -> Iterator[Whole]:
        """Yield what the fields have."""
        for name, of in self.fields.items():
            yield from wholes(of, where.part(name), f"{label}.{name}")

    def show(self, where: Where) -> str:
        """Return the fields with their values."""
        fields = self.fields.items()
        return "(" + ", ".join(f"{n}={show(of, where.part(n))}" for n, of in fields) + ")"

    def assign(self, where: Where, value: Any) -> None:
        """Assign all fields of a dict, or of another record."""
        given = fields_of(value)
        if given is None:
            raise SpecError(
                f"{where.shown} is a record: assign its fields, a dict with all of them, or a "
                f"record"
            )
        check_fields(where.shown, given, self.fields)
        for name, of in self.fields.items():
            assign(of, where.part(name), given[name])


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dict or a record; None for anything else."""
    if isinstance(value, dict):
        return value
    if isinstance(value, RecordView):
        return dict(value.now()._fields)
    return dict(value._fields) if isinstance(value, Fields) else None


def check_fields(name: str, given: dict[str, Any], fields: dict[str, Any]) -> None:
    """Check that all fields are given, and no others.

    Raises
    ------
    SpecError
        If one is missing or unknown.
    """
    has = ", ".join(fields) or "none"
    for field in given:
        if field not in fields:
            raise SpecError(f"{name} has no field {field!r} (its fields: {has})")
    for field in fields:
        if field not in given:
            raise SpecError(f"{name}: the field {field!r} is missing (its fields: {has})")


class Fields:
    """The values of a record's fields at one time."""

    __slots__ = ("_fields",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        fields: dict[str, Any] = object.__getattribute__(self, "_fields")
        if name in fields:
            return fields[name]
        raise SpecError(f"there is no field {name!r} (the fields: {', '.join(fields)})")

    def now(self) -> Fields:
        """Return the same."""
        return self

    def __eq__(self, other: object) -> Any:
        """Return whether all fields are equal; the result may be symbolic."""
        return _equal_fields(self._fields, other)

    def __ne__(self, other: object) -> Any:
        """Return whether some field differs."""
        return no(self == other)


class RecordView:
    """A record on a state: ``s.message.kind``."""

    __slots__ = ("_record", "_where")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, record: Record, where: Where) -> None:
        object.__setattr__(self, "_record", record)
        object.__setattr__(self, "_where", where)

    def _field(self, name: str) -> Kind:
        if name not in self._record.fields:
            has = ", ".join(self._record.fields)
            raise SpecError(f"{self._where.shown} has no field {name!r} (its fields: {has})")
        found: Kind = self._record.fields[name]
        return found

    def __getattr__(self, name: str) -> Any:
        return view(self._field(name), self._where.part(name))

    def __setattr__(self, name: str, value: Any) -> None:
        assign(self._field(name), self._where.part(name), value)

    def now(self) -> Fields:
        """Return the values of the fields, which stay as they are when the state changes."""
        fields = self._record.fields.items()
        return Fields({name: snapshot(of, self._where.part(name)) for name, of in fields})

    def __eq__(self, other: object) -> Any:
        """Return whether all fields are equal; the result may be symbolic."""
        return _equal_fields(self.now()._fields, other)

    def __ne__(self, other: object) -> Any:
        """Return whether some field differs."""
        return no(self == other)


def _equal_fields(own: dict[str, Any], other: object) -> Value:
    given = fields_of(other)
    if given is None:
        raise SpecError("a record is compared with a record, or with a dict of all its fields")
    check_fields("a record", given, own)
    return every(*(own[name] == given[name] for name in own))
