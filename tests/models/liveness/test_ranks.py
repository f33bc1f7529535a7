"""Proofs of temporal properties by ranks: what is proved, what is not and why, and wrong ranks."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import z3

from counterpoint import (
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Spec,
    action,
    decreases,
    eventually,
    infinitely_often,
    initially,
    invariant,
    leads_to,
    lemma,
    require,
    some,
    stays,
    until,
)
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.checking.engines import check, left_out_of_all
from counterpoint.models.limits import Limits
from counterpoint.models.prove.progress import proving
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model

from .test_lassos import Lock


def proved(model: Model, *names: str) -> dict[str, Verdict]:
    """Return the verdicts of the induction engine on temporal properties, by name."""
    wanted = [p for p in model.temporal if not names or p.name in names]
    return {v.claim.name: v for v in check(model, "induction", Limits(60), wanted)}


class Bus(Spec):
    """A bus drives down a road with stops of its own length; at each stop it may wait a little."""

    road = Integer(0, 5, initially=5)
    minutes = Integer(0, 3, initially=3)
    how = Choice("right", "flat", "larger", "below", "one number")

    @action(fair="weak")
    def drive(s):
        require(s.road > 0, s.minutes == 0)
        s.road, s.minutes = s.road - 1, 3

    @action(fair="weak")
    def wait(s):
        require(s.minutes > 0)
        s.minutes = s.minutes - 1

    @eventually
    def arrives(s):
        return s.road == 0

    @decreases(of=arrives)
    def left(s):
        if s.how == "right":
            return s.road, s.minutes
        if s.how == "flat":
            return 0
        if s.how == "larger":
            return s.minutes, s.road
        return s.road - 1 if s.how == "below" else s.road


def test_a_pair_of_numbers_is_compared_from_left_to_right() -> None:
    """A rank whose second number may not become larger, or is not compared at all."""
    found = proved(Model(Bus()))["arrives"]
    assert (found.answer, found.extent) == ("holds", "every run")
    assert found.notes[-1] == "by the rank left, with drive(), wait()"
    assert check(Model(Bus()), wanted=Model(Bus()).temporal)[0].answer == "holds"


WRONG_RANKS = {
    "flat": ("no promise of fairness is sure to help", "wait() does not help: wait() leaves"),
    "larger": ("drive() may make the rank larger", "After drive() the rank is (3, "),
    "below": ("no promise of fairness is sure to help", "wait() leaves the rank 4"),
    "one number": ("no promise of fairness is sure to help", "wait() leaves the rank 5"),
}


@pytest.mark.parametrize("how", WRONG_RANKS)
def test_wrong_ranks_prove_nothing(how: str) -> None:
    """A rank that does not decrease and is accepted, or a reason that does not show where."""
    found = proved(Model(Bus(how=how)))["arrives"]
    reason, line = WRONG_RANKS[how]
    assert (found.answer, found.reason) == ("unknown", reason)
    assert line in "\n".join(found.explanation.lines), found.explanation.lines
    assert "It is reachable" in found.explanation.lines[-1]


class Below(Bus):
    """The rank is below zero at the end of the road, where the bus turns round."""

    @action
    def turn(s):
        require(s.road == 1, s.minutes == 0)
        s.road, s.minutes = 5, 3

    @infinitely_often
    def rests(s):
        return s.minutes == 0

    @decreases(of=rests)
    def until_rest(s):
        return s.minutes - 2


def test_a_rank_below_zero_proves_nothing() -> None:
    """A rank that may become smaller for ever."""
    found = proved(Model(Below()), "rests")["rests"]
    assert (found.answer, found.reason) == ("unknown", "the rank may be below zero")
    assert found.explanation.lines[1] == "In this state the rank is -1:"
    assert "  minutes = 1" in found.explanation.lines


@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
def test_only_strong_fairness_serves_everybody(fairness: str) -> None:
    """A promise that helps although it is not possible again, or one that cannot help."""
    for processes in (2, 5):
        model = Model(Lock(fairness=fairness, processes=processes))
        found = proved(model, "who-asks-is-served", "it-is-free")
        assert found["it-is-free"].answer == "holds"
        served = found["who-asks-is-served"]
        assert served.answer == ("holds" if fairness == "strong" else "unknown")
    if fairness == "strong":
        assert served.notes[-1] == "by one step, with take(p=P0) by it-is-free"
        alone = proved(model, "who-asks-is-served")["who-asks-is-served"]
        assert alone.answer == "holds"
    else:
        assert "no method is marked @decreases(of=who_asks_is_served)" in served.reason
        nothing = "No step that is promised is possible there."
        assert (nothing in "".join(served.explanation.lines)) == (fairness == "none")


class Watched(Lock):
    """A lock whose holder can be seen by somebody who is strongly fair."""

    seen = Boolean(False)

    @action(fair="strong")
    def see(s):
        require(s.holder > 0)
        s.seen = not s.seen


def test_a_weak_promise_needs_to_be_possible_all_the_time() -> None:
    """A weak promise that helps since it is possible again and again."""
    found = proved(Model(Watched()), "who-asks-is-served", "it-is-free")
    assert found["it-is-free"].answer == "holds"
    assert found["who-asks-is-served"].answer == "unknown"


def test_false_properties_are_not_proved() -> None:
    """A property with a counterexample that a proof does not see."""
    model = Model(Lock(fairness="strong"))
    found = proved(model, "it-stays-free", "it-is-taken", "free-until-wanted")
    assert {v.answer for v in found.values()} == {"unknown"}


class Wide(Spec):
    """A countdown from a number that no search counts to, with pauses, and what it does then."""

    n = Integer(0, 10**12, initially=10**12)
    paused = Boolean(False)
    over = Boolean(False)

    @action
    def pause(s):
        require(not s.paused)
        s.paused = True

    @action(fair="weak")
    def resume(s):
        require(s.paused)
        s.paused = False

    @action(fair="strong")
    def count(s):
        require(s.n > 0, not s.paused)
        s.n = s.n - 1

    @action(fair="weak")
    def end(s):
        require(s.n == 0)
        s.over = True

    @invariant
    def not_too_early(s):
        return s.n == 0 or not s.over

    @infinitely_often
    def it_runs(s):
        return not s.paused

    @until
    def counts_until_it_is_over(s):
        return not s.over, s.over

    @decreases(of=counts_until_it_is_over)
    def left_to_end(s):
        return s.n + 1

    @stays
    def at_zero(s):
        return s.n == 0

    @decreases(of=at_zero)
    def left(s):
        return s.n

    @leads_to
    def goes_on(s):
        return s.n == 7 and s.paused, s.n < 7


def test_all_kinds_and_wide_ranges() -> None:
    """A kind of property that cannot be proved, or a proof that counts states."""
    found = proved(Model(Wide()))
    assert {name: v.answer for name, v in found.items()} == dict.fromkeys(found, "holds")
    assert "count() by it-runs" in found["goes-on"].notes[-1]


class Grows(Spec):
    """A counter that a proof of invariants takes the end from."""

    n = Integer(0, 3, grows=True)

    @action(fair="weak")
    def add(s):
        s.n = s.n + 1

    @infinitely_often
    def it_is_even(s):
        return s.n % 2 == 0


def test_ranges_keep_their_ends() -> None:
    """A step beyond the end of a range that a proof takes for possible."""
    model = Model(Grows())
    assert check(model, wanted=model.temporal)[0].answer == "violated"
    (found,) = proved(model).values()
    assert found.answer == "unknown" and "  n = 3" in found.explanation.lines


class Lemmas(Spec):
    """Two tokens that move; with a lemma that is needed and one that fails."""

    places = Index(3, names="p", labels="p")
    at = Array(places, Boolean(False))
    moved = Integer(0, 3)

    @action(fair="weak")
    def move(s):
        require(s.moved < 3, no_token(s))
        s.moved = s.moved + 1

    @action
    def put(s, p):
        require(s.moved > 7)
        s.at[p] = True

    @lemma
    def empty(s):
        return no_token(s)

    @lemma
    def at_the_start(s):
        return s.moved == 0

    @eventually
    def over(s):
        return s.moved == 3

    @decreases(of=over)
    def left(s):
        return 3 - s.moved

    @infinitely_often
    def is_at_the_start(s):
        return s.moved == 0


def no_token(s: Any) -> Any:
    """Return whether there is no token."""
    return not some(s.at[p] for p in s.places)


def test_only_inductive_lemmas_are_used() -> None:
    """A proof by a lemma that fails, or one that does not use the others."""
    model = Model(Lemmas())
    found = proved(model)
    assert found["over"].answer == "holds" and found["is-at-the-start"].answer == "unknown"
    assert "not inductive, and not used: at-the-start" in found["over"].notes
    right = {v.claim.name: v.answer for v in check(model, wanted=model.temporal)}
    assert right == {"over": "holds", "is-at-the-start": "violated"}


class NoStart(Bus):
    """A spec without an initial state."""

    @initially
    def nowhere(s):
        return s.road > 5


def test_without_an_initial_state_nothing_is_proved() -> None:
    """A property that is called true of a spec that has no run."""
    (found,) = proved(Model(NoStart())).values()
    assert (found.answer, found.reason) == ("unknown", "there is no initial state")


def test_limits_leave_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof that was cut short, or a question without an answer that counts as proved."""
    model = Model(Bus())
    (found,) = check(model, "induction", Limits(0.0), model.temporal)
    assert found.answer == "unknown" and "time limit" in found.reason
    plain = proving.Prover.ask

    def tired(self: Any, name: str, *conditions: Any) -> Any:
        answer = plain(self, name, *conditions)
        if "arrives" not in name:
            return answer
        self.reason = "tired"
        return z3.unknown

    monkeypatch.setattr(proving.Prover, "ask", tired)
    (found,) = proved(model).values()
    assert found.answer == "unknown" and found.reason.endswith("tired")


def test_what_z3_was_asked() -> None:
    """A question without a file, or with less than was assumed."""
    names = []

    def again(name: str, asked: Any, answer: Any) -> None:
        solver = z3.Solver()
        solver.add(*asked)
        assert solver.check() == answer, name
        names.append(name)

    model = Model(Bus())
    proving.check(model, Limits(), model.temporal, record=again)
    ours = [name for name in names if "/arrives/" in name]
    assert ours[0] == "induction/bus/arrives/begins-to-wait"
    assert "induction/bus/arrives/helps-0" in ours
    assert "induction/bus/arrives/without-wait()" in ours


def test_all_engines_include_proofs_by_ranks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rank that `--engine all` passes over, or properties without ranks that it calls unknown."""
    path = tmp_path / "bus.py"
    path.write_text(f"from counterpoint import *\n\n{inspect.getsource(Bus)}")
    reference = str(path)
    assert "induction" not in left_out_of_all(Model(Bus()))
    assert "induction" in left_out_of_all(Model(Lock()))
    wish = ["check", reference, "--engine", "all", "--runs", "5", "--property", "arrives"]
    assert run(counterpoint, wish) == 0
    assert "every run" in capsys.readouterr().out
