"""Small proofs whose results are known: verdicts, numbers of steps, reasons and questions."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.loading import load
from counterpoint.models.prove import induction, k_induction
from counterpoint.models.prove.induction import Proof
from counterpoint.models.prove.obstacle import Obstacle
from counterpoint.models.prove.proving import Failure, Prover
from counterpoint.models.symbolic.comparing import ComparisonResult
from counterpoint.spec.notation import Model
from tests.models.small_proofs import Falling, Lemmas, Ring, answers, checked
from tests.models.test_prover import recorded


def test_what_is_proved_without_lemmas() -> None:
    """A claim that is proved though one step breaks it, or one that is kept and not proved."""
    model = Model(Ring())
    found = checked(model)
    assert list(found) == [
        "small", "y-is-zero", "never-down-by-one", "no-deadlock", "ranges"
    ]  # fmt: skip
    assert {v.answer for v in found.values()} == {"holds"}
    assert {name: v.notes for name, v in found.items()} == {
        name: (
            "no lemmas", *(() if name == "no-deadlock" else ("1-induction",)),
            "witnesses are left to other engines: three",
        ) for name in found
    }  # fmt: skip
    assert {v.extent for v in found.values()} == {"every step"}
    assert {v.engine for v in found.values()} == {"induction"}
    assert all(v.compared and v.compared > 3 for v in found.values())
    [alone] = induction.check(model, wanted=[model.property_named("y-is-zero")])
    assert alone.answer == "unknown"
    assert alone.reason == "it does not follow by 3-induction"
    assert any("far" in line for line in alone.explanation.lines)
    [three] = induction.check(model, wanted=[model.property_named("three")])
    assert (three.answer, three.reason) == (
        "unknown", "a witness needs a run: ask another engine"
    )  # fmt: skip


def test_what_is_proved_with_lemmas() -> None:
    """Lemmas that are not used, not counted, or not judged."""
    found = checked(Model(Lemmas()))
    assert {v.answer for v in found.values()} == {"holds"}
    assert found.keys() >= {"parity", "low", "zero", "small", "ranges"}
    assert found["small"].notes[0] == found["low"].notes[0] == "3 lemmas (lemmas)"
    assert found["small"].notes[1:] == ("witnesses are left to other engines: three",)


def test_lemmas_that_fall_and_those_that_need_them() -> None:
    """A lemma reported to hold that is kept only under another lemma, which is not kept."""
    found = checked(Model(Falling()))
    assert (found["stays"].answer, found["stays"].depth) == ("violated", 4)
    assert found["stays"].reason == "not kept by grow()"
    assert found["stays"].extent == "4 steps"
    assert found["rests"].answer == "unknown"
    assert found["rests"].reason == "without stays it is not kept by up"
    assert found["even"].answer == "unknown"
    assert found["even"].reason == "without stays, rests it is not kept by far"
    assert found["nothing"].answer == "holds"
    assert found["small"].answer == "unknown"
    assert found["small"].reason == "it rests on lemmas that are not inductive"


def test_a_proof_asks_for_everything_that_it_rests_on() -> None:
    """A file that is missing, or whose question is weaker than that to z3."""
    model = Model(Lemmas())
    asked = recorded(lambda record: induction.check(model, record=record))
    names = [name for name, *_ in asked]
    assert all(name.startswith("induction/lemmas/") for name in names)
    names = [name.removeprefix("induction/lemmas/") for name in names]
    assert [n for n in names if n.startswith("start/")] == [
        "start/parity", "start/low", "start/zero"
    ]  # fmt: skip
    assert [n for n in names if n.startswith("follows/")] == [
        f"follows/{n}" for n in ("small", "y-is-zero", "never-down-by-one", "no-deadlock", "ranges")
    ]
    assert {"go()/lemmas", "far()/lemmas"} <= set(names)
    assert "go()/low" not in names  # all at once were kept
    assert "grow()/lemmas" not in names  # it touches no lemma
    assert all(answer == z3.unsat for *_, answer in asked)


def test_a_limit_leaves_all_unknown() -> None:
    """A proof that was cut short and counts as a proof."""
    for limits in (Limits(0.0), Until("1-induction"), Until("does small follow?")):
        found = checked(Model(Ring()), limits=limits)
        assert {v.answer for v in found.values()} == {"unknown"}
        assert {v.reason for v in found.values()} <= {
            "the time limit of 0 s was reached", "it is late"
        }  # fmt: skip
    found = checked(Model(Lemmas()), limits=Until("2 of"))
    assert {(v.answer, v.reason) for v in found.values()} == {("unknown", "it is late")}


class Until(Limits):
    """A limit that is reached as soon as a given progress line is reported."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line

    def check(self, line: str = "") -> None:
        """Raise the limit if the progress line is the given one."""
        if line.startswith(self.line):
            raise LimitReached("it is late")


