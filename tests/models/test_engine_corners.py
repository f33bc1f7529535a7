"""Rare inputs for which an engine once gave a wrong verdict."""

from __future__ import annotations

from typing import Any

import pytest

from counterpoint.models.checking.engines import SEARCHES, check
from counterpoint.models.explore import exhaustive
from counterpoint.models.limits import Limits
from counterpoint.models.random import stateful
from counterpoint.spec.notation import (
    Integer,
    Model,
    Spec,
    SpecError,
    action,
    finished,
    invariant,
    require,
)
from counterpoint.spec.stm.window import Window

from .test_engines import by_name


def test_two_bytes_for_a_wide_range() -> None:
    """A value above 255 cut to a byte."""

    class Wide(Spec):
        n = Integer(-300, 700)

        @action
        def add(s):
            require(s.n < 700)
            s.n = s.n + 100

        @invariant
        def small(s):
            return s.n < 600

    verdicts = by_name(exhaustive.check(Model(Wide())))
    assert verdicts["small"].depth == 6
    assert verdicts["ranges"].answer == "holds"
    assert verdicts["ranges"].states == 8


CORNERS = {
    "an integer is required": """
    n = Integer(0, 3, initially=3)
    @action
    def down(s):
        require(s.n)
        s.n = s.n - 1
    @invariant
    def claim(s):
        return s.n != 1
""",
    "a negative number is divided": """
    a = Integer(-128, 0, initially=ANY)
    q = Integer(-64, 0)
    @action
    def split(s):
        s.q = s.a // 3
    @invariant
    def claim(s):
        return s.q > -43
""",
    "a hundred conditions in a row": """
    items = Index(16, names="p", at_most=16)
    n = Array(items, Integer(0, 3))
    @action
    def go(s):
        require(every(s.n[a] + s.n[b] < 4 for a in s.items for b in s.items if a < b))
        s.n[0] = s.n[0] + 1
    @invariant
    def claim(s):
        return s.n[0] < 3
""",
    "an expression that uses itself": """
    v = Integer(0, 9)
    @action
    def go(s):
        new = s.v
        for k in range(5):
            new = ite(new > k % 7, new - 1, new + 1)
        s.v = maximum(0, minimum(9, new + 2))
    @invariant
    def claim(s):
        return s.v < 2
""",
}


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("engine", SEARCHES)
def test_corners_in_which_an_engine_was_wrong(engine: str, corner: str) -> None:
    """Integers as conditions, overflow, generated code nested too deeply or too long."""
    space: dict[str, Any] = {}
    source = "from counterpoint.spec.notation import *\nclass Corner(Spec):" + CORNERS[corner]
    exec(compile(source, "<corner>", "exec"), space)
    model = Model(space["Corner"]())
    (found,) = check(model, engine, wanted=[model.property_named("claim")])
    assert found.answer == "violated"


def test_what_is_ambiguous_is_refused() -> None:
    """Bits taken for truth values, or two things with the same name confused."""
    for body, message in (
        ("n = Integer(0, 3)\n    @invariant\n    def c(s): return (s.n & 2) != 2", "truth values"),
        (
            "n = Integer(0, 3)\n    @invariant\n    def ranges(s): return True",
            "'ranges' is reserved",
        ),
        ("i = Index(2, names='p', labels='a a')\n    n = Array(i, Boolean())", "are called"),
        ("n = Integer(0, 3)\n    @invariant\n    def c(s): require(False)", "used in actions only"),
    ):
        source = "from counterpoint.spec.notation import *\nclass Vague(Spec):\n    "
        source += body + "\n    @action\n    def go(s):\n        pass\n"
        space: dict[str, Any] = {}
        exec(compile(source, "<vague>", "exec"), space)
        with pytest.raises(SpecError, match=message):
            check(Model(space["Vague"]()), "stateful" if "belongs" in message else "exhaustive")


def test_a_step_that_leaves_its_range_is_no_deadlock() -> None:
    """A range error that stops the search for a deadlock."""

    class Over(Spec):
        a = Integer(0, 4)

        @action
        def over(s):
            require(s.a == 0)
            s.a = 5

        @action
        def stuck(s):
            require(s.a == 0)
            s.a = 1

        @finished
        def never(s):
            return False

    for engine in SEARCHES:
        verdicts = by_name(check(Model(Over()), engine))
        found = {n: (v.answer, v.depth) for n, v in verdicts.items()}
        assert found == {"no-deadlock": ("violated", 1), "ranges": ("violated", 1)}, engine


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_runs_can_be_stopped_at_any_moment(seed: int) -> None:
    """A limit reached within a run, which Hypothesis reports as a flaky test."""
    for seconds in (0.1, 0.4, 0.7):
        model = Model(Window(transactions=3))
        verdicts = stateful.check(model, Limits(seconds=seconds), random_seed=seed)
        assert "unknown" in {v.answer for v in verdicts}


def test_a_range_too_wide_to_pack_is_refused() -> None:
    """A state packed wrongly because its range is too wide."""

    class TooWide(Spec):
        n = Integer(0, 70000)

        @action
        def stay(s):
            pass

    with pytest.raises(SpecError, match="the range of n has 70001 values"):
        exhaustive.check(Model(TooWide()), explorer="python")
