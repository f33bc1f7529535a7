"""Expressions and facts compared with direct evaluation, for random expressions."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

from counterpoint.models.explore.python.generate import PythonPrinter, packing
from counterpoint.models.symbolic.paths import Facts, Infeasible
from counterpoint.spec.notation import nodes
from counterpoint.spec.notation.nodes import Cell, Node

RANGES = ((-3, 3, False), (0, 4, False), (1, 2, False), (0, 1, True), (0, 1, True))
CELLS = [
    nodes.cell(Cell(f"c{i}", (), f"c{i}", low, high, boolean))
    for i, (low, high, boolean) in enumerate(RANGES)
]
STATES = [
    dict(zip(CELLS, values, strict=True))
    for values in product(range(-3, 4), range(5), (1, 2), (False, True), (False, True))
]

State = dict[Node, int]
Built = tuple[Node, Callable[[State], Any]]


def integer(chance: random.Random, depth: int) -> Built:
    """Return a node, and a function that computes it without any of our code."""
    kind = chance.randint(0, 8) if depth else chance.randint(0, 1)
    if kind == 0:
        cell = chance.choice(CELLS)
        return cell, lambda s: int(s[cell])
    if kind == 1:
        value = chance.randint(-3, 4)
        return nodes.constant(value), lambda s: value
    (a, f), (b, g) = integer(chance, depth - 1), integer(chance, depth - 1)
    by = chance.randint(1, 4)
    condition, h = truth(chance, depth - 1)
    return [
        (nodes.add(a, b), lambda s: f(s) + g(s)),
        (nodes.subtract(a, b), lambda s: f(s) - g(s)),
        (nodes.multiply(a, b), lambda s: f(s) * g(s)),
        (nodes.divide(a, nodes.constant(by)), lambda s: f(s) // by),
        (nodes.modulo(a, nodes.constant(by)), lambda s: f(s) % by),
        (nodes.ite(condition, a, b), lambda s: f(s) if h(s) else g(s)),
        (nodes.integer(condition), lambda s: int(h(s))),
    ][kind - 2]


def truth(chance: random.Random, depth: int) -> Built:
    """Return a condition, and a function that computes it without any of our code."""
    kind = chance.randint(0, 6) if depth > 0 else 0
    if kind == 0:
        cell = chance.choice(CELLS[3:])
        return cell, lambda s: bool(s[cell])
    if kind <= 3:
        (a, f), (b, g) = integer(chance, depth - 1), integer(chance, depth - 1)
        if kind == 3:
            return nodes.equal(a, b), lambda s: f(s) == g(s)
        return nodes.less(a, b), lambda s: f(s) < g(s)
    (a, f), (b, g) = truth(chance, depth - 1), truth(chance, depth - 1)
    return [
        (nodes.conjunction([a, b]), lambda s: f(s) and g(s)),
        (nodes.disjunction([a, nodes.negation(b)]), lambda s: f(s) or not g(s)),
        (nodes.equal(a, b), lambda s: f(s) == g(s)),
    ][kind - 4]


def test_expressions_mean_what_python_means() -> None:
    """A simplification, an interval or a printed expression that changes a value."""
    chance = random.Random(11)
    printer = PythonPrinter(packing([c.args[0] for c in CELLS]))
    for i in range(1500):
        node, compute = (integer if i % 2 else truth)(chance, 3)
        printed = eval(f"lambda v0, v1, v2, v3, v4: {printer.show(node)}")
        for state in chance.sample(STATES, 20):
            value = int(compute(state))
            assert int(printed(*state.values())) == value, node
            assert node.low <= value <= node.high, node


def test_facts_conclude_nothing_false() -> None:
    """A path that is dropped though some state takes it, or a branch decided wrongly."""
    chance = random.Random(12)
    decided = 0
    for _ in range(700):
        literals = [truth(chance, 2) for _ in range(chance.randint(1, 4))]
        there = [s for s in STATES if all(compute(s) for _, compute in literals)]
        facts = Facts()
        try:
            for literal, _ in literals:
                facts.learn(literal)
        except Infeasible:
            assert not there, literals
            continue
        for _ in range(4):
            condition, compute = truth(chance, 3)
            known = facts.known(condition)
            if known is not None:
                decided += 1
                assert all(bool(compute(s)) == known for s in there), (literals, condition)
            node, compute = integer(chance, 3)
            simpler = nodes.rebuild(node, facts.replacements(), {})
            for s in there[:50]:
                stand_in = {c: nodes.constant(s[c]) for c in CELLS}
                assert int(nodes.rebuild(simpler, stand_in, {}).args[0]) == int(compute(s))
    assert decided > 200