def test_an_open_question_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that z3 could not decide, shown as one that does not follow."""
    monkeypatch.setattr(Prover, "follows", lambda self, claim: _gave_up(self))
    monkeypatch.setattr(k_induction, "proved_claims", lambda *_: {})
    found = checked(Model(Lemmas()))
    assert {found[n].reason for n in ("small", "ranges")} == {"z3 gave up: tired"}
    assert found["low"].answer == "holds"


def _gave_up(prover: Prover) -> Any:
    prover.reason = "tired"
    return z3.unknown


def test_what_is_not_in_a_proof_is_not_proved() -> None:
    """A claim that is in no proof, reported as proved."""
    model = Model(Ring())
    small = model.property_named("small")

    def judged(*proofs: Proof, reason: str = "") -> tuple[str, str]:
        verdict = induction._of_claim(model, small, proofs, reason)
        return verdict.answer, verdict.reason

    def proof(answer: int | str, complete: bool = True) -> Proof:
        return Proof(model, claims={"small": answer}, complete=complete)

    nobody = Proof(model, complete=True)
    assert judged(nobody) == ("unknown", "no proof covers it")
    both = judged(proof(2), proof(1))
    assert judged(proof(0)) == both == judged(proof(0), nobody) == ("holds", "")
    assert judged(proof(0), proof("why")) == judged(proof("why"), proof(0)) == ("unknown", "why")
    assert judged(proof(0), proof(0, complete=False)) == ("unknown", "not decided")
    assert judged(proof(0), reason="late") == ("unknown", "late")
    both = induction._of_claim(model, small, [proof(1), proof(3)], "")
    assert both.notes == ("no lemmas", "3-induction")


def test_a_lemma_of_several_proofs_is_judged_by_the_worst() -> None:
    """A lemma shown as holding that another class's actions do not keep."""
    model = Model(Lemmas())
    low = model.property_named("low")
    failure = Failure(low, "go")
    holds = Proof(model, complete=True)
    needs = Proof(model, fallen={"low": "without it"}, complete=True)
    falls = Proof(model, fallen={"low": ""}, obstacles=[Obstacle(failure, "go()")], complete=True)
    cut = Proof(model)
    rising = [holds, cut, needs, falls]
    assert [induction._badness(p, "low") for p in rising] == [0, 1, 2, 3]
    reasons = {0: "", 1: "late", 2: "without it", 3: "not kept by go()"}
    for i, one in enumerate(rising):
        for j, other in enumerate(rising):
            found = {v.claim.name: v for v in induction._of_lemmas([one, other], "late")}
            assert found["low"].reason == reasons[max(i, j)]
            assert (found["low"].answer == "holds") == (i == j == 0)
    [undecided] = [v for v in induction._of_lemmas([cut], "") if v.claim.name == "low"]
    assert undecided.reason == "not decided"


def test_what_an_obstacle_says() -> None:
    """The larger obstacle shown, or one without a run although another has a run."""
    model = Model(Lemmas())
    low = model.property_named("low")
    found = [
        Obstacle(Failure(low, "go"), "go()", ("first",), 5),
        Obstacle(Failure(low, "far"), "far()", ("second",), 2),
        Obstacle(Failure(low, "far"), "far()", ("third",), 3),
        Obstacle(Failure(model.lemmas[0], "up"), "up()", ("other",), 0),
    ]
    verdict = induction._of_lemma(Proof(model, obstacles=found, complete=True), low, "")
    assert verdict.reason == "not kept by go(), far()"
    assert verdict.explanation.lines == ("second",)


def test_which_witnesses_are_left_out() -> None:
    """A witness left out silently, or named where only witnesses were selected."""
    model = Model(Ring())
    witness, small = model.property_named("three"), model.property_named("small")
    assert induction.leaves_out([witness, small]) == ("witnesses are left to other engines: three",)
    assert induction.leaves_out([witness]) == induction.leaves_out([small]) == ()


def test_a_wrong_reading_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof of a reading that differs from the text, or a wrong number of compared states."""
    found = iter(
        [
            ComparisonResult(9),
            ComparisonResult(5, "it differs"),
            ComparisonResult(3),
            ComparisonResult(4),
        ]
        * 2
    )
    monkeypatch.setattr(induction, "compare", lambda *_, **__: next(found))
    monkeypatch.setattr(induction, "proofs_of", lambda m: [m, m])
    verdicts = induction.check(Model(Lemmas()))
    assert {(v.answer, v.reason) for v in verdicts} == {("unknown", "it differs")}
    verdicts = induction.check(Model(Lemmas()))
    assert {(v.answer, v.compared) for v in verdicts} == {("holds", 3), ("unknown", 3)}


def test_claims_of_the_proof_are_proved_too() -> None:
    """A claim that only the class with the lemmas declares, silently dropped."""
    found = answers(load("window-stm", ["transactions=1", "objects=1"]))
    model = load("window-stm")
    own = found.keys() - {p.name for p in model.properties}
    assert own
    assert {found[name] for name in own} == {"holds"}
