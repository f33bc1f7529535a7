"""What verdicts on temporal properties say beside their answer, and how they share one check."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint import (
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Spec,
    action,
    constraint,
    eventually,
    infinitely_often,
    invariant,
    leads_to,
    require,
    show,
    stays,
    until,
)
from counterpoint.ci.gate import JobOutcome, run_job
from counterpoint.ci.job import Job
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.checking.engines import Options, check
from counterpoint.models.explore.liveness import judging
from counterpoint.models.explore.liveness.generated import GeneratedGraph
from counterpoint.models.lassos import violates_lasso
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.verdict import Trace, Verdict, reachable_states
from counterpoint.spec.notation import Model
from tests.needs import need


class Leaving(Spec):
    """A counter that leaves its range unless it stops."""

    n = Integer(0, 3)
    done = Boolean()

    @action(fair="weak")
    def up(s):
        require(not s.done)
        s.n += 1

    @action(fair="weak")
    def stop(s):
        require(s.n == 3)
        s.done = True

    @action(fair="strong")
    def idle(s):
        s.n = s.n

    @invariant
    def is_small(s):
        return s.n <= 3

    @eventually
    def it_stops(s):
        return s.done

    @leads_to
    def nothing_to_say(s):
        return s.n > 3, s.done

    @leads_to
    def true_at_once(s):
        return s.n == 2, s.n > 1

    @infinitely_often
    def it_is_zero(s):
        return s.n == 0


def verdicts(*names: str, explorer: str = "auto") -> list[Verdict]:
    """Return the verdicts on some properties, or on all."""
    if explorer == "compiled":
        need("gcc")
    model = Model(Leaving(), f"{__file__}:Leaving")
    wanted = [model.property_named(n) for n in names] or None
    return check(model, wanted=wanted, options=Options(explorer=explorer))


def outcome(job: Job) -> JobOutcome:
    """Return the outcome of a job of the gate."""
    return run_job(job, time.monotonic() + 60)


@pytest.mark.parametrize("explorer", ["python", "compiled"])
def test_a_run_that_leaves_a_range_is_left_out_and_this_is_said(explorer: str) -> None:
    """A property of "all runs", some of which the engine does not follow."""
    (found,) = verdicts("it-stops", explorer=explorer)
    assert (found.answer, found.extent) == ("holds", "all runs within ranges")
    assert "a step of up leaves a range: it counts as not possible" in found.notes
    (found,) = verdicts("it-is-zero", explorer=explorer)
    assert found.answer == "violated"
    assert "a step of up leaves a range: it counts as not possible" in found.notes


class OnlyUp(Leaving):
    """Only the step that leaves the range is left."""

    without = ("stop", "idle")


def test_a_step_that_leaves_a_range_is_not_due() -> None:
    """A run that must do what no engine follows, so that it is no run."""
    model = Model(OnlyUp(), f"{__file__}:OnlyUp")
    (found,) = check(model, wanted=[model.property_named("it-stops")])
    assert (found.answer, found.extent) == ("violated", "3 steps, then none for ever")


@pytest.mark.parametrize("explorer", ["python", "compiled"])
def test_a_premise_that_is_never_true_is_named(explorer: str) -> None:
    """A property that holds since it never begins, and looks like any other."""
    never, at_once = verdicts("nothing-to-say", "true-at-once", explorer=explorer)
    assert never.extent == "all runs within ranges, but its first condition is never true"
    assert at_once.extent == "all runs within ranges"


@pytest.mark.parametrize("explorer", ["python", "compiled"])
def test_a_promise_that_is_never_due_is_named(
    explorer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fairness of a step that never changes anything, which promises nothing."""
    found = verdicts("is-small", "it-stops", explorer=explorer)
    assert "fair, but never possible: idle()" not in found[0].notes
    assert "fair, but it never changes the state: idle()" in found[1].notes
    show.report(found)
    shown = " ".join(capsys.readouterr().out.split())
    assert "fair, but it never changes the state: idle()" in shown


def test_a_run_that_ends_wrong_is_shown_before_a_lasso() -> None:
    """A broken range that hides behind a lasso, which is shorter and follows from it."""
    found = verdicts()
    lasso = next(v for v in found if v.trace is not None and v.trace.loop is not None)
    shown = show.first_to_break(found)
    assert shown is not None and shown.claim.name == "ranges"
    assert (lasso.depth or 0) <= (shown.depth or 0)


