"""Actions and claims read for any number of members, compared with runs at sizes 1 to 3."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from counterpoint.models.prove.sizes.parametric import FunctionStore, ParametricRun
from counterpoint.models.prove.sizes.small_sizes import model_of_size
from counterpoint.models.prove.sizes.ways import ActionPath, formula, paths
from counterpoint.models.symbolic.comparing import LEAVES, After, plain_result, random_states
from counterpoint.models.symbolic.evaluating import SizedEvaluation
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    SpecError,
    Values,
    action,
    no,
    nodes,
    require,
)
from tests.models.club import Club


@pytest.fixture(scope="module")
def club() -> Model:
    """Return the spec."""
    return Model(Club())


def at_size(model: Model, number: int) -> Model:
    """Return the spec with a given number of members."""
    found = model_of_size(model, number, ("members",), unbounded=True)
    assert found is not None
    return found


def some_states(model: Model, number: int, seed: int) -> list[Values]:
    """Return states from runs, and as many states from anywhere in the ranges."""
    chance = random.Random(seed)
    found = random_states(model, number, seed)
    highs = [c.high if c.high != nodes.UNBOUNDED else 9 for c in model.cells]
    anywhere = [
        tuple(chance.randint(c.low, h) for c, h in zip(model.cells, highs, strict=True))
        for _ in range(number)
    ]
    return [*found, *anywhere]


def state_of(model: Model, values: Values, members: dict[Any, int]) -> SizedEvaluation:
    """Return a concrete state in which expressions for any size are evaluated."""
    places = {(c.variable, c.index): i for i, c in enumerate(model.cells)}

    def read(name: str, key: tuple[int, ...]) -> int:
        found = name.removesuffix(" at the start")
        return values[places[found, key]] if (found, key) in places else 0

    sizes = {
        index.attribute: index.size(model.spec)
        for index in model.spec.declared_parameters.values() if isinstance(index, Index)
    }  # fmt: skip
    return SizedEvaluation(sizes, read, members)


def leads(path: ActionPath, model: Model, values: Values, members: Sequence[int]) -> After:
    """Return the state after a symbolic path, if the path is open."""
    state = state_of(model, values, dict(zip(path.run.members, members, strict=True)))
    for literals, wanted in path.run.obligations:
        if state.all(literals) and not state.value(wanted):
            return LEAVES
    if not path.possible or not state.all(path.run.literals):
        return None
    return tuple(
        state.value(path.after.at(c.variable, tuple(map(nodes.constant, c.index))))
        for c in model.cells
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_ways_do_what_plain_python_does(club: Model, number: int) -> None:
    """An assignment in a loop, a branch, a count or a range that is read wrongly."""
    ways = {a.name: list(paths(club, a)) for a in club.actions}
    model = at_size(club, number)
    chance = random.Random(number)
    for values in some_states(model, 12, number):
        for step in chance.sample(model.steps, min(12, len(model.steps))):
            found = {leads(path, model, values, step.binding) for path in ways[step.action]}
            assert (found - {None} or {None}) == {plain_result(model, values, step)}, step


@pytest.mark.parametrize("number", [1, 2, 3])
def test_claims_say_what_plain_python_says(club: Model, number: int) -> None:
    """A claim for any number whose value differs from the plain one at a small size."""
    run = ParametricRun(club)
    store = FunctionStore(run)
    claims = [p for p in (*club.properties, *club.lemmas) if p.method]
    formulas = {p: formula(club, p.method, store) for p in claims}
    model = at_size(club, number)
    for values in some_states(model, 12, number):
        state = state_of(model, values, {})
        for claim, found in formulas.items():
            try:
                right = model.holds(claim, values)
            except SpecError:
                assert not state.value(found.obligations)
                assert not state.value(found.wanted)
            else:
                assert state.value(found.obligations), claim
                assert state.value(found.meaning) == state.value(found.wanted) == right
    assert run.literals == run.obligations == []


@pytest.mark.parametrize("number", [1, 2])
def test_initial_values_are_those_of_plain_python(club: Model, number: int) -> None:
    """A variable whose initial value for any number differs from that at a small size."""
    run = ParametricRun(club)
    model = at_size(club, number)
    starts = list(model.initial_states())
    first = FunctionStore(run, initial=True)
    for values in random.Random(1).sample(starts, min(len(starts), 12)):
        state = state_of(model, values, {})
        for cell, value in zip(model.cells, values, strict=True):
            place = tuple(map(nodes.constant, cell.index))
            assert state.value(first.at(cell.variable, place)) == value, cell.label


def test_ways_that_fail_after_leaving_are_kept(club: Model) -> None:
    """A step that leaves a range before a later requirement fails, left out."""
    [too_loud] = [a for a in club.actions if a.name == "too_loud"]
    found = list(paths(club, too_loud))
    assert [path.possible for path in found] == [False]
    [(literals, wanted)] = found[0].run.obligations
    assert len(literals) == 1
    assert wanted.op in ("not", "less")
    assert found[0].literals == [*found[0].run.literals, wanted]
    assert all(path.action is too_loud for path in found)
    [quiet] = [a for a in club.actions if a.name == "quiet"]
    assert [(p.possible, p.literals) for p in paths(club, quiet)] == [(True, [])]
    [shout] = [a for a in club.actions if a.name == "shout"]
    assert len(list(paths(club, shout))) == 3


def test_an_impossible_way_without_obligations_is_none(club: Model) -> None:
    """Paths that lead nowhere and have no proof obligation, but are kept."""

    class Never(Club):
        @action
        def never(s):
            require(s.open)
            require(no(s.open))

    model = Model(Never())
    [never] = [a for a in model.actions if a.name == "never"]
    assert list(paths(model, never)) == []


class Crossed(Spec):
    """Two indices of any number, and arrays over one that are indexed with members of the other."""

    any_number = ("people", "boxes")
    people = Index(2, names="p q")
    boxes = Index(2, names="b")
    tall = Array(people, Boolean())
    full = Array(boxes, Boolean())
    of_number = Array(people, Integer(0, 9, initially=lambda s, p: p))
    n = Integer(-1, 2, initially=ANY)
    flag = Boolean()
    deep = Integer(-3, 2, grows=True)

    @action
    def own(s, p, b):
        s.tall[p] = s.full[b]

    @action
    def grow(s, b):
        s.tall[b] = True

    @action
    def fill(s, p):
        s.flag = s.full[p]

    @action
    def turn(s):
        s.flag = s.n

    @action
    def zero(s):
        s.full[0] = s.tall[0]


@pytest.mark.parametrize("sizes", [(1, 2), (2, 1), (2, 2), (3, 1)])
def test_a_member_of_another_index_may_lie_outside(sizes: tuple[int, int]) -> None:
    """An index of another kind of member accepted although it may lie outside the array."""
    model = Model(Crossed())
    ways = {a.name: list(paths(model, a)) for a in model.actions}
    assert [len(p.run.obligations) for p in ways["own"]] == [0, 0][: len(ways["own"])]
    small = Model(Crossed(people=sizes[0], boxes=sizes[1]), unbounded=True)
    for values in some_states(small, 8, 1):
        for step in small.steps:
            found = {leads(path, small, values, step.binding) for path in ways[step.action]}
            assert (found - {None} or {None}) == {plain_result(small, values, step)}, step
    first = FunctionStore(ParametricRun(model), initial=True)
    start = next(small.initial_states())
    state = state_of(small, start, {})
    for cell, value in zip(small.cells, start, strict=True):
        if cell.variable != "n":
            place = tuple(map(nodes.constant, cell.index))
            assert state.value(first.at(cell.variable, place)) == value, cell.label
