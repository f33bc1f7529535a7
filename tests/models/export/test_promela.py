"""The exported Promela, run under Spin: Spin finds the same states and the same verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, given, settings

from counterpoint import Set, choose, constraint
from counterpoint.models.explore import exhaustive
from counterpoint.models.export import promela as module
from counterpoint.models.export.promela import promela
from counterpoint.models.verdict import replay, violates
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Property,
    Spec,
    SpecError,
    action,
    every,
    finished,
    initially,
    invariant,
    require,
    sometimes,
    transition,
)
from counterpoint.spec.stm.window import Window
from tests import reference, spin, strategies
from tests.models.test_agreement import MODELS

FEW = ("peterson", "window new", "window old", "window every reading changed")


@pytest.fixture(autouse=True)
def _needs_spin() -> None:
    spin.require_spin()


def flag(claim: Property) -> str:
    """Return the name that Spin's message has for a property."""
    verb = "reached" if claim.kind == "sometimes" else "violated"
    return f"{verb}_{claim.name.replace('-', '_')}"


def agree(model: Model, folder: Path, wanted: Sequence[Property] | None = None) -> None:
    """Compare Spin's count of states and its verdicts with those of the exhaustive engine."""
    wanted = model.properties if wanted is None else wanted
    found = promela(model, wanted)
    answer = spin.run(found.text, folder)
    everything = exhaustive.explore(model, wanted=())
    assert answer.states - found.extra_states == len(everything.states)
    failures = exhaustive.explore(model, wanted=wanted).failures
    assert answer.failed == {flag(p) for p in wanted if p.name in failures}


@pytest.mark.parametrize("name", FEW)
def test_spin_counts_the_same_states(name: str, tmp_path: Path) -> None:
    """A state too many or too few, or another verdict, on a spec of the repository."""
    model = MODELS[name]()
    agree(model, tmp_path, (*model.properties, *model.lemmas))


CHANGE = Integer(-1, 1)


class Bounded(Spec):
    """A number with several starts, of which a constraint leaves out some."""

    at = Integer(0, 9, initially=ANY)
    seen = Set(CHANGE)

    @action
    def go_on(s, k=choose(CHANGE)):
        s.at = s.at + k
        s.seen.add(k)

    @constraint
    def between(s):
        return every(s.at >= 2, s.at <= 4)

    @invariant
    def not_five(s):
        return s.at != 5


def test_spin_starts_within_a_constraint(tmp_path: Path) -> None:
    """An initial state outside of a constraint, which Spin visits and we do not."""
    agree(Model(Bounded()), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in MODELS if n not in FEW])
def test_spin_counts_the_same_states_on_large_specs(name: str, tmp_path: Path) -> None:
    """The same errors on specs whose conditions are printed as C functions."""
    agree(MODELS[name](), tmp_path)


def test_conditions_as_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A condition printed as a C function that has another value, or that Spin rejects."""
    monkeypatch.setattr(module, "LONGEST", 12)
    model = MODELS["window old"]()
    text = promela(model, model.properties).text
    assert text.count("static int condition_") == len({*text.split("static int ")[1:]}) > 20
    assert "./pan -r" in text
    agree(model, tmp_path)


def test_shared_parts_are_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shared subexpression that is read after one of its variables has changed."""
    monkeypatch.setattr(module, "LONGEST_UPDATE", 0)
    text = promela(MODELS["window every reading changed"]()).text
    assert "int t0;" in text
    agree(MODELS["window every reading changed"](), tmp_path)


def test_opacity_of_four_transactions_is_printable() -> None:
    """A formula with many shared parts whose printed text is exponentially long."""
    programs = "w x; w z; r x, r z; r z, r x"
    model = Model(Window(programs=programs))
    text = promela(model, [model.property_named("virtual-world-consistency")]).text
    assert "static int condition_0(void)" in text
    assert len(text) < 200_000


