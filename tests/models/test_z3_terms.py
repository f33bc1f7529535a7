"""Terms for z3: they compute what the expressions do, in as many bits as that needs."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pytest
import z3

from counterpoint.models.symbolic import smt
from counterpoint.models.symbolic.obligations import while_reading
from counterpoint.models.symbolic.smt import (
    Frame,
    TermPrinter,
    becomes,
    satisfiable,
    solution,
    width_for,
)
from counterpoint.models.symbolic.trace import Check, Command, System, trace
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    Step,
    action,
    nodes,
    require,
)
from counterpoint.spec.notation.nodes import Cell, Node
from tests.models.test_soundness import CELLS, STATES, integer, truth


def cell(low: int, high: int, name: str = "n") -> Node:
    """Return a cell with a range."""
    return nodes.cell(Cell(name, (), name, low, high, False))


def system_of(cells: Sequence[Node], **parts: Any) -> System:
    """Return the parts of a system that the translation to z3 uses."""
    given: dict[str, Any] = {
        "cells": tuple(cells), "commands": (), "claims": {}, "initial": nodes.TRUE,
        "may_end": None, "model": SimpleNamespace(cells=tuple(c.args[0] for c in cells)),
    }  # fmt: skip
    return cast(System, SimpleNamespace(**(given | parts)))


def computed(node: Node, values: dict[Node, int], width: int) -> int:
    """Return the value of an expression that z3 computes."""
    number = TermPrinter({}, width).number
    terms = {n: z3.BoolVal(bool(v)) if n.boolean else number(int(v)) for n, v in values.items()}
    found = z3.simplify(TermPrinter(terms, width).show(node))
    if node.boolean:
        assert z3.is_true(found) or z3.is_false(found)
        return int(z3.is_true(found))
    return int(found.as_signed_long() if width else found.as_long())


@pytest.mark.parametrize("bits", [True, False])
def test_terms_compute_what_expressions_do(bits: bool) -> None:
    """Division with another rounding, a sum that overflows, a comparison without signs."""
    chance = random.Random(4)
    for i in range(150):
        node, compute = (integer if i % 2 else truth)(chance, 3)
        width = width_for(system_of(CELLS, claims={"c": node})) if bits else 0
        for state in chance.sample(STATES, 6):
            assert computed(node, state, width) == int(compute(state)), node


@pytest.mark.parametrize("low", [-9, -8, -4, -1, 0, 3])
@pytest.mark.parametrize("by", [1, 2, 3, 7])
def test_division_of_all_numbers_of_a_range(low: int, by: int) -> None:
    """A wrong quotient of a negative number, whose computation needs too many bits."""
    n = cell(low, 8)
    quotient = nodes.divide(n, nodes.constant(by))
    rest = nodes.modulo(n, nodes.constant(by))
    for width in (width_for(system_of([n], claims={"q": nodes.equal(quotient, rest)})), 0):
        for value in range(low, 9):
            assert computed(quotient, {n: value}, width) == value // by
            assert computed(rest, {n: value}, width) == value % by


@pytest.mark.parametrize(
    ("low", "high", "bits"),
    [(0, 1, 2), (0, 3, 3), (0, 7, 4), (0, 8, 5), (-1, 1, 2), (-2, 1, 2), (-3, 1, 3), (-4, 3, 3),
     (-5, 3, 4), (-8, 7, 4), (-9, 7, 5), (-8, 8, 5), (-300, 0, 10), (2, 255, 9)],
)  # fmt: skip
def test_a_range_has_the_bits_that_it_needs(low: int, high: int, bits: int) -> None:
    """A value that does not fit, or twice as many bits as needed."""
    assert width_for(system_of([cell(low, high)])) == bits


def test_every_expression_counts_for_the_bits() -> None:
    """A value that does not fit, in a part of the spec that was not measured."""
    n = cell(0, 3)
    far = nodes.multiply(n, nodes.constant(5))  # up to 15
    claim = nodes.less(far, n)
    step = Step("go", ())

    def bits(*commands: Command, **parts: Any) -> int:
        return width_for(system_of([n], commands=commands, **parts))

    assert bits() == 3
    assert bits(Command(step, (), ((0, far),))) == 5
    assert bits(Command(step, (claim,), ())) == 5
    assert bits(Command(step, (), (), (Check(claim, "c"),))) == 5
    assert bits(claims={"c": claim}) == bits(initial=claim) == bits(may_end=claim) == 5
    assert width_for(system_of([cell(0, 1, f"n{i}") for i in range(9)])) == 5
    below = cell(-8, 7)
    by = nodes.constant(3)
    assert width_for(system_of([below], initial=nodes.equal(nodes.modulo(below, by), n))) == 4
    halves = nodes.equal(nodes.divide(below, by), n)
    assert width_for(system_of([below], initial=halves)) == 5  # the computation contains -8 - 2


@pytest.mark.parametrize("name", ["low", "high", "both"])
def test_ranges_are_known_where_conditions_are_asked(name: str) -> None:
    """A path dropped that some state takes, or kept that no value in range takes."""
    n = cell(-2, 5)
    beyond = {
        "low": nodes.less(n, nodes.constant(-2)),
        "high": nodes.less(nodes.constant(5), n),
        "both": nodes.conjunction(
            [nodes.less(nodes.constant(3), n), nodes.less(n, nodes.constant(4))]
        ),
    }[name]
    twice = nodes.add(n, n)
    wide = nodes.less(nodes.constant(10), nodes.add(twice, cell(0, 0)))  # unknown to intervals
    assert not satisfiable([beyond if beyond.op != "constant" else wide])
    for value in (-2, 0, 5):
        assert satisfiable([nodes.equal(n, nodes.constant(value))])


def test_ranges_of_sums() -> None:
    """Bounds that are off by one, for sums that the intervals of cells do not decide."""
    a, b = cell(-2, 5, "a"), cell(-2, 5, "b")
    total, apart = nodes.add(a, b), nodes.subtract(a, b)
    for low, high in ((10, 0), (-4, 0), (3, 7), (8, 4), (8, -4), (-1, -5), (-1, 5)):
        there = [
            nodes.equal(total, nodes.constant(low)),
            nodes.equal(apart, nodes.constant(high)),
        ]
        possible = any(x + y == low and x - y == high for x, y in product(range(-2, 6), repeat=2))
        assert satisfiable(there) == possible


def test_a_range_without_an_end_has_none() -> None:
    """A growing cell with an upper bound, or without its lower bound."""
    n, m = cell(0, nodes.UNBOUNDED), cell(0, nodes.UNBOUNDED, "m")
    beyond = nodes.constant(10**9)
    assert satisfiable([nodes.less(beyond, nodes.add(nodes.add(n, n), m))])
    assert not satisfiable([nodes.less(nodes.add(n, n), nodes.subtract(n, m))])
    half = cell(0, 10**9, "half")
    assert satisfiable([nodes.less(beyond, nodes.add(half, half))])
    assert not satisfiable([nodes.less(nodes.constant(2 * 10**9), nodes.add(half, half))])


def test_only_what_is_impossible_is_an_obligation() -> None:
    """A dropped path that the second solver is not asked about."""
    asked: list[tuple[str, int, Any]] = []
    token = while_reading.set(
        lambda name, conditions, answer: asked.append((name, len(conditions), answer))
    )
    try:
        n = cell(0, 3)
        assert satisfiable([nodes.less(nodes.constant(1), n)])
        assert asked == []
        contrary = [nodes.less(nodes.constant(1), n), nodes.less(n, nodes.constant(2))]
        assert satisfiable(contrary) is False
        assert asked == [("impossible", 4, z3.unsat)]
    finally:
        while_reading.reset(token)


def test_cells_of_one_variable_have_names_of_their_own() -> None:
    """Two elements of an array confused, or an element with another variable."""
    cells = [nodes.cell(Cell("a", (i,), f"a[{i}]", 0, 3, False)) for i in range(2)]
    flags = [nodes.cell(Cell("f", (i,), f"f[{i}]", 0, 1, True)) for i in range(2)]
    assert satisfiable([nodes.less(*cells), flags[0], nodes.negation(flags[1])])


class Counter(Spec):
    """A spec with constants first, last and in between, and cells of each kind."""

    hands = Index(2, names="h")
    one = Integer(4, 4)
    n = Array(hands, Integer(-1, 2, initially=ANY))
    still = Integer(2, 2)
    up = Boolean(initially=ANY)
    top = Integer(0, 9, grows=True)
    last = Integer(1, 1)

    @action
    def go(s, h):
        require(s.n[h] < 2)
        s.n[h] = s.n[h] + 1
        s.up = not s.up

    @action
    def over(s):
        s.top = s.top + 1


@pytest.fixture(scope="module")
def counter() -> System:
    """Return the symbolic reading of the counter."""
    return trace(Model(Counter()))


WIDTHS = pytest.mark.parametrize("width", [0, 8])


def states(frame: Frame, *conditions: Any) -> set[tuple[int, ...]]:
    """Return all states that satisfy some conditions."""
    solver = z3.Solver()
    solver.add(*conditions)
    found: set[tuple[int, ...]] = set()
    while solver.check() == z3.sat:
        values = frame.values(solver.model())
        assert values not in found
        found.add(values)
        solver.add(z3.Not(frame.is_one_of([[v] for v in values])))
        assert len(found) < 500
    return found


@WIDTHS
def test_values_that_are_given(counter: System, width: int) -> None:
    """A range without one of its bounds, or a truth value fixed to the wrong one."""
    frame = Frame(counter, "now", width)
    for allowed in (
        [[4], range(-1, 3), [0], [2], [0, 1], range(5), [1]],
        [[4], [-1, 2], range(1, 2), [2], [1], [0, 7], [1]],
        [[4], [2], [0, 1], [2], [0], range(3, 4), [1]],
    ):
        assert states(frame, frame.is_one_of(allowed)) == set(product(*allowed))


@WIDTHS
def test_steps_that_are_given(counter: System, width: int) -> None:
    """A cell that changes although the step does not assign to it, or that wrongly stays."""
    before, after = Frame(counter, "before", width), Frame(counter, "after", width)
    choice, number = z3.Int("choice"), z3.IntVal
    start = (4, 1, -1, 2, 1, 3, 1)
    conditions = becomes(counter, before, after, choice, number)
    here = before.is_one_of([[v] for v in start])
    assert states(after, here, *conditions) == {
        (4, 2, -1, 2, 0, 3, 1), (4, 1, 0, 2, 0, 3, 1), (4, 1, -1, 2, 1, 4, 1)
    }  # fmt: skip
    going = [i for i, c in enumerate(counter.commands) if not c.leaves]
    assert len(going) < len(counter.commands)
    taken = z3.Solver()
    taken.add(here, *conditions)
    found = set()
    while taken.check() == z3.sat:
        found.add(taken.model().eval(choice, True).as_long())
        taken.add(choice != max(found), *(choice != i for i in found))
    assert len(found) == 3
    assert found < set(going)


def test_names_tell_moments_apart(counter: System) -> None:
    """Two moments of a run that share a variable."""
    one, two = Frame(counter, "0", 0), Frame(counter, "1", 0)
    names = [str(t) for frame in (one, two) for t in frame.terms]
    variables = [n for n in names if "@" in n]
    assert len(set(variables)) == len(variables) == 8


def test_a_guard_of_nothing_is_true(counter: System) -> None:
    """A step without a guard that is not possible, or one whose guard is ignored."""
    frame = Frame(counter, "now", 0)
    guards = {c.step.action: frame.guard(c) for c in counter.commands if not c.leaves}
    assert not z3.is_true(guards["go"])
    assert z3.is_true(frame.guard(Command(Step("any", ()), (), ())))


def test_a_solution_meets_all_conditions() -> None:
    """A solution out of range, of other cells, or that ignores a condition."""
    a, b, f = cell(-2, 5, "a"), cell(-2, 5, "b"), nodes.cell(Cell("f", (), "f", 0, 1, True))
    conditions = [nodes.equal(nodes.add(a, b), nodes.constant(-3)), nodes.less(a, b), f]
    found = solution(conditions)
    assert found is not None
    assert found == {a.args[0]: -2, b.args[0]: -1, f.args[0]: 1}
    assert all(isinstance(v, int) for v in found.values())
    assert solution([nodes.negation(f)]) == {f.args[0]: 0}
    assert solution([*conditions, nodes.less(nodes.constant(0), a)]) is None
    assert solution([]) == {}


def test_what_takes_long_has_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of z3 for an optional state."""
    monkeypatch.setattr(smt, "EFFORT", 1)
    many = [cell(0, 99, f"m{i}") for i in range(8)]
    squares = nodes.constant(0)
    for n in many:
        squares = nodes.add(squares, nodes.multiply(n, n))
    assert solution([nodes.equal(squares, nodes.constant(7919))]) is None


INTERRUPTED = """
import os, signal, threading
from counterpoint.models.symbolic.smt import satisfiable
from counterpoint.spec.notation import nodes
from counterpoint.spec.notation.nodes import Cell

signal.signal(signal.SIGINT, signal.default_int_handler)
x, y = (nodes.cell(Cell(name, (), name, 0, 10**6, False)) for name in "xy")
one = nodes.constant(1)
hard = [nodes.equal(nodes.multiply(x, y), nodes.constant(999_983)), nodes.less(one, x),
        nodes.less(one, y)]
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        satisfiable(hard)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_a_question() -> None:
    """Ctrl-C that z3 takes for the end of its time, so that reading a spec goes on."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
