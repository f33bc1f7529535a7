"""Boolean circuits: their printed C code is correct, and they are no larger than needed."""

from __future__ import annotations

import random
from itertools import product

import pytest

from counterpoint.models.explore.compiled.circuit import (
    NO,
    YES,
    Circuit,
    CircuitWriter,
    Digits,
    Gate,
)
from counterpoint.models.explore.compiled.layout import bit_packing
from counterpoint.spec.notation import nodes
from counterpoint.spec.notation.nodes import Cell
from tests.models.test_soundness import CELLS, integer, truth

LAYOUT = bit_packing([c.args[0] for c in CELLS])
INPUTS = 4
ALL = (1 << 2**INPUTS) - 1
PLANES = [sum((values >> i & 1) << values for values in range(2**INPUTS)) for i in range(INPUTS)]
"""The value of each input in all combinations, as the bits of one number."""


def with_inputs() -> tuple[Circuit, list[int]]:
    """Return a circuit, and the literals of its inputs."""
    circuit = Circuit(LAYOUT)
    return circuit, [circuit._literal(Gate("input", (i,))) for i in range(INPUTS)]


def value(circuit: Circuit, literal: int) -> int:
    """Return a literal's value in each combination of the inputs."""
    gate = circuit.gates[literal >> 1]
    if literal <= YES:
        found = 0
    elif gate.kind == "input":
        found = PLANES[gate.inputs[0]]
    else:
        found = ALL if gate.kind == "and" else 0
        for part in gate.inputs:
            there = value(circuit, part)
            found = found & there if gate.kind == "and" else found ^ there
    return found ^ (ALL if literal & 1 else 0)


def ran(lines: list[str], results: list[str]) -> list[int]:
    """Run C statements over bit planes, and return the values assigned to some names."""
    space: dict[str, object] = {"p": PLANES, "all": ALL, "none": 0}
    for line in lines:
        assert line.endswith(";")
        exec(line.removeprefix("lane ").removesuffix(";"), space)
    return [int(space[name]) & ALL for name in results]  # type: ignore[call-overload]


def grown(chance: random.Random, circuit: Circuit, literals: list[int]) -> list[int]:
    """Add random gates; return all literals."""
    found = [NO, YES, *literals]
    for _ in range(8):
        some = [i ^ chance.randint(0, 1) for i in chance.choices(found, k=chance.randint(1, 4))]
        kind = chance.randint(0, 3)
        if kind == 0:
            found.append(circuit.conjunction(some))
        elif kind == 1:
            found.append(circuit.disjunction(some))
        elif kind == 2:
            found.append(circuit.differ(some[0], some[-1]))
        else:
            found.append(circuit.choose(some[0], some[-1], chance.choice(found)))
    return found


def test_what_is_printed_computes_what_the_gates_do() -> None:
    """A gate printed after its first use, or replaced by its negation."""
    chance = random.Random(1)
    for _ in range(60):
        circuit, inputs = with_inputs()
        literals = [i ^ chance.randint(0, 1) for i in grown(chance, circuit, inputs)]
        names = [f"x{i}" for i in range(len(literals))]
        lines = CircuitWriter(circuit).lines(list(zip(names, literals, strict=True)))
        assert ran(lines, names) == [value(circuit, i) for i in literals]


def test_gates_compute_what_they_are_called() -> None:
    """A constant, or a literal and its negation, that is simplified wrongly."""
    circuit, (a, b, c, d) = with_inputs()
    signs = [NO, YES, a, a ^ 1, b, b ^ 1]
    for one, two in product(signs, repeat=2):
        x, y = value(circuit, one), value(circuit, two)
        assert value(circuit, circuit.conjunction([one, two])) == x & y
        assert value(circuit, circuit.conjunction([one, two, c, d])) == (
            x & y & PLANES[2] & PLANES[3]
        )
        assert value(circuit, circuit.disjunction([one, two])) == x | y
        assert value(circuit, circuit.differ(one, two)) == x ^ y
        assert value(circuit, circuit.choose(c, one, two)) == (
            PLANES[2] & x | (ALL ^ PLANES[2]) & y
        )
    assert circuit.conjunction([]) == YES
    assert circuit.disjunction([]) == NO


def test_equal_gates_are_the_same() -> None:
    """Equal gates printed and computed twice, or a gate where none is needed."""
    circuit, (a, b, *_) = with_inputs()
    there = len(circuit.gates)
    for one, two in ((a, a), (a, NO), (a, YES), (a, a ^ 1)):
        circuit.conjunction([one, two])
        circuit.differ(one, two)
        circuit.choose(b, one, one)
    assert len(circuit.gates) == there
    both = circuit.conjunction([a, b])
    assert circuit.conjunction([b, a, a, YES]) == both
    assert circuit.disjunction([a ^ 1, b ^ 1]) == both ^ 1
    either = circuit.differ(a, b)
    assert circuit.differ(b, a) == either
    assert circuit.differ(a ^ 1, b) == circuit.differ(a, b ^ 1) == either ^ 1
    assert circuit.differ(b ^ 1, a ^ 1) == either
    assert len(circuit.gates) == there + 2


