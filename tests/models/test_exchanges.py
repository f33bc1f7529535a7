"""Exchanges of two members in states, expressions and commands."""

from __future__ import annotations

import random
from enum import IntEnum
from itertools import permutations, product

import pytest

from counterpoint.models.symbolic.evaluating import Evaluation
from counterpoint.models.symbolic.symmetry import (
    Image,
    _sorting,
    exchange,
    indices,
    interchangeable,
)
from counterpoint.models.symbolic.trace import System, trace
from counterpoint.spec.notation import (
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Reference,
    Spec,
    Values,
    action,
    every,
    finished,
    invariant,
    no,
    nodes,
    require,
    some,
)
from counterpoint.spec.notation.nodes import Node
from tests.models.test_agreement import random_states


class Nobody(IntEnum):
    """The value of a reference that names no member."""

    NOBODY = -1


class Ward(Spec):
    """Interchangeable patients, one of whom is next; numbered beds; one nurse."""

    patients = Index(3, names="p q")
    beds = Index(2, names="b")
    nurses = Index(1, names="n")
    ill = Array(patients, Integer(0, 2))
    lies = Array((patients, beds), Boolean())
    met = Array((patients, patients), Boolean())
    after = Array(patients, Reference(patients, Nobody))
    turn = Reference(patients, Nobody)
    first_bed = Reference(beds, Nobody)

    @action
    def fall_ill(s, p):
        require(s.ill[p] < 2)
        s.ill[p] = s.ill[p] + 1

    @action
    def lie(s, p, b):
        require(s.ill[p] == 2, no(s.lies[q, b] for q in s.patients), b != s.first_bed)
        s.lies[p, b] = True
        s.first_bed = 0  # the beds are numbered

    @action
    def call(s, p):
        require(s.turn != p)
        s.after[p] = s.turn
        s.turn = p

    @action
    def pass_on(s):
        require(s.turn != Nobody.NOBODY)
        s.turn = s.after[s.turn]

    @action
    def meet(s, p, q):
        require(p != q)
        s.met[p, q] = True

    @invariant
    def one_in_a_bed(s):
        return every(no(every(s.lies[p, b], s.lies[q, b])) for p, q in pairs(s) for b in s.beds)

    @finished
    def over(s):
        return every(s.ill[p] == 2 for p in s.patients)


def pairs(s: Ward) -> list[tuple[int, int]]:
    """Return the pairs of patients."""
    return [(p, q) for p in s.patients for q in s.patients if p < q]


PATIENTS, BEDS = Ward.patients, Ward.beds


@pytest.fixture(scope="module")
def ward() -> System:
    """Return the symbolic reading of the ward."""
    return trace(Model(Ward()))


def names(system: System) -> list[str]:
    """Return the names of interchangeable members, with all claims selected."""
    return [n for n, _ in interchangeable(system, system.claims.values()).indices]


def test_which_indices_have_members_to_exchange(ward: System) -> None:
    """An exchange with a member that does not exist, or an index that is left out."""
    assert [i.name for i in indices(ward.model)] == ["patients", "beds"]
    assert names(ward) == ["patients"]


def by_label(model: Model, values: Values) -> dict[str, int]:
    """Return a state's values by cell."""
    return {c.label: v for c, v in zip(model.cells, values, strict=True)}


@pytest.mark.parametrize("first", [0, 1])
def test_an_exchange_of_states(ward: System, first: int) -> None:
    """A cell that is not moved, or a reference that names the wrong member after the exchange."""
    model = ward.model
    by = exchange(model, PATIENTS, first)
    swapped = {first: first + 1, first + 1: first}
    assert by.first == first
    assert [by.member(k) for k in (-1, 0, 1, 2)] == [swapped.get(k, k) for k in (-1, 0, 1, 2)]
    referring = {i for i, c in enumerate(model.cells) if c.variable in ("after", "turn")}
    assert by.renames == referring
    for values in random_states(model, 20, seed=1):
        old, new = model.at(values), model.at(by.state(values))
        assert by.state(by.state(values)) == values
        for p in range(3):
            q = swapped.get(p, p)
            assert new.ill[q] == old.ill[p]
            assert new.after[q] == swapped.get(old.after[p], old.after[p])
            for b in range(2):
                assert new.lies[q, b] == old.lies[p, b]
            for o in range(3):
                assert new.met[q, swapped.get(o, o)] == old.met[p, o]
        assert new.turn == swapped.get(old.turn, old.turn)
        assert new.first_bed == old.first_bed
    beds = exchange(model, BEDS, 0)
    assert {model.cells[i].label for i in beds.renames} == {"first_bed"}


