"""Actions and claims read for members without number, against plain runs at sizes 1 to 3."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

import pytest

from models.comparing import LEAVES, After, plain, walked
from models.evaluating import Sized
from models.parametric import Functions, Given, Members, Parameters, Run
from models.small_sizes import sized
from models.ways import Path, actions, counts, evaluate, formula, paths, spoken
from spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Number,
    Reference,
    Spec,
    SpecError,
    Values,
    action,
    count,
    every,
    finished,
    implies,
    initially,
    invariant,
    ite,
    lemma,
    no,
    require,
    some,
)
from spec.notation import _nodes as nodes
from spec.notation._symbolic import deciding, quantifying


class Nobody(IntEnum):
    """No member."""

    NOBODY = -1


class Club(Spec):
    """Members who come and go; two rooms; somebody chairs."""

    any_number = ("members",)
    members = Index(2, names="p q")
    rooms = Index(2, names="r")
    limit = Number(2)
    there = Array(members, Boolean())
    sits = Array((members, rooms), Boolean())
    knows = Array((members, members), Boolean(initially=ANY))
    age = Array(members, Integer(0, 3, initially=lambda s, p: 1))
    chair = Reference(members, Nobody)
    noise = Integer(-1, 2, initially=ANY)
    still = Integer(2, 2)
    talks = Integer(0, 4, grows=True)
    low = Integer(-3, -2)
    open = Boolean(initially=True)

    @action
    def come(s, p):
        require(no(s.there[p]), s.open)
        s.there[p] = True
        if s.chair == Nobody.NOBODY:
            s.chair = p

    @action
    def sit(s, p, r):
        require(s.there[p], no(s.sits[q, r] for q in s.members))
        s.sits[p, r] = True

    @action
    def go(s, p):
        require(s.there[p])
        for r in (0, 1):
            s.sits[p, r] = False
        s.there[p] = False
        s.chair = ite(s.chair == p, Nobody.NOBODY, s.chair)

    @action
    def birthday(s, p):
        s.age[p] = s.age[p] + 1

    @action
    def all_older(s):
        for q in s.members:
            s.age[q] = ite(s.age[q] < 3, s.age[q] + 1, 0)
            s.knows[q, q] = True

    @action
    def everybody_meets(s):
        require(count(s.there[q] for q in s.members) >= s.limit)
        for q in s.members:
            for other in s.members:
                s.knows[q, other] = every(s.there[q], s.there[other])

    @action
    def meet(s, p, q):
        require(p != q)
        s.knows[p, q] = True
        s.knows[q, p] = s.knows[p, q] and s.there[q]

    @action
    def shout(s):
        require(s.noise < 2)
        if s.noise == -1:
            s.noise = 1
        elif s.noise == 0:
            s.noise = s.noise + s.still
        else:
            s.talks = s.talks + 1
        s.noise = s.noise - 1

    @action
    def too_loud(s):
        require(s.open)
        s.noise = s.noise + 1
        require(s.noise > 5)

    @action
    def pass_on(s, p):
        require(s.chair == p)
        s.chair = s.chair + 1

    @action
    def shut(s):
        require(count(s.there[q] for q in s.members) == 0)
        s.open = no(s.open)
        s.low = -3

    @action
    def of_the_chair(s):
        s.age[s.chair] = 0

    @action
    def twice(s, p):
        s.age[p] = 2
        s.age[p] = s.age[p] + 1
        s.age[0] = s.age[p]

    @action(when=lambda s: s.limit == 2)
    def quiet(s):
        s.noise = 0

    @initially
    def calm(s):
        return s.noise < 2

    @invariant
    def one_a_room(s):
        return every(count(s.sits[p, r] for p in s.members) <= 1 for r in s.rooms)

    @invariant
    def chair_is_there(s):
        return every(implies(s.chair == p, s.there[p]) for p in s.members)

    @invariant
    def young(s):
        return no(s.age[p] == 3 for p in s.members)

    @lemma
    def first_known(s):
        return some(s.knows[0, 0], s.open)

    @lemma
    def beyond(s):
        return every(s.there[p + 1] for p in s.members)

    @finished
    def over(s):
        return no(s.open)


@pytest.fixture(scope="module")
def club() -> Model:
    """Return the spec."""
    return Model(Club())


def at_size(model: Model, number: int) -> Model:
    """Return the spec with so many members."""
    found = sized(model, number, ("members",), unbounded=True)
    assert found is not None
    return found


def some_states(model: Model, number: int, seed: int) -> list[Values]:
    """Return states of runs, and as many from anywhere."""
    chance = random.Random(seed)
    found = walked(model, number, seed)
    highs = [c.high if c.high != nodes.UNBOUNDED else 9 for c in model.cells]
    anywhere = [
        tuple(chance.randint(c.low, h) for c, h in zip(model.cells, highs, strict=True))
        for _ in range(number)
    ]
    return [*found, *anywhere]


def state_of(model: Model, values: Values, members: dict[Any, int]) -> Sized:
    """Return a state in which expressions of any size are evaluated."""
    places = {(c.variable, c.index): i for i, c in enumerate(model.cells)}

    def read(name: str, key: tuple[int, ...]) -> int:
        found = name.removesuffix(" at the start")
        return values[places[found, key]] if (found, key) in places else 0

    sizes = {
        index.attribute: index.size(model.spec)
        for index in model.spec.declared_parameters.values() if isinstance(index, Index)
    }  # fmt: skip
    return Sized(sizes, read, members)


def leads(path: Path, model: Model, values: Values, members: Sequence[int]) -> After:
    """Return where a way leads."""
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
    """A step read as another one: an assignment in a loop, a branch, a count, a range."""
    ways = {a.name: list(paths(club, a)) for a in club.actions}
    model = at_size(club, number)
    chance = random.Random(number)
    for values in some_states(model, 12, number):
        for step in chance.sample(model.steps, min(12, len(model.steps))):
            found = {leads(path, model, values, step.binding) for path in ways[step.action]}
            assert (found - {None} or {None}) == {plain(model, values, step)}, step


@pytest.mark.parametrize("number", [1, 2, 3])
def test_claims_say_what_plain_python_says(club: Model, number: int) -> None:
    """A claim of any number that says something else of a few."""
    run = Run(club)
    store = Functions(run)
    said = {p: formula(club, p.method, store) for p in (*club.properties, *club.lemmas) if p.method}
    model = at_size(club, number)
    for values in some_states(model, 12, number):
        state = state_of(model, values, {})
        for claim, found in said.items():
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
    """A variable that starts elsewhere for any number than for a few."""
    run = Run(club)
    model = at_size(club, number)
    starts = list(model.initial_states())
    first = Functions(run, initial=True)
    for values in random.Random(1).sample(starts, min(len(starts), 12)):
        state = state_of(model, values, {})
        for cell, value in zip(model.cells, values, strict=True):
            place = tuple(map(nodes.constant, cell.index))
            assert state.value(first.at(cell.variable, place)) == value, cell.label


def test_ways_that_fail_after_leaving_are_kept(club: Model) -> None:
    """A step that leaves a range before its requirement fails, passed over."""
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
    """Ways that lead nowhere and of which nothing has to be shown."""

    class Never(Club):
        @action
        def never(s):
            require(s.open)
            require(no(s.open))

    model = Model(Never())
    [never] = [a for a in model.actions if a.name == "never"]
    assert list(paths(model, never)) == []


def run_of(model: Model, text: Callable[..., Any], *given: Any) -> Any:
    """Run a function on the state of any size."""
    run = Run(model)
    path, quantifiers = deciding.set(run), quantifying.set(run)
    try:
        return text(run.at(Functions(run)), *given)
    finally:
        deciding.reset(path)
        quantifying.reset(quantifiers)


def loop_at_one_place(s: Any) -> None:
    """Assign to one place again and again."""
    for _ in s.members:
        s.noise = 1


def loop_of_two(s: Any) -> None:
    """Assign to a place that one of two loops names."""
    for q in s.members:
        for _ in s.members:
            s.there[q] = True


def reads_what_it_assigns(s: Any) -> None:
    """Read another place of what is assigned to."""
    for q in s.members:
        s.there[q] = s.there[0]


def reads_before(s: Any) -> None:
    """Read a place that the loop has yet to assign to."""
    for q in s.members:
        s.there[q] = True
        s.sits[q, 0] = s.there[0]


def branches(s: Any) -> None:
    """Branch on one member."""
    for q in s.members:
        if s.there[q]:
            s.age[q] = 1


def requires(s: Any) -> None:
    """Require something of one member."""
    for q in s.members:
        require(s.there[q])


def list_of_a_generator(s: Any) -> Any:
    """Go through a generator."""
    return sum(s.age[q] for q in s.members)


def value_outside(s: Any) -> None:
    """Keep a member beyond its loop."""
    found = [0]
    every(found.append(q) or True for q in s.members)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "one place again and again": (loop_at_one_place, "each time at the same place"),
    "a place that one loop names": (loop_of_two, "each time at the same place"),
    "what is assigned to is read": (reads_what_it_assigns, "read at one place in a loop"),
    "what is still to be assigned": (reads_before, "where a loop is still to assign to it"),
    "a branch": (branches, "a branch on one member of a loop or generator"),
    "a requirement": (requires, "a branch on one member of a loop or generator"),
    "a sum": (list_of_a_generator, "and nowhere else"),
    "a list": (value_outside, "stands beside a loop|keeps something"),
    "a number of members": (lambda s: len(s.members), "members: an index of any number has no"),
    "the second member": (lambda s: s.members[1], "members: an index of any number has no"),
    "whether there is a member": (lambda s: 1 in s.members, "members: an index of any number"),
    "whether there are members": (lambda s: bool(s.members), "members: an index of any number"),
    "backwards": (lambda s: reversed(s.members), "members: an index of any number"),
    "a size": (lambda s: s.parameters["members"], "members: an index of any number has no"),
    "a size that is asked for": (lambda s: s.parameters.get("members"), "members: an index"),
    "too many places": (lambda s: s.there[0, 0], "there has 1 indices, not 2"),
    "too few places": (lambda s: s.sits[0], "sits has 2 indices, not 1"),
    "two counts": (
        lambda s: count(s.there[0], *(s.there[q] for q in s.members)), "and nowhere else"),
    "an index as a condition": (lambda s: every(s.members), ""),
    "a text as conditions": (lambda s: some("ab"), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_a_number_is_refused(club: Model, name: str) -> None:
    """One member taken for all; a size that is known."""
    text, why = REFUSED[name]
    with pytest.raises(SpecError, match=why or "."):
        run_of(club, text)


def test_what_needs_no_number_is_not_refused(club: Model) -> None:
    """An engine that is safe since it reads nothing."""
    assert run_of(club, lambda s: s.parameters["limit"]) == 2
    assert run_of(club, lambda s: s.parameters.get("limit")) == 2
    assert run_of(club, lambda s: list(s.rooms)) == [0, 1]
    assert run_of(club, lambda s: count(True, False, s.still == 2)) == 2
    assert run_of(club, lambda s: s.still) == 2
    assert run_of(club, lambda s: every([True, True])) is True
    assert run_of(club, lambda s: some([False])) is False
    assert run_of(club, lambda s: no(False)) is True
    assert isinstance(run_of(club, lambda s: s.members), Members)


def test_a_loop_that_is_left_is_refused(club: Model) -> None:
    """A return from the middle of a loop: the last members are not gone through."""

    class Early(Club):
        @action
        def early(s):
            for q in s.members:
                s.there[q] = True
                return

    run = Run(Model(Early()))
    with pytest.raises(SpecError, match="early leaves a loop over members before its end"):
        evaluate(run, Functions(run), "early")
    assert run.loops == run.bound == []
    assert deciding.get() is None
    assert quantifying.get() is None


def test_a_claim_that_branches_is_refused(club: Model) -> None:
    """A claim of which only one side is read."""

    class Branching(Club):
        @invariant
        def branching(s):
            return s.there[0] if s.open else True

        @invariant
        def of_one(s):
            for q in s.members:
                found = s.there[q]
            return found

    run = Run(Model(Branching()))
    store = Functions(run)
    with pytest.raises(SpecError, match="branching branches on the state"):
        formula(run.model, "branching", store)
    assert run.literals == run.obligations == []
    with pytest.raises(SpecError):
        formula(run.model, "of_one", store)


def test_what_counts_at_every_size(club: Model) -> None:
    """An action or a claim of some sizes taken for one of all."""

    class Sometimes(Club):
        @action(when=lambda s: s.limit > 2)
        def quiet(s):
            s.noise = 0

        @invariant(when=lambda s: s.limit == 2)
        def two(s):
            return True

    class BySize(Club):
        @action(when=lambda s: len(s.members) > 1)
        def quiet(s):
            s.noise = 0

    model = Model(Sometimes())
    names = [a.name for a in club.actions]
    assert [a.name for a in actions(club)] == names
    assert [a.name for a in actions(model)] == [n for n in names if n != "quiet"]
    run = Run(model)
    assert counts(model, run, "two")
    assert counts(model, run, "young")
    assert not counts(model, run, "quiet")
    spoken(model, run, model.property_named("two"))
    spoken(model, run, model.property_named("ranges"))
    other = Run(Model(Sometimes(limit=3)))
    with pytest.raises(SpecError, match="two is not claimed at every size"):
        spoken(other.model, other, model.property_named("two"))
    with pytest.raises(SpecError, match="members: an index of any number"):
        actions(Model(BySize()))

    class Claimed(Club):
        @invariant(when=lambda s: len(s.members) > 1)
        def at_some_sizes(s):
            return True

    assert [a.name for a in actions(Model(Claimed()))] == names


def test_parameters_that_follow_from_others() -> None:
    """A parameter that follows from a size, used as if it were known."""
    given = Given({"limit": 3, "members": 2}, {"members"})
    assert given["limit"] == given.get("limit") == 3
    assert given.get("other", 5) == 5
    assert given.get("other") is None
    assert ("limit" in given, "other" in given) == (True, False)
    refused: list[Callable[[], Any]] = [
        lambda: given["members"], lambda: given.get("members"), lambda: "members" in given,
        lambda: list(given), lambda: len(given), lambda: bool(given), lambda: given.items(),
        lambda: given.keys(), lambda: given.values(), lambda: given.copy(), lambda: given | {},
    ]  # fmt: skip
    for one in refused:
        with pytest.raises(SpecError, match="an index of any number has no number here"):
            one()
    with pytest.raises(SpecError, match="members: an index of any number"):
        Parameters({})["members"]

    class Derived(Club):
        def derive(s, given):
            return {"limit": 3}

    class Known(Club):
        def derive(s, given):
            return {"limit": 2 if given.get("limit", 2) else 0}

    with pytest.raises(SpecError, match="limit follows from the size of an index"):
        model = Model(Derived())
        model.spec.parameters["limit"] = 2
        Run(model).sizeless()
    Run(Model(Known())).sizeless()


def test_what_a_run_decides(club: Model) -> None:
    """A side that was given and is not taken, or that is noted where it was known."""
    run = Run(club, decisions=[False])
    f, g = (run.before(name, ()) for name in ("open", "open"))
    assert f is g
    one = nodes.equal(run.before("noise", ()), nodes.constant(1))
    assert run.decide(f) is False
    assert run.decide(f) is False
    assert run.decide(nodes.negation(f)) is True
    assert run.decide(nodes.TRUE) is True
    assert run.decide(nodes.FALSE) is False
    assert run.decide(one) is True
    assert run.decisions == [False, True]
    assert run.literals == [nodes.negation(f), one]
    run.assume(nodes.TRUE)
    assert len(run.literals) == 2
    run.assume(nodes.negation(run.before("there", (nodes.constant(0),))))
    assert len(run.literals) == 3
    for impossible in (f, nodes.FALSE):
        with pytest.raises(Exception) as told:
            run.assume(impossible)
        assert type(told.value).__name__ == "Disabled"
