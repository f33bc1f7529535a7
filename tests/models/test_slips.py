"""Errors of the proofs that other tests missed; mutation testing found them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from counterpoint.models.explore.exhaustive import explore
from counterpoint.models.limits import Limits
from counterpoint.models.prove import induction
from counterpoint.models.prove.obstacle import Obstacle
from counterpoint.models.prove.proving import Failure
from counterpoint.models.prove.sizes import any_number
from counterpoint.models.prove.sizes.any_number import AnyNumberProof
from counterpoint.models.prove.sizes.small_sizes import compare_at_small_sizes, model_of_size, visit
from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.comparing import ComparisonResult
from counterpoint.spec.notation import (
    Index,
    Model,
    Reference,
    Spec,
    SpecError,
    every,
    invariant,
    lemma,
)
from tests.models.locks import Lock, Nobody, Proved, checked, prover
from tests.models.small_proofs import Lemmas, Ring
from tests.models.test_quantifiers import Leaving, Stuck


def test_a_difference_in_one_of_two_proofs_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison without a difference that hides the difference in another proof."""
    for results in (
        [ComparisonResult(9), ComparisonResult(5, "it differs")],
        [ComparisonResult(5, "it differs"), ComparisonResult(3)],
    ):
        left = iter(results)
        monkeypatch.setattr(any_number, "compare_at_small_sizes", lambda *_, it=left: next(it))
        monkeypatch.setattr(any_number, "proofs_of", lambda m: [m, m])
        found = checked(Model(Proved()))
        assert {(v.answer, v.reason) for v in found.values()} == {("unknown", "it differs")}


def test_a_lemma_is_judged_in_the_proofs_that_have_it() -> None:
    """A lemma whose verdict depends on a proof that does not declare it."""

    class Before(Lock):
        @lemma
        def a_lemma(s):
            return s.turns >= 0

    class After(Lock):
        @lemma
        def z_lemma(s):
            return s.turns >= 0

    whole = AnyNumberProof(Model(Proved()), complete=True)
    for other in (AnyNumberProof(Model(Before())), AnyNumberProof(Model(After()))):
        found = {v.claim.name: v for v in any_number._of_lemmas([whole, other], "")}
        assert found["within"].answer == "holds"
        assert found[other.model.lemmas[0].name].reason == "not decided"


@pytest.mark.parametrize(("spec", "claim"), [(Leaving, "ranges"), (Stuck, "no-deadlock")])
def test_only_invariants_help_each_other(spec: type[Spec], claim: str) -> None:
    """A claim of another kind used as a lemma, which ends the check with an error."""
    found = checked(Model(spec()))
    assert found[claim].answer != "holds"
    assert found["one-inside"].answer == "holds"


def test_the_least_size_is_one_of_the_sizes() -> None:
    """A proof that leaves out the smallest size, or that includes impossible sizes."""

    class Some(Proved):
        people = Index(4, names="p q", labels="P", at_least=4)

    made = prover(Model(Some()))
    size = made.printer.show(made.sizes["people"])

    def possible(number: int) -> bool:
        solver = z3.Solver(ctx=made.printer.context)
        solver.add(*made.least, size == number)
        return bool(solver.check() == z3.sat)

    assert [possible(n) for n in (3, 4, 5)] == [False, True, True]


def test_a_first_value_may_leave_its_range_at_a_smaller_size() -> None:
    """Ranges proved for any number although the initial value of one size is outside."""

    class Second(Proved):
        chosen = Reference(Lock.people, Nobody, initially=1)

    model = Model(Second())
    assert prover(model).judge(model.property_named("ranges"))


def test_a_lemma_that_no_step_changes_may_look_outside_of_an_array() -> None:
    """A lemma reported as kept that reads beyond the end of an array."""

    class Outside(Proved):
        chosen = Reference(Lock.people, Nobody, initially=0)

        @lemma
        def a_place(s):
            return s.from_any[s.chosen] <= 2

    model = Model(Outside())
    made = prover(model)
    found = made.broken_by(model.property_named("a-place"))
    assert set(found) == {"an element outside an array"}


def test_sizes_that_a_spec_cannot_have_are_passed_over() -> None:
    """A search of small sizes that ends at the first impossible one."""

    class Even(Lock):
        def derive(s, given: dict[str, int]) -> dict[str, int]:
            if given.get("people", 2) == 1:
                raise SpecError("two or more")
            return {}

    model = Model(Even())
    claims = [model.property_named("one-inside")]
    found = visit(model, ("people",), claims, Limits())
    assert [line.split(" of ")[1] for line in found.reached] == ["size 2", "size 3"]
    assert model_of_size(model, 1, ("people",)) is None


def test_a_claim_that_cannot_be_said_is_not_compared() -> None:
    """A check that fails on a claim of a kind that cannot be compared."""

    class Vague(Proved):
        @invariant
        def vague(s):
            return every(s.turns in range(p, 9) for p in s.people)

    model = Model(Vague())
    with pytest.raises(SpecError):
        prover(model).judge(model.property_named("vague"))
    assert not compare_at_small_sizes(prover(model), model.properties).difference


def test_an_obstacle_that_was_reached_is_a_violation() -> None:
    """A violated lemma left unknown because a smaller obstacle was not reached."""
    model = Model(Lemmas())
    low, zero = model.property_named("low"), model.property_named("zero")
    trace = explore(model, Limits(), [], explorer="python").trace_to(0)
    found = [
        Obstacle(Failure(low, "go"), "go()", ("first",), 5, model, trace),
        Obstacle(Failure(low, "far"), "far()", ("second",), 2),
    ]
    verdict = induction._of_lemma(induction.Proof(model, obstacles=found, complete=True), low, "")
    assert (verdict.answer, verdict.trace) == ("violated", trace)
    without = [replace(found[0], model=None), found[1]]
    proof = induction.Proof(model, obstacles=without, complete=True)
    assert induction._of_lemma(proof, low, "").answer == "unknown"
    assert induction._of_lemma(proof, zero, "").answer == "holds"


def test_claims_that_only_the_proof_makes_are_proved() -> None:
    """A claim of the lemmas' class that is dropped, or a false one that is not noticed."""

    class Own(Ring):
        @invariant
        def own(s):
            return s.x <= 9

        @invariant
        def own_and_false(s):
            return s.x < 3

    proof = induction.Proof(Model(Own()))
    assert [p.name for _, p in induction._own(proof.model, Model(Ring()))] == [
        "own", "own-and-false"
    ]  # fmt: skip
    assert list(induction._own(proof.model, Model(Own()))) == []


def test_walks_end_in_time_though_no_step_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes spent on slow steps, none of which is possible."""
    clock = iter(range(1000))
    monkeypatch.setattr(comparing.time, "monotonic", lambda: float(next(clock)))
    tried: list[object] = []
    monkeypatch.setattr(comparing, "plain_result", lambda *_: tried.append(0))
    comparing.random_states(Model(Lock(people=9)))
    assert 0 < len(tried) <= comparing.WALK + 1
