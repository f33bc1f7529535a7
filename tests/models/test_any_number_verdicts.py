"""Verdicts for any number of a small spec: what is proved, what falls, what cannot be said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from counterpoint.models.prove.sizes import any_number
from counterpoint.models.prove.sizes.any_number import Proof
from counterpoint.models.prove.sizes.small_sizes import Small
from counterpoint.models.symbolic.comparing import Compared
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Index, Model, action, every, implies, invariant, lemma
from tests.models.locks import ANY_NUMBER, Broken, Lock, Proved, Until, checked, prover


def test_what_is_proved_for_any_number() -> None:
    """A proof that does not come through; a claim that is dropped; a lemma that is not judged."""
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
    """A lemma that is kept only beside one that is not; what rests on it, shown as proved."""
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
    assert (one.answer, one.reason) == ("unknown", "it rests on lemmas that are not kept") or (
        one.answer == "violated"
    )


def test_what_is_false_of_a_few_is_violated() -> None:
    """A claim left unknown of which a small size has a run."""

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
    """A proof that was cut short and that counts as one."""
    found = checked(Model(Proved()), limits=Until("2 lemmas, 3 paths"))
    assert {v.answer for v in found.values()} == {"unknown"}
    assert {v.reason for v in found.values()} == {"it is late"}


def test_a_difference_leaves_all_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict that stands though what was judged is not the user's text."""
    monkeypatch.setattr(any_number, "compare_at_small_sizes", lambda *_: Compared(4, "it differs"))
    found = checked(Model(Proved()))
    assert {(v.answer, v.reason) for v in found.values()} == {("unknown", "it differs")}


def test_a_run_that_contradicts_a_proof_is_told() -> None:
    """A proof that stands though a run violates it."""
    model = Model(Lock(people=3))
    claim = model.property_named("one-inside")
    seen = Verdict(model, claim, "exhaustive", "violated", "2 steps", depth=2, reason="so")
    small = Small({"one-inside": seen}, ["all 9 states of size 3"])
    proved = Verdict(Model(Lock()), claim, "any-number", "holds", ANY_NUMBER)
    [held] = any_number._against_small_sizes([proved], small)
    assert held.answer == "unknown"
    assert held.reason == (
        "it was proved, and a run with people=3 violates it: check it with --engine exhaustive"
    )
    assert held.notes == ("explored: all 9 states of size 3",)
    unknown = Verdict(Model(Lock()), claim, "any-number", "unknown", ANY_NUMBER)
    [held] = any_number._against_small_sizes([unknown], small)
    assert (held.answer, held.depth, held.extent, held.reason) == ("violated", 2, "2 steps", "so")
    assert held.model is model
    other = Verdict(Model(Lock()), model.property_named("few-turns"), "any-number", "holds", "x")
    assert any_number._against(other, small) is other


def test_what_is_not_in_a_proof_is_not_proved() -> None:
    """A claim that no proof speaks of, proved by none; one in other words by some of them."""
    model = Model(Lock())
    one = model.property_named("one-inside")

    def said(*proofs: Proof, reason: str = "") -> tuple[str, str]:
        verdict = any_number._of_claim(model, one, proofs, reason)
        return verdict.answer, verdict.reason

    def proof(answer: str, complete: bool = True, **broken: str) -> Proof:
        return Proof(model, broken, {"one-inside": answer}, complete=complete)

    nobody = Proof(model, complete=True)
    cannot = Proof(model, unsaid={"one-inside": "line 7"}, complete=True)
    assert said(nobody) == ("unknown", "no proof speaks of it")
    assert said(cannot) == ("unknown", "line 7")
    assert said(proof("")) == said(proof(""), proof("")) == said(proof(""), nobody) == ("holds", "")
    assert said(proof(""), proof("why")) == said(proof("why"), proof("")) == ("unknown", "why")
    assert said(proof("why", x="y")) == ("unknown", "it rests on lemmas that are not kept")
    assert said(proof("", x="y")) == ("holds", "")
    assert said(proof(""), proof("", complete=False))[0] == "unknown"
    assert said(proof(""), reason="late") == ("unknown", "late")
    verdict = any_number._of_claim(model, one, [proof("")], "")
    assert verdict.notes == ("0 lemmas (lock)",)
    assert any_number._unknown(model, one, [], "x").extent == "every step"


def test_a_claim_in_other_words() -> None:
    """A claim that holds since some of its words do."""
    model = Model(Lock())
    one = model.property_named("one-inside")
    other = SimpleNamespace(
        spec=SimpleNamespace(in_other_words={"one_inside": ("a", "b")}, any_number=("people",)),
        lemmas=(), name="words",
    )  # fmt: skip

    def said(**claims: str) -> tuple[str, str, tuple[str, ...]]:
        made = Proof(cast(Model, other), claims=claims, complete=True)
        verdict = replace_extent(model, one, made)
        return verdict.answer, verdict.reason, verdict.notes[1:]

    words = ("one-inside: a, b",)
    assert said(a="", b="") == ("holds", "", words)
    assert said(a="", b="why") == ("unknown", "why", words)
    assert said(a="")[:2] == ("unknown", "no proof speaks of it")
    assert said(**{"one-inside": ""})[0] == "unknown"


