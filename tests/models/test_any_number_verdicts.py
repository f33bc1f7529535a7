"""Verdicts for any number of members, on a small spec: proved, violated, or unknown."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from counterpoint.models.prove.sizes import any_number
from counterpoint.models.prove.sizes.any_number import AnyNumberProof
from counterpoint.models.prove.sizes.small_sizes import SmallSizesResult
from counterpoint.models.symbolic.comparing import ComparisonResult
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Index, Model, action, every, implies, invariant, lemma
from tests.models.locks import ANY_NUMBER, Broken, Lock, Proved, Until, checked, prover


def test_what_is_proved_for_any_number() -> None:
    """A proof that fails, a claim that is dropped, or a lemma that is not judged."""
    model = Model(Proved())
    found = checked(model)
    assert list(found) == [
        "one-inside", "few-turns", "never-back", "ranges", "has-the-key", "within"
    ] or list(found) == [p.name for p in (*model.properties, *model.lemmas)
                         if p.kind != "sometimes"]  # fmt: skip
    assert {v.answer for v in found.values()} == {"holds"}
    assert {v.extent for v in found.values()} == {ANY_NUMBER}
    assert {v.engine for v in found.values()} == {"any-number"}
    notes = found["one-inside"].notes
    assert notes[0] == "2 lemmas (proved)"
    assert notes[1].startswith("explored: all ")
    assert "of size 1, all " in notes[1]
    assert notes[2:] == ("witnesses are left to other engines: somebody",)
    assert all(v.compared and v.compared > 20 for v in found.values())
    [alone] = [
        v for v in any_number.check(model, wanted=[model.property_named("somebody")])
        if v.claim.kind == "sometimes"
    ]  # fmt: skip
    assert alone.answer == "unknown"


def test_lemmas_that_fall() -> None:
    """Claims shown as proved that rest on a lemma which is not kept."""
    found = checked(Model(Broken()))
    assert found["wrong-at-the-start"].reason.startswith("it is false at the start (")
    key = found["has-the-key"]
    assert key.answer == "unknown"
    assert key.reason.startswith("not kept by steal (")
    assert key.reason.endswith("): induction shows from which state")
    assert found["fine"].answer == "holds"
    assert found["within"].answer == "holds"
    assert found["at-most"].reason.startswith("without has-the-key, wrong-at-the-start it is")
    assert " it is not kept by enter (" in found["at-most"].reason
    one = found["one-inside"]
    assert (one.answer, one.reason) == ("unknown", "it rests on lemmas that are not inductive") or (
        one.answer == "violated"
    )


def test_what_is_false_of_a_few_is_violated() -> None:
    """A claim left unknown although a run of a small size violates it."""

    class Two(Proved):
        @action
        def enter(s, p):
            s.inside[p] = True

    found = checked(Model(Two()))
    one = found["one-inside"]
    assert (one.answer, one.depth, one.extent) == ("violated", 2, "2 steps")
    assert one.trace is not None
    assert one.model.changed_parameters() == {}
    assert found["has-the-key"].answer == "unknown"


def test_a_limit_leaves_all_unknown() -> None:
    """A proof that was cut short and counts as a proof."""
    found = checked(Model(Proved()), limits=Until("2 lemmas, 3 paths"))
    assert {v.answer for v in found.values()} == {"unknown"}
    assert {v.reason for v in found.values()} == {"it is late"}


def test_a_difference_leaves_all_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict that stands although the symbolic reading differs from the user's text."""
    monkeypatch.setattr(
        any_number, "compare_at_small_sizes", lambda *_: ComparisonResult(4, "it differs")
    )
    found = checked(Model(Proved()))
    assert {(v.answer, v.reason) for v in found.values()} == {("unknown", "it differs")}


