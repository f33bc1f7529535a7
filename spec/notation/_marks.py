"""The decorators that make a method an action or a property, and ``require``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar, overload

from .errors import SpecError
from .formulas import Formula
from .symbolic import Symbolic, Value, as_value, deciding, judging

Function = TypeVar("Function", bound=Callable[..., Any])

MARK = "_counterpoint_mark"

MARKED = "_counterpoint_marked"
"""Name of a list in the body of a class: the functions marked in it, until the class is created."""


@dataclass(frozen=True)
class Refined:
    """The abstract spec that another one refines.

    Attributes
    ----------
    spec : type of Spec
    parameters : dict
        Its parameters, as values or functions of the concrete spec. Those that are not given are
        the concrete spec's of the same name, or the defaults.
    """

    spec: Any
    parameters: dict[str, Any]


@dataclass(frozen=True)
class MethodMark:
    """The kind of a decorated method.

    Attributes
    ----------
    kind : str
        ``action``, ``invariant``, ``lemma``, ``transition``, ``sometimes``, ``finished``,
        ``initially``, ``decreases``, or one of `TEMPORAL`.
    when : callable or None
        Called with the spec: whether the method is part of it under its parameters.
    fair : str or callable
        Of an action: its fairness, one of `FAIRNESS`, or a function of the spec that returns it.
    fair_for : tuple of str or None
        Of a fair action: the parameters for whose members it is fair one by one; None for all.
    refined : Refined or None
        Of a mapping: what it is a refinement of.
    of : str
        Of a rank: the method of the temporal property that it proves.
    """

    kind: str
    when: Callable[[Any], bool] | None = None
    fair: str | Callable[[Any], str] = "none"
    fair_for: tuple[str, ...] | None = None
    refined: Refined | None = None
    of: str = ""


FAIRNESS = ("none", "weak", "strong")
"""What is promised of an action: nothing; that it happens if it stays possible from some time on;
that it happens if it is possible again and again."""

TEMPORAL = ("eventually", "infinitely-often", "stays", "leads-to", "until", "temporal")
"""The kinds of properties of whole runs."""


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


OPERATORS = {
    "sometimes": "sometime(condition)",
    "eventually": "sometime(condition)",
    "infinitely-often": "always(sometime(condition))",
    "stays": "sometime(always(condition))",
    "leads-to": "always(implies(first, sometime(second)))",
    "until": "strong_until(first, second)",
}
"""What is written in a formula instead of a mark."""


class _Marker:
    """A decorator, with or without ``when=``, that marks a method as one kind of thing."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    @overload
    def __call__(self, function: Function) -> Function: ...
    @overload
    def __call__(self, *, when: Callable[[Any], bool]) -> Callable[[Function], Function]: ...
    def __call__(
        self,
        function: Any = None,
        *more: Any,
        when: Callable[[Any], bool] | None = None,
        **others: Any,
    ) -> Any:
        if more or type(function) in (Symbolic, Formula, bool, int):
            instead = OPERATORS.get(self.kind)
            raise SpecError(f"{self.kind} marks a method"
                            + (f": in a formula write {instead}" if instead else ""))  # fmt: skip
        if others:
            raise SpecError(f"{self.kind} takes when=, and not {', '.join(others)}=")
        decorate = self.marking(MethodMark(self.kind, when))
        return decorate if function is None else decorate(function)

    def marking(self, mark: MethodMark) -> Callable[[Any], Any]:
        """Return the decorator that gives a method a mark.

        It raises SpecError for what is no function, and for a method that is marked otherwise. A
        class may mark a method of its base again, for example with another fairness.
        """

        def decorate(method: Any) -> Any:
            if not inspect.isroutine(method):
                raise SpecError(f"{mark.kind} marks a method, not {method!r}")
            known = getattr(method, MARK, mark)
            if known.kind != mark.kind:
                raise SpecError(f"{method.__name__} has two marks, {known.kind} and {mark.kind}: "
                                "a method has one")  # fmt: skip
            setattr(method, MARK, mark)
            body = _body_of_a_class()
            if body is not None:
                body.setdefault(MARKED, []).append(method)
            return method

        return decorate


class _ActionMarker(_Marker):
    """The decorator of actions, which may be fair."""

    @overload
    def __call__(self, function: Function) -> Function: ...
    @overload
    def __call__(
        self,
        *,
        when: Callable[[Any], bool] | None = None,
        fair: str | Callable[[Any], str] | None = None,
        fair_for: tuple[str, ...] | None = None,
    ) -> Callable[[Function], Function]: ...
    def __call__(
        self,
        function: Any = None,
        *,
        when: Callable[[Any], bool] | None = None,
        fair: str | Callable[[Any], str] | None = None,
        fair_for: tuple[str, ...] | None = None,
    ) -> Any:
        if isinstance(function, str):
            raise SpecError(f"write @action(fair={function!r}): what is fair is named")
        if function is not None:
            return super().__call__(function)
        if fair is not None and not callable(fair):
            must_be_fairness(fair)
        _must_be_names(fair_for)
        if fair is None and fair_for is not None:
            raise SpecError("fair_for says for which parameters an action is fair: it needs fair=")
        return self.marking(MethodMark(self.kind, when, fair or "none", fair_for))


