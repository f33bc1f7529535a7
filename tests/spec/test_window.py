"""The window protocol: exact counts, shortest lengths, and the effect of each reading."""

from __future__ import annotations

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.models.prove import bounded
from counterpoint.models.random import stateful
from counterpoint.models.random.stateful import machine
from counterpoint.models.verdict import Verdict, replay
from counterpoint.spec.notation import Model, SpecError
from counterpoint.spec.stm import programs
from counterpoint.spec.stm.window import Window
from tests import reference
from tests.examples import one_in

OLD = {"fetch_and_increment": "old"}
TORN = {
    "serializability": 14,
    "strict-serializability": 14,
    "virtual-world-consistency": 13,
    "opacity": 13,
    "tms2": 13,
}
LATE = "w x; w z; r x, r z; r z, r x"
PAST = "w a; w y; r y, w x; r y, r x"


def checked(**given: object) -> list[Verdict]:
    """Return the verdicts of the exhaustive engine."""
    return exhaustive.check(Model(Window(**given)))


def violated(verdicts: list[Verdict]) -> dict[str, int | None]:
    """Return the violated properties with the length of their traces."""
    return {v.claim.name: v.depth for v in verdicts if v.answer == "violated"}


@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 4611, 6826, {}),
        (OLD, 4821, 7084, TORN),
        ({"objects": 3}, 23257, 36628, {}),
        ({"objects": 1}, 366, 472, {}),
        ({"transactions": 1}, 54, 57, {}),
        ({"transactions": 3, "operations": 1}, 47480, 82392, {}),
        ({"transactions": 3, "processes": 1}, 5884, 6327, {}),
        ({"recheck": "every-read"}, 4687, 6890, {}),
        ({"recheck": "every-read", **OLD}, 4895, 7144, {}),
        ({"recheck": "later-or-equal", **OLD}, 4895, 7144, {}),
        ({"recheck": "never"}, 4821, 7084, TORN),
        ({"recheck": "never", **OLD}, 4821, 7084, TORN),
        ({"empty_window": "passes"}, 4615, 6830, TORN),
        ({"empty_window": "passes", "version_end": "ct-1"}, 4611, 6826, {}),
        ({"clock_read": "commit-only"}, 3795, 5500, {}),
        ({"clock_read": "commit-only", **OLD}, 3795, 5500, {}),
        ({"locks": "writes"}, 4869, 7412, dict.fromkeys(TORN, 16)),
        ({"unlock": "object-by-object"}, 6221, 9790, {"nothing-half-published": 11}),
        (
            {"unlock": "object-by-object", "recheck_locked": "ignore"},
            6231,
            9810,
            {
                "serializability": 13,
                "strict-serializability": 13,
                "virtual-world-consistency": 12,
                "opacity": 12,
                "tms2": 12,
                "nothing-half-published": 11,
            },
        ),
        ({"recheck_locked": "ignore"}, 4611, 6826, {}),
        ({"recheck_locked": "wait"}, 4611, 6826, {}),
    ],
)
def test_counts_and_shortest_lengths(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int] | None
) -> None:
    """A change of the protocol, of a reading, of a criterion or of the explorer."""
    verdicts = checked(**given)
    assert (verdicts[0].states, verdicts[0].transitions) == (states, transitions)
    if broken is not None:
        assert violated(verdicts) == broken


@pytest.mark.parametrize("given", [{"objects": 1}, {"transactions": 1}, {"objects": 1, **OLD}])
def test_counts_are_those_of_a_search_by_hand(given: dict[str, object]) -> None:
    """Expected counts that were wrong from the start."""
    model = Model(Window(**given))
    naive = reference.explore(model, limit=1000)
    run = exhaustive.explore(model)
    assert naive is not None
    assert (len(run.states), run.transitions) == (len(naive.states), naive.transitions)


def test_three_transactions_hold_with_the_new_value() -> None:
    """A violation with NEW at 3 transactions x 2 objects x 2 operations."""
    verdicts = checked(transactions=3)
    assert {v.answer for v in verdicts} == {"holds"}
    assert verdicts[0].states == 804480
    assert verdicts[0].transitions == 1378917


def test_the_old_counterexample_is_a_torn_snapshot() -> None:
    """Another counterexample than two transactions with a reader of an old and a new value."""
    verdict = next(v for v in checked(**OLD) if v.claim.name == "opacity")
    assert verdict.trace is not None
    model = verdict.model
    last = model.at(verdict.trace.states[-1])
    readers = [t for t in (0, 1) if {last.source[t, 0], last.source[t, 1]} == {-1, 1 - t}]
    assert len(readers) == 1
    assert replay(model, verdict.trace.steps) == verdict.trace
    assert {(a, b) for a, b, _ in verdict.explanation.edges} == {("T0", "T1"), ("T1", "T0")}


