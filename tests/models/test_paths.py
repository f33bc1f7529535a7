"""Facts of a symbolic run: exactly what follows from its conditions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.models.symbolic.paths import WIDE, Facts, Infeasible, SymbolicRun
from counterpoint.spec.notation import SpecError, nodes
from counterpoint.spec.notation.nodes import Cell, Node
from tests.examples import few_and_many

SMALL = [nodes.cell(Cell(f"n{i}", (), f"n{i}", -1, 3, False)) for i in range(3)]
FLAGS = [nodes.cell(Cell(f"f{i}", (), f"f{i}", 0, 1, True)) for i in range(3)]
LARGE = [nodes.cell(Cell(f"w{i}", (), f"w{i}", -5, WIDE, False)) for i in range(2)]
VALUES = range(-1, 4)


def against(cell: Node, value: int, kind: int) -> tuple[Node, Callable[[int], bool]]:
    """Return a comparison with a constant, and its value as a function of the number."""
    there = nodes.constant(value)
    if kind == 0:
        return nodes.less(cell, there), lambda n: n < value
    if kind == 1:
        return nodes.less(there, cell), lambda n: value < n
    return nodes.equal(cell, there), lambda n: n == value


def comparisons(cell: Node, values: Sequence[int]) -> list[tuple[Node, Callable[[int], bool]]]:
    """Return all comparisons with some constants, and their negations."""
    found = [against(cell, value, kind) for value in values for kind in range(3)]
    return found + [(nodes.negation(n), lambda v, says=says: not says(v)) for n, says in found]


def learned(*literals: Node) -> Facts | None:
    """Return the facts that follow, or None if they are contradictory."""
    facts = Facts()
    try:
        for literal in literals:
            facts.learn(literal)
    except Infeasible:
        return None
    return facts


def decided(truths: set[bool]) -> bool | None:
    """Return the comparisons that have the same value everywhere."""
    return next(iter(truths)) if len(truths) == 1 else None


def test_all_is_known_of_one_cell_of_few_values() -> None:
    """A comparison with a constant that is decided wrongly, or left open though it is known."""
    cell = SMALL[0]
    known = comparisons(cell, VALUES)
    chance = random.Random(1)
    for _ in range(150):
        chosen = chance.sample(known, chance.randint(0, 3))
        there = [v for v in VALUES if all(says(v) for _, says in chosen)]
        facts = learned(*(n for n, _ in chosen))
        assert (facts is None) == (not there)
        if facts is None:
            continue
        assert facts.interval(cell) == (min(there), max(there))
        for node, says in known:
            assert facts.known(node) is decided({says(v) for v in there}), (chosen, node)
        alone = nodes.constant(there[0]) if len(there) == 1 else None
        assert facts.replacements().get(cell) is alone


def test_the_ends_are_known_of_a_cell_of_many_values() -> None:
    """A bound that is off by one, or forgotten."""
    cell = LARGE[0]
    low, high = -5, WIDE
    ends = [low, low + 1, 7, 8, high - 1, high]
    known = comparisons(cell, ends)
    chance = random.Random(2)
    found = 0
    for _ in range(80):
        chosen = chance.sample(known, chance.randint(0, 4))
        facts = learned(*(n for n, _ in chosen))
        there = [v for v in range(low, high + 1) if all(says(v) for _, says in chosen)]
        if facts is None:
            assert not there
            continue
        ours, theirs = facts.interval(cell)
        assert there
        assert ours <= there[0] <= there[-1] <= theirs
        orders = [n for n, _ in chosen if "less" in (n.op, getattr(n.args[0], "op", ""))]
        if len(orders) == len(chosen):  # a value excluded in the middle of a range is not stored
            found += 1
            assert (ours, theirs) == (there[0], there[-1])
        for node, says in known:
            if facts.known(node) is not None:
                assert decided({says(v) for v in there}) is facts.known(node), (chosen, node)
    assert found > 10


@pytest.mark.parametrize(
    ("literal", "low", "high"),
    [
        (nodes.equal(LARGE[0], nodes.constant(9)), 9, 9),
        (nodes.negation(nodes.equal(LARGE[0], nodes.constant(-5))), -4, WIDE),
        (nodes.negation(nodes.equal(LARGE[0], nodes.constant(WIDE))), -5, WIDE - 1),
        (nodes.negation(nodes.equal(LARGE[0], nodes.constant(9))), -5, WIDE),
        (nodes.less(LARGE[0], nodes.constant(9)), -5, 8),
        (nodes.less(nodes.constant(9), LARGE[0]), 10, WIDE),
        (nodes.negation(nodes.less(LARGE[0], nodes.constant(9))), 9, WIDE),
        (nodes.negation(nodes.less(nodes.constant(9), LARGE[0])), -5, 9),
    ],
)
def test_what_a_comparison_says_of_a_cell_of_many_values(
    literal: Node, low: int, high: int
) -> None:
    """A bound that is off by one."""
    facts = Facts()
    facts.learn(literal)
    assert facts.bounds[LARGE[0]] == (low, high)
    assert facts.interval(LARGE[0]) == (low, high)
    given = facts.replacements()
    assert given.get(LARGE[0]) is (nodes.constant(low) if low == high else None)
    assert given[literal] is nodes.TRUE


def test_a_range_is_wide_from_so_many_values_on() -> None:
    """Thousands of values stored one by one, or a small range stored only by its bounds."""
    for high, wide in ((WIDE - 1, False), (WIDE, True)):
        cell = nodes.cell(Cell("edge", (), "edge", 0, high, False))
        facts = learned(nodes.less(cell, nodes.constant(5)))
        assert facts is not None
        assert (cell in facts.bounds) == wide
        assert (cell in facts.domain) == (not wide)


def once_each(chance: random.Random) -> tuple[Node, Callable[..., int]]:
    """Return an expression in which no cell occurs twice, and a function that computes it."""
    a, b, c = SMALL
    f, g = FLAGS[:2]
    k = chance.randint(-3, 3)
    there = nodes.constant(k)
    number = [
        (nodes.add(a, b), lambda a, b, c, f, g: a + b),
        (nodes.subtract(a, b), lambda a, b, c, f, g: a - b),
        (nodes.add(nodes.subtract(a, b), there), lambda a, b, c, f, g: a - b + k),
        (nodes.ite(f, a, b), lambda a, b, c, f, g: a if f else b),
        (nodes.ite(g, nodes.add(a, there), b), lambda a, b, c, f, g: a + k if g else b),
        (nodes.subtract(b, nodes.integer(f)), lambda a, b, c, f, g: b - f),
    ]
    node, compute = chance.choice(number)
    forms: list[tuple[Node, Callable[..., int]]] = [
        (node, compute),
        (nodes.less(node, c), lambda *v: compute(*v) < v[2]),
        (nodes.less(c, node), lambda *v: v[2] < compute(*v)),
        (nodes.negation(nodes.less(node, c)), lambda *v: compute(*v) >= v[2]),
    ]
    return chance.choice(forms)


def test_intervals_are_exact_where_no_cell_stands_twice() -> None:
    """Bounds too wide, so that paths multiply, or too narrow, so that paths are lost."""
    chance = random.Random(3)
    for _ in range(400):
        facts, allowed = Facts(), []
        for cell in SMALL:
            low, high = sorted(chance.choices(VALUES, k=2))
            facts.learn(nodes.less(nodes.constant(low - 1), cell))
            facts.learn(nodes.less(cell, nodes.constant(high + 1)))
            allowed.append(range(low, high + 1))
        for flag in FLAGS[:2]:
            side = chance.choice([(0, 1), (0,), (1,)])
            if len(side) == 1:
                facts.learn(flag if side[0] else nodes.negation(flag))
            allowed.append(side)
        node, compute = once_each(chance)
        found = [int(compute(*values)) for values in product(*allowed)]
        assert facts.interval(node) == (min(found), max(found)), node
        if node.boolean:
            assert facts.known(node) is decided({bool(v) for v in found})


def grown(chance: random.Random) -> list[Node]:
    """Return numbers and conditions, each made of some before it."""
    numbers: list[Node] = [*SMALL, *LARGE, *map(nodes.constant, (0, 2))]
    conditions: list[Node] = list(FLAGS)
    for _ in range(25):
        a, b = chance.choices(numbers, k=2)
        one, other = chance.choices(conditions, k=2)
        conditions.append(chance.choice([
            nodes.less(a, b), nodes.equal(a, b), nodes.negation(one),
            nodes.conjunction([one, other]), nodes.disjunction([one, other]),
        ]))  # fmt: skip
        numbers.append(chance.choice([
            nodes.add(a, b), nodes.subtract(a, b), nodes.ite(one, a, b),
        ]))  # fmt: skip
    return [*conditions, *numbers]


@few_and_many(given(seed=st.integers(0, 10**6)), 100, 3000)
def test_what_was_asked_before_does_not_matter(seed: int) -> None:
    """Bounds that are kept though a later fact narrows them."""
    chance = random.Random(seed)
    everything = grown(chance)
    conditions = [node for node in everything if node.boolean]
    asked, fresh = Facts(), Facts()
    for fact in chance.choices(conditions, k=5):
        for node in chance.sample(everything, len(everything) // 2):
            asked.interval(node)
        ended = []
        for facts in (asked, fresh):
            try:
                facts.learn(fact)
            except Infeasible:
                ended.append(facts)
        assert len(ended) in (0, 2)
        if ended:
            return
    for node in everything:
        assert asked.interval(node) == fresh.interval(node), node


def test_equality_is_decided_by_bounds() -> None:
    """Numbers that cannot be equal left undecided, or undecided ones called unequal."""
    a, b = SMALL[:2]
    for low, high in product(VALUES, repeat=2):
        facts = learned(
            nodes.negation(nodes.less(nodes.constant(low), a)),
            nodes.negation(nodes.less(b, nodes.constant(high))),
        )
        assert facts is not None
        meets = {x == y for x in range(-1, low + 1) for y in range(high, 4)}
        assert facts.known(nodes.equal(a, b)) is decided(meets)
        assert facts.known(nodes.equal(b, a)) is decided(meets)


def test_an_order_is_known_with_what_follows_from_it() -> None:
    """A needless branch on b < a or a = b after a < b is known."""
    a, b = SMALL[:2]
    facts = learned(nodes.less(a, b))
    assert facts is not None
    assert facts.known(nodes.less(a, b)) is True
    assert facts.known(nodes.less(b, a)) is False
    assert facts.known(nodes.equal(a, b)) is False
    other = learned(nodes.negation(nodes.less(a, b)))
    assert other is not None
    assert other.known(nodes.less(a, b)) is False
    assert other.known(nodes.less(b, a)) is None


def test_a_whole_that_is_always_true_or_false() -> None:
    """A crash where the opposite of a condition holds in every state, or in none."""
    a, b, _ = FLAGS
    always = nodes.conjunction(
        [nodes.disjunction([a, b]), nodes.negation(nodes.conjunction([a, b]))]
    )
    facts = learned(
        nodes.negation(nodes.conjunction([nodes.negation(nodes.disjunction([a, b])), a]))
    )
    assert facts is not None and facts.known(b) is None
    assert learned(always, nodes.negation(always)) is None


def test_parts_follow_from_a_whole() -> None:
    """A conjunction whose parts are lost, or a disjunction's last part not concluded."""
    f, g, h = FLAGS
    none = nodes.negation
    both = learned(nodes.conjunction([f, g]))
    neither = learned(none(nodes.disjunction([f, g])))
    assert both is not None
    assert neither is not None
    assert (both.known(f), both.known(g), both.known(h)) == (True, True, None)
    assert (neither.known(f), neither.known(g), neither.known(h)) == (False, False, None)
    for whole, sign in ((nodes.disjunction([f, g, h]), True),
                        (none(nodes.conjunction([f, g, h])), False)):  # fmt: skip
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            first, second, last = (FLAGS[i] for i in order)
            against_it = [none(first), none(second)] if sign else [first, second]
            one = learned(whole, against_it[0])
            two = learned(whole, *against_it)
            before = learned(*against_it, whole)
            assert one is not None
            assert two is not None
            assert before is not None
            assert one.known(last) is None
            assert two.known(last) is before.known(last) is sign
            assert learned(whole, *against_it, none(last) if sign else last) is None


