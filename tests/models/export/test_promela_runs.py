"""Temporal properties in exported Promela: Spin finds a fair run that violates one, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Spec,
    action,
    finished,
    infinitely_often,
    initially,
    leads_to,
    no,
    require,
    some,
    stays,
)
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.checking.engines import check
from counterpoint.models.export import promela as module
from counterpoint.models.export.promela_formulas import promela_of_runs
from counterpoint.models.loading import load
from counterpoint.spec.catalogue import SPECS
from counterpoint.spec.locks.filter import Filter
from counterpoint.spec.locks.filter import Place as Level
from counterpoint.spec.locks.peterson import Peterson, Place
from counterpoint.spec.notation import Model, Property
from tests import spin
from tests.models.liveness.brute_force import KINDS, Machine
from tests.models.liveness.telling import telling
from tests.models.liveness.test_agreement import drawn, loaded
from tests.models.liveness.test_lassos import REFERENCE, Lock

from .odd import Odd


@pytest.fixture(autouse=True)
def _needs_spin() -> None:
    spin.require_spin()


def agree(model: Model, folder: Path, wanted: Sequence[Property] = ()) -> dict[str, str]:
    """Compare Spin's verdicts with those of the exhaustive engine, and return them.

    A run is a cycle for Spin, except one that leaves both conditions of `until`.
    """
    found = {}
    for claim in wanted or model.temporal:
        (verdict,) = check(model, wanted=[claim])
        said = spin.accepts(promela_of_runs(model, claim), folder)
        assert (said is None) == (verdict.answer == "holds"), (claim, verdict.reason, said)
        if said is not None:
            ends = "end state in claim reached"
            assert said == "acceptance cycle" or (claim.kind == "until" and said == ends)
        found[claim.name] = verdict.answer
    return found


@pytest.mark.parametrize(
    ("name", "fairness", "answer"),
    [
        ("who-asks-is-served", "none", "violated"),
        ("who-asks-is-served", "weak", "violated"),
        ("who-asks-is-served", "strong", "holds"),
        ("it-is-free", "weak", "holds"),
        ("it-stays-free", "strong", "violated"),
        ("it-is-taken", "strong", "violated"),
        ("free-until-wanted", "strong", "violated"),
    ],
)
def test_a_lock(name: str, fairness: str, answer: str, tmp_path: Path) -> None:
    """A promise that counts in another way; a run that may not stutter, or must."""
    model = Model(Lock(fairness=fairness), REFERENCE)
    claim = model.property_named(name)
    assert agree(model, tmp_path, [claim]) == {name: answer}


@pytest.mark.long
@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
def test_the_example_of_the_docs(fairness: str, tmp_path: Path) -> None:
    """A verdict that a reader of the page cannot repeat in Spin."""
    page = Path(__file__).parents[3] / "docs" / "how-to" / "check-what-must-happen.md"
    block = re.search(r'^```python title="lock.py"\n(.*?)^```', page.read_text(), re.M | re.S)
    assert block is not None
    (tmp_path / "lock.py").write_text(block[1])
    found = agree(load(str(tmp_path / "lock.py"), [f"fairness={fairness}"]), tmp_path)
    served = "holds" if fairness == "strong" else "violated"
    assert found == {"it-is-free": "holds", "who-asks-is-served": served}


class Lamps(Spec):
    """Several initial states, steps that change nothing, that leave a range, and a last state."""

    members = Index(2, names="m", labels="M")
    at = Integer(-1, 3, initially=ANY)
    lamp = Array(members, Boolean())

    @initially
    def low(s):
        return s.at < 1

    @action(fair="weak")
    def rise(s, m):
        require(s.lamp[m])
        s.at = s.at + 1
        s.lamp[m] = False

    @action(fair="strong", fair_for=())
    def touch(s, m):
        s.lamp[m] = s.lamp[m] == (s.at > 1)

    @finished
    def over(s):
        return False

    @stays
    def all_dark(s):
        return no(s.lamp[m] for m in s.members)

    @infinitely_often
    def one_is_lit(s):
        return some(s.at > 1, some(s.lamp[m] for m in s.members))

    @leads_to
    def from_below(s):
        return s.at < 0, s.at == 2


@pytest.mark.parametrize("longest", [4000, 0])
def test_what_promela_has_otherwise(
    longest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state before a start is chosen in the claim; a step that counts and is none."""
    monkeypatch.setattr(module, "LONGEST", longest)
    model = Model(Lamps())
    text = promela_of_runs(model, model.temporal[0])
    assert "begun" in text and ("condition_0" in text) == (longest == 0)
    found = agree(model, tmp_path)
    assert found == {"all-dark": "violated", "one-is-lit": "holds", "from-below": "violated"}


class FairPeterson(Peterson):
    """Both processes go on if they can; nobody must want to."""

    @action(fair="weak")
    def wait(s, p):
        Peterson.wait(s, p)

    @action(fair="weak")
    def enter(s, p):
        Peterson.enter(s, p)

    @action(fair="weak")
    def leave(s, p):
        Peterson.leave(s, p)

    @leads_to
    def who_wants_enters(s):
        return s.place[0] == Place.WANTS, s.place[0] == Place.INSIDE

    @stays
    def somebody_rests(s):
        return some(s.place[p] == Place.OUTSIDE for p in s.processes)