class Corner(Spec):
    """What differs in Promela: negative numbers, quotients, swaps, starts, reserved words."""

    members = Index(2, names="p", labels="P")
    active = Integer(-3, 3, initially=ANY)
    wide = Integer(-2, 700)
    far = Integer(7, 8)
    alone = Integer(5, 5)
    do = Boolean(initially=ANY)
    n = Array(members, Integer(-1, 1))
    n_P0 = Integer(0, 2)

    @initially
    def small(s) -> object:
        """Only some of the starts that ANY leaves open."""
        return every(s.active < 2, s.active != -1)

    @action
    def swap(s) -> None:
        """Two cells change places, a third takes what one of them was."""
        s.n[0], s.n[1], s.n_P0 = s.n[1], s.n[0], s.n[0] + 1

    @action
    def halve(s) -> None:
        """Quotients round down, also below zero."""
        require(s.wide < 600)
        s.wide = s.wide + 100 + s.active % 3
        s.active = s.active // 2
        s.far = 7 + (s.active - 1) % 2

    @action
    def turn(s, p: int) -> None:
        """Leave a range, in one case."""
        require(s.do)
        s.n[p] = s.n[p] - 1
        s.do = s.wide > 300

    @invariant
    def low(s) -> object:
        """Wrong in some states."""
        return s.wide // 7 - s.active < 80

    @invariant
    def same(s) -> object:
        """Right in all."""
        return s.alone == 5

    @transition
    def never_up(s, after: object) -> object:
        """Wrong of some steps."""
        return after.active <= s.active  # type: ignore[attr-defined]

    @sometimes
    def high(s) -> object:
        """It is reached."""
        return s.wide > 500

    @sometimes
    def unreached(s) -> object:
        """It is not."""
        return every(s.wide > 500, s.active == 3)

    @finished
    def over(s) -> object:
        """Only some states without a step are allowed."""
        return s.n[0] == 0


def test_what_promela_has_otherwise(tmp_path: Path) -> None:
    """Truncated quotients, updates one after the other, wrapped bytes, names, starts."""
    model = Model(Corner())
    found = promela(model, model.properties)
    assert found.extra_states == 1
    assert "Spin stores one state more" in found.text
    for declared in ("byte s_active = ", "short s_wide = ", "bit s_far = ", "byte s_n_P0_2 = "):
        assert declared in found.text
    assert "s_alone" not in found.text
    agree(model, tmp_path)
    assert exhaustive.explore(model, wanted=model.properties).failures.keys() >= {
        "low",
        "never-up",
        "high",
        "ranges",
    }


def test_a_deadlock_alone_and_beside_a_violation(tmp_path: Path) -> None:
    """A deadlock that Spin misses because a violation is found in the same state."""

    class Stuck(Spec):
        n = Integer(0, 3)

        @action
        def go(s) -> None:
            require(s.n < 3)
            s.n = s.n + 1

        @invariant
        def small(s) -> object:
            return s.n < 3

        @finished
        def over(s) -> object:
            return s.n == 2

    model = Model(Stuck())
    agree(model, tmp_path)
    alone = [model.property_named("no-deadlock")]
    agree(model, tmp_path, alone)
    assert "timeout" in promela(model, alone).text
    both = promela(model)
    assert spin.run(both.text, tmp_path).failed == {"violated_small", "violated_no_deadlock"}


def test_a_state_may_be_the_last_one_without_finished(tmp_path: Path) -> None:
    """A final state reported as an invalid end state, though the spec has no ``@finished``."""

    class Once(Spec):
        done = Boolean()

        @action
        def go(s) -> None:
            require(s.done == False)  # noqa: E712 a symbolic value
            s.done = True

    agree(Model(Once()), tmp_path)


