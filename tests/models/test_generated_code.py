"""Generated Python: how states are packed, which conditions are tested, and what a step does."""

from __future__ import annotations

import random
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pytest

from counterpoint.models.explore.python.generate import (
    BytePacking,
    Expander,
    compile_function,
    in_order,
    judge_source,
    packing,
    size_of,
    tree_of,
    unpacking,
)
from counterpoint.models.symbolic.evaluating import Evaluation
from counterpoint.models.symbolic.trace import Check, Command, System
from counterpoint.spec.notation import SpecError, Step, Values, nodes
from counterpoint.spec.notation.nodes import Cell, Node

RANGES = ((0, 1), (5, 5), (-4, 4), (0, 255), (0, 256), (-300, 400), (0, 65535), (7, 7), (3, 258))
CELLS = [Cell(f"c{i}", (), f"c{i}", low, high, False) for i, (low, high) in enumerate(RANGES)]
NODES = [nodes.cell(c) for c in CELLS]
FLAGS = [nodes.cell(Cell(f"f{i}", (), f"f{i}", 0, 1, True)) for i in range(4)]


def random_values(chance: random.Random) -> Values:
    """Return values of all cells, often at the ends of their ranges."""
    return tuple(chance.choice([low, high, chance.randint(low, high)]) for low, high in RANGES)


def test_states_survive_packing() -> None:
    """Bytes that overlap, are too few or too many; a least value that is forgotten."""
    layout = packing(CELLS)
    assert layout.width == dict(zip(
        [c for c in CELLS if c.low != c.high], [1, 1, 1, 2, 2, 2, 1], strict=True
    ))  # fmt: skip
    assert list(layout.offset.values()) == [0, 1, 2, 3, 5, 7, 9]
    assert layout.size == 10
    chance = random.Random(1)
    for _ in range(200):
        values = random_values(chance)
        packed = layout.pack(values)
        assert len(packed) == 10
        assert layout.unpack(packed) == values
    assert layout.pack((1, 5, -4, 255, 256, -300, 65535, 7, 258)) == bytes(
        [1, 0, 255, 1, 0, 0, 0, 255, 255, 255]
    )
    with pytest.raises(ValueError, match="zip"):
        layout.pack((1, 5))


def test_a_range_that_is_too_wide_is_refused() -> None:
    """A range too wide for two bytes that is accepted, or a narrower one that is refused."""
    packing([Cell("n", (), "n", -1, 65534, False)])
    with pytest.raises(
        SpecError, match="the range of n has 65537 values; Python code takes at most 65536"
    ):
        packing([Cell("n", (), "n", -1, 65535, False)])


@pytest.mark.parametrize("chosen", [[], [0], [2], [5], [3, 4], [8, 2, 6], range(len(CELLS))])
def test_what_is_unpacked_is_there(chosen: list[int]) -> None:
    """A cell read from another cell's bytes, or without its least value."""
    layout = packing(CELLS)
    cells = [CELLS[i] for i in chosen]
    chance = random.Random(2)
    lines = unpacking(layout, cells)
    for _ in range(20):
        values = random_values(chance)
        space: dict[str, Any] = {"s": layout.pack(values)}
        exec("\n".join(lines), space)
        for i in chosen:
            if CELLS[i] in layout.offset:
                assert space[f"v{layout.offset[CELLS[i]]}"] == values[i]


@pytest.mark.parametrize(
    ("cells", "size"), [(CELLS[:1], 1), (CELLS[2:3], 1), (CELLS[1:2], 0), (CELLS[5:6], 2)]
)
def test_what_is_unpacked_of_few_bytes(cells: list[Cell], size: int) -> None:
    """A state of one byte confused with that byte, or an empty state that is unpacked."""
    layout = packing(cells)
    assert layout.size == size
    [cell] = cells
    space: dict[str, Any] = {"s": layout.pack((cell.high,))}
    exec("\n".join(unpacking(layout, cells)), space)
    if size:
        assert space["v0"] == cell.high
    else:
        assert unpacking(layout, cells) == []


def system_of(cells: list[Cell], *commands: Command) -> System:
    """Return the parts of a system that the code generator prints."""
    model, there = SimpleNamespace(cells=tuple(cells)), tuple(map(nodes.cell, cells))
    return cast(System, SimpleNamespace(cells=there, commands=commands, model=model))


