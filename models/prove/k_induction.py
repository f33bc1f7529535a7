"""k-induction: proves claims that hold for k steps at first, and after any k steps with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from counterpoint.models.limits import Limits
from counterpoint.models.symbolic.obligations import Record, unrecorded
from counterpoint.models.symbolic.smt import Frame, answer_of, becomes
from counterpoint.models.symbolic.trace import System
from counterpoint.spec.notation import Property

from .bounded import fails
from .proving import ranges

STATE_KINDS = ("invariant", "lemma")


def proved_claims(
    system: System,
    lemmas: Sequence[Property],
    claims: Sequence[Property],
    limits: Limits,
    k: int,
    record: Record = unrecorded,
) -> dict[str, int]:
    """Return the claims that hold in every step, with the k that proves each.

    Parameters
    ----------
    system : System
        The traced spec.
    lemmas : sequence of Property
        Lemmas that hold in every step.
    claims : sequence of Property
        The claims to prove together; the invariants among them are assumed of the earlier states.
    limits : Limits
        Of time.
    k : int
        The greatest k to try.
    record : Record
        Called with every obligation and z3's answer.
    """
    found: dict[str, int] = {}
    for steps in range(1, k + 1):
        left = [c for c in claims if c.name not in found]
        left = _from_start(system, left, limits, steps, record)
        while left:
            kept = _kept(system, lemmas, left, limits, steps, record)
            if len(kept) == len(left):
                found |= {c.name: steps for c in kept}
                break
            left = kept
    return found


class _Run:
    """A run of a given length from any state."""

    def __init__(self, system: System, length: int, limits: Limits, record: Record) -> None:
        self.system, self.limits, self.record = system, limits, record
        self.assumed: list[Any] = []
        self.frames = [Frame(system, str(i), 0) for i in range(length + 1)]
        self.solver = z3.Solver()
        for i, frame in enumerate(self.frames):
            self.assume(*ranges(frame))
            if i:
                choice = z3.Int(f"command@{i}")
                before = self.frames[i - 1]
                self.assume(*becomes(system, before, frame, choice, z3.IntVal))

    def assume(self, *conditions: Any) -> None:
        """Consider only runs that satisfy some conditions."""
        self.assumed += conditions
        self.solver.add(*conditions)

    def impossible(self, name: str, condition: Any) -> bool:
        """Return whether z3 can show that no such run satisfies a condition."""
        self.limits.check(f"{len(self.frames) - 1}-induction")
        self.solver.set("timeout", self.limits.milliseconds())
        answer = answer_of(self.solver, condition)
        self.record(name, [*self.assumed, condition], answer)
        return bool(answer == z3.unsat)


def _from_start(
    system: System, claims: Sequence[Property], limits: Limits, k: int, record: Record
) -> list[Property]:
    """Return the claims that no run of fewer than k steps from the start violates.

    The parameters are those of `proved_claims`.
    """
    left = list(claims)
    for length in range(k):
        run = _Run(system, length, limits, record)
        first, last = run.frames[0], run.frames[-1]
        run.assume(first.is_one_of(system.model.initial_values()), first.show(system.initial))
        where = f"{k}-induction/start-{length}"
        left = [c for c in left if run.impossible(f"{where}/{c.name}", fails(system, last, c))]
    return left


def _kept(
    system: System,
    lemmas: Sequence[Property],
    claims: Sequence[Property],
    limits: Limits,
    k: int,
    record: Record,
) -> list[Property]:
    """Return the claims that no run of k steps violates at its end, if all held before.

    The parameters are those of `proved_claims`.
    """
    run = _Run(system, k, limits, record)
    for i, frame in enumerate(run.frames):
        known = [*lemmas, *claims] if i < k else lemmas
        for claim in known:
            if claim.kind in STATE_KINDS:
                run.assume(frame.show(system.claims[claim.name]))
    last = run.frames[-1]
    return [
        c for c in claims
        if run.impossible(f"{k}-induction/step/{c.name}", fails(system, last, c))
    ]  # fmt: skip