def test_a_run_that_contradicts_a_proof_is_told() -> None:
    """A proof that stands although a run violates the claim."""
    model = Model(Lock(people=3))
    claim = model.property_named("one-inside")
    seen = Verdict(model, claim, "exhaustive", "violated", "2 steps", depth=2, reason="so")
    small = SmallSizesResult({"one-inside": seen}, ["all 9 states of size 3"])
    proved = Verdict(Model(Lock()), claim, "any-number", "holds", ANY_NUMBER)
    [held] = any_number._against_small_sizes([proved], small)
    assert held.answer == "unknown"
    assert held.reason == (
        "it was proved, but a run with people=3 violates it: check it with --engine exhaustive"
    )
    assert held.notes == ("explored: all 9 states of size 3",)
    unknown = Verdict(Model(Lock()), claim, "any-number", "unknown", ANY_NUMBER)
    [held] = any_number._against_small_sizes([unknown], small)
    assert (held.answer, held.depth, held.extent, held.reason) == ("violated", 2, "2 steps", "so")
    assert held.model is model
    other = Verdict(Model(Lock()), model.property_named("few-turns"), "any-number", "holds", "x")
    assert any_number._against(other, small) is other


def test_what_is_not_in_a_proof_is_not_proved() -> None:
    """A claim that is in no proof, or only partly in the proofs, reported as proved."""
    model = Model(Lock())
    one = model.property_named("one-inside")

    def judged(*proofs: AnyNumberProof, reason: str = "") -> tuple[str, str]:
        verdict = any_number._of_claim(model, one, proofs, reason)
        return verdict.answer, verdict.reason

    def proof(answer: str, complete: bool = True, **broken: str) -> AnyNumberProof:
        return AnyNumberProof(model, broken, {"one-inside": answer}, complete=complete)

    nobody = AnyNumberProof(model, complete=True)
    cannot = AnyNumberProof(model, inexpressible={"one-inside": "line 7"}, complete=True)
    assert judged(nobody) == ("unknown", "no proof covers it")
    assert judged(cannot) == ("unknown", "line 7")
    both = judged(proof(""), proof(""))
    assert judged(proof("")) == both == judged(proof(""), nobody) == ("holds", "")
    assert judged(proof(""), proof("why")) == judged(proof("why"), proof("")) == ("unknown", "why")
    assert judged(proof("why", x="y")) == ("unknown", "it rests on lemmas that are not inductive")
    assert judged(proof("", x="y")) == ("holds", "")
    assert judged(proof(""), proof("", complete=False))[0] == "unknown"
    assert judged(proof(""), reason="late") == ("unknown", "late")
    verdict = any_number._of_claim(model, one, [proof("")], "")
    assert verdict.notes == ("0 lemmas (lock)",)
    assert any_number._unknown(model, one, [], "x").extent == "every step"


def test_a_claim_in_other_words() -> None:
    """A reformulated claim reported as proved because only some of its parts are."""
    model = Model(Lock())
    one = model.property_named("one-inside")
    other = SimpleNamespace(
        spec=SimpleNamespace(in_other_words={"one_inside": ("a", "b")}, any_number=("people",)),
        lemmas=(), name="words",
    )  # fmt: skip

    def judged(**claims: str) -> tuple[str, str, tuple[str, ...]]:
        made = AnyNumberProof(cast(Model, other), claims=claims, complete=True)
        verdict = replace_extent(model, one, made)
        return verdict.answer, verdict.reason, verdict.notes[1:]

    words = ("one-inside: a, b",)
    assert judged(a="", b="") == ("holds", "", words)
    assert judged(a="", b="why") == ("unknown", "why", words)
    assert judged(a="")[:2] == ("unknown", "no proof covers it")
    assert judged(**{"one-inside": ""})[0] == "unknown"


def replace_extent(model: Model, claim: Any, proof: AnyNumberProof) -> Verdict:
    """Return the verdict on a claim, with an extent that names no number of members."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AnyNumberProof, "extent", "every step")
        return any_number._of_claim(model, claim, [proof], "")


def test_a_lemma_of_two_proofs_is_kept_by_both() -> None:
    """A lemma shown as holding that the other class's actions do not keep."""
    model = Model(Proved())
    holds, falls = (
        AnyNumberProof(model, complete=True),
        AnyNumberProof(model, {"within": "so"}, complete=True),
    )
    cut = AnyNumberProof(model)
    for proofs, answer, reason in (
        ([holds], "holds", ""), ([holds, falls], "unknown", "so"),
        ([falls, holds], "unknown", "so"), ([cut, holds], "unknown", "late"),
    ):  # fmt: skip
        found = {v.claim.name: v for v in any_number._of_lemmas(proofs, "late")}
        assert (found["within"].answer, found["within"].reason) == (answer, reason)
    [first, _] = any_number._of_lemmas([cut], "")
    assert first.reason == "not decided"


