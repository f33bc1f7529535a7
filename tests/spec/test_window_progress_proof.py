"""The window protocol is livelock-free in all runs: its rank, and ranges without an end."""

from __future__ import annotations

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models import loading
from counterpoint.models.checking import engines
from counterpoint.models.loading import load
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import (
    Integer,
    Model,
    Spec,
    action,
    decreases,
    infinitely_often,
    require,
)

PROOF = "counterpoint.spec.stm.window_progress_proof:LivelockFreeWindow"


def judged(engine: str, *settings: str) -> Verdict:
    """Return the verdict on the progress of the window protocol."""
    model = load(PROOF, settings)
    wanted = [model.property_named("some-transaction-commits")]
    return engines.check(model, engine, wanted=wanted)[0]


@pytest.mark.parametrize(
    "settings",
    [
        (),
        ("fetch-and-increment=old",),
        pytest.param(("objects=3",), marks=pytest.mark.long),
        pytest.param(("transactions=3",), marks=pytest.mark.slow),
    ],
)
def test_some_transaction_commits_again_and_again(settings: tuple[str, ...]) -> None:
    """A rank that is larger after some step, or a state in which nobody can go on."""
    found = judged("induction", *settings)
    assert (found.answer, found.extent) == ("holds", "every run")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("recheck=every-read",), "read(t=T0, x=x) may make the rank larger"),
        (("unlock=object-by-object",), "no promise of fairness is sure to help"),
    ],
)
def test_other_readings_need_another_rank(settings: tuple[str, ...], reason: str) -> None:
    """A proof that does not look at what a reading changes."""
    found = judged("induction", *settings)
    assert (found.answer, found.reason) == ("unknown", reason)


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "stateful"])
def test_only_a_proof_judges_an_endless_spec(engine: str) -> None:
    """A run that ends where the range of a clock ends, and counts as a livelock."""
    found = judged(engine)
    assert found.answer == "unknown"
    assert "use induction" in found.reason or "or induction" in found.reason


class Clock(Spec):
    """A clock that counts, and that is set back or not."""

    n = Integer(0, 3, grows=True)
    left = Integer(0, 2, initially=2)

    @action(fair="weak")
    def tick(s):
        require(s.left > 0)
        s.n, s.left = s.n + 1, s.left - 1

    @action(fair="weak")
    def strike(s):
        require(s.left == 0)
        s.n, s.left = s.n + 1, 2

    @infinitely_often
    def it_strikes(s):
        return s.left == 0

    @decreases(of=it_strikes)
    def ticks_left(s):
        return s.left


class EndlessClock(Clock):
    """The same, and the clock counts for ever."""

    endless = True


def test_a_clock_without_an_end_strikes_for_ever() -> None:
    """A proof that stops at the declared end, or one that ignores it where the spec has ends."""
    answers = {}
    for spec in (Clock, EndlessClock):
        model = Model(spec())
        for engine in ("exhaustive", "induction"):
            wanted = [model.property_named("it-strikes")]
            (found,) = (v for v in engines.check(model, engine, wanted=wanted)
                        if v.claim.name == "it-strikes")  # fmt: skip
            answers[spec.__name__, engine] = found.answer
    assert answers == {
        ("Clock", "exhaustive"): "violated",
        ("Clock", "induction"): "unknown",
        ("EndlessClock", "exhaustive"): "unknown",
        ("EndlessClock", "induction"): "holds",
    }


def test_a_proof_without_ends_is_none_for_ranges_with_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A proof class that is endless, and a spec that is not, so that its clock stops."""
    monkeypatch.setattr(loading, "PROOFS", {f"{__name__}:Clock": (f"{__name__}:EndlessClock",)})
    model = Model(Clock())
    (found,) = engines.check(model, "induction", wanted=[model.property_named("it-strikes")])
    assert found.answer == "unknown"
    assert found.reason.startswith("n has another range in ")


@pytest.mark.parametrize("form", ["tla", "promela"])
def test_no_export_of_what_happens_for_ever_in_an_endless_spec(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model whose clock stops at the end of its range, where the spec's clock goes on."""
    asked = ["export", f"{__name__}:EndlessClock", "--to", form]
    assert run(counterpoint, [*asked, "--property", "it-strikes"]) == 2
    said = capsys.readouterr().err
    assert f"--to {form} cannot say it-strikes: " in said and "is endless" in said
    assert said.count("\n") == 1
    assert run(counterpoint, asked) == 0
    text, said = capsys.readouterr()
    assert f"counterpoint: --to {form} leaves out " in said and "it-strikes" in said
    assert "--property" not in said and "[]<>" not in text