def commands_of(chance: random.Random, number: int, cells: list[Cell]) -> list[Command]:
    """Return random commands over truth values and some numbers."""
    found = []
    literals = [(f, nodes.negation(f)) for f in FLAGS]
    for i in range(number):
        flags = chance.sample(literals, chance.randint(0, len(literals)))
        guard = tuple(chance.choice(pair) for pair in flags)
        n = chance.randrange(len(cells))
        value = nodes.ite(chance.choice(FLAGS), _end(cells[n], 0), _end(cells[n], 1))
        kind = chance.randint(0, 3)
        if kind == 0:
            value = chance.choice([_end(cells[n], 0), _end(cells[n], 1)])
        there = {n: value}
        if chance.random() < 0.5:
            there[len(cells) + chance.randrange(4)] = nodes.disjunction([guard[0], FLAGS[1]]) \
                if guard else nodes.TRUE  # fmt: skip
        checks = (Check(chance.choice(literals)[0], f"claim-{i % 2}"),) if kind == 1 else ()
        leaves = "n" if kind == 2 and chance.random() < 0.4 else ""
        updates = () if leaves else tuple(sorted(there.items()))
        found.append(Command(Step("go", (i,)), guard, updates, checks, leaves))
    return found


def _end(cell: Cell, end: int) -> Node:
    return nodes.constant((cell.low, cell.high)[end])


def expected(system: System, values: Values) -> tuple[list[Any], list[Any]]:
    """Return the successors by command, and the reports, found by plain evaluation."""
    state = Evaluation(system.cells, values)
    following, reports = [], []
    possible = 0
    for i in in_order(system.commands):
        command = system.commands[i]
        if not state.all(command.guard):
            continue
        possible += 1
        if command.leaves:
            reports.append((5, i, "ranges"))
            continue
        reports += [(5, i, c.claim) for c in command.checks if not state.value(c.condition)]
        after = list(values)
        for place, node in command.updates:
            after[place] = state.value(node)
        following.append((tuple(after), i))
    if not possible:
        reports.append((5, -1, "no-deadlock"))
    return following, reports


def ran(system: System, layout: BytePacking, values: Values) -> tuple[list[Any], list[Any], Any]:
    """Return the successors and reports of the generated code, with its counts."""
    expand = compile_function(Expander(system, layout).source(), "expand")
    seen: set[bytes] = set()
    found: list[bytes] = []
    parent: list[int] = []
    via: list[int] = []
    taken = [0] * len(system.commands)
    reports: list[Any] = []
    packed = layout.pack(values)
    steps = expand([packed], 5, seen, found, parent, via, taken, lambda *one: reports.append(one))
    assert seen == set(found)
    assert parent == [5] * len(found)
    following = list(zip(map(layout.unpack, found), via, strict=True))
    return following, reports, (steps, taken)


@pytest.mark.parametrize("seed", range(12))
def test_generated_code_does_what_commands_say(seed: int) -> None:
    """A step that is lost, tested under another's guard, or packed into the wrong bytes."""
    chance = random.Random(seed)
    numbers = chance.sample(CELLS, 3)
    cells = [*numbers, *(f.args[0] for f in FLAGS)]
    system = system_of(cells, *commands_of(chance, chance.randint(0, 9), numbers))
    layout = packing(cells)
    for flags in product((0, 1), repeat=4):
        values = tuple(chance.randint(n.low, n.high) for n in numbers) + flags
        following, reports = expected(system, values)
        found, reported, (steps, taken) = ran(system, layout, values)
        first: dict[Values, int] = {}
        for after, command in following:
            first.setdefault(after, command)
        assert found == list(first.items())
        assert reported == reports
        assert steps == sum(taken)
        leaving = [i for _, i, name in reports if name == "ranges"]
        assert [i for i, n in enumerate(taken) if n] == sorted(
            [*leaving, *(i for _, i in following)]
        )
        assert set(taken) <= {0, 1}


def guarded(*guards: tuple[Node, ...]) -> list[Command]:
    """Return commands that differ only in their guards."""
    return [Command(Step("go", (i,)), guard, ()) for i, guard in enumerate(guards)]


def test_equal_conditions_are_asked_once() -> None:
    """A condition tested again for each command, or tested although its negation is known."""
    a, b, c, d = FLAGS
    none = nodes.negation
    tree = tree_of(guarded((a, b), (none(a),), (a, c), (), (d,)))
    assert tree.commands == [3]
    (first, then, other), (second, last, nothing) = tree.questions()
    assert (first, second) == ([a], [d])
    assert other is not None
    assert (other.commands, last.commands, nothing) == ([1], [4], None)
    assert [conditions for conditions, *_ in then.questions()] == [[b], [c]]
    assert in_order(guarded((a, b), (none(a),), (a, c), (), (d,))) == [3, 0, 2, 1, 4]