def test_how_far_a_proof_reaches() -> None:
    """A verdict that does not mention the least number for which it holds."""

    class Some(Lock):
        people = Index(2, names="p q", at_least=2)
        rooms = Index(2, names="r")
        any_number = ("people", "rooms")

    assert AnyNumberProof(Model(Lock())).extent == ANY_NUMBER
    assert AnyNumberProof(Model(Some())).extent == (
        "every step, any number of people (2 or more) and rooms"
    )


def test_a_spec_without_such_indices_is_unknown() -> None:
    """A spec of which nothing was proved, reported as proved."""

    class Fixed(Lock):
        any_number = ()

    found = checked(Model(Fixed()))
    assert {(v.answer, v.reason) for v in found.values()} == {
        ("unknown", "the spec declares no indices of any number (any_number)")
    }


class Needs(Proved):
    """A spec in which some claims cannot be stated for any number."""

    @invariant
    def needs_a_number(s):
        return len(s.people) < 9

    @lemma
    def needs_one_too(s):
        return len(s.people) < 9


def test_what_cannot_be_said_is_unknown() -> None:
    """A claim that needs a given number: dropped silently, or making all others unknown."""
    found = checked(Model(Needs()))
    claim, lemma_ = found["needs-a-number"], found["needs-one-too"]
    assert claim.answer == lemma_.answer == "unknown"
    assert "an index of any size has no fixed size here" in claim.reason
    assert lemma_.reason.startswith("it cannot be expressed for any number: ")
    assert found["few-turns"].answer == found["has-the-key"].answer == "holds"
    made = prover(Model(Needs()))
    assert list(made.inexpressible) == ["needs-one-too"]
    assert list(made.lemmas) == ["has-the-key", "within"]


def test_an_action_that_cannot_be_read_leaves_all_unknown() -> None:
    """A proof that leaves out one of the actions."""

    class Counts(Proved):
        @action
        def number(s):
            s.turns = len(s.people)

    found = checked(Model(Counts()))
    assert {v.answer for v in found.values()} <= {"unknown", "violated"}
    assert found["few-turns"].reason.startswith("it cannot be expressed for any number: ")


class AsInvariant(Lock):
    """A spec whose claim is also what the proof needs."""

    @invariant
    def has_the_key(s):
        return every(implies(s.inside[p], s.key == p) for p in s.people)


def test_claims_help_each_other() -> None:
    """An invariant that every step keeps, left unknown because no lemma implies it."""
    found = checked(Model(AsInvariant()))
    assert {found[n].answer for n in ("has-the-key", "one-inside")} == {"holds"}


def test_claims_of_the_proof_are_judged_too() -> None:
    """A claim that only the class with the lemmas declares, silently dropped."""
    proof = AnyNumberProof(Model(Proved()), claims={"few-turns": ""}, complete=True)
    found = any_number._verdicts(Model(Lock()), [], [proof], "")
    assert [(v.claim.name, v.answer) for v in found] == [
        ("few-turns", "holds"), ("has-the-key", "holds"), ("within", "holds")
    ]  # fmt: skip


def test_a_proof_whose_lemmas_fall_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time spent on a second proof after the first has failed, or a missing reason."""
    asked: list[str] = []

    def prove(proof: AnyNumberProof, *_: Any) -> None:
        asked.append(proof.model.name)
        proof.broken["within"] = "so"

    monkeypatch.setattr(any_number, "_prove", prove)
    monkeypatch.setattr(any_number, "proofs_of", lambda m: [Model(Proved()), m, m])
    found = checked(Model(Lock()))
    assert asked == ["proved"]
    assert found["few-turns"].reason == "not checked, since lemmas of proved are not inductive"


def test_a_claim_that_is_false_at_the_start_has_no_steps() -> None:
    """A violation in the initial state reported as one of one step."""
    model = Model(Lock())
    claim = model.property_named("one-inside")
    seen = Verdict(model, claim, "exhaustive", "violated", "0 steps", depth=0)
    unknown = Verdict(model, claim, "any-number", "unknown", ANY_NUMBER)
    held = any_number._against(unknown, SmallSizesResult({"one-inside": seen}))
    assert (held.depth, held.extent) == (0, "0 steps")
