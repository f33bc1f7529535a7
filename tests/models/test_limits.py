"""Limits: what is over, and what a solver is allowed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.models import limits
from counterpoint.models.limits import LimitReached, Limits

SECONDS = st.floats(0.001, 1e6)


@given(SECONDS, st.floats(0, 2))
def test_a_solver_stops_after_the_limit(seconds: float, part: float) -> None:
    """A solver that stops just before the limit, so that its own words become the reason."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(limits.time, "monotonic", lambda: now)
        now = 1000.0
        given_limits = Limits(seconds)
        now += seconds * part
        now += given_limits.milliseconds() / 1000
        with pytest.raises(LimitReached, match=re.escape(f"time limit of {seconds:g} s")):
            given_limits.check()


@given(SECONDS)
def test_a_solver_never_gets_more_than_one_question_may_take(most: float) -> None:
    """A question that uses the time of all later ones."""
    for seconds in (None, 2 * most + 1):
        allowed = Limits(seconds).milliseconds(most)
        assert 1 <= allowed <= most * 1000 + 1


def test_no_limit_is_what_z3_takes_for_none() -> None:
    """A solver that stops at once, or never may, where no time was given."""
    assert Limits().milliseconds() == 2**32 - 1