def test_a_conclusion_leads_to_the_next() -> None:
    """A new fact from which the facts that follow are not concluded."""
    f, g, h = FLAGS
    none = nodes.negation
    facts = learned(nodes.disjunction([none(f), g]), nodes.disjunction([none(g), h]), f)
    assert facts is not None
    assert (facts.known(g), facts.known(h)) == (True, True)
    small = nodes.less(SMALL[0], nodes.constant(0))
    facts = learned(nodes.disjunction([f, small]), none(f))
    assert facts is not None
    assert facts.interval(SMALL[0]) == (-1, -1)
    assert facts.replacements()[SMALL[0]] is nodes.constant(-1)


def test_a_cell_of_truth_values_is_replaced_by_one() -> None:
    """A number substituted for a truth value."""
    for flag, sign in ((FLAGS[0], nodes.TRUE), (nodes.negation(FLAGS[0]), nodes.FALSE)):
        facts = learned(flag)
        assert facts is not None
        assert facts.replacements()[FLAGS[0]] is sign
        assert facts.domain[FLAGS[0]] == {sign.args[0]}


def test_what_a_run_decides() -> None:
    """A given branch that is not taken, a branch recorded twice, or one for a known condition."""
    f, g, h = FLAGS
    run = SymbolicRun([False])
    assert run.decide(f) is False
    assert run.decide(f) is False
    assert run.decide(nodes.negation(f)) is True
    assert run.decide(g) is True
    assert run.decisions == [False, True]
    assert run.literals == [nodes.negation(f), g]
    run.assume(nodes.conjunction([g, h]))
    assert run.literals == [nodes.negation(f), g, g, h]
    run.assume(h)
    assert len(run.literals) == 4
    assert run.decisions == [False, True]
    with pytest.raises(Infeasible):
        run.assume(f)
    run.assume(SMALL[0])
    assert run.literals[-1] is nodes.truth(SMALL[0])