def test_temporal_properties_alone_count_the_states() -> None:
    """A gate that does not compare the number of states, since no property of states is checked."""
    found = verdicts("it-stops", "it-is-zero")
    assert reachable_states(found) == {5}
    assert reachable_states([replace(v, answer="unknown", states=3) for v in found]) == set()
    job = Job(f"{__file__}:Leaving", {}, "exhaustive", "", {"it-is-zero": 1}, 6, ("it-is-zero",))
    surprises = [text for _, text in outcome(job).surprises]
    assert any("5 reachable states; there should be 6" in text for text in surprises)


class Doors(Spec):
    """Two doors that open and close."""

    doors = Index(2, names="d", labels="D")
    is_open = Array(doors, Boolean())

    @action(fair="weak")
    def turn(s, d):
        s.is_open[d] = not s.is_open[d]

    @infinitely_often
    def the_first_is_open(s):
        return s.is_open[0]

    @until
    def closed_until_open(s):
        return not s.is_open[0], s.is_open[0]


def test_reductions_do_not_change_temporal_verdicts() -> None:
    """States that a symmetry leaves out, although the property names one member."""
    need("gcc")
    model = Model(Doors(), f"{__file__}:Doors")
    for reduce in ((), ("symmetry",), ("symmetry", "partial-order")):
        found = check(model, options=Options(reduce=reduce))
        temporal = [v for v in found if v.claim.kind in ("infinitely-often", "until")]
        assert [(v.answer, v.states) for v in temporal] == [("holds", 4), ("holds", 4)]
        whole = [v.states for v in found if v.claim.name == "ranges"]
        assert reachable_states(found) == set(whole)


def test_the_number_of_compared_states_is_an_option() -> None:
    """Thousands of readings that each compare as many states as a check of one model."""
    model = Model(Doors())
    (found,) = check(model, wanted=model.temporal[:1], options=Options(compared=2))
    assert found.answer == "holds" and found.compared == 2


