"""Exports of specs whose exploration a constraint bounds: a fair run must be one of the spec.

What they must say is known from the same spec without the constraint: of all its fair runs, those
that stay within the bounds satisfy the property.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint import (
    Boolean,
    Choice,
    Integer,
    Spec,
    action,
    always,
    constraint,
    eventually,
    implies,
    infinitely_often,
    leads_to,
    no,
    require,
    sometime,
    stays,
    temporal,
)
from counterpoint.models.checking.engines import check
from counterpoint.models.export.promela import promela
from counterpoint.models.export.promela_formulas import promela_of_runs
from counterpoint.models.export.tla import tla
from counterpoint.spec.notation import Model, Shape
from tests import spin
from tests.models.liveness.brute_force import Machine
from tests.models.liveness.tableau import Tableau

from .test_formulas import read
from .test_tla_runs import RunModule


class Climb(Spec):
    """A number that grows, waits at odd numbers, or is finished early."""

    fairness = Choice("weak", "strong", "none")
    n = Integer(0, 9)
    over = Boolean()
    lamp = Boolean()

    @action(fair=lambda s: s.fairness)
    def up(s):
        require(no(s.over), s.n < 9, s.n % 2 == 0 or s.lamp)
        s.n = s.n + 1

    @action
    def stop(s):
        require(s.n == 2)
        s.over = True

    @action(fair=lambda s: s.fairness)
    def switch(s):
        s.lamp = no(s.lamp)


class Free(Climb):
    """What is true of its runs that stay within the bounds."""

    @temporal
    def it_is_five(s):
        return implies(always(s.n <= 3), sometime(s.n == 5))

    @temporal
    def it_is_two(s):
        return implies(always(s.n <= 3), sometime(s.n == 2))

    @temporal
    def it_stays_low(s):
        return implies(always(s.n <= 3), sometime(always(s.n <= 2)))

    @temporal
    def it_is_lit(s):
        return implies(always(s.n <= 3), always(sometime(s.lamp)))

    @temporal
    def two_is_the_end(s):
        return implies(always(s.n <= 3), always(implies(s.n == 2, sometime(s.over))))

    @temporal
    def never_over(s):
        return implies(always(s.n <= 3), ~sometime(s.over))

    @temporal
    def not_at_three(s):
        return implies(always(s.n <= 3), ~sometime(s.n == 3))


class Bounded(Climb):
    """The same, bounded by a constraint."""

    @constraint
    def low(s):
        return s.n <= 3

    @eventually
    def it_is_five(s):
        return s.n == 5

    @temporal
    def it_is_two(s):
        return sometime(s.n == 2)

    @stays
    def it_stays_low(s):
        return s.n <= 2

    @infinitely_often
    def it_is_lit(s):
        return s.lamp

    @leads_to
    def two_is_the_end(s):
        return s.n == 2, s.over

    @temporal
    def never_over(s):
        return ~sometime(s.over)

    @temporal
    def not_at_three(s):
        return ~sometime(s.n == 3)


@pytest.mark.parametrize(
    "fairness", ["strong", *(pytest.param(one, marks=pytest.mark.long) for one in ("weak", "none"))]
)
def test_spin_finds_only_fair_runs_within_the_bounds(fairness: str, tmp_path: Path) -> None:
    """A run that stops where a constraint cuts a fair step, shown as a violation."""
    spin.require_spin()
    bounded, free = (Model(one(fairness=fairness), "climb") for one in (Bounded, Free))
    answers = {}
    for claim in bounded.temporal:
        (within,) = check(free, wanted=[free.property_named(claim.name)])
        said = spin.accepts(promela_of_runs(bounded, claim), tmp_path)
        assert (said is None) == (within.answer == "holds"), (claim, said, within.reason)
        (own,) = check(bounded, wanted=[claim])
        assert own.answer in ("unknown", within.answer), claim
        answers[claim.name] = within.answer
    assert set(answers.values()) == ({"violated"} if fairness == "none" else {"holds", "violated"})


@pytest.mark.parametrize("fairness", ["weak", "strong", "none"])
def test_the_module_for_tlc_has_the_same_fair_runs(fairness: str) -> None:
    """A promise that is due no more where the constraint leaves out its step."""
    bounded, free = (Model(one(fairness=fairness), "climb") for one in (Bounded, Free))
    module = RunModule(tla(bounded))
    within = set(module.explore())
    outside = [name for name in module.parts if name.startswith("left_out_")]
    assert bool(outside) == (fairness != "none")
    assert not set(outside) & set(module.parts["Next"])
    for name in outside:
        assert not {module.step(name, state) for state in within} & within
    module.parts["Next"] += outside
    number = {state: k for k, state in enumerate(module.explore())}
    for claim in bounded.temporal:
        conditions = ["n <= 3"]
        text = module.formula(f"{claim.kind.replace('-', '_')}_{claim.method}")
        left, leads, right = text.partition(" ~> ")
        shape = read(f"[]({left} => <>{right})" if leads else text, conditions)
        shape = Shape("implies", (Shape("always", (Shape("condition", number=0),)), shape))
        true = [frozenset(k for s, k in number.items() if s in within)]
        true += [frozenset(k for s, k in number.items() if module.value(t, s))
                 for t in conditions[1:]]  # fmt: skip
        (expected,) = check(free, wanted=[free.property_named(claim.name)])
        found = Tableau(machine_of(module, number), tuple(true), shape).holds()
        assert found == (expected.answer == "holds"), claim


def machine_of(module: RunModule, number: dict[tuple[int, ...], int]) -> Machine:
    """Return the states and steps of a module, with its promises."""
    steps = module._steps(module.parts["Next"], number)
    found = Machine(len(number), (("none", steps),), frozenset(), frozenset(),
                    frozenset(number[state] for state in module.initial()))  # fmt: skip
    fair = ((how, module._steps(names, number, only_changes=True))
            for how, names in module.promises)  # fmt: skip
    return replace(found, actions=(*found.actions, *fair))


def test_the_header_names_the_bounds() -> None:
    """A bound that a reader of the exported file does not see."""
    model = Model(Bounded(), "climb")
    claim = model.property_named("it-is-five")
    for text in (promela_of_runs(model, claim), tla(model)):
        assert "Bounded by low: steps that lead out are left out." in text
        assert "A run that would have to take one is" in text
    for text in (promela(model).text, tla(model, [model.property_named("ranges")])):
        assert "Bounded by low" in text and "Fairness promises" not in text
    assert "Bounded by" not in promela(Model(Climb(), "climb")).text
