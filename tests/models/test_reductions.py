"""Reduced explorations compared with full ones: equal verdicts, and each state accounted for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import IntEnum

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from counterpoint.models.explore import exhaustive
from counterpoint.models.explore.compiled.exchanging import plain_changes
from counterpoint.models.explore.compiled.explorer import CompiledExploration, CompiledExplorer
from counterpoint.models.limits import Limits
from counterpoint.models.symbolic.symmetry import (
    InterchangeableIndices,
    exchange,
    indices,
    interchangeable,
)
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Verdict
from counterpoint.spec.locks.philosophers import Philosophers
from counterpoint.spec.notation import (
    Array,
    Boolean,
    Index,
    Model,
    Property,
    Reference,
    Spec,
    SpecError,
    action,
    every,
    invariant,
    no,
    require,
    some,
    sometimes,
)
from counterpoint.spec.stm.window import Window
from tests import strategies
from tests.examples import one_in
from tests.models.test_agreement import MODELS, random_states
from tests.needs import need
from tests.reference import successors


class Nobody(IntEnum):
    """The value of a reference that names no member."""

    NOBODY = -1


CASES: dict[str, Callable[[], Model]] = {
    **{name: build for name, build in MODELS.items() if name != "window picking"},
    "window 3 x 2 old": lambda: Model(Window(transactions=3, fetch_and_increment="old")),
    "window 3 readers do not wait": lambda: Model(Window(transactions=3, readers_wait="no")),
}


@pytest.fixture(autouse=True, scope="module")
def compiler_is_there() -> None:
    """Require a C compiler for all tests of this file."""
    need("gcc")


def reduced(
    model: Model, *names: str, wanted: Sequence[Property] | None = None
) -> CompiledExploration:
    """Explore with the given reductions, or with symmetry if none is given."""
    wanted = model.properties if wanted is None else wanted
    return CompiledExplorer(trace(model), wanted, names or ("symmetry",)).explore(Limits())


def stands_for(run: CompiledExploration) -> int:
    """Return the number of states that a reduced run reports that it represents."""
    found = re.search(r"they stand for ([\d,]+) states", " ".join(run.notes))
    return int(found[1].replace(",", "")) if found else len(run.states)


def essence(verdicts: list[Verdict]) -> list[object]:
    """Return the results that a reduction must not change."""
    return [(v.claim.name, v.answer, v.extent, v.depth) for v in verdicts]


def assert_sound(model: Model, run: CompiledExploration, full: exhaustive.Exploration) -> None:
    """Compare a reduced run with a full one."""
    wanted = model.properties
    assert run.complete == full.complete
    if full.complete:
        assert stands_for(run) == len(full.states)
    assert essence(exhaustive.verdicts(run, wanted, 0.0)) == essence(
        exhaustive.verdicts(full, wanted, 0.0)
    )
    assert run.dead_actions() == full.dead_actions()


@pytest.mark.parametrize("name", one_in(4, CASES))
def test_symmetry_changes_no_verdict(name: str) -> None:
    """A class of states left out or counted twice, or a counterexample made longer."""
    model = CASES[name]()
    run = reduced(model)
    full = exhaustive.explore(model, explorer="compiled")
    assert_sound(model, run, full)
    assert (len(run.states) < len(full.states)) == (run.symmetry is not None)


@pytest.mark.long
@given(source=strategies.symmetric_sources())
@settings(deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))
def test_symmetry_is_sound_on_random_specs(source: str) -> None:
    """Members wrongly taken for interchangeable, or references that are not renamed."""
    model = small(source)
    assert_sound(model, reduced(model), exhaustive.explore(model, explorer="python"))


def small(source: str) -> Model:
    """Return a random spec if Python can visit all of its states, else None."""
    model = strategies.build(source)
    run = exhaustive.explore(model, wanted=(), explorer="compiled")
    assume(len(run.states) < 100_000)
    return model


def assert_same_answers(model: Model, run: exhaustive.Exploration, *names: str) -> None:
    """Compare a reduced run with a full one; counterexamples may be longer."""
    wanted = [p for p in model.properties if not names or p.name in names]
    full = exhaustive.explore(model, wanted=wanted, explorer="python")
    assert len(run.states) <= len(full.states) or not full.complete
    if full.complete:
        assert run.complete or len(run.failures) == len(wanted)
        assert run.failures.keys() == full.failures.keys()
    if run.complete and full.complete:
        assert run.dead_actions() == full.dead_actions()
    found, expected = (
        [(v.claim.name, v.answer) for v in exhaustive.verdicts(r, wanted, 0.0)] for r in (run, full)
    )
    assert found == expected


@pytest.mark.long
@pytest.mark.parametrize("name", one_in(4, (n for n in CASES if "3" not in n)))
def test_partial_order_changes_no_answer(name: str) -> None:
    """A step that is postponed forever, or is postponed although it is visible to a claim."""
    model = CASES[name]()
    assert_same_answers(model, reduced(model, "partial-order"))


@pytest.mark.parametrize("wanted", ["no-deadlock", "neighbours-do-not-eat-together", "two-eat"])
@pytest.mark.parametrize("hands", ["all", "all-but-one"])
def test_partial_order_for_one_property(wanted: str, hands: str) -> None:
    """A reduction that leaves nothing out, or one that loses the only deadlock."""
    model = Model(Philosophers(left_handed=hands))
    run = reduced(model, "partial-order", wanted=[model.property_named(wanted)])
    assert len(run.states) < len(exhaustive.explore(model, wanted=()).states)
    assert_same_answers(model, run, wanted)


@given(source=strategies.sources(), both=st.booleans())
@settings(deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))
def test_partial_order_is_sound_on_random_specs(source: str, both: bool) -> None:
    """Commands wrongly taken for independent, or a command ignored along a cycle."""
    model = strategies.build(source)
    names = ("partial-order", "symmetry") if both else ("partial-order",)
    assert_same_answers(model, reduced(model, *names))


@pytest.mark.slow
@given(source=st.one_of(strategies.sources(), strategies.waiting_sources()), both=st.booleans())
@settings(deadline=None, max_examples=120, suppress_health_check=list(HealthCheck))
def test_partial_order_is_sound_on_many_random_specs(source: str, both: bool) -> None:
    """The same errors, on enough specs that rare cycles occur."""
    model = strategies.build(source)
    names = ("partial-order", "symmetry") if both else ("partial-order",)
    assert_same_answers(model, reduced(model, *names))


@given(source=strategies.waiting_sources())
@settings(deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))
def test_partial_order_is_sound_where_it_leaves_much_out(source: str) -> None:
    """The same errors, on specs whose processes rarely interact."""
    model = strategies.build(source)
    run = reduced(model, "partial-order")
    assert_same_answers(model, run)


@pytest.mark.slow
@given(source=strategies.symmetric_sources())
@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
def test_symmetry_is_sound_on_many_random_specs(source: str) -> None:
    """The same errors of symmetry, on enough specs that rare expressions occur."""
    model = small(source)
    assert_sound(model, reduced(model), exhaustive.explore(model, explorer="python"))


@pytest.mark.long
@given(source=strategies.symmetric_sources())
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
def test_exchanges_map_steps_onto_steps(source: str) -> None:
    """An exchange after which other steps are possible in plain Python."""
    model = strategies.build(source)
    system = trace(model)
    found = interchangeable(system, system.claims.values())
    for values in random_states(model, 12, seed=6):
        for _, swaps in found.indices:
            for by in swaps:
                assert by.state(by.state(values)) == values
                assert _moved(by.state, successors(model, values)) == _moved(
                    lambda v: v, successors(model, by.state(values))
                )


def _moved(by: Callable[[tuple[int, ...]], tuple[int, ...]], after: dict[object, object]) -> object:
    return sorted(str(v if isinstance(v, str) else by(v)) for v in after.values())  # type: ignore[arg-type]


def test_what_is_interchangeable() -> None:
    """Symmetry overlooked, or reported where an order, a program or a process breaks it."""

    def names(model: Model) -> list[str]:
        system = trace(model)
        return [n for n, _ in interchangeable(system, system.claims.values()).indices]

    assert names(Model(Window(transactions=3))) == ["transactions"]  # objects: locked in order
    assert names(Model(Window(transactions=3, processes=1))) == []
    assert names(Model(Window(programs="w x; r x"))) == []
    assert names(Model(Window(programs="w x; w x"))) == ["transactions"]
    assert names(Model(Philosophers())) == []  # the order of the seats matters


def test_a_representative_is_the_same_for_a_whole_class() -> None:
    """Two representatives for one class, or one for two classes."""
    model = Model(Window(transactions=3))
    system = trace(model)
    found = interchangeable(system, system.claims.values())
    assert len(found.arrangements) == 6
    for values in random_states(model, 20, seed=7):
        for by in (by for _, swaps in found.indices for by in swaps):
            assert found.representative(by.state(values)) == found.representative(values)
    start = next(model.initial_states())
    assert found.representative(start) == start


class Stuck(Spec):
    """A spec in which no step is possible."""

    members = Index(2, names="p")
    n = Array(members, Boolean())

    @action
    def go(s, p):
        require(s.n[p], no(s.n[p]))

    @invariant
    def fine(s):
        return no(s.n[p] for p in s.members)


@pytest.mark.parametrize("name", ["symmetry", "partial-order"])
def test_a_spec_without_commands(name: str) -> None:
    """C tables without an entry, which C does not allow."""
    run = reduced(Model(Stuck()), name)
    assert (len(run.states), run.transitions, run.complete) == (1, 0, True)
    assert run.dead_actions() == ["go"]


class Borrowing(Spec):
    """Interchangeable people borrow interchangeable books."""

    people = Index(3, names="p")
    books = Index(3, names="b")
    has = Array((people, books), Boolean())
    last = Array(books, Reference(people, Nobody))

    @action
    def borrow(s, p, b):
        require(no(s.has[q, b] for q in s.people), s.last[b] != p)
        s.has[p, b] = True
        s.last[b] = p

    @action
    def give_back(s, p, b):
        require(s.has[p, b])
        s.has[p, b] = False

    @invariant
    def nobody_has_all(s):
        return no(every(s.has[p, b] for b in s.books) for p in s.people)

    @sometimes
    def everybody_has_one(s):
        return every(some(s.has[p, b] for b in s.books) for p in s.people)


def test_two_indices_at_once() -> None:
    """Arrangements of one index that are left out when there is a second index."""
    model = Model(Borrowing())
    run = reduced(model)
    assert run.symmetry is not None
    assert [n for n, _ in run.symmetry.indices] == ["people", "books"]
    assert len(run.symmetry.arrangements) == 36
    full = exhaustive.explore(model, explorer="python")
    assert len(run.states) < len(full.states) / 10
    assert_sound(model, run, full)


def test_every_arrangement_is_visited() -> None:
    """An arrangement that is skipped, so that a class has two least states."""
    for size in range(1, 7):
        order = list(range(size))
        seen = {tuple(order)}
        for place in plain_changes(size):
            order[place], order[place + 1] = order[place + 1], order[place]
            seen.add(tuple(order))
        assert len(seen) == len(plain_changes(size)) + 1


def test_nothing_to_reduce_is_said() -> None:
    """A selected reduction that has no effect and does not report so."""
    model = Model(Philosophers(philosophers=3))
    verdicts = exhaustive.check(model, reduce=("symmetry",))
    assert verdicts[0].notes == ("no symmetry: no members are interchangeable",)
    known = "there is no reduction 'luck'; there are: symmetry, partial-order"
    with pytest.raises(SpecError, match=known):
        exhaustive.check(model, reduce=("luck",))
    with pytest.raises(SpecError, match="only the compiled explorer has reductions"):
        exhaustive.check(model, reduce=("symmetry",), explorer="python")


def test_indices_of_one_member_are_left_alone() -> None:
    """An exchange with a member that does not exist."""
    model = Model(Window(objects=1))
    assert [i.name for i in indices(model)] == ["transactions"]
    found = InterchangeableIndices(
        model, (("transactions", (exchange(model, indices(model)[0], 0),)),)
    )
    assert len(found.arrangements) == 2