def test_a_loop_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of branches that is off by one, or a spec that is read endlessly."""
    monkeypatch.setattr(SymbolicRun, "limit", 3)
    run = SymbolicRun()
    for _ in range(3):
        run.decide(FLAGS[0])
    with pytest.raises(SpecError, match="more than 3 branches: a loop that does not end"):
        run.decide(FLAGS[0])


A, B, C = SMALL
CYCLE = [nodes.less(A, B), nodes.less(B, C)]
"""Conditions from which A < C follows; z3 finds this, the facts do not."""


def deep_run(monkeypatch: pytest.MonkeyPatch, deep: int) -> SymbolicRun:
    """Return a run after two branches; `deep` is the number of branches after which z3 is used."""
    monkeypatch.setattr(SymbolicRun, "deep", deep)
    run = SymbolicRun()
    for literal in CYCLE:
        assert run.decide(literal)
    return run


def test_z3_is_asked_deep_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths that multiply where a condition depends on several cells at once."""
    run = deep_run(monkeypatch, 2)
    assert run.decide(nodes.less(A, C)) is True
    assert run.decide(nodes.less(C, A)) is False
    assert run.decisions == [True, True]
    assert run.decide(FLAGS[0]) is True
    assert run.decisions == [True, True, True]
    run = deep_run(monkeypatch, 3)
    run.decide(nodes.less(A, C))
    assert run.decisions == [True, True, True]


def test_a_path_that_contradicts_itself_is_left_deep_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both branches taken on a path that no state can take."""
    run = deep_run(monkeypatch, 3)
    run.assume(nodes.less(C, A))
    run.decide(FLAGS[0])
    with pytest.raises(Infeasible):
        run.decide(FLAGS[1])


def test_large_numbers_are_compared_as_numbers() -> None:
    """Equal large numbers that compare as different because they are two objects."""
    cell, other = LARGE
    facts = learned(nodes.equal(cell, nodes.constant(1000)), nodes.less(other, cell))
    assert facts is not None
    twice = nodes.add(cell, cell)
    assert facts.interval(twice) == (2000, 2000)
    assert facts.known(nodes.equal(twice, nodes.constant(2000))) is True
    assert facts.known(nodes.less(nodes.constant(1999), twice)) is True


def test_only_cells_have_values() -> None:
    """Facts about a sum stored as if the sum were a cell."""
    a, b = SMALL[:2]
    facts = learned(nodes.less(nodes.subtract(a, b), nodes.constant(2)))
    assert facts is not None
    assert facts.domain == facts.bounds == {}
