"""Verdicts of the induction engine on temporal properties, for runs of any length.

Lemmas, and the invariants that follow from them, are proved as for other properties. A method that
is marked ``@decreases`` gives the rank of a temporal property, and `rule` says what is asked of it.
Without such a method the rank is the same in all states, which suffices if one step is waited for.

Fairness is about the ranges as the spec declares them: a step beyond the end of a range is not
possible. So ranges declared with ``grows`` keep their ends here, unless the spec is ``endless``.
Lemmas that hold without the ends hold with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.loading import proofs_of
from counterpoint.models.prove.induction import DEFAULT_STEPS, Proof, count_lemmas, prove
from counterpoint.models.prove.obstacle import Reachable
from counterpoint.models.prove.proving import Prover
from counterpoint.models.symbolic import comparing, conditions
from counterpoint.models.symbolic.comparing import ComparisonResult
from counterpoint.models.symbolic.obligations import Record, reading, unrecorded, with_prefix
from counterpoint.models.symbolic.trace import System, trace
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Explanation, Model, Property

from .failing import lines_of
from .rule import Rule

EVERY, WITHIN = "every run", "every run within ranges"

FORMULA = "induction proves no formula: mark the property otherwise, or use exhaustive or bounded"

AGAIN = ("leads-to", "infinitely-often")
"""The kinds of properties that can say that a strong promise is possible again."""


def check(
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    steps: int = DEFAULT_STEPS,
    record: Record = unrecorded,
) -> list[Verdict]:
    """Return a verdict for each temporal property, for runs of any length.

    Parameters
    ----------
    model : Model
        The spec under its parameters.
    limits : Limits
        Of time.
    wanted : sequence of Property
        Temporal properties.
    steps : int
        The greatest k of the k-induction by which invariants are proved.
    record : Record
        Called with every obligation and z3's answer.
    """
    _ = model.fairness
    found = {c.name: Verdict(model, c, "induction", "unknown", "", reason=FORMULA)
             for c in wanted if c.kind == "temporal"}  # fmt: skip
    marked = [c for c in wanted if c.kind != "temporal"]
    for proof in proofs_of(model):
        open_ = [c for c in marked if c.name not in found or found[c.name].answer != "holds"]
        if open_:
            run = _Ranked(model, proof, limits, with_prefix(record, "induction", proof.name))
            found |= run.verdicts(open_, steps)
    seconds = limits.elapsed()
    return [replace(found[claim.name], seconds=seconds) for claim in wanted]


@dataclass
class _Ranked:
    """The proofs by the ranks of one class.

    Attributes
    ----------
    model : Model
        The spec.
    proof : Model
        The class with lemmas and ranks; ranges declared with ``grows`` have no upper end.
    limits : Limits
    record : Record
    proved : list of Property
        The temporal properties that are proved so far.
    failed : dict
        For the others, the reason and the lines that explain it.
    helpers : dict
        For each proved property, the promises that help.
    """

    model: Model
    proof: Model
    limits: Limits
    record: Record
    proved: list[Property] = field(default_factory=list)
    failed: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    helpers: dict[str, list[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    extent: str = EVERY

    def verdicts(self, wanted: Sequence[Property], steps: int) -> dict[str, Verdict]:
        """Return the verdicts on temporal properties that have a rank, by name."""
        reason, compared = "", ComparisonResult()
        try:
            compared = self._go(wanted, steps)
        except LimitReached as limit:
            reason = str(limit)
        verdicts = [self._verdict(claim, reason) for claim in wanted]
        if compared.states or compared.difference:
            verdicts = comparing.with_comparison(verdicts, compared)
        return {verdict.claim.name: verdict for verdict in verdicts}

    def _go(self, wanted: Sequence[Property], steps: int) -> ComparisonResult:
        """Prove what can be proved, and return the result of comparing with plain Python."""
        lemmas, compared = self._lemmas(steps)
        run_model = Model(self.proof.spec, self.proof.reference, self.proof.spec.endless)
        others = self._other_ranges(run_model)
        if compared.difference or others:
            self.failed |= dict.fromkeys((c.name for c in wanted), (others, ()))
            return compared
        with reading(self.record):
            system = trace(run_model, self.limits, wanted)
        claims = list(self._claims(wanted))
        states = comparing.random_states(run_model)
        compared = comparing.compare(system, states, lemmas, anywhere=True, limits=self.limits)
        if not compared.difference:
            ranks = [self.proof.ranks[c.method] for c in claims if c.method in self.proof.ranks]
            compared.difference = conditions.difference(system, [*claims, *ranks], states)
        if not compared.difference:
            self._prove(Prover(system, lemmas, self.limits, self.record), claims, wanted)
        return compared

    def _lemmas(self, steps: int) -> tuple[list[Property], ComparisonResult]:
        """Return the lemmas and invariants that are proved, and the comparison of their proof."""
        base = Proof(self.proof)
        invariants = [p for p in self.model.properties if p.kind == "invariant"]
        prove(base, self.model, invariants, self.limits, steps, self.record, explains=False)
        known = [p for p in invariants if isinstance(base.claims.get(p.name), int)]
        kept = [p for p in self.proof.lemmas if p.name not in base.fallen]
        self.notes = (count_lemmas(self.proof) if self.proof.lemmas else "no lemmas",)
        if base.fallen:
            self.notes += (f"not inductive, and not used: {', '.join(base.fallen)}",)
        return [*kept, *known], base.compared or ComparisonResult()

    def _other_ranges(self, run_model: Model) -> str:
        """Return why steps of the proof's class may differ from those of the spec; "" if not."""
        ranges = {(c.variable, c.index): (c.low, c.high) for c in run_model.cells}
        own = Model(self.model.spec, self.model.reference, self.model.spec.endless)
        for cell in own.cells:
            if ranges.get((cell.variable, cell.index)) != (cell.low, cell.high):
                return (f"{cell.label} has another range in {self.proof.name}, so that other steps "
                        "are possible there")  # fmt: skip
        return ""

    def _claims(self, wanted: Sequence[Property]) -> Iterator[Property]:
        """Yield the wanted properties, and others on which their proofs may rest."""
        yield from wanted
        if any(one.strong for one in self.model.fairness):
            known = {claim.name for claim in wanted}
            for claim in self.model.temporal:
                if claim.kind in AGAIN and claim.name not in known:
                    yield claim

    def _prove(
        self, prover: Prover, claims: Sequence[Property], wanted: Sequence[Property]
    ) -> None:
        """Try all properties, and again as long as another one is proved."""
        names = {claim.name for claim in wanted}
        self.extent = WITHIN if _may_leave(prover) else EVERY
        reachable = Reachable(self.limits)
        rules: dict[str, Rule] = {}
        known = -1
        while known < len(self.proved):
            known = len(self.proved)
            for claim in [c for c in claims if c not in self.proved]:
                rules[claim.name] = self._rule(prover, claim)
                gap = rules[claim.name].gap()
                if gap is None:
                    self.proved.append(claim)
                    self.helpers[claim.name] = [h.name for h in rules[claim.name].helpers]
                    self.failed.pop(claim.name, None)
                elif claim.name in names:
                    self.failed[claim.name] = (gap.reason, ())
            if not any(one.strong for one in self.model.fairness):
                break
        for name in self.failed:
            self.failed[name] = lines_of(rules[name], reachable)

    def _rule(self, prover: Prover, claim: Property) -> Rule:
        again = [one for one in self.proved if one.kind in AGAIN]
        return Rule(prover, claim, self.proof.ranks.get(claim.method), self.model.fairness,
                    self._recorded(prover.system), again)  # fmt: skip

    def _recorded(self, system: System) -> set[int]:
        """Return the positions of the cells that only the proof records."""
        own = self.model.spec.declared_variables
        return {k for k, cell in enumerate(system.model.cells) if cell.variable not in own}

    def _verdict(self, claim: Property, reason: str) -> Verdict:
        verdict = Verdict(self.model, claim, "induction", "unknown", self.extent, notes=self.notes)
        if claim in self.proved:
            rank = self.proof.ranks.get(claim.method)
            by = f"the rank {rank.method}" if rank else "one step"
            helps = ", ".join(self.helpers[claim.name]) or "no promise"
            notes = (*self.notes, f"by {by}, with {helps}")
            return replace(verdict, answer="holds", notes=notes)
        why, lines = self.failed.get(claim.name, ("", ()))
        if why and claim.method not in self.proof.ranks:
            why += f"; no method is marked @decreases(of={claim.method})"
        return replace(
            verdict, reason=why or reason or "not decided", explanation=Explanation(lines)
        )


def _may_leave(prover: Prover) -> bool:
    """Return whether a step may leave a range, from a state in which the lemmas hold."""
    leaving = [prover.frame.guard(c) for c in prover.system.commands if c.leaves]
    return bool(leaving) and prover.ask("leaves-a-range", z3.Or(*leaving)) != z3.unsat