def test_one_time_limit_is_for_all_properties(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that takes twice its time, once for states and once for runs."""
    given: list[Limits] = []
    before = judging.check

    def noting(model: Model, limits: Limits, wanted: object, **_: object) -> list[Verdict]:
        given.append(limits)
        return before(model, limits, wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(judging, "check", noting)
    seen: list[float] = []
    explorer = "counterpoint.models.explore.exhaustive.check"

    def first(model: Model, limits: Limits, wanted: object, **options: object) -> list[Verdict]:
        seen.append(limits.started)
        return []

    monkeypatch.setattr(explorer, first)
    check(Model(Doors()), limits=Limits(60.0))
    assert [one.started for one in given] == seen


def test_what_a_spec_remembers_is_found_over_both_searches(tmp_path: Path) -> None:
    """A spec that stores something in the first search, and nothing more in the second."""
    path = tmp_path / "kept.py"
    path.write_text(
        "from counterpoint import *\n\nclass Box:\n    def __init__(self):\n        self.n = 0\n"
        "    def look(self):\n        object.__setattr__(self, 'n', 1)\n        return True\n\n"
        "box = Box()\n\nclass Kept(Spec):\n    at = Integer(0, 1)\n\n"
        "    @action(fair='weak')\n    def go(s):\n        require(box.look(), s.at == 0)\n"
        "        s.at = 1\n\n    @eventually\n    def arrives(s):\n        return s.at == 1\n"
    )
    found = check(load(str(path)))
    assert [v.answer for v in found] == ["unknown", "unknown"]
    assert all("changed while the spec was run" in v.reason for v in found)


def test_other_engines_of_a_check_leave_runs_to_the_exhaustive_one(tmp_path: Path) -> None:
    """A check with two engines that can never be as expected."""
    job = Job(f"{__file__}:Doors", {}, "stateful", "", temporal=False)
    assert outcome(job).answer == "as expected"
    assert outcome(replace(job, temporal=True)).answer == "unknown"
    only = replace(job, only=("closed-until-open",))
    assert outcome(only).answer == "unknown"
    expects = replace(job, violated={"closed-until-open": 3, "none": 3})
    assert [t for _, t in outcome(expects).surprises] == ["the spec has no property none"]


def test_random_runs_have_no_share_of_temporal_properties(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An engine without an answer that reports to have reached 0.0% of all states."""
    reference = f"{__file__}:Doors"
    command = ["check", reference, "--engine", "stateful", "--property", "closed-until-open"]
    assert run(counterpoint, command) == 3
    assert "reached" not in capsys.readouterr().out


def test_an_until_may_break_before_the_end_of_a_run() -> None:
    """A run that breaks an `until` and goes on, and counts as none."""
    model = Model(Doors())
    claim = model.property_named("closed-until-open")
    closed, both, other = (0, 0), (1, 1), (0, 1)
    for states, loop, broken in (
        ((closed, other), 1, True),
        ((closed, both), 1, False),
        ((closed,), None, False),
        ((closed, both, other), 2, False),
    ):
        assert violates_lasso(model, claim, Trace(states, (), loop)) == broken


class Narrow(Doors):
    """The first door must stay closed until the second opens."""

    @until
    def closed_until_the_second_opens(s):
        return not s.is_open[0], s.is_open[1]


def test_a_broken_until_stays_broken() -> None:
    """A longer run, or its cycle, in which the second condition comes too late."""
    model = Model(Narrow())
    claim = model.property_named("closed-until-the-second-opens")
    states = ((0, 0), (1, 0), (1, 1))
    assert violates_lasso(model, claim, Trace(states[:2], ()))
    assert violates_lasso(model, claim, Trace(states, ()))
    assert violates_lasso(model, claim, Trace(states, (), 2))
    assert not violates_lasso(model, claim, Trace(((0, 0), (0, 1), (1, 1)), ()))


class Swing(Spec):
    """A state that must be left, and one where a run may stay."""

    at = Integer(0, 1)

    @action(fair="weak")
    def go(s):
        require(s.at == 0)
        s.at = 1

    @action
    def back(s):
        require(s.at == 1)
        s.at = 0

    @eventually
    def never(s):
        return s.at > 1


def test_of_two_cycles_the_shorter_lasso_is_taken() -> None:
    """The cycle that begins first, although a later one is shorter with its stem."""
    (found,) = check(Model(Swing()), wanted=Model(Swing()).temporal)
    assert (found.depth, found.extent) == (1, "1 step, then none for ever")


def test_a_lasso_that_plain_python_does_not_confirm_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An engine that reports a run which is not fair, or fails without a verdict."""
    monkeypatch.setattr(judging, "shortest", lambda *_: (0, []))
    (found,) = check(Model(Swing()), wanted=Model(Swing()).temporal)
    assert found.answer == "unknown"
    assert "plain Python does not confirm never: the cycle does not keep go() fair" in found.reason


def test_conditions_are_compared_with_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A condition that means something else in the engine, with which a property holds."""
    monkeypatch.setattr(GeneratedGraph, "conditions", lambda *_: (True,))
    options = Options(explorer="python")
    (found,) = check(Model(Swing()), wanted=Model(Swing()).temporal, options=options)
    assert found.answer == "unknown"
    assert found.reason == "never is (False,) in plain Python and (True,) as compiled"


class Climbing(Spec):
    """A counter of which only the first values are explored."""

    n = Integer(0, 9)
    resting = Boolean()

    @constraint
    def is_low(s):
        return s.n <= 3

    @action(fair="weak")
    def up(s):
        require(s.n < 9)
        s.n += 1

    @action
    def rest(s):
        s.resting = not s.resting

    @eventually
    def it_is_five(s):
        return s.n == 5

    @eventually
    def it_is_two(s):
        return s.n == 2

    @eventually
    def it_rests(s):
        return s.resting

    @stays
    def it_never_rests(s):
        return not s.resting


class Resting(Climbing):
    """The same, with a promise that can be left out."""

    fairness = Choice("weak", "none")

    @action(fair=lambda s: s.fairness)
    def up(s):
        require(s.n < 9)
        s.n += 1


def test_a_constraint_makes_no_violation() -> None:
    """A run that stops where a constraint left out the step that it must take."""
    found = {v.claim.name: v for v in check(Model(Climbing(), f"{__file__}:Climbing"))}
    assert found["it-is-two"].extent == "all runs, bounded by is-low"
    for name in ("it-is-five", "it-rests", "it-never-rests"):
        assert found[name].answer == "unknown" and found[name].trace is None
        assert "constraints leave out steps of up()" in found[name].reason
    free = Model(Resting(fairness="none"), f"{__file__}:Resting")
    (five,) = check(free, wanted=[free.property_named("it-is-five")])
    assert (five.answer, five.extent) == ("violated", "0 steps, then none for ever")
