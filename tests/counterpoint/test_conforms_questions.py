"""``conforms``: what is asked, wrong questions, and functions of the user that fail."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

from counterpoint import SpecError
from counterpoint.testing import conforms
from tests.models.conforming.shelf import Buffer, Ring

from .test_conforms import CALLS, SHORT, content, failure


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"forbidden": True}, "say by which exceptions the code refuses"),
        ({"names": {"putt": "put"}}, "names: buffer has no action 'putt' (it has: put, take)"),
        ({"returns": {"take": "what"}}, "take has no parameter 'what' (its parameters: item)"),
        ({"silent": ["drop"]}, "silent: buffer has no action 'drop'"),
        ({"names": {"put": None, "take": None}}, "no action is left to be called"),
        ({"runs": 0}, "runs and calls are numbers from 1 on"),
    ],
)
def test_errors_of_the_question(given: dict[str, Any], message: str) -> None:
    """Catches an error that comes when the test runs, or not at all."""
    with pytest.raises(SpecError) as error:
        conforms(Ring, Buffer, content, **given)
    assert message in str(error.value)


def test_errors_of_the_mapping() -> None:
    """Catches a mapping that says nothing and counts as agreement."""
    with pytest.raises(SpecError, match="the mapping names no variable"):
        conforms(Ring, Buffer, lambda r: {}, **CALLS)()
    with pytest.raises(SpecError, match="no variable 'item'"):
        conforms(Ring, Buffer, lambda r: {"item": r.content}, **CALLS)()


def test_exceptions_of_the_users_functions_are_named() -> None:
    """Catches a traceback that does not say whose function failed, and when."""

    def late(ring: Ring) -> dict[str, Any]:
        return {"items": ring.content[:1] if len(ring.content) < 2 else ring.content[7]}

    def closed(ring: Ring) -> None:
        raise OSError("is open")

    for make, mapping, more, message in (
        (Ring, lambda r: 1 // 0, {}, "Ring: the mapping raised ZeroDivisionError: integer"),
        (Ring, late, {}, "Ring: the mapping after 4 calls raised IndexError: list index"),
        (lambda: Ring(3, 4, 5, 6), content, {}, "<lambda>: making the object raised TypeError"),
        (Ring, content, {"finish": closed}, "Ring: finish raised OSError: is open"),
    ):  # fmt: skip
        test = conforms(make, Buffer, mapping, **CALLS | SHORT | more)
        with pytest.raises(AssertionError) as error:
            test()
        assert str(error.value).startswith(message)
        assert ".py:" in str(error.value)
        cause = error.value.__cause__
        assert cause is not None and type(cause).__name__ in message
        assert traceback.extract_tb(cause.__traceback__)[-1].filename == __file__


@pytest.mark.parametrize("calls", [1, 2, 7])
def test_the_number_of_calls(calls: int) -> None:
    """Catches runs that are one call shorter than was asked for."""
    made: list[int] = []

    class Counted(Ring):
        def __init__(self) -> None:
            super().__init__()
            made.append(0)

        def put(self, item: int) -> None:
            made[-1] += 1
            super().put(item)

        def take(self) -> int:
            made[-1] += 1
            return super().take()

    test = conforms(Counted, Buffer, content, **CALLS, runs=30, calls=calls)
    if calls == 1:  # nothing can be taken by a first call
        assert "up to 1 call these actions were never taken: take" in failure(test)
    else:
        test()
    assert max(made) == calls
