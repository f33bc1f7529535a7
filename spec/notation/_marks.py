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
"""Where the body of a class keeps what was marked in it, until the class is made."""


@dataclass(frozen=True)
class Mark:
    """What a decorated method is.

    Attributes
    ----------
    kind : str
        ``action``, ``invariant``, ``lemma``, ``transition``, ``sometimes``, ``finished`` or
        ``initially``.
    when : callable or None
        Of the spec: whether the method counts under its parameters.
    """

    kind: str
    when: Callable[[Any], bool] | None = None


class Disabled(Exception):  # no error: the action is not possible in this state
    """An action's requirement does not hold in the present state."""


def require(*conditions: Value) -> None:
    """Say what must hold for the action to be possible at all.

    A condition that fails disables the action; what it did before is undone.

    Raises
    ------
    SpecError
        If a condition is no value, or a property is judged.
    """
    if judging.get():
        raise SpecError("require belongs in actions")
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
    """Return the names of the class whose body the caller runs; None if it runs none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # no function, but a class or a module
            return frame.f_locals if "__qualname__" in frame.f_locals else None
        frame = frame.f_back
    return None


def no_longer_open(cls: type) -> None:
    """Take what a class has off the list of the class around it, in whose body it is made."""
    around = _body_of_a_class() or {}
    has = {id(getattr(value, MARK, None)) for value in vars(cls).values()}
    if MARKED in around:
        around[MARKED] = [m for m in around[MARKED] if id(getattr(m, MARK)) not in has]


def taken_out(cls: type) -> list[Callable[..., Any]]:
    """Return what was marked in the body of a class, and forget it."""
    no_longer_open(cls)
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
        def decorate(of: Any) -> Any:
            setattr(of, MARK, Mark(self.kind, when))
            body = _body_of_a_class()
            if body is not None:
                body.setdefault(MARKED, []).append(of)
            return of

        return decorate if function is None else decorate(function)


action = _Marker("action")
"""An atomic step. Its parameters are named as an `Index` says; ``when=`` makes it conditional."""

invariant = _Marker("invariant")
"""A condition on a state that must always hold."""

lemma = _Marker("lemma")
"""An invariant that a proof by induction rests on. Other engines judge it only when asked to."""

transition = _Marker("transition")
"""A condition on a state and the next one (``def p(s, after)``) that every step must keep."""

sometimes = _Marker("sometimes")
"""A witness: a condition that at least one reachable state must satisfy."""

finished = _Marker("finished")
"""Where a run may end. With it declared, any other state without a possible step is a deadlock."""

initially = _Marker("initially")
"""A condition that restricts the initial states that ``ANY`` leaves open."""