def test_a_spec_in_which_nothing_is_possible(tmp_path: Path) -> None:
    """A loop without options, which Spin cannot parse."""

    class Dead(Spec):
        n = Integer(0, 1)

        @action
        def go(s) -> None:
            require(s.n > 0, s.n < 0)

    model = Model(Dead())
    agree(model, tmp_path)
    agree(model, tmp_path, [])


def test_breadth_first_finds_a_shortest_run(tmp_path: Path) -> None:
    """Wrong advice in the header on how to find a shortest run."""
    model = MODELS["window old"]()
    found = promela(model, [model.property_named("opacity")])
    answer = spin.run(found.text, tmp_path, "-DBFS", stop_at=1)
    assert answer.failed == {"violated_opacity"}
    assert "(at depth 13)" in answer.output


def test_without_o2_spin_leaves_out_what_is_not_read(tmp_path: Path) -> None:
    """A new version of Spin in which the header's reason for -o2 is no longer true."""
    model = MODELS["window new"]()
    found = promela(model, [model.property_named("one-owner")])
    assert spin.run(found.text, tmp_path, spin="-o1").states < 4611
    assert spin.run(found.text, tmp_path).states == 4611


def test_errors() -> None:
    """An exported model that Spin would compute wrongly, or that has no initial state."""

    class Wide(Spec):
        n = Integer(0, 60_000)

        @action
        def go(s) -> None:
            s.n = (s.n * s.n * 7) % 5

    with pytest.raises(SpecError, match="do not fit into the 32 bits"):
        promela(Model(Wide()))
    with pytest.raises(SpecError, match="do not fit into the 32 bits"):
        promela(Model(Window(), unbounded=True))

    class Nowhere(Corner):
        @initially
        def never(s) -> object:
            return False

    with pytest.raises(SpecError, match="no initial state"):
        promela(Model(Nowhere()))


def on_random(source: str) -> None:
    """Compare Spin with the exhaustive engine on one random spec."""
    model = strategies.build(source)
    naive = reference.explore(model, limit=2000)
    assume(naive is not None and naive.states)
    assert naive is not None
    found = promela(model, model.properties)
    with TemporaryDirectory() as folder:
        answer = spin.run(found.text, Path(folder))
    assert answer.states - found.extra_states == len(naive.states)
    assert answer.failed == {flag(p) for p in model.properties if p.name in naive.first}


random_specs = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.long
@given(source=strategies.sources())
@settings(random_specs, max_examples=10)
def test_random_specs_have_the_same_states(source: str) -> None:
    """Any construct printed wrongly: quotients, choices, arrays, cells that swap values."""
    on_random(source)


@pytest.mark.slow
@given(source=strategies.sources())
@settings(random_specs, max_examples=300)
def test_many_random_specs_have_the_same_states(source: str) -> None:
    """The same errors, on some hundred specs."""
    on_random(source)


def test_the_run_of_an_error_is_shown_by_its_steps(tmp_path: Path) -> None:
    """A run of Spin's that shows no steps of ours, or shows other steps."""
    model = MODELS["window old"]()
    claim = model.property_named("opacity")
    found = promela(model, [claim])
    spin.run(found.text, tmp_path, "-DBFS", stop_at=1)
    output = spin.call(tmp_path, "spin", "-t", "model.pml")
    steps = {model.show_step(s): s for s in model.steps}
    shown = [line.strip() for line in output.splitlines()]
    run = replay(model, [steps[name] for name in shown if name in steps])
    assert len(run.steps) == 13, output
    assert violates(model, claim, run)


def test_a_run_with_c_functions_is_shown_by_pan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Advice in the header that does not show the run."""
    monkeypatch.setattr(module, "LONGEST", 12)
    model = MODELS["window old"]()
    spin.run(promela(model, [model.property_named("opacity")]).text, tmp_path, stop_at=1)
    output = spin.call(tmp_path, "./pan", "-r")
    names = {model.show_step(s) for s in model.steps}
    assert sum(line.strip() in names for line in output.splitlines()) >= 13