class FairFilter(Filter):
    """Each process climbs on if it can; nobody must want to."""

    @action(fair="weak")
    def climb(s, p):
        Filter.climb(s, p)

    @action(fair="weak")
    def arrive(s, p):
        Filter.arrive(s, p)

    @action(fair="weak")
    def enter(s, p):
        Filter.enter(s, p)

    @action(fair="weak")
    def leave(s, p):
        Filter.leave(s, p)

    @leads_to
    def who_wants_enters(s):
        return s.place[0] == Level.WANTS, s.place[0] == Level.INSIDE


def test_peterson(tmp_path: Path) -> None:
    """A verdict of Spin's on a known protocol that is not ours."""
    found = agree(Model(FairPeterson()), tmp_path)
    assert found == {"who-wants-enters": "holds", "somebody-rests": "violated"}


@pytest.mark.long
@pytest.mark.parametrize("waits", ["for-all", "for-higher"])
def test_a_filter_lock(waits: str, tmp_path: Path) -> None:
    """The same, with nine promises more."""
    agree(Model(FairFilter(waits=waits)), tmp_path)


@pytest.mark.parametrize(
    ("fairness", "hands", "hungry_eats"),
    [
        ("weak", "all-but-one", "violated"),
        ("strong", "all-but-one", "holds"),
        pytest.param("strong", "all", "violated", marks=pytest.mark.long),
    ],
)
def test_philosophers(fairness: str, hands: str, hungry_eats: str, tmp_path: Path) -> None:
    """Strong fairness of several steps that Spin takes for weak; a deadlock that is no run."""
    settings = ["philosophers=3", f"fairness={fairness}", f"left-handed={hands}"]
    found = agree(load("philosophers", settings), tmp_path)
    assert found == {"who-is-hungry-eats": hungry_eats, "who-eats-thinks-again": "holds"}


def test_specs_of_the_repository(tmp_path: Path) -> None:
    """A temporal property of a spec on which Spin has another verdict."""
    for name in SPECS:
        model = load(name)
        if model.temporal:
            agree(model, tmp_path)


def test_random_machines(tmp_path: Path) -> None:
    """Spin finds a fair run that there is not, or misses one."""
    for seed in range(3000, 3003):
        agree_on_machine(seed, drawn(seed), KINDS[seed % len(KINDS)], tmp_path)
    for one in islice(telling(0), len(KINDS)):
        agree_on_machine(*one, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(3100, 3150, 10))
def test_many_random_machines(begin: int, tmp_path: Path) -> None:
    """The same, with all kinds of property on each machine: 250 comparisons."""
    for seed in range(begin, begin + 10):
        for kind in KINDS:
            agree_on_machine(seed, drawn(seed), kind, tmp_path)


@pytest.mark.slow
def test_many_machines_that_tell_strong_from_weak(tmp_path: Path) -> None:
    """A promise that counts as weak where it is strong, or the reverse, on 50 machines."""
    for one in islice(telling(1000), 50):
        agree_on_machine(*one, tmp_path)


def agree_on_machine(seed: int, machine: Machine, kind: str, folder: Path) -> None:
    """Compare Spin with brute force."""
    model = loaded(seed, machine, kind, folder)
    said = spin.accepts(promela_of_runs(model, model.temporal[0]), folder)
    assert (said is None) == machine.holds(kind), (seed, kind, machine, said)


def test_the_header_says_how_to_see_the_run(tmp_path: Path) -> None:
    """Advice in the header that does not show the run."""
    model = Model(Lock(fairness="weak"), REFERENCE)
    text = promela_of_runs(model, model.property_named("who-asks-is-served"))
    for advice in ("./pan -a -m1000000", "./pan -r", "-DNOREDUCE -DNOFAIR", "spin -a -o2"):
        assert advice in text.partition("*/")[0]
    assert spin.accepts(text, tmp_path) == "acceptance cycle"
    output = spin.call(tmp_path, "./pan", "-r")
    names = {model.show_step(step) for step in model.steps}
    shown = [line.strip() for line in output.splitlines()]
    before, cycle = shown[: shown.index("for ever:")], shown[shown.index("for ever:") :]
    assert "ask(p=P0)" in before and "<<<<<START OF CYCLE>>>>>" in output
    assert names & set(cycle) and "take(p=P0)" not in cycle


def test_odd_labels(tmp_path: Path) -> None:
    """A label or a description that ends a comment, a string or a block of the model."""

    class FairOdd(Odd):
        @action(fair="strong")
        def end_it(s, p):
            """*/ "end"; 'x' -> %% {z}."""
            Odd.end_it(s, p)

        @leads_to
        def ends(s):
            """*/ "end"; 'x' -> %% {z}."""
            return s.k == 0, s.k == 1

        @stays
        def Größe(s):
            """A name with other letters."""
            return s.k == 0

    agree(Model(FairOdd()), tmp_path)


def test_one_temporal_property_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    """A model that seems to check more than it does; a command that does not say what to do."""
    export = ["export", REFERENCE, "--to", "promela", "--property", "it-is-free"]
    assert run(counterpoint, export) == 0
    out, err = capsys.readouterr()
    assert "never violated_it_is_free" in out and err == ""
    assert "test_lassos.py:Lock --property it-is-free --to promela" in out
    assert run(counterpoint, [*export, "--property", "ranges"]) == 2
    err = capsys.readouterr().err
    assert "takes it-is-free alone" in err and err.count("\n") == 1
    assert run(counterpoint, export[:4]) == 0
    out, err = capsys.readouterr()
    assert "never" not in out.partition("*/")[2]
    assert "leaves out temporal properties" in err
    assert "--property who-asks-is-served exports one" in err
