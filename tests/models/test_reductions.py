"""Reduced explorations against full ones: the same verdicts, and every state accounted for."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings

from models import exhaustive
from models.compiled.exchanging import plain_changes
from models.compiled.explorer import Compiled, CompiledExploration
from models.limits import Limits
from models.symmetry import Interchangeable, exchange, indices, interchangeable
from models.trace import trace
from models.verdict import Verdict
from spec.locks.philosophers import Philosophers
from spec.notation import Model, SpecError
from spec.stm.window import Window
from tests import strategies
from tests.models.test_agreement import MODELS, random_states
from tests.reference import successors

CASES: dict[str, Callable[[], Model]] = {
    **{name: build for name, build in MODELS.items() if name != "window picking"},
    "window 3 x 2 old": lambda: Model(Window(transactions=3, fetch_and_increment="old")),
    "window 3 readers do not wait": lambda: Model(Window(transactions=3, readers_wait="no")),
}


def reduced(model: Model) -> CompiledExploration:
    """Explore one state of each class."""
    return Compiled(trace(model), model.properties, ("symmetry",)).explore(Limits())


def stands_for(run: CompiledExploration) -> int:
    """Return the number of states that a reduced run says it stands for."""
    found = re.search(r"they stand for ([\d,]+) states", " ".join(run.notes))
    return int(found[1].replace(",", "")) if found else len(run.states)


def essence(verdicts: list[Verdict]) -> list[object]:
    """Return what must not change."""
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


@pytest.mark.parametrize("name", CASES)
def test_symmetry_changes_no_verdict(name: str) -> None:
    """A class of states left out, counted twice, or a counterexample made longer."""
    model = CASES[name]()
    run = reduced(model)
    full = exhaustive.explore(model, explorer="compiled")
    assert_sound(model, run, full)
    assert (len(run.states) < len(full.states)) == (run.symmetry is not None)


@given(source=strategies.symmetric_sources())
@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
def test_symmetry_is_sound_on_random_specs(source: str) -> None:
    """Members taken for interchangeable that are not; references that are not renamed."""
    model = strategies.build(source)
    assert_sound(model, reduced(model), exhaustive.explore(model, explorer="python"))


@pytest.mark.slow
@given(source=strategies.symmetric_sources())
@settings(deadline=None, max_examples=300, suppress_health_check=list(HealthCheck))
def test_symmetry_is_sound_on_many_random_specs(source: str) -> None:
    """The same, for as long as it takes to meet rare expressions."""
    model = strategies.build(source)
    assert_sound(model, reduced(model), exhaustive.explore(model, explorer="python"))


@given(source=strategies.symmetric_sources())
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
def test_exchanges_map_steps_onto_steps(source: str) -> None:
    """An exchange taken for harmless after which other steps are possible, in plain Python."""
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
    """Symmetry overlooked, or seen where an order, a program or a process makes a difference."""

    def names(model: Model) -> list[str]:
        system = trace(model)
        return [n for n, _ in interchangeable(system, system.claims.values()).indices]

    assert names(Model(Window(transactions=3))) == ["transactions"]  # objects: locked in order
    assert names(Model(Window(transactions=3, processes=1))) == []
    assert names(Model(Window(programs="w x; r x"))) == []
    assert names(Model(Window(programs="w x; w x"))) == ["transactions"]
    assert names(Model(Philosophers())) == []  # who sits beside whom matters


def test_a_representative_is_the_same_for_a_whole_class() -> None:
    """Two states of one class that are told apart, or two classes that are confused."""
    model = Model(Window(transactions=3))
    system = trace(model)
    found = interchangeable(system, system.claims.values())
    assert len(found.arrangements) == 6
    for values in random_states(model, 20, seed=7):
        for by in (by for _, swaps in found.indices for by in swaps):
            assert found.representative(by.state(values)) == found.representative(values)
    start = next(model.initial_states())
    assert found.representative(start) == start


def test_every_arrangement_is_visited() -> None:
    """An order of members that is skipped, so that a class has two least states."""
    for size in range(1, 7):
        order = list(range(size))
        seen = {tuple(order)}
        for place in plain_changes(size):
            order[place], order[place + 1] = order[place + 1], order[place]
            seen.add(tuple(order))
        assert len(seen) == len(plain_changes(size)) + 1


def test_nothing_to_reduce_is_said() -> None:
    """A reduction that is asked for, does nothing, and does not say so."""
    model = Model(Philosophers(philosophers=3))
    verdicts = exhaustive.check(model, reduce=("symmetry",))
    assert verdicts[0].notes == ("no symmetry: no members are interchangeable",)
    with pytest.raises(SpecError, match="there is no reduction 'luck'; there are: symmetry"):
        exhaustive.check(model, reduce=("luck",))
    with pytest.raises(SpecError, match="only the compiled explorer can reduce"):
        exhaustive.check(model, reduce=("symmetry",), explorer="python")


def test_indices_of_one_member_are_left_alone() -> None:
    """An exchange with a member that is not there."""
    model = Model(Window(objects=1))
    assert [i.name for i in indices(model)] == ["transactions"]
    found = Interchangeable(model, (("transactions", (exchange(model, indices(model)[0], 0),)),))
    assert len(found.arrangements) == 2
