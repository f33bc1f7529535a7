"""What the declarations of a spec must not say: checked when its class is made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._marks import MARK
from ._parameters import Index, Parameter
from .errors import SpecError
from .variables import Variable

CHANGEABLE = (list, dict, set, bytearray)


def refuse_declarations(spec: Any, base: type, marked: Iterable[Callable[..., Any]]) -> None:
    """Refuse a class whose declarations contradict each other, or would be passed over.

    Parameters
    ----------
    spec : type
        The spec's class, its declarations collected.
    base : type
        The class of all specs.
    marked : iterable of callable
        What was marked as an action or a property in the body of the class.

    Raises
    ------
    SpecError
        With one line for the first thing that is wrong.
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
    if spec.lane and spec.lane not in indices:
        yield f"lane is {spec.lane!r}, which is no index (there are: {_list(indices)})"
    for method in spec.in_other_words:
        if method not in spec.declared_methods:
            yield f"in_other_words speaks of {method!r}, which is no property"
    for name, value in vars(spec).items():
        if isinstance(value, CHANGEABLE) and not hasattr(base, name) and not name.startswith("__"):
            kind = type(value).__name__
            other = {"list": "tuple", "set": "frozenset"}.get(kind, "types.MappingProxyType")
            yield (
                f"{name} is a {kind}, in which a run could keep what is no part of the state: "
                f"declare a variable, or write a {other} if it never changes"
            )


def _passed_over(spec: Any, base: type, marked: Iterable[Callable[..., Any]]) -> Iterator[str]:
    """Yield what somebody has declared and the class would not have."""
    marks = [getattr(value, MARK) for value in vars(spec).values() if hasattr(value, MARK)]
    for method in marked:
        if not any(getattr(method, MARK) is mark for mark in marks):
            place = getattr(method, "__code__", None)
            where = f", in line {place.co_firstlineno}," if place else ""
            yield (
                f"{method.__name__}{where} is marked and no part of the class: something else has "
                f"its name, or another decorator stands above its mark and hides it"
            )
    for above in spec.__mro__:
        if not issubclass(above, base) and above is not object:
            for name, value in vars(above).items():
                if isinstance(value, Parameter | Variable) or hasattr(value, MARK):
                    yield f"{name} would be passed over: {above.__name__} must be a Spec as well"


def _names_of_parameters(spec: Any) -> Iterator[str]:
    """Yield what is wrong with names: each must mean one thing."""
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
    """Return the parameters of a kind, by the attribute under which a method asks for them."""
    found = {name: inspect.getattr_static(spec, name, None) for name in dir(spec)}
    return {name: value for name, value in found.items() if isinstance(value, kind)}


def _hidden(spec: Any) -> Iterator[str]:
    """Yield declarations of a base class behind which a subclass has put something else."""
    for name, variable in spec.declared_variables.items():
        if inspect.getattr_static(spec, name) is not variable:
            yield f"{name} is a variable of a base class, and something else here"
    for name in spec.declared_methods:
        if not callable(getattr(spec, name, None)):
            yield f"{name} is an action or property of a base class, and something else here"


def _list(names: Any) -> str:
    return ", ".join(sorted(names)) or "none"