def replace_extent(model: Model, claim: Any, proof: Proof) -> Verdict:
    """Return the verdict of a claim by a proof that is none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Proof, "extent", "every step")
        return any_number._of_claim(model, claim, [proof], "")


def test_a_lemma_of_two_proofs_is_kept_by_both() -> None:
    """A lemma shown as holding that is not kept in another class."""
    model = Model(Proved())
    holds, falls = Proof(model, complete=True), Proof(model, {"within": "so"}, complete=True)
    cut = Proof(model)
    for proofs, answer, reason in (
        ([holds], "holds", ""), ([holds, falls], "unknown", "so"),
        ([falls, holds], "unknown", "so"), ([cut, holds], "unknown", "late"),
    ):  # fmt: skip
        found = {v.claim.name: v for v in any_number._of_lemmas(proofs, "late")}
        assert (found["within"].answer, found["within"].reason) == (answer, reason)
    [first, _] = any_number._of_lemmas([cut], "")
    assert first.reason == "not decided"


def test_how_far_a_proof_reaches() -> None:
    """A least number that is not told."""

    class Some(Lock):
        people = Index(2, names="p q", at_least=2)
        rooms = Index(2, names="r")
        any_number = ("people", "rooms")

    assert Proof(Model(Lock())).extent == ANY_NUMBER
    assert Proof(Model(Some())).extent == ("every step, any number of people (2 or more) and rooms")


def test_a_spec_without_such_indices_is_unknown() -> None:
    """Nothing proved shown as proved."""

    class Fixed(Lock):
        any_number = ()

    found = checked(Model(Fixed()))
    assert {(v.answer, v.reason) for v in found.values()} == {
        ("unknown", "the spec does not say which indices may have any number")
    }


class Needs(Proved):
    """Some of it cannot be said for any number."""

    @invariant
    def needs_a_number(s):
        return len(s.people) < 9

    @lemma
    def needs_one_too(s):
        return len(s.people) < 9


def test_what_cannot_be_said_is_unknown() -> None:
    """A claim that needs a number, dropped without a word, or one that spoils all others."""
    found = checked(Model(Needs()))
    claim, lemma_ = found["needs-a-number"], found["needs-one-too"]
    assert claim.answer == lemma_.answer == "unknown"
    assert "an index of any number has no number here" in claim.reason
    assert lemma_.reason.startswith("it cannot be said for any number: ")
    assert found["few-turns"].answer == found["has-the-key"].answer == "holds"
    made = prover(Model(Needs()))
    assert list(made.unsaid) == ["needs-one-too"]
    assert list(made.lemmas) == ["has-the-key", "within"]


def test_an_action_that_cannot_be_read_leaves_all_unknown() -> None:
    """A proof without one of the actions."""

    class Counts(Proved):
        @action
        def number(s):
            s.turns = len(s.people)

    found = checked(Model(Counts()))
    assert {v.answer for v in found.values()} <= {"unknown", "violated"}
    assert found["few-turns"].reason.startswith("it cannot be said for any number: ")


class AsInvariant(Lock):
    """What a proof needs is claimed."""

    @invariant
    def has_the_key(s):
        return every(implies(s.inside[p], s.key == p) for p in s.people)


def test_claims_help_each_other() -> None:
    """An invariant that every step keeps, left unknown since no lemma implies it."""
    found = checked(Model(AsInvariant()))
    assert {found[n].answer for n in ("has-the-key", "one-inside")} == {"holds"}


def test_claims_of_the_proof_are_judged_too() -> None:
    """A claim that only the class of the lemmas makes, dropped without a word."""
    proof = Proof(Model(Proved()), claims={"few-turns": ""}, complete=True)
    found = any_number._verdicts(Model(Lock()), [], [proof], "")
    assert [(v.claim.name, v.answer) for v in found] == [
        ("few-turns", "holds"), ("has-the-key", "holds"), ("within", "holds")
    ]  # fmt: skip


def test_a_proof_whose_lemmas_fall_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes for a second proof where the first has failed; or a reason that is not told."""
    asked: list[str] = []

    def prove(proof: Proof, *_: Any) -> None:
        asked.append(proof.model.name)
        proof.broken["within"] = "so"

    monkeypatch.setattr(any_number, "_prove", prove)
    monkeypatch.setattr(any_number, "proofs_of", lambda m: [Model(Proved()), m, m])
    found = checked(Model(Lock()))
    assert asked == ["proved"]
    assert found["few-turns"].reason == "not asked, since lemmas of proved are not kept"


def test_a_claim_that_is_false_at_the_start_has_no_steps() -> None:
    """A violation of no steps told as one of one step."""
    model = Model(Lock())
    claim = model.property_named("one-inside")
    seen = Verdict(model, claim, "exhaustive", "violated", "0 steps", depth=0)
    unknown = Verdict(model, claim, "any-number", "unknown", ANY_NUMBER)
    held = any_number._against(unknown, Small({"one-inside": seen}))
    assert (held.depth, held.extent) == (0, "0 steps")
