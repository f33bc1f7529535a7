"""The places and texts of a spec's methods, and what an error in them says."""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from .errors import SpecError


def first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def place_of(function: Callable[..., Any]) -> str:
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def place_of_declaration() -> str:
    """Return file and line of the declaration that is being made."""
    frame, own = sys._getframe(1), __name__.rpartition(".")[0]
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(own):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def decided(function: Callable[[Any], Any], spec: Any, method: str, option: str) -> Any:
    """Return what ``when=`` or ``fair=`` of a method is under the parameters of a spec.

    Raises
    ------
    SpecError
        If the function raises an error; the message names the method's line.
    """
    try:
        return function(spec)
    except Exception as error:
        place = place_of(inspect.unwrap(getattr(type(spec), method)))
        raise SpecError(f"{place}: {option}= of {method} cannot be computed from the parameters: "
                        f"{say(error)}") from None  # fmt: skip


def say(error: BaseException) -> str:
    if isinstance(error, SpecError):
        return str(error)
    if isinstance(error, AssertionError) and not str(error):
        return "an assertion failed: use require for conditions of an action, and an invariant " \
               "for conditions that must always hold"  # fmt: skip
    if isinstance(error, AttributeError) and hasattr(type(error.obj), "declared_variables"):
        of: Any = error.obj
        has = {*of.declared_variables, *of.declared_composites, *of.declared_methods}
        has |= {p.attribute for p in of.declared_parameters.values()}
        return f"{of.name} has no {error.name!r} (it has: {', '.join(sorted(has))})"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def codes(owner: type) -> Iterator[CodeType]:
    return (f.__code__ for f in vars(owner).values() if isinstance(f, FunctionType))


def short_place(place: str) -> str:
    """Return a file and line without the folders."""
    return place.replace("\\", "/").rpartition("/")[2]


def required_at(place: str) -> str:
    """Return in words that the requirement in a line of a file does not hold."""
    file, _, line = place.rpartition(":")
    text = linecache.getline(file, int(line)).strip()
    return f"{short_place(place)} does not hold" + (f": {text}" if text else "")
