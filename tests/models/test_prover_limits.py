"""The prover when the solver gives up or no time is left."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from counterpoint.models.limits import Limits
from counterpoint.models.prove import k_induction, proving
from counterpoint.models.prove.proving import Failure, Prover
from counterpoint.models.symbolic.obligations import unrecorded
from counterpoint.models.symbolic.trace import trace
from counterpoint.spec.notation import (
    Model,
)
from tests.models.small_proofs import Lemmas

from .test_prover import Pairs

SOLVER = z3.Solver


ALL: list[Tired] = []


class Tired:
    """A solver that gives up on some questions."""

    after = 0

    def __init__(self) -> None:
        self.real = SOLVER()
        self.timeouts: list[tuple[str, int]] = []
        ALL.append(self)
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def set(self, name: str, value: int) -> None:
        """Record the limit."""
        self.timeouts.append((name, value))

    def check(self, *conditions: Any) -> Any:
        """Answer the first questions only."""
        self.asked += 1
        if self.asked <= self.after:
            return self.real.check(*conditions)
        return z3.CheckSatResult(z3.Z3_L_UNDEF)  # as z3 does, a new one each time

    def reason_unknown(self) -> str:
        """Return the reason why the solver gave up."""
        return "tired"


@pytest.mark.parametrize("after", [0, 1])
def test_a_solver_that_gives_up_proves_nothing(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """The answer "unknown" taken for a proof."""
    monkeypatch.setattr(Tired, "after", after)
    ALL.clear()
    model = Model(Lemmas())
    system = trace(model)
    monkeypatch.setattr(proving.z3, "Solver", Tired)
    proof = Prover(system, model.lemmas, Limits(100.0))
    failures = proof.failures()
    assert {f.reason for f in failures} == {"tired"}
    assert {f.action for f in failures} >= {"far"}
    assert {f.lemma.name for f in failures if not f.action} == {"parity", "low", "zero"}
    assert proof.follows(model.property_named("small")) == z3.unknown
    assert proof.reason == "tired"
    assert proof.solver.timeouts
    timeouts = [one for solver in ALL for one in solver.timeouts]
    assert len({solver for solver in ALL if solver.timeouts}) == 2
    assert all(name == "timeout" and 90_000 < value <= 100_010 for name, value in timeouts)
    claim = model.property_named("small")
    run = k_induction._Run(system, 1, Limits(100.0), unrecorded)
    monkeypatch.setattr(Tired, "after", 0)
    assert run.impossible("x", z3.BoolVal(False)) is False
    assert all(90_000 < value <= 100_010 for _, value in run.solver.timeouts)
    assert k_induction.proved_claims(system, (), [claim], Limits(), 2) == {}


class Hardly(Limits):
    """A limit with no time left, which counts how often it was checked."""

    asked = 0

    def left(self) -> float:
        """Return the time that is left."""
        return 0.0

    def check(self, line: str = "") -> None:
        """Count the calls."""
        self.asked += 1


def test_a_question_has_some_time_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of zero, which z3 takes for no limit, or an answer that comes too late."""
    model = Model(Pairs())
    system = trace(model)
    monkeypatch.setattr(proving.z3, "Solver", Tired)
    ALL.clear()
    limits = Hardly()
    proof = Prover(system, model.lemmas, limits)
    proof.failures()
    limits.asked = 0
    assert proof.ask("x", z3.BoolVal(False)) == z3.unknown
    assert limits.asked == 2
    monkeypatch.setattr(Tired, "after", 10**6)
    assert proof.ask("x", z3.BoolVal(False)) == z3.unsat
    assert limits.asked == 3
    run = k_induction._Run(system, 1, limits, unrecorded)
    run.impossible("x", z3.BoolVal(False))
    given = [value for solver in ALL for _, value in solver.timeouts]
    assert len(given) > 4
    assert set(given) == {10}
    assert len({Failure(model.lemmas[0], "go")} | {Failure(model.lemmas[0], "go")}) == 1
