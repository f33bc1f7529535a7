"""Induction: proved claims are true, wrong ones are not proved, and obstacles are real."""

from __future__ import annotations

from operator import itemgetter

import pytest
from hypothesis import HealthCheck, given

from counterpoint.models.explore import exhaustive
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load, mutants, proofs_of
from counterpoint.models.prove import induction
from counterpoint.models.prove.proving import Prover
from counterpoint.models.prove.sizes import any_number
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Verdict, violates
from counterpoint.spec.notation import (
    Array,
    Index,
    Integer,
    Model,
    Spec,
    action,
    finished,
    invariant,
    lemma,
    require,
)
from counterpoint.spec.stm.recorded_window import RecordedWindow
from counterpoint.spec.stm.window import Window
from counterpoint.spec.stm.window_proof import EndlessWindow
from tests.examples import few_and_many, one_in
from tests.strategies import build, sources


def verdicts(model: Model, **options: int) -> dict[str, Verdict]:
    """Return the verdicts of induction by name."""
    return {v.claim.name: v for v in induction.check(model, **options)}


def failures(cls: type[Spec], **given: object) -> set[tuple[str, str]]:
    """Return the lemmas that fail in one proof, each with the action."""
    model = Model(cls(**given), unbounded=True)
    prover = Prover(trace(model), model.lemmas, Limits())
    return {(f.lemma.name, f.action) for f in prover.failures()}


@pytest.mark.parametrize("sizes", [(2, 2), pytest.param((4, 3), marks=pytest.mark.slow)])
def test_the_corrected_window_is_proved(sizes: tuple[int, int]) -> None:
    """A lemma that is too weak, or a claim that is proved only up to a bound."""
    found = verdicts(load("window-stm", [f"transactions={sizes[0]}", f"objects={sizes[1]}"]))
    assert {v.answer for v in found.values()} == {"holds"}
    assert {v.extent for v in found.values()} == {"every step"}
    assert found.keys() >= {
        "serializability", "strict-serializability", "virtual-world-consistency", "opacity", "tms2",
        "alone-commits", "no-deadlock", "ranges", "reads-are-explained", "places-respect-real-time",
        "windows-are-open", "nothing-is-hidden",
    }  # fmt: skip


@pytest.mark.parametrize("cls", [EndlessWindow, RecordedWindow])
@pytest.mark.parametrize("returns", ["new", "old"])
def test_old_breaks_two_lemmas_where_the_clock_is_drawn(cls: type[Spec], returns: str) -> None:
    """Lemmas that do not show the published error, or show it at another action."""
    found = failures(cls, fetch_and_increment=returns)
    wanted = {"updates-follow-what-they-saw", "readers-precede-what-is-to-come"}
    if returns == "new":
        assert not found
    else:
        assert {action for _, action in found} == {"fetch_and_increment"}
        assert {name for name, _ in found} >= wanted
        assert cls is not EndlessWindow or {name for name, _ in found} == wanted


def test_a_recheck_that_ignores_locks_breaks_one_lemma_at_a_read() -> None:
    """Induction over two transactions that misses a slip which runs of three do not show."""
    found = failures(EndlessWindow, recheck_locked="ignore")
    assert found == {("readers-precede-what-is-to-come", "read")}
    assert failures(RecordedWindow, recheck_locked="ignore", transactions=3) == found


@pytest.mark.long
def test_an_obstacle_that_is_reachable_comes_with_a_run() -> None:
    """A false lemma reported as merely too weak, or with a run that is not possible."""
    found = verdicts(load("window-stm", ["fetch-and-increment=old"]))
    false = found["updates-follow-what-they-saw"]
    assert (false.answer, false.depth) == ("violated", 5)
    assert false.trace is not None
    assert false.trace.steps[-1].action == "fetch_and_increment"
    assert violates(false.model, false.claim, false.trace)
    assert found["opacity"].answer == "unknown"


@pytest.mark.long
def test_an_obstacle_that_is_not_reachable_says_so() -> None:
    """A state that no run reaches presented as a counterexample."""
    found = verdicts(load("window-stm", ["recheck-locked=ignore"]))
    weak = found["readers-precede-what-is-to-come"]
    assert weak.answer == "unknown"
    assert weak.trace is None
    text = "\n".join(weak.explanation.lines)
    assert "and read(t=T1, x=y) breaks it" in text
    assert "stage[T0] = PUBLISHING" in text
    assert "It is not one of the" in text


@pytest.mark.parametrize("cls", [EndlessWindow, RecordedWindow])
def test_lemmas_hold_wherever_a_run_leads(cls: type[Spec]) -> None:
    """A proof that plain states contradict: a wrong range or a wrong initial state."""
    model = Model(cls())
    run = exhaustive.explore(model, wanted=model.lemmas)
    assert run.complete
    assert not run.failures


def test_what_is_recorded_changes_no_step() -> None:
    """A ghost variable that a step depends on, so that another protocol is proved."""
    model = Model(RecordedWindow())
    run = exhaustive.explore(model, wanted=())
    kept = [i for i, c in enumerate(model.cells) if c.variable in Window.declared_variables]
    projected = {itemgetter(*kept)(run.layout.unpack(state)) for state in run.states}
    free = exhaustive.explore(Model(Window(operations=4)), wanted=())
    assert len(projected) == len(free.states)


class TwoSteps(Spec):
    """A claim, x < 4, that one step from x = 3 seems to break, but two steps in a row do not."""

    x = Integer(0, 5)

    @action
    def move(s) -> None:
        require(s.x != 3)
        s.x = (s.x + 2) % 4

    @action
    def leap(s) -> None:
        require(s.x == 3)
        s.x = 5

    @invariant
    def small(s):
        return s.x != 5


