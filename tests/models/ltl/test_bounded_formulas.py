"""The truth of formulas on lassos for z3 is that by the definition of the operators."""

from __future__ import annotations

import random

import z3

from counterpoint.models.ltl.normal import normal
from counterpoint.models.ltl.on_lassos import OnLasso
from counterpoint.models.prove.bounded_formulas import FormulaOnLasso

from .drawing import formula, lasso, unfolded

CONDITIONS = 3
READING = [1, -2, 3]


def test_formulas_on_lassos_of_z3() -> None:
    """An until that looks at less than a whole turn of the cycle, or at the state after it."""
    answers = []
    for seed in range(300):
        chance = random.Random(seed)
        shape = formula(chance, chance.randint(1, 7), CONDITIONS)
        truths, loop = lasso(chance, CONDITIONS)
        states = unfolded(truths, CONDITIONS)
        read = [[one[0], not one[1], one[2]] for one in states]
        wanted = OnLasso(read, loop).truth(shape)[0]
        closed = [*states, states[loop]]
        given = [[z3.BoolVal(one) for one in state] for state in closed]
        begins = [z3.BoolVal(place == loop) for place in range(len(closed))]
        found = FormulaOnLasso(given, begins).truth(normal(shape, READING))[0]
        assert z3.is_true(z3.simplify(found)) == wanted, (seed, shape, truths, loop)
        answers.append(wanted)
    assert 75 < sum(answers) < 225
