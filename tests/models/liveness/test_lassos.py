"""Lassos of a spec with a lock: how long they are, what they show, and where they are replayed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from counterpoint import (
    Array,
    Boolean,
    Choice,
    Explanation,
    Index,
    Integer,
    Spec,
    action,
    eventually,
    infinitely_often,
    ite,
    leads_to,
    require,
    some,
    stays,
    until,
)
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.checking.engines import check
from counterpoint.models.checking.replaying import ends_so, replay_record
from counterpoint.models.export.itf import itf
from counterpoint.models.export.mermaid import sequence
from counterpoint.models.export.regression import regression
from counterpoint.models.lassos import fault_of_lasso, promises
from counterpoint.models.limits import Limits
from counterpoint.models.present.chart import chart
from counterpoint.models.present.page import page
from counterpoint.models.verdict import Trace, Verdict, replayed
from counterpoint.spec.notation import Model, Step


class Lock(Spec):
    """Processes ask for a lock, take it, and leave it."""

    processes = Index(2, names="p", labels="P")
    fairness = Choice("weak", "none", "strong")
    holder = Integer(0, lambda s: len(s.processes))
    wants = Array(processes, Boolean(False))

    @action
    def ask(s, p):
        require(not s.wants[p], s.holder != p + 1)
        s.wants[p] = True

    @action(fair=lambda s: s.fairness)
    def take(s, p):
        require(s.wants[p], s.holder == 0)
        s.holder, s.wants[p] = p + 1, False

    @action(fair="weak")
    def leave(s, p):
        require(s.holder == p + 1)
        s.holder = 0

    @leads_to
    def who_asks_is_served(s):
        """A process that asks has the lock at some time."""
        return s.wants[0], s.holder == 1

    @infinitely_often
    def it_is_free(s):
        return s.holder == 0

    @stays
    def it_stays_free(s):
        return s.holder == 0

    @eventually
    def it_is_taken(s):
        return s.holder > 0

    @until
    def free_until_wanted(s):
        return s.holder == 0, some(s.wants[p] for p in s.processes)


REFERENCE = f"{__file__}:Lock"


def verdict_of(name: str, **parameters: str) -> Verdict:
    """Return the verdict on a property of the lock."""
    model = Model(Lock(**parameters), REFERENCE)
    (found,) = check(model, wanted=[model.property_named(name)])
    return found


def steps_of(found: Verdict) -> tuple[list[str], int | None]:
    """Return the steps of a lasso as text, and how many stand before the cycle."""
    assert found.trace is not None
    return [found.model.show_step(step) for step in found.trace.steps], found.trace.loop


@pytest.mark.parametrize(
    ("fairness", "answer"), [("none", "violated"), ("weak", "violated"), ("strong", "holds")]
)
def test_only_strong_fairness_serves_everybody(fairness: str, answer: str) -> None:
    """A promise that is due although the step is not possible again and again."""
    assert verdict_of("who-asks-is-served", fairness=fairness).answer == answer


def test_lassos_are_shortest() -> None:
    """A longer stem or cycle than needed, or one that does not repeat."""
    assert steps_of(verdict_of("who-asks-is-served")) == (
        ["ask(p=P0)", "ask(p=P1)", "take(p=P1)", "leave(p=P1)"], 1,
    )  # fmt: skip
    assert steps_of(verdict_of("who-asks-is-served", fairness="none")) == (["ask(p=P0)"], 1)
    assert steps_of(verdict_of("it-is-taken")) == ([], 0)
    assert verdict_of("it-is-free").answer == "holds"
    stays_free = steps_of(verdict_of("it-stays-free"))
    assert stays_free == (["ask(p=P0)", "take(p=P0)", "leave(p=P0)"], 0)
    assert steps_of(verdict_of("free-until-wanted")) == ([], 0)


def test_extents_say_what_is_repeated() -> None:
    """A lasso that reads like a run which ends."""
    assert verdict_of("who-asks-is-served").extent == "1 step, then 3 for ever"
    assert verdict_of("it-is-taken").extent == "0 steps, then none for ever"
    assert verdict_of("it-is-free").extent == "all runs"


def test_a_chart_shows_the_cycle() -> None:
    """Steps that are repeated and do not look so."""
    shown = chart(verdict_of("who-asks-is-served")).splitlines()
    assert [line.strip() for line in shown].index("for ever:") == 2
    assert "take(p=P0) (weak) is not always possible in the cycle" in " ".join(shown)
    assert "take(p=P1) (weak) is taken in the cycle" in " ".join(shown)
    assert "for ever: no step" in chart(verdict_of("it-is-taken"))


def test_formats_have_the_cycle() -> None:
    """An export in which a lasso is a run that ends."""
    found = verdict_of("who-asks-is-served")
    assert json.loads(itf(found))["loop"] == 1
    lines = [line.strip() for line in sequence(found).splitlines()]
    assert lines.index("loop for ever") < lines.index("end")
    text = page(found)
    assert text.count('class="row repeated"') == 3 and text.count('class="cycle">for ever:') == 1
    assert "loop" not in found.to_json()["trace"][0] and found.to_json()["loop"] == 1
    assert "loop" not in verdict_of("it-is-free").to_json()


def test_a_run_that_stops_for_ever_is_drawn() -> None:
    """A page or a diagram on which a run that stutters looks like one that ends."""
    for name in ("it-is-taken", "who-asks-is-served"):
        found = verdict_of(name, fairness="none")
        text = page(found)
        assert '<li class="cycle repeated">for ever: no step</li>' in text
        assert 'class="row repeated"' not in text and "For ever: no step" in text
        assert "Note over L0,L1: for ever: no step" in sequence(found)
    cycle = page(verdict_of("who-asks-is-served"))
    assert "for ever: no step" not in cycle and cycle.count("Repeated for ever") == 3


def test_a_page_says_how_promises_are_kept() -> None:
    """Promises of fairness under the heading of a contradiction, the last one in bold."""
    text = page(verdict_of("who-asks-is-served"))
    assert "<h2>How it keeps what is fair</h2>" in text and '<ol class="why alike">' in text

    class Explained(Lock):
        def explain(self, violated, states):
            return Explanation(("P1 is always first.",))

    model = Model(Explained(), "explained")
    (found,) = check(model, wanted=[model.property_named("who-asks-is-served")])
    assert "<h2>Why</h2>" in page(found) and '<ol class="why">' in page(found)


def test_an_exported_test_replays_the_lasso() -> None:
    """A test that passes or fails whatever the spec does."""
    found = verdict_of("who-asks-is-served")
    space: dict[str, object] = {}
    exec(regression(found, still=True), space)
    space["test_this_run_violates_who_asks_is_served"]()  # type: ignore[operator]
    steps = [(s.action, found.model.show_binding(s)) for s in found.trace.steps]  # type: ignore[union-attr]
    for fairness, still in (("weak", True), ("none", True), ("strong", False)):
        model = Model(Lock(fairness=fairness), REFERENCE)
        assert ends_so(model, "who-asks-is-served", steps, loop=1) == still


def test_records_are_replayed() -> None:
    """A lasso that is confirmed although its cycle is not closed, not fair, or not there."""
    record = json.loads(json.dumps(verdict_of("who-asks-is-served").to_json()))
    assert replay_record(record).agrees
    for loop, why in ((0, "not the one where the cycle begins"), (None, "it has no cycle")):
        result = replay_record(record | {"loop": loop})
        assert not result.agrees and why in result.outcome
    assert not replay_record(record | {"verdict": "holds"}).agrees
    fair = replay_record(record | {"parameters": record["parameters"] | {"fairness": "strong"}})
    assert not fair.agrees and "does not keep take(p=P0) fair" in fair.outcome


def test_a_lasso_that_is_none_is_refused() -> None:
    """A run without a violation that counts as one."""
    found = verdict_of("who-asks-is-served")
    trace = found.trace
    assert trace is not None and fault_of_lasso(found.model, found.claim, trace) == ""
    waiting = Trace(trace.states[:2], trace.steps[:1], 1)
    assert "take(p=P0)" in fault_of_lasso(found.model, found.claim, waiting)
    assert fault_of_lasso(found.model, found.claim, replace(trace, loop=0)) != ""


def test_other_engines_have_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """A temporal property that an engine leaves out in silence, or judges by finite runs."""
    model = Model(Lock(), REFERENCE)
    for engine in ("stateful", "any-number"):
        claim = model.property_named("it-is-free")
        (found,) = check(model, engine, Limits(20), [claim])
        assert found.answer == "unknown" and "use exhaustive, bounded or ind" in found.reason
    assert run(counterpoint, ["check", REFERENCE, "--engine", "all", "-q"]) == 1
    assert "unknown" not in capsys.readouterr().out


def test_a_limit_leaves_it_unknown() -> None:
    """A property that holds in the states that were explored until the time was over."""
    model = Model(Lock(processes=8), REFERENCE)
    (found,) = check(model, limits=Limits(0.0), wanted=[model.property_named("it-is-free")])
    assert found.answer == "unknown"


@pytest.mark.parametrize("form", ["dot", "mermaid-states"])
def test_exports_say_that_they_leave_temporal_properties_out(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A graph for another tool that seems to show all properties."""
    assert run(counterpoint, ["export", REFERENCE, "--to", form]) == 0
    assert "leaves out temporal properties (who-asks-is-served" in capsys.readouterr().err
    command = ["export", REFERENCE, "--to", form, "--property", "it-is-free"]
    assert run(counterpoint, command) == 2
    assert "it-is-free is a temporal property" in capsys.readouterr().err


def test_a_fair_step_that_changes_nothing_is_not_called_impossible() -> None:
    """Words that deny a step which is possible, but changes nothing."""

    class Idle(Spec):
        """It may stay where it is, or turn."""

        at = Integer(0, 2)

        @action(fair="weak")
        def stay(s):
            s.at = s.at + 0

        @action
        def turn(s):
            s.at = ite(s.at == 1, 0, 1)

        @eventually
        def it_ends(s):
            return s.at == 2

    (found,) = [v for v in check(Model(Idle())) if v.claim.name == "it-ends"]
    assert found.explanation.lines == ("stay() (weak) has no step there that changes the state",)
    model = found.model
    cycle = replace(replayed(model, [Step("turn", ()), Step("turn", ())], (0,)), loop=0)
    assert fault_of_lasso(model, found.claim, cycle) == ""
    assert promises(model, cycle) == [
        "stay() (weak) has no step in the cycle that changes the state"
    ]