class Unkept(TwoSteps):
    """A spec with a lemma that is false at the start."""

    @lemma
    def odd(s):
        return s.x % 2 == 1


def test_k_induction_looks_further_than_one_step() -> None:
    """K ignored, or a missing base case, without which anything would be proved."""
    model = Model(TwoSteps())
    assert verdicts(model, steps=1)["small"].answer == "unknown"
    lines = verdicts(model, steps=1)["small"].explanation.lines
    assert any("leap" in line for line in lines)


def test_a_lemma_that_is_false_at_the_start_proves_nothing() -> None:
    """Assumptions that contradict the initial states, from which every claim would follow."""
    found = verdicts(Model(Unkept()))
    assert found["odd"].answer == "violated"
    assert found["odd"].trace is not None
    assert (found["odd"].depth, found["odd"].trace.steps) == (0, ())
    assert "the start" in found["odd"].reason
    assert found["small"].answer == "unknown"


class Pair(Spec):
    """A spec whose ``@finished`` names the second member by its number; its claim is false."""

    members = Index(2, names="p")
    n = Array(members, Integer(0, 2))
    a = Integer(-1, 2)
    b = Integer(0, 2)

    @action
    def move(s) -> None:
        s.a = s.b

    @invariant
    def always(s):
        return s.b < s.a

    @finished
    def ends(s):
        return s.n[1] < s.a


def test_a_member_that_the_end_of_a_run_names_is_not_left_out() -> None:
    """A traceback for an obstacle reduced below the member that ``@finished`` names."""
    assert verdicts(Model(Pair()))["always"].answer == "unknown"


@few_and_many(given(sources()), 20, 60, suppress_health_check=list(HealthCheck))
def test_what_is_proved_of_random_specs_is_never_violated(source: str) -> None:
    """Any unsoundness: a dropped guard, a range that is not kept, a wrong base case."""
    model = build(source)
    states = {v.claim.name: v.answer for v in exhaustive.check(model)}
    for name, verdict in verdicts(model, steps=2).items():
        if verdict.answer == "holds":
            assert states[name] == "holds"


def test_a_slip_in_a_subclass_is_proved_in_the_same_classes() -> None:
    """A changed protocol proved with the text of the right one."""

    class Hasty(Window):
        def must_recheck(s, t, x):
            return False

    proofs = proofs_of(Model(Hasty()))
    assert [p.name for p in proofs] == ["endless-window", "recorded-window"]
    assert all(isinstance(p.spec, Hasty) for p in proofs)
    assert verdicts(Model(Hasty()))["opacity"].answer == "unknown"


def test_the_time_limit_is_kept() -> None:
    """A proof cut short by the time limit that counts as a proof."""
    found = induction.check(load("window-stm"), Limits(0.0))
    assert {v.answer for v in found} == {"unknown"}


def test_a_witness_is_left_to_other_engines() -> None:
    """A witness reported as proved."""
    model = load("window-stm")
    [found] = [
        v
        for v in induction.check(model, None, [model.property_named("all-commit")])
        if v.claim.kind == "sometimes"
    ]
    assert found.answer == "unknown"


def where_it_is_killed(name: str) -> Model:
    """Return a mutant of the window protocol at sizes at which it violates a claim.

    One mutant is correct with two transactions; there its opacity is rightly proved.
    """
    mutation = load(f"window-stm/{name}").spec.mutation
    return load(f"window-stm/{name}", [f"{n}={v}" for n, v in mutation.at.items()])


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    one_in(6, mutants("window-stm")),
)
def test_no_mutant_is_proved_that_is_killed(name: str) -> None:
    """A slip hidden by the proof's class: by its readings, or by a method that both override."""
    model = where_it_is_killed(name)
    killed = set(model.spec.mutation.killed)
    wanted = [p for p in model.properties if p.kind in ("invariant", "deadlock")]
    found = induction.check(model, Limits(60.0), wanted)
    assert not [v.claim.name for v in found if v.answer == "holds" and v.claim.name in killed]


FLIPS = [
    f"{name}={value}"
    for name, parameter in Window.declared_parameters.items()
    for value in getattr(parameter, "values", ())[1:]
]


@pytest.mark.slow
@pytest.mark.parametrize("setting", FLIPS)
def test_no_reading_is_proved_that_is_broken(setting: str) -> None:
    """A reading that the proof ignores (both proofs, against all states at 2 x 2)."""
    model = load("window-stm", [setting])
    broken = {v.claim.name for v in exhaustive.check(model) if v.answer == "violated"}
    found = induction.check(model) + any_number.check(model)
    assert not [v.claim.name for v in found if v.answer == "holds" and v.claim.name in broken]


@pytest.mark.slow
@pytest.mark.parametrize("name", list(mutants("window-stm")))
def test_no_mutant_is_proved_for_any_number(name: str) -> None:
    """A slip hidden by the proof's class in a proof for any number."""
    model = where_it_is_killed(name)
    killed = set(model.spec.mutation.killed)
    found = any_number.check(model, Limits(60.0))
    assert not [v.claim.name for v in found if v.answer == "holds" and v.claim.name in killed]


def test_a_variant_that_replaces_what_the_proof_replaces_has_no_proof() -> None:
    """The proof's method used instead of the variant's, so that another protocol is proved."""

    class Other(Window):
        def record_publish(s, t, x):
            """Publish without recording it."""

    found = proofs_of(Model(Other()))
    assert [type(p.spec) for p in found] == [Other]


def test_a_mixture_of_classes_has_what_the_first_declares() -> None:
    """A reading that a mutant fixes, reset by another base class that inherits it."""
    model = load("window-stm/fetch-and-increment-returns-old")
    assert [p.spec.returns for p in proofs_of(model)] == ["old", "old"]