class _RankMarker(_Marker):
    """The decorator of ranks, which names the temporal property that a rank proves."""

    def __call__(  # type: ignore[override]
        self, *without_brackets: Any, of: Any = None, when: Callable[[Any], bool] | None = None
    ) -> Callable[[Function], Function]:
        mark = getattr(of, MARK, None)
        if without_brackets or not isinstance(mark, MethodMark) or mark.kind not in TEMPORAL:
            raise SpecError(
                "@decreases names a temporal property that stands above it, as in "
                "@decreases(of=who_asks_is_served)"
            )
        if mark.kind == "temporal":
            raise SpecError(f"@decreases proves no formula, and {of.__name__} is one: mark it "
                            "@leads_to, or as another temporal property")  # fmt: skip
        return self.marking(MethodMark(self.kind, when, of=of.__name__))


def must_be_fairness(found: Any) -> None:
    """Raise SpecError for what is none of `FAIRNESS`."""
    if not (isinstance(found, str) and found in FAIRNESS):
        raise SpecError(f"fair is one of {', '.join(FAIRNESS)}, not {found!r}")


def _must_be_names(fair_for: Any) -> None:
    """Raise SpecError for a ``fair_for`` that is no tuple of texts."""
    if fair_for is None or (isinstance(fair_for, tuple) and all(type(n) is str for n in fair_for)):
        return
    example = f"({fair_for!r},)" if isinstance(fair_for, str) else '("p",)'
    raise SpecError(f"fair_for is a tuple of names of parameters, as in fair_for={example}, "
                    f"not {fair_for!r}")  # fmt: skip


action = _ActionMarker("action")
"""An atomic step. Its parameters are named as an `Index` says; ``when=`` makes it conditional.

With ``fair="weak"`` no run may leave it out for ever while it stays possible, and with
``fair="strong"`` none in which it is possible again and again; ``fair=`` may be a function of the
spec, so that a parameter decides. It is fair for each combination of its parameters by itself;
``fair_for=("p",)`` names the parameters that are taken one by one, and ``fair_for=()`` makes the
action fair as a whole."""

invariant = _Marker("invariant")
"""A condition on a state that must always hold."""

lemma = _Marker("lemma")
"""An invariant on which proofs by induction rest. Other engines check it only on request."""

transition = _Marker("transition")
"""A condition on a state and its successor (``def p(s, after)``) that every step must satisfy."""

sometimes = _Marker("sometimes")
"""A witness: a condition that at least one reachable state must satisfy."""

eventually = _Marker("eventually")
"""A condition on a state that each run must satisfy at some time."""

infinitely_often = _Marker("infinitely-often")
"""A condition on a state that each run must satisfy again and again, for ever."""

stays = _Marker("stays")
"""A condition on a state that each run must satisfy from some time on, for ever."""

leads_to = _Marker("leads-to")
"""Two conditions, ``return first, second``: whenever the first is true, the second is true then or
later."""

until = _Marker("until")
"""Two conditions, ``return first, second``: the second is true at some time, and the first at all
times before."""

temporal = _Marker("temporal")
"""A formula that each run must satisfy, as in ``return always(sometime(s.free))``.

It is made of conditions by `always`, `sometime`, `strong_until`, `weak_until`, `release`, ``&``,
``|``, ``~``, `implies`, `every`, `some` and `no`."""


def refines(
    spec: Any, *, when: Callable[[Any], bool] | None = None, **parameters: Any
) -> Callable[[Function], Function]:
    """Mark a mapping: each step of the spec is one of the abstract spec, or changes nothing there.

    ``@refines(Register, values=2)`` above ``def as_register(s, abstract)``, which assigns all
    variables of ``abstract`` from those of ``s``.

    Parameters
    ----------
    spec : type of Spec
        The abstract spec.
    when : callable, optional
        Whether the mapping counts under the parameters of the spec.
    **parameters
        Parameters of the abstract spec, as values or functions of the concrete one; others of the
        same name are passed on.

    Raises
    ------
    SpecError
        If the first argument is no spec.
    """
    if not (isinstance(spec, type) and hasattr(spec, "declared_methods")):
        raise SpecError(f"refines takes the abstract spec, a class derived from Spec, not {spec!r}")
    return _Marker("refines").marking(
        MethodMark("refines", when, refined=Refined(spec, parameters))
    )


decreases = _RankMarker("decreases")
"""A rank: a whole number, or a tuple of them that is compared from left to right, none of them
below zero. ``@decreases(of=p)`` names the temporal property ``p``: the rank becomes smaller and
smaller until what ``p`` waits for has happened. A proof by induction rests on it; other engines do
not read it."""

finished = _Marker("finished")
"""A condition on states where a run may end; other states without a step are then deadlocks."""

constraint = _Marker("constraint")
"""A condition on the states that are explored: a step to any other state is left out.

It bounds a check, so each verdict names it."""

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
    takes = {"transition": ("s", "after"), "refines": ("s", "abstract")}.get(kind, ("s",))
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
