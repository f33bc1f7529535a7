"""What a verdict on a formula says: which part fails, that it says nothing, and who judges it."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint import (
    Boolean,
    Integer,
    Spec,
    action,
    always,
    every,
    implies,
    no,
    release,
    require,
    sometime,
    strong_until,
    temporal,
    weak_until,
)
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.checking.engines import check
from counterpoint.models.loading import load
from counterpoint.spec.notation import Model


class Steps(Spec):
    """Counts to three and stays there."""

    at = Integer(0, 3)
    lamp = Boolean()

    @action(fair="weak")
    def go(s):
        require(s.at < 3)
        s.at = s.at + 1

    @temporal
    def low(s):
        return always(s.at < 2)

    @temporal
    def lit(s):
        return implies(s.at == 0, sometime(s.lamp))

    @temporal
    def back(s):
        return always(implies(s.at == 2, sometime(s.at == 1)))

    @temporal
    def not_three(s):
        return ~sometime(s.at == 3)

    @temporal
    def first_one(s):
        return strong_until(s.at == 0, s.at == 2)

    @temporal
    def first_lamp(s):
        return weak_until(s.at < 2, s.lamp)

    @temporal
    def zero_until_lamp(s):
        return release(s.lamp, s.at == 0) & sometime(s.at == 3)

    @temporal
    def lamp_is_off(s):
        return always(implies(s.lamp, sometime(s.at == 0)))

    @temporal
    def goes_on(s):
        return always(implies(s.at == 1, sometime(s.at == 3)))

    @temporal
    def each_is_seen(s):
        return every(sometime(s.at == k) for k in range(4)) & no(always(s.lamp))


WHY = {
    "low": "at < 2 is false after 2 steps",
    "lit": "at == 0 is true in the initial state, and lamp is never true",
    "back": "at == 2 is true after 2 steps, and at == 1 is never true from then on",
    "not-three": "at == 3 is true after 3 steps",
    "first-one": "at == 0 is false after 1 step, and at == 2 is not true by then",
    "first-lamp": "at < 2 is false after 2 steps, and lamp is not true by then",
    "zero-until-lamp": "at == 0 is false after 1 step, and lamp is not true before",
}


@pytest.mark.parametrize("name", WHY)
def test_the_reason_names_what_fails(name: str) -> None:
    """A reason that names another part of the formula, or another state."""
    model = Model(Steps())
    (verdict,) = check(model, wanted=[model.property_named(name)])
    assert verdict.answer == "violated"
    assert verdict.reason == f"nothing happens any more: {WHY[name]}"


def test_a_formula_whose_first_condition_is_never_true_says_so() -> None:
    """A formula that says nothing, and looks proved."""
    model = Model(Steps())
    (verdict,) = check(model, wanted=[model.property_named("lamp-is-off")])
    assert verdict.extent == "all runs, but its first condition is never true"
    for name in ("goes-on", "each-is-seen"):
        (verdict,) = check(model, wanted=[model.property_named(name)])
        assert (verdict.answer, verdict.extent) == ("holds", "all runs")


@pytest.mark.parametrize(("engine", "why"), [
    ("induction", "induction proves no formula"),
    ("stateful", "does not judge temporal properties"),
])  # fmt: skip
def test_other_engines_do_not_know(engine: str, why: str) -> None:
    """A proof that no rule of the engine gives, or a traceback."""
    model = Model(Steps())
    (verdict,) = check(model, engine, wanted=[model.property_named("each-is-seen")])
    assert verdict.answer == "unknown" and why in verdict.reason


NOTHING = """
from counterpoint import *

class Few(Spec):
    ps = Index(1, names="p")
    b = Array(ps, Boolean())

    @action
    def go(s, p):
        s.b[p] = True

    @temporal
    def all_others(s):
        return every(always(s.b[p]) for p in s.ps if p > 0)

    @temporal
    def some_other(s):
        return some(sometime(s.b[p]) for p in s.ps if p > 0)

    @temporal
    def dark_at_first(s):
        return ~always(s.b[0])
"""


@pytest.mark.parametrize("engine", ["exhaustive", "bounded"])
def test_a_formula_over_nothing_is_judged(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A spec that is refused with few members since one of its formulas says nothing then."""
    path = tmp_path / "few.py"
    path.write_text(NOTHING)
    model = load(str(path))
    found = {v.claim.name: v for v in check(model, engine, wanted=model.temporal)}
    assert [v.answer for v in found.values()] == ["holds", "violated", "holds"]
    assert "always false for these parameters" in found["some-other"].reason
    if engine == "exhaustive":
        assert "always true for these parameters" in found["all-others"].extent
    capsys.readouterr()
    for name, text in (("all-others", "[]TRUE"), ("some-other", "[]FALSE")):
        line = ["export", str(path), "--to", "tla", "--property", name]
        assert run(counterpoint, line) == 0
        assert text in capsys.readouterr().out
