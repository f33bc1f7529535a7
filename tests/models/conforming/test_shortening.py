"""Runs that differ are shortened, and only if they differ again."""

from __future__ import annotations

from functools import partial

import pytest

from counterpoint.models.conforming.calls import Naming
from counterpoint.models.conforming.objects import ObjectComparison, ObjectDiffers, Question
from counterpoint.models.conforming.shortening import again, shortened
from counterpoint.spec.notation import Model

from .shelf import Buffer, FullError, Ring

LONG = "put(item=1) take() put(item=2) put(item=1) take() take() put(item=1) put(item=0) take()"


def question(fault: str) -> Question:
    """Return the question whether a ring conforms."""
    naming = Naming(returns={"take": "item"})
    return Question(Model(Buffer()), partial(Ring, fault), lambda r: {"items": r.content}, naming,
                    (FullError,))  # fmt: skip


def differing(asked: Question, calls: str) -> ObjectDiffers:
    """Make calls of a new object until it differs."""
    named = {call.text: call for call in asked.calls}
    beside = ObjectComparison(asked)
    with pytest.raises(ObjectDiffers) as error:
        for text in calls.split():
            beside.call(named[text])
    return error.value


def test_pieces_pairs_and_arguments() -> None:
    """Catches a call that could be left out alone, in a piece or with another one."""
    asked = question("last-first")
    found = differing(asked, LONG)
    assert len(found.calls) == 5
    short = shortened(asked, found)
    assert short is not None
    assert short.said == ("put(item=0)", "put(item=1)", "take(): 1")


def test_what_does_not_differ_again_is_not_shortened() -> None:
    """Catches a run that is shown though the same calls do nothing wrong."""
    found = differing(question("last-first"), LONG)
    assert shortened(question(""), found) is None


def test_calls_that_the_test_would_not_make_are_left_out() -> None:
    """Catches a shorter run that has become a run with forbidden calls."""
    asked = question("empty")  # which takes 0 of an empty ring, and the spec forbids that
    take = next(call for call in asked.calls if call.action == "take")
    assert again(asked, [take]) is None
    asked.forbidden = True
    assert again(asked, [take]) is not None