def test_only_what_is_needed_is_printed_and_once() -> None:
    """Statements for gates on which no result depends, or one gate printed twice."""
    circuit, (a, b, c, d) = with_inputs()
    circuit.conjunction([c, d])
    both = circuit.conjunction([a, b])
    more = circuit.differ(both, c)
    lines = CircuitWriter(circuit).lines([("x", more), ("y", both), ("z", YES), ("w", NO)])
    assert [line.split(" =")[0] for line in lines] == [
        *(f"lane t{i >> 1}" for i in (a, b, c, both, more)), "x", "y", "z", "w"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("signs", "printed"),
    [
        ((0, 0, 0), "t1 & t2 & t3"),
        ((1, 0, 0), "~t1 & t2 & t3"),
        ((1, 1, 0), "t1 | t2 | ~t3"),
        ((1, 1, 1), "t1 | t2 | t3"),
        ((1, 0), "~t1 & t2"),
        ((1, 1), "t1 | t2"),
    ],
)
def test_a_gate_is_printed_with_few_signs(signs: tuple[int, ...], printed: str) -> None:
    """Negations that are computed needlessly."""
    circuit, inputs = with_inputs()
    gate = circuit.conjunction(i ^ s for i, s in zip(inputs, signs, strict=False))
    line = CircuitWriter(circuit).lines([("x", gate)])[-2]
    assert line.split(" = ")[1] == printed + ";"


def numbers(digits: Digits, planes: dict[int, int]) -> int:
    """Return a number whose digits are constants."""
    return digits.offset + sum(planes[d] << i for i, d in enumerate(digits.digits))


def constant(value: int, offset: int) -> Digits:
    """Return a number as an offset and constant digits."""
    left = value - offset
    return Digits(offset, tuple(YES if left >> i & 1 else NO for i in range(left.bit_length())))


def test_arithmetic_of_numbers_with_offsets() -> None:
    """A lost carry, offset or sign."""
    circuit = Circuit(LAYOUT)
    known = {NO: 0, YES: 1}
    for x, y in product(range(-5, 8), repeat=2):
        for i, j in ((0, 0), (3, 1), (0, 4)):
            a, b = constant(x, x - i), constant(y, y - j)
            assert numbers(circuit.plus(a, b), known) == x + y
            assert numbers(circuit.plus(a, b, YES), known) == x + y + 1
            assert numbers(circuit.minus(a), known) == -x
            assert numbers(circuit.based(a, a.offset - 3), known) == x
            assert numbers(circuit.product(a, b), known) == x * y
            assert numbers(circuit.times(a, y), known) == x * y
            assert circuit.below(a, b) == (YES if x < y else NO)
            assert circuit.same(a, b) == (YES if x == y else NO)
            if y > 0:
                quotient, rest = circuit.divided(a, y)
                assert (numbers(quotient, known), numbers(rest, known)) == divmod(x, y)
    assert len(circuit.gates) == 1


def test_a_number_has_no_more_digits_than_its_range_needs() -> None:
    """Digits that are always 0, whose planes are computed needlessly."""
    chance = random.Random(2)
    for i in range(300):
        circuit = Circuit(LAYOUT)
        node, _ = (integer if i % 3 else truth)(chance, 2)
        found = circuit.number(node)
        assert circuit.number(node) is found
        assert len(found.digits) <= max(0, node.high - found.offset).bit_length()


def test_a_cell_has_the_digits_of_its_range() -> None:
    """A cell whose least value is not 0, read as if it were 0."""
    circuit = Circuit(LAYOUT)
    for cell in CELLS:
        low = 0 if cell.boolean else cell.low
        found = circuit.number(cell)
        assert found.offset == low
        assert len(found.digits) == (cell.high - cell.low).bit_length()
        assert all(circuit.gates[d >> 1].kind == "input" for d in found.digits)
    alone = nodes.cell(Cell("alone", (), "alone", 4, 4, False))
    assert circuit.number(alone) == Digits(4, ())


def test_cells_of_later_words_are_read_from_there() -> None:
    """A cell in a later word of a state that is read from another cell's bits."""
    cells = [Cell(f"n{i}", (), f"n{i}", -1, 12, False) for i in range(40)]
    layout = bit_packing(cells)
    circuit = Circuit(layout)
    planes = set()
    for cell in cells:
        place = layout.places[cell]
        found = circuit.number(nodes.cell(cell))
        inputs = [circuit.gates[d >> 1].inputs[0] for d in found.digits]
        first = 64 * place.word + place.shift
        assert inputs == list(range(first, first + 4))
        planes |= set(inputs)
    assert len(planes) == 160