@pytest.mark.long
@pytest.mark.parametrize(
    ("plan", "slip", "lengths"),
    one_in(
        2,
        [
            (LATE, {"recheck_locked": "ignore"}, (22, 20, 20)),
            (PAST, {"finite_window": "pick"}, (24, 23, 20)),
        ],
    ),
)
def test_the_sets_of_four_programs(
    plan: str, slip: dict[str, str], lengths: tuple[int, int, int]
) -> None:
    """A slip that needs four transactions is missed, or the default reading is violated."""
    broken = violated(checked(programs=plan, **slip))
    assert (broken["serializability"], broken["opacity"], broken["tms2"]) == lengths
    assert violated(checked(programs=plan)) == {}


@pytest.mark.long
def test_bounded_finds_the_same_lengths() -> None:
    """z3 and the explorer differ in the length of the shortest counterexample."""
    verdicts = bounded.check(Model(Window(**OLD)), steps=14)
    assert violated(verdicts) == TORN
    assert {v.answer for v in verdicts if v.claim.name not in TORN} == {"holds"}


@pytest.mark.slow
def test_bounded_covers_the_longest_run_with_the_new_value() -> None:
    """A violation with NEW that z3 finds, or a run of more than 20 steps at 2 x 2 x 2."""
    verdicts = bounded.check(Model(Window()), steps=21)
    assert {(v.answer, v.extent) for v in verdicts if v.claim.kind != "sometimes"} == {
        ("holds", "all states")
    }


def test_random_runs_find_the_old_counterexample() -> None:
    """Random runs too uniform to find a rare order, or a trace that is not minimal."""
    model = Model(Window(**OLD))
    (verdict,) = stateful.check(model, wanted=[model.property_named("opacity")])
    assert verdict.answer == "violated"
    assert verdict.depth == 13


@pytest.mark.long
def test_random_runs_are_the_same_for_the_same_seed() -> None:
    """Random choices that do not come from the seed."""
    model = Model(Window())
    one, two = (stateful.check(model, runs=60, random_seed=5) for _ in range(2))
    assert [(v.answer, v.states, v.trace) for v in one] == [
        (v.answer, v.states, v.trace) for v in two
    ]


TestWindow = machine(Window(transactions=3, processes=2)).TestCase
TestWindow.settings = stateful.settings(TestWindow.settings, max_examples=100, database=None)


def test_processes_run_transactions_in_turn() -> None:
    """Two transactions of one process that overlap."""
    model = Model(Window(transactions=3, processes=1))
    run = exhaustive.explore(model)
    for packed in run.states:
        status = run.layout.unpack(packed)[:3]
        assert sum(s in (1, 2) for s in status) <= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "T0 has 'x', which is not an operation"),
        ("r x; w", "T1 has 'w', which is not an operation"),
        ("r x;; w x", "T1 has '', which is not an operation"),
        ("T1: r x; w x", "T1 is given in place of T0"),
        ("r x, q y", "T0 has 'q y'"),
        (";".join(["w x"] * 7), "transactions is a whole number from 1 to 6, not '7'"),
        ("w a, w b, w c, w d, w e, w f, w g", "objects is a whole number from 1 to 6"),
    ],
)
def test_programs_that_do_not_parse(text: str, message: str) -> None:
    """Programs that are silently cut short or misread."""
    with pytest.raises(SpecError, match=message):
        Window(programs=text)


def test_programs_are_read_in_every_spelling() -> None:
    """A spelling from the papers, or one likely from users, refused or misread."""
    wanted = ((("w", "x"),), (("r", "x"), ("w", "z")))
    for text in ("w x; r x, w z", "T0: w x; T1: r x, w z;", "write x ; read(x),w(z)"):
        assert programs.parse(text) == wanted
    spec = Window(programs="T0: write x; read(x),w(z)")
    assert spec.parameters["programs"] == "w x; r x, w z"
    assert (len(spec.transactions), len(spec.objects)) == (2, 2)


def test_a_program_that_reads_its_own_write() -> None:
    """A read of the own copy that is recorded, that waits, or that stops the program."""
    verdicts = checked(programs="w x, r x, r x; r x, r x")
    assert violated(verdicts) == {}
    assert next(v for v in verdicts if v.claim.name == "all-commit").answer == "holds"
