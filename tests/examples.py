"""Tests a property on a few examples in every run, and on many in a slow test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings

Test = Callable[..., None]


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Return cases of ``parametrize``: the first of each ``number`` always, the others slow.

    Parameters
    ----------
    number : int
        How many cases make one that is always tested.
    cases : iterable
        Values, or tuples of them for several names.
    """
    return [
        case
        if at % number == 0
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for at, case in enumerate(cases)
    ]


def few_and_many(
    drawn: Callable[[Test], Test], few: int, many: int, *marks: pytest.MarkDecorator, **more: Any
) -> Callable[[Test], Test]:
    """Return a decorator for a property whose examples take long.

    The test it decorates has few examples; beside it stands a slow one, ``NAME_on_many``.

    Parameters
    ----------
    drawn : callable
        What ``given`` returns.
    few, many : int
        How many examples.
    marks : marks
        Of both tests, such as ``parametrize``.
    more : dict
        Other settings of Hypothesis.
    """

    def both(test: Test) -> Test:
        def with_examples(number: int) -> Test:
            made = settings(max_examples=number, deadline=None, **more)(drawn(test))
            for mark in marks:
                made = mark(made)
            return made

        test.__globals__[f"{test.__name__}_on_many"] = pytest.mark.slow(with_examples(many))
        return with_examples(few)

    return both