def expressions(system: System, chance: random.Random) -> list[Node]:
    """Return expressions in which references are compared, chosen and computed with."""
    cells = system.cells
    of = {c.label: n for c, n in zip(system.model.cells, cells, strict=True)}
    refs = [n for label, n in of.items() if label.startswith(("after", "turn"))]
    others = [n for label, n in of.items() if label.startswith("ill")]
    a, b, n = chance.choice(refs), chance.choice(refs), chance.choice(others)
    member = nodes.constant(chance.randint(-1, 2))
    choice = nodes.ite(nodes.equal(a, member), b, a)
    return [
        nodes.equal(a, member),
        nodes.equal(a, b),
        nodes.equal(a, n),
        nodes.less(a, member),
        nodes.less(member, a),
        nodes.less(a, b),
        nodes.less(n, a),
        nodes.equal(choice, member),
        nodes.less(choice, n),
        nodes.equal(nodes.add(a, n), member),
        nodes.subtract(a, nodes.multiply(n, b)),
        nodes.conjunction([nodes.equal(a, b), nodes.less(n, a)]),
        nodes.disjunction([nodes.equal(a, b), nodes.negation(nodes.less(a, n))]),
        choice,
        n,
        member,
        a,
    ]


@pytest.mark.parametrize("first", [0, 1])
def test_the_image_of_an_expression(ward: System, first: int) -> None:
    """An expression with another value in the state after the exchange."""
    by = exchange(ward.model, PATIENTS, first)
    image = Image(ward, by)
    chance = random.Random(first)
    states = random_states(ward.model, 30, seed=2)
    for _ in range(60):
        for node in expressions(ward, chance):
            made = image(node)
            assert image(node) is made
            renamed = None if node.boolean else image.value(node)
            for values in chance.sample(states, 6):
                before = Evaluation(ward.cells, values)
                after = Evaluation(ward.cells, by.state(values))
                assert before.value(made) == after.value(node), node
                if renamed is not None:
                    assert before.value(renamed) == by.member(after.value(node)), node


def test_comparisons_of_references_stay_comparisons(ward: System) -> None:
    """Expressions that grow with each exchange, so that z3 is needed to compare them."""
    by = exchange(ward.model, PATIENTS, 0)
    image = Image(ward, by)
    of = {c.label: n for c, n in zip(ward.model.cells, ward.cells, strict=True)}
    turn = of["turn"]
    zero, one, two = map(nodes.constant, (0, 1, 2))
    other = next(n for label, n in of.items() if label.startswith("after"))
    assert image(nodes.equal(turn, zero)) is nodes.equal(turn, one)
    assert image(nodes.equal(turn, two)) is nodes.equal(turn, two)
    moved = nodes.equal(image.moved[turn], image.moved[other])
    assert image(nodes.equal(turn, other)) is moved
    later = Image(ward, exchange(ward.model, PATIENTS, 1))
    for least in (0, 1):
        node = nodes.less(turn, nodes.constant(least))
        assert later(node) is node
    for least in (-1, 0, 2, 3):
        node = nodes.less(turn, nodes.constant(least))
        assert image(node) is node
    assert image(nodes.less(turn, one)) is not nodes.less(turn, one)
    for most in (-1, 1, 2):
        node = nodes.less(nodes.constant(most), turn)
        assert image(node) is node
    assert image(nodes.less(zero, turn)) is not nodes.less(zero, turn)
    assert image.value(turn) is turn
    assert image.value(zero) is one
    assert image.value(nodes.constant(-1)) is nodes.constant(-1)


def test_a_permutation_is_sorted_by_exchanges() -> None:
    """An arrangement that the exchanges never reach."""
    for size in range(1, 5):
        for order in permutations(range(size)):
            left = list(order)
            swaps = _sorting(order)
            for k in swaps:
                left[k], left[k + 1] = left[k + 1], left[k]
            assert left == sorted(order)
            inversions = sum(order[i] > order[j] for i in range(size) for j in range(i, size))
            assert len(swaps) == inversions


def test_arrangements_reach_all_of_a_class(ward: System) -> None:
    """A state whose representative is not the least of its class."""
    found = interchangeable(ward, ward.claims.values())
    model = ward.model
    assert len(found.arrangements) == 6
    for values in random_states(model, 12, seed=3):
        of_class = {values}
        todo = [values]
        while todo:
            state = todo.pop()
            for by in found.indices[0][1]:
                new = by.state(state)
                if new not in of_class:
                    of_class.add(new)
                    todo.append(new)
        assert found.representative(values) == min(of_class)


class TwoKinds(Spec):
    """Two indices of interchangeable members, and a cell for each pair."""

    keys = Index(2, names="k")
    doors = Index(2, names="d")
    fits = Array((keys, doors), Boolean())

    @action
    def turn(s, k, d):
        require(not s.fits[k, d])
        s.fits[k, d] = True

    @invariant
    def some_door_is_shut(s):
        return some(no(s.fits[k, d]) for k in s.keys for d in s.doors)


def test_arrangements_of_two_indices() -> None:
    """An index that is rearranged only while the other is unchanged."""
    system = trace(Model(TwoKinds()))
    found = interchangeable(system, system.claims.values())
    assert [(n, len(swaps)) for n, swaps in found.indices] == [("keys", 1), ("doors", 1)]
    classes = {found.representative(v) for v in product((0, 1), repeat=4)}
    assert len(classes) == 7
    assert classes >= {(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0)}
