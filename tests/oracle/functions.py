"""The functions and decorators of the notation, on plain integers (see `notation`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Value = Any
"""The type that annotations in a spec use."""


class SpecError(Exception):
    """The spec has an error, so it has no meaning."""


class Disabled(Exception):  # no error: the action is not possible in this state
    """A requirement does not hold."""


class Leaves(Exception):  # no error of the spec, but a violation
    """An action leaves a range, or an array.

    Attributes
    ----------
    grown : bool
        Whether the action left only the upper end of a growing range, which proofs ignore.
    """

    def __init__(self, message: str, grown: bool = False) -> None:
        super().__init__(message)
        self.grown = grown


# Functions


def value(given: Any) -> int:
    """Return the argument if it is a value: an integer or a truth value."""
    if not isinstance(given, int):
        raise SpecError(f"a {type(given).__name__} is no integer and no truth value")
    return given


def parts(given: tuple[Any, ...]) -> list[int]:
    """Return all values of one iterable or of several arguments; all of them are evaluated."""
    if len(given) == 1 and not isinstance(given[0], int):
        if not hasattr(given[0], "__iter__") or isinstance(given[0], str):
            raise SpecError(f"a {type(given[0]).__name__} is no value and holds none")
        return [value(part) for part in given[0]]
    return [value(part) for part in given]


def every(*given: Any) -> bool:
    """Return whether all conditions hold."""
    return all(parts(given))


def some(*given: Any) -> bool:
    """Return whether at least one condition holds."""
    return any(parts(given))


def no(*given: Any) -> bool:
    """Return whether no condition holds."""
    return not any(parts(given))


def implies(condition: Any, consequence: Any) -> bool:
    """Return whether the consequence holds if the condition does."""
    given, wanted = parts((condition, consequence))
    return bool(wanted) or not given


def count(*given: Any) -> int:
    """Return the number of conditions that hold."""
    return sum(1 for part in parts(given) if part)


def minimum(*given: Any) -> int:
    """Return the least value."""
    return _one_of(min, given)


def maximum(*given: Any) -> int:
    """Return the greatest value."""
    return _one_of(max, given)


def _one_of(choose: Callable[[list[int]], int], given: tuple[Any, ...]) -> int:
    found = parts(given)
    if not found:
        raise SpecError("no value to choose from")
    return choose(found)


def ite(condition: Any, then: Any, otherwise: Any) -> int:
    """Return one of two values; both were evaluated."""
    chosen, one, other = parts((condition, then, otherwise))
    return one if chosen else other


def tabulated(function: Callable[..., int], *arguments: Any) -> int:
    """Return a function's value for an argument."""
    return value(function(*(int(value(a)) for a in arguments)))


_acting = False  # whether an action is running


@contextmanager
def acting() -> Iterator[None]:
    """Allow ``require`` while an action runs."""
    global _acting
    _acting = True
    try:
        yield
    finally:
        _acting = False


def require(*given: Any) -> None:
    """Make the action possible only where all conditions hold."""
    if not _acting:
        raise SpecError("require belongs in actions")
    if not all(parts(given)):
        raise Disabled


# Marks


class _Marker:
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(
        self, function: Any = None, *, when: Callable[[Any], bool] | None = None, **fair: Any
    ) -> Any:
        def mark(of: Any) -> Any:
            of.kind, of.when = self.kind, when
            return of

        return mark if function is None else mark(function)


action = _Marker("action")
invariant = _Marker("invariant")
lemma = _Marker("lemma")
transition = _Marker("transition")
sometimes = _Marker("sometimes")
finished = _Marker("finished")
initially = _Marker("initially")
leads_to = _Marker("temporal")
infinitely_often = _Marker("temporal")


def decreases(**of: Any) -> Callable[[Any], Any]:
    """Mark nothing: a rank only helps a proof."""
    return lambda rank: rank
