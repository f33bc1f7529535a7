"""Checks of a spec's declarations, made when its class is created."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._marks import MARK
from ._parameters import Index, Parameter
from .data.composite import Composite, Part
from .errors import SpecError
from .variables import Variable

CHANGEABLE = (list, dict, set, bytearray)


def check_declarations(spec: Any, base: type, marked: Iterable[Callable[..., Any]]) -> None:
    """Reject a class whose declarations contradict each other or would be ignored.

    Parameters
    ----------
    spec : type
        The spec's class, after its declarations were collected.
    base : type
        The base class of all specs.
    marked : iterable of callable
        The functions that were marked as actions or properties in the body of the class.

    Raises
    ------
    SpecError
        For the first fault; the message is one line.
    """
    for why in (*_passed_over(spec, base, marked), *_wrong(spec, base)):
        raise SpecError(f"{spec.name}: {why}")


def _wrong(spec: Any, base: type) -> Iterator[str]:
    yield from _names_of_parameters(spec)
    yield from _hidden(spec)
    indices = _attributes(spec)
    for name in spec.any_number:
        if name not in indices:
            yield f"any_number names {name!r}, which is no index (there are: {_list(indices)})"
    lanes = {*indices, *(name for index in indices.values() for name in index.names)}
    if spec.lane and spec.lane not in lanes:
        yield (
            f"lane is {spec.lane!r}, which is no index and no parameter of actions (there are: "
            f"{_list(lanes)})"
        )
    for method in spec.in_other_words:
        if method not in spec.declared_methods:
            yield f"in_other_words names {method!r}, which is not a property"
    for name, value in vars(spec).items():
        if isinstance(value, CHANGEABLE) and not hasattr(base, name) and not name.startswith("__"):
            kind = type(value).__name__
            other = {"list": "tuple", "set": "frozenset"}.get(kind, "types.MappingProxyType")
            yield (
                f"{name} is a {kind}, in which a run could store something outside the state: "
                f"declare a variable, or write a {other} if it never changes"
            )


def _passed_over(spec: Any, base: type, marked: Iterable[Callable[..., Any]]) -> Iterator[str]:
    """Yield declarations without effect; the parameters are those of `check_declarations`."""
    marks = [getattr(value, MARK) for value in vars(spec).values() if hasattr(value, MARK)]
    for method in marked:
        if not any(getattr(method, MARK) is mark for mark in marks):
            place = getattr(method, "__code__", None)
            where = f", in line {place.co_firstlineno}," if place else ""
            yield (
                f"{method.__name__}{where} is marked, but not part of the class: something else "
                f"has "
                f"its name, or another decorator stands above its mark and hides it"
            )
    for above in spec.__mro__:
        if not issubclass(above, base) and above is not object:
            for name, value in vars(above).items():
                if isinstance(value, Parameter | Variable | Composite) or hasattr(value, MARK):
                    yield f"{name} would have no effect: {above.__name__} must be a Spec as well"


def _names_of_parameters(spec: Any) -> Iterator[str]:
    """Yield names that mean two things."""
    public: dict[str, str] = {}
    claimed: dict[str, str] = {}
    for attribute, parameter in _attributes(spec, Parameter).items():
        if public.setdefault(parameter.name, attribute) != attribute:
            yield f"two parameters are called {parameter.name!r}"
        for name in parameter.names if isinstance(parameter, Index) else ():
            if claimed.setdefault(name, attribute) != attribute:
                yield (
                    f"the parameter {name!r} of actions is claimed by two indices, "
                    f"{claimed[name]} and {attribute}"
                )


def _attributes(spec: Any, kind: type[Parameter] = Index) -> dict[str, Any]:
    """Return the parameters of a kind, by the attribute that holds them."""
    found = {name: inspect.getattr_static(spec, name, None) for name in dir(spec)}
    return {name: value for name, value in found.items() if isinstance(value, kind)}


def _hidden(spec: Any) -> Iterator[str]:
    """Yield declarations of a base class that a subclass has replaced by something else."""
    whole = {**spec.declared_variables, **spec.declared_composites}
    for name, variable in whole.items():
        if isinstance(variable, Part):
            continue
        if inspect.getattr_static(spec, name) is not variable:
            yield f"{name} is a variable in a base class, but something else here"
    for name in spec.declared_methods:
        if not callable(getattr(spec, name, None)):
            yield f"{name} is an action or property in a base class, but something else here"


def _list(names: Any) -> str:
    return ", ".join(sorted(names)) or "none"
