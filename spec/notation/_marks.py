"""The decorators that make a method an action or a property, and ``require``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar, overload

from .errors import SpecError
from .symbolic import Symbolic, Value, as_value, deciding, judging

Function = TypeVar("Function", bound=Callable[..., Any])

MARK = "_counterpoint_mark"

MARKED = "_counterpoint_marked"
"""Name of a list in the body of a class: the functions marked in it, until the class is created."""


@dataclass(frozen=True)
class MethodMark:
    """The kind of a decorated method.

    Attributes
    ----------
    kind : str
        ``action``, ``invariant``, ``lemma``, ``transition``, ``sometimes``, ``finished`` or
        ``initially``.
    when : callable or None
        Called with the spec: whether the method is part of it under its parameters.
    """

    kind: str
    when: Callable[[Any], bool] | None = None


class Disabled(Exception):  # not an error: the action is not possible in this state
    """A requirement of an action does not hold in the current state."""


def require(*conditions: Value) -> None:
    """State conditions that must hold for the action to be possible.

    A condition that fails disables the action; assignments made before it are undone.

    Raises
    ------
    SpecError
        If a condition is not a value, or a property calls it.
    """
    if judging.get():
        raise SpecError("require may be used in actions only")
    for condition in map(as_value, conditions):
        if isinstance(condition, Symbolic):
            path = deciding.get()
            if path is None:
                bool(condition)  # raises: no trace is running
            else:
                path.assume(condition.node)
        elif not condition:
            raise Disabled


def _body_of_a_class() -> dict[str, Any] | None:
    """Return the namespace of the class body that is running; None if none is."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # no function, but a class or a module
            return frame.f_locals if "__qualname__" in frame.f_locals else None
        frame = frame.f_back
    return None


def remove_from_outer_list(cls: type) -> None:
    """Remove a nested class's marked functions from the list of the class around it."""
    around = _body_of_a_class() or {}
    has = {id(getattr(value, MARK, None)) for value in vars(cls).values()}
    if MARKED in around:
        around[MARKED] = [m for m in around[MARKED] if id(getattr(m, MARK)) not in has]


def take_marked(cls: type) -> list[Callable[..., Any]]:
    """Return the functions that were marked in the body of a class, and delete their list."""
    remove_from_outer_list(cls)
    found: list[Callable[..., Any]] = cls.__dict__.get(MARKED, [])
    if found:
        delattr(cls, MARKED)
    return found


class _Marker:
    """A decorator, with or without ``when=``, that marks a method as one kind of thing."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    @overload
    def __call__(self, function: Function) -> Function: ...
    @overload
    def __call__(self, *, when: Callable[[Any], bool]) -> Callable[[Function], Function]: ...
    def __call__(self, function: Any = None, *, when: Callable[[Any], bool] | None = None) -> Any:
        def decorate(method: Any) -> Any:
            setattr(method, MARK, MethodMark(self.kind, when))
            body = _body_of_a_class()
            if body is not None:
                body.setdefault(MARKED, []).append(method)
            return method

        return decorate if function is None else decorate(function)


action = _Marker("action")
"""An atomic step. Its parameters are named as an `Index` says; ``when=`` makes it conditional."""

invariant = _Marker("invariant")
"""A condition on a state that must always hold."""

lemma = _Marker("lemma")
"""An invariant on which proofs by induction rest. Other engines check it only on request."""

transition = _Marker("transition")
"""A condition on a state and its successor (``def p(s, after)``) that every step must satisfy."""

sometimes = _Marker("sometimes")
"""A witness: a condition that at least one reachable state must satisfy."""

finished = _Marker("finished")
"""A condition on states where a run may end; other states without a step are then deadlocks."""

initially = _Marker("initially")
"""A condition that initial states must satisfy, for variables that start with ``ANY``."""


def check_parameters(spec: Any, method: str) -> None:
    """Reject a property that takes other parameters than a state, or a state and the next one.

    Parameters
    ----------
    spec : Spec
        The spec.
    method : str
        The name of one of its marked methods; actions may have any parameters.

    Raises
    ------
    SpecError
        If it cannot be called with these; the message names its line.
    """
    kind = spec.declared_methods[method].kind
    if kind == "action":
        return
    takes = ("s", "after") if kind == "transition" else ("s",)
    function = getattr(type(spec), method)
    try:
        inspect.signature(function).bind(*takes)
    except TypeError:
        code = inspect.unwrap(function).__code__
        has = ", ".join(inspect.signature(function).parameters)
        raise SpecError(
            f"{code.co_filename}:{code.co_firstlineno}: a property marked {kind} is written "
            f"def {method}({', '.join(takes)}), not def {method}({has})"
        ) from None