def test_conditions_in_a_row_are_asked_in_one_line() -> None:
    """Conditions nested so deeply that Python refuses the code, or a fork left out."""
    a, b, c, d = FLAGS
    none = nodes.negation
    [(conditions, branch, other)] = tree_of(guarded((a, b, c))).questions()
    assert (conditions, branch.commands, other) == ([a, b, c], [0], None)
    [(conditions, branch, other)] = tree_of(guarded((a, b), (a, b, c))).questions()
    assert (conditions, branch.commands, other) == ([a, b], [0], None)
    assert [found for found, *_ in branch.questions()] == [[c]]
    # A condition tested together with others in one line has no else branch.
    first, second = tree_of(guarded((a, b), (none(a), d))).questions()
    assert (first[0], first[2]) == ([a, b], None)
    assert (second[0], second[2]) == ([none(a), d], None)
    first, second = tree_of(guarded((none(a), b), (a,))).questions()
    assert (first[0], second[0]) == ([none(a), b], [a])
    assert second[2] is None
    [(conditions, branch, other)] = tree_of(guarded((a,), (none(a),))).questions()
    assert other is not None
    assert other.commands == [1]


def depth_of(source: str) -> int:
    """Return how deeply statements are nested."""
    return max(len(line) - len(line.lstrip()) for line in source.splitlines()) // 4


def test_code_is_no_deeper_than_its_forks() -> None:
    """Hundreds of consecutive conditions, nested so deeply that Python refuses the code."""
    chain = tuple(nodes.equal(NODES[6], nodes.constant(k)) for k in range(300))
    system = system_of([CELLS[6]], *guarded(chain))
    source = Expander(system, packing([CELLS[6]])).source()
    assert depth_of(source) == 3
    assert source.count("if ") == 3
    both = system_of([FLAGS[0].args[0]], *guarded((FLAGS[0],), (nodes.negation(FLAGS[0]),)))
    source = Expander(both, packing([FLAGS[0].args[0]])).source()
    assert source.count("else:") == 1
    assert depth_of(source) == 3


def test_what_conditions_share_is_computed_once() -> None:
    """A sum computed again in each condition, or stored though it is used only once."""
    a, b = NODES[2], NODES[3]
    flat = nodes.add(a, b)
    deep = nodes.add(flat, a)
    layout = packing(CELLS[2:4])

    def printed(total: Node) -> tuple[int, int]:
        parts = [nodes.equal(total, nodes.constant(k)) for k in (3, 4)]
        system = system_of(CELLS[2:4], *guarded((nodes.disjunction(parts),)))
        lines = Expander(system, layout).source().splitlines()
        asked = [line for line in lines if "if v" in line or "if (" in line or "if t" in line]
        return "\n".join(lines).count(" + "), asked[0].count(" + ")

    assert printed(deep) == (2 + 1, 0)  # one more adds a least value
    assert printed(flat) == (2 + 1, 2)  # one sum is not worth a name


def test_claims_are_judged_as_bits() -> None:
    """The bit of another claim, or a bit that is set where the claim holds."""
    cells = [NODES[2], NODES[5], *FLAGS[:2]]
    layout = packing([c.args[0] for c in cells])
    claims = [
        nodes.less(NODES[2], nodes.constant(0)),
        FLAGS[0],
        nodes.negation(nodes.equal(NODES[5], nodes.constant(400))),
        nodes.disjunction([FLAGS[0], FLAGS[1]]),
    ]
    judge = compile_function(judge_source(layout, claims, "judge"), "judge")
    for values in product((-4, 0, 4), (-300, 0, 400), (0, 1), (0, 1)):
        state = Evaluation(cells, values)
        wanted = sum(1 << k for k, claim in enumerate(claims) if not state.value(claim))
        assert judge(layout.pack(values)) == wanted


def test_the_size_of_an_expression_counts_each_part_once() -> None:
    """Shared parts counted again, so that a claim seems too costly."""
    a, b = NODES[2:4]
    total = nodes.add(a, b)
    assert size_of(a) == 1
    assert size_of(total) == 3
    assert size_of(nodes.equal(nodes.subtract(total, a), total)) == 5
