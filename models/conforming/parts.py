"""Writes a Python value into a variable with parts: a list into a queue, a set into a set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from counterpoint.models.runs.steps import member
from counterpoint.spec.notation import (
    Bag,
    Index,
    Map,
    Model,
    RangeError,
    Record,
    Sequence,
    Set,
    SpecError,
)
from counterpoint.spec.notation.data.composite import Kind, Where, clear, show
from counterpoint.spec.notation.data.records import check_fields
from counterpoint.spec.notation.variables import Scalar


def put(model: Model, of: Kind, where: Where, value: Any) -> None:
    """Write a value of the code into a scratch state.

    Parameters
    ----------
    model : Model
    of : Kind
        What is written to.
    where : Where
        Its place in the state.
    value : object
        As `Mapped.rows` says.

    Raises
    ------
    SpecError
        If a variable of this kind takes no such value.
    RangeError
        If it takes such values, but not this one.
    """
    if isinstance(of, Scalar):
        where.write(_number(model, of, where, value))
        return
    clear(of, where)
    for kind, write in _WRITERS:
        if isinstance(of, kind):
            write(model, of, where, value)
            return
    raise SpecError(f"{where.shown}: name its cells, as check -v shows them")


def _sequence(model: Model, of: Sequence, where: Where, value: Any) -> None:
    if not isinstance(value, Iterable) or isinstance(value, str | Mapping | set | frozenset):
        raise SpecError(f"{where.shown} is a sequence: its value is a list, not {value!r}")
    given, most = list(value), of.places.size(model.spec)
    if len(given) > most:
        raise RangeError(where.shown, f"{where.shown} has room for {most}")
    for place, one in enumerate(given):
        put(model, of.of, where.at(place), one)
    where.own("length").write(len(given))


def _set(model: Model, of: Set, where: Where, value: Any) -> None:
    if not isinstance(value, Iterable) or isinstance(value, str):
        raise SpecError(f"{where.shown} is a set: its value is a set or a list, not {value!r}")
    for one in value:
        where.at(_member(model, where, of.of, one)).write(1)


def _bag(model: Model, of: Bag, where: Where, value: Any) -> None:
    if not isinstance(value, Iterable) or isinstance(value, str):
        raise SpecError(f"{where.shown} is a bag: its value is a list, or a dict of numbers")
    for one, copies in Counter(value).items():
        where.at(_member(model, where, of.of, one)).write(copies)


def _map(model: Model, of: Map, where: Where, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise SpecError(f"{where.shown} is a map: its value is a dict, not {value!r}")
    for one, inner in value.items():
        key = _member(model, where, of.keys, one)
        where.own("has").at(key).write(1)
        put(model, of.of, where.at(key), inner)


def _record(model: Model, of: Record, where: Where, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise SpecError(f"{where.shown} is a record: its value is a dict of fields, not {value!r}")
    check_fields(where.shown, dict(value), of.fields)
    for name, kind in of.fields.items():
        put(model, kind, where.part(name), value[name])


def text_of(model: Model, of: Kind, where: Where) -> str:
    """Return a value of a state as people read it; of maps and bags what is in them."""
    if not isinstance(of, Map | Bag):
        return show(of, where)
    keys = of.keys if isinstance(of, Map) else of.of
    has = where.own("has") if isinstance(of, Map) else where
    inside = [
        f"{keys.label(model.spec, key)}: {text_of(model, of.of, where.at(key))}"
        if isinstance(of, Map)
        else f"{keys.label(model.spec, key)}: {has.at(key).read()}"
        for key in range(keys.size(model.spec))
        if has.at(key).read()
    ]
    return "{" + ", ".join(inside) + "}"


_WRITERS: tuple[tuple[type, Any], ...] = (
    (Sequence, _sequence), (Set, _set), (Bag, _bag), (Map, _map), (Record, _record),
)  # fmt: skip


def _member(model: Model, where: Where, of: Index, value: Any) -> int:
    """Return the member that a value stands for.

    Raises
    ------
    RangeError
        If there is none.
    """
    text = value.name if isinstance(value, Enum) else str(value)
    try:
        return member(model, where.shown, of, text)
    except SpecError as error:
        raise RangeError(where.shown, str(error)) from None


def _number(model: Model, of: Scalar, where: Where, value: Any) -> int:
    """Return the number that a scalar has for a value.

    Raises
    ------
    RangeError
        If it cannot have this value.
    """
    if isinstance(value, int) and not isinstance(value, Enum):
        return int(value)
    text = value.name if isinstance(value, Enum) else str(value)
    low, high = of.bounds(model.spec)
    for number in range(low, high + 1):
        if str(of.show(model.spec, number)) == text:
            return number
    raise RangeError(where.shown, f"{where.shown} cannot be {text}")
