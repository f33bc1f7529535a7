"""Formulas in exported modules: Spin gives the same verdict, and so does the text for TLC.

TLC is not run here. Its formula is read from the module, with the states, steps and promises that
the module has, and judged by the tableau.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint import (
    ANY,
    Boolean,
    Integer,
    Spec,
    action,
    always,
    implies,
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
from counterpoint.models.export.promela_formulas import promela_of_runs
from counterpoint.models.export.tla import tla
from counterpoint.models.export.tla_formulas import WITHOUT
from counterpoint.models.loading import load
from counterpoint.spec.notation import Model, Shape
from tests import spin
from tests.models.liveness.brute_force import Machine
from tests.models.liveness.tableau import Tableau
from tests.models.liveness.test_formulas import drawn_formula, in_python, in_set, spec_text
from tests.models.ltl.drawing import formula

from .test_tla import State
from .test_tla_runs import RunModule


class Doors(Spec):
    """Two doors, several initial states, and formulas with each operator."""

    open = Boolean(initially=ANY)
    at = Integer(0, 3, initially=ANY)

    @action(fair="strong")
    def push(s):
        require(s.at == 1)
        s.open = True

    @action(fair="weak")
    def go(s):
        s.at = (s.at + 1) % 3

    @temporal
    def opened(s):
        return sometime(always(s.open))

    @temporal
    def closed_before_one(s):
        return weak_until(s.at <= 1, s.open) | s.open

    @temporal
    def goes_round(s):
        return always(implies(s.at == 1, sometime(s.at == 0) & sometime(s.at == 2)))

    @temporal
    def never_zero_again(s):
        return ~always(sometime(s.at == 0))

    @temporal
    def not_both_for_ever(s):
        return ~(always(sometime(s.at == 0)) & always(sometime(s.at == 1)))

    @temporal
    def three_some_time(s):
        return ~always(s.at < 3)

    @temporal
    def released(s):
        return release(s.at == 3, s.at < 3) | strong_until(s.at == 3, s.at == 1)

    @temporal
    def nothing(s):
        return always(True) & sometime(True)


def test_spin_agrees_on_each_operator(tmp_path: Path) -> None:
    """An operator that Spin reads otherwise; an initial state, or a promise, that it misses."""
    spin.require_spin()
    model = Model(Doors(), "doors")
    answers = set()
    for claim in model.temporal:
        (verdict,) = check(model, wanted=[claim])
        said = spin.accepts(promela_of_runs(model, claim), tmp_path)
        assert (said is None) == (verdict.answer == "holds"), (claim, said)
        answers.add(verdict.answer)
    assert answers == {"holds", "violated"}


def with_spin(seed: int, folder: Path) -> bool:
    """Compare Spin's verdict on a random formula with ours, and return whether it holds."""
    machine, conditions, shape = drawn_formula(seed)
    path = folder / f"formula{seed}.py"
    path.write_text(
        spec_text(machine, {"claimed": in_python(shape, list(map(in_set, conditions)))})
    )
    model = load(str(path))
    (verdict,) = check(model, wanted=model.temporal)
    said = spin.accepts(promela_of_runs(model, model.temporal[0]), folder)
    assert said in (None, "acceptance cycle")
    assert (said is None) == (verdict.answer == "holds"), (seed, said)
    return said is None


def test_spin_agrees_on_random_formulas(tmp_path: Path) -> None:
    """A fair run that Spin finds and we do not, or the reverse."""
    spin.require_spin()
    found = [with_spin(seed, tmp_path) for seed in range(300, 306)]
    assert set(found) == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(400, 600, 20))
def test_spin_agrees_on_many_random_formulas(begin: int, tmp_path: Path) -> None:
    """The same, on 200 machines and formulas."""
    spin.require_spin()
    for seed in range(begin, begin + 20):
        with_spin(seed, tmp_path)


# TLA+


def read(text: str, conditions: list[str]) -> Shape:
    """Return the formula that a text of TLA+ is; what has no temporal operator is a condition."""
    text = text.strip()
    if "[]" not in text and "<>" not in text:
        conditions.append(text)
        return Shape("condition", number=len(conditions) - 1)
    for sign, op in (("[]", "always"), ("<>", "sometime")):
        if text.startswith(sign):
            return Shape(op, (read(text[2:], conditions),))
    assert text.startswith("(") and text.endswith(")"), text
    inner = text[1:-1]
    if inner.startswith("~"):
        return Shape("not", (read(inner[1:], conditions),))
    depth, parts, signs, begin = 0, [], set(), 0
    for k, letter in enumerate(inner):
        depth += (letter == "(") - (letter == ")")
        sign = inner[k : k + 4]
        if depth == 0 and sign in (" => ", " /\\ ", " \\/ "):
            parts.append(inner[begin:k])
            signs.add(sign)
            begin = k + 4
    (sign,) = signs
    op = {" => ": "implies", " /\\ ": "and", " \\/ ": "or"}[sign]
    return Shape(op, tuple(read(part, conditions) for part in (*parts, inner[begin:])))


def judged(module: RunModule, name: str) -> bool:
    """Return whether all runs of ``FairSpec`` satisfy the formula of a module."""
    conditions: list[str] = []
    shape = read(module.formula(name), conditions)
    states: list[State] = list(module.explore())
    number = {state: k for k, state in enumerate(states)}
    machine = Machine(
        len(states),
        (
            ("none", module._steps(module.parts["Next"], number)),
            *((fair, module._steps(names, number, only_changes=True))
              for fair, names in module.promises),
        ),
        frozenset(), frozenset(), frozenset(number[state] for state in module.initial()),
    )  # fmt: skip
    true = tuple(frozenset(k for s, k in number.items() if module.value(text, s))
                 for text in conditions)  # fmt: skip
    return Tableau(machine, true, shape).holds()


def sayable(shape: Shape) -> bool:
    """Return whether TLA+ has the operators of a formula."""
    return shape.op not in WITHOUT and all(map(sayable, shape.parts))


def test_tla_says_the_same(tmp_path: Path) -> None:
    """A formula whose brackets or operators are others in the module."""
    answers, seed = [], 0
    while len(answers) < 40:
        seed += 1
        machine, conditions, _ = drawn_formula(seed)
        shape = formula(random.Random(seed), 4, 3)
        if not sayable(shape) or Tableau(machine, conditions, shape).untils == []:
            continue
        machine = replace(machine, each=False)
        path = tmp_path / f"formula{seed}.py"
        path.write_text(
            spec_text(machine, {"claimed": in_python(shape, list(map(in_set, conditions)))})
        )
        found = judged(RunModule(tla(load(str(path)))), "temporal_claimed")
        assert found == Tableau(machine, conditions, shape).holds(), (seed, shape)
        answers.append(found)
    assert 5 < sum(answers) < 35


def test_what_tla_cannot_say(capsys: pytest.CaptureFixture[str]) -> None:
    """A formula that is left out in silence, or an operator that TLC does not know."""
    reference = f"{__name__}:Doors"
    assert run(counterpoint, ["export", reference, "--to", "tla"]) == 0
    text, said = capsys.readouterr()
    assert said == ("counterpoint: --to tla leaves out closed-before-one, released: TLA+ has no "
                    "until and no release\n")  # fmt: skip
    assert "PROPERTIES temporal_opened temporal_goes_round" in text and "released" not in text
    assert run(counterpoint, ["export", reference, "--to", "tla", "--property", "released"]) == 2
    said = capsys.readouterr().err
    assert "--to tla cannot say released" in said and said.count("\n") == 1
