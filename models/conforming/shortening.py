"""Leaves out calls of a run that differs, as long as it differs without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .calls import Call
from .objects import ObjectComparison, ObjectDiffers, Question


def shortened(question: Question, differs: ObjectDiffers) -> ObjectDiffers | None:
    """Return a run that differs, of which no part in one piece, and no two calls, can be left out.

    Parameters
    ----------
    question : Question
    differs : ObjectDiffers
        The run.

    Returns
    -------
    ObjectDiffers or None
        None if the same calls do not differ again.
    """
    found = again(question, differs.calls)
    if found is None:
        return None
    while (better := _better(question, found)) is not None:
        found = better
    return found


def _better(question: Question, found: ObjectDiffers) -> ObjectDiffers | None:
    """Return a run with fewer calls, or with earlier arguments, that differs; None if none does."""
    for calls in (*_fewer(found.calls), *_simpler(question, found.calls)):
        better = again(question, calls)
        if better is not None and _size(question, better) < _size(question, found):
            return better
    return None


def _size(question: Question, found: ObjectDiffers) -> tuple[int, list[int]]:
    return len(found.calls), [question.calls.index(call) for call in found.calls]


def _fewer(calls: Sequence[Call]) -> Iterator[tuple[Call, ...]]:
    """Yield runs without a piece, the longest first, and runs without two calls."""
    number = len(calls)
    for length in range(number - 1, 0, -1):
        for first in range(number - length + 1):
            yield (*calls[:first], *calls[first + length :])
    for first in range(number):
        for second in range(first + 2, number):
            yield tuple(call for k, call in enumerate(calls) if k not in (first, second))


def _simpler(question: Question, calls: Sequence[Call]) -> Iterator[tuple[Call, ...]]:
    """Yield runs in which one call has earlier arguments."""
    for place, call in enumerate(calls):
        for other in question.calls[: question.calls.index(call)]:
            if other.action == call.action:
                yield (*calls[:place], other, *calls[place + 1 :])


def again(question: Question, calls: Sequence[Call]) -> ObjectDiffers | None:
    """Make calls of a new object; return how it differs, or None.

    A call is left out where the test would not make it: where the spec forbids it, unless such
    calls are tried, or does not say anything of it.
    """
    beside = None
    try:
        beside = ObjectComparison(question)
        for call in calls:
            allowed, forbidden = beside.possible()
            if call in allowed or call in forbidden:
                beside.call(call)
    except ObjectDiffers as differs:
        return differs
    finally:
        if beside is not None:
            beside.end()
    return None
