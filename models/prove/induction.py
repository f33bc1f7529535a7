"""The induction engine: z3 proves claims for runs of any length, from inductive lemmas.

Lemmas are declared in the spec (`@lemma`), or in classes that `counterpoint.spec.catalogue.PROOFS`
names for it. Such classes record further variables for a proof, on which no step depends. A claim
is proved if the lemmas are inductive in each of these classes, and the claim follows from them in
each class that has it. Claims that do not follow are tried by k-induction.

Witnesses are left out: they need a run, which other engines find.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.loading import proofs_of
from counterpoint.models.symbolic.comparing import (
    ComparisonResult,
    compare,
    random_states,
    with_comparison,
)
from counterpoint.models.symbolic.obligations import Record, reading, unrecorded, with_prefix
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Verdict, in_steps
from counterpoint.spec.notation import Explanation, Model, Property
from counterpoint.spec.notation.nodes import UNBOUNDED

from . import k_induction
from .obstacle import Obstacle, Obstacles
from .proving import Failure, Prover

EVERY = "every step"
DEFAULT_STEPS = 3


@dataclass
class Proof:
    """The results for one set of lemmas.

    Attributes
    ----------
    model : Model
        The spec with its lemmas; ranges declared with ``grows`` have no upper end.
    obstacles : list of Obstacle
        The failures of lemmas: steps that violate one from states where all lemmas hold, and
        initial states that violate one.
    fallen : dict
        The lemmas that are not inductive: those of the obstacles, with "", and those that depend on
        one of them, with the reason. The others hold: they are the greatest set of lemmas that is
        inductive.
    claims : dict
        For each judged claim, the k of the k-induction that proves it (0: it follows from the
        lemmas), or the reason why it is not proved.
    hints : dict
        For unproved claims of a spec without lemmas, a step that violates them.
    complete : bool
        Whether all claims were judged.
    compared : ComparisonResult or None
        The result of comparing the guarded commands with plain Python.
    """

    model: Model
    obstacles: list[Obstacle] = field(default_factory=list)
    fallen: dict[str, str] = field(default_factory=dict)
    hints: dict[str, Obstacle] = field(default_factory=dict)
    claims: dict[str, int | str] = field(default_factory=dict)
    complete: bool = False
    compared: ComparisonResult | None = None


def check(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    steps: int = DEFAULT_STEPS,
    record: Record = unrecorded,
) -> list[Verdict]:
    """Return a verdict for each claim and for each lemma, for runs of any length.

    Parameters
    ----------
    model : Model
        The spec under its parameters.
    limits : Limits, optional
        Of time.
    wanted : sequence of Property, optional
        The claims; all by default. Witnesses are left out unless nothing else is wanted.
    steps : int
        The greatest k of k-induction.
    record : Record
        Called with every obligation and z3's answer.
    """
    limits = limits or Limits()
    wanted = model.properties if wanted is None else wanted
    left_out = leaves_out(wanted)
    claims = [p for p in wanted if p.kind != "sometimes"] or list(wanted)
    proofs = [Proof(m) for m in proofs_of(model)]
    reason = ""
    try:
        for proof in proofs:
            mine = with_prefix(record, "induction", proof.model.name)
            prove(proof, model, claims, limits, steps, mine)
    except LimitReached as limit:
        reason = str(limit)
    verdicts = [_of_claim(model, p, proofs, reason) for p in claims]
    own = {p.name: (m, p) for proof in proofs for m, p in _own(proof.model, model)}
    verdicts += [_of_claim(m, p, proofs, reason) for m, p in own.values()]
    verdicts += _of_lemmas(proofs, reason)
    seconds = limits.elapsed()
    verdicts = [replace(v, seconds=seconds, notes=(*v.notes, *left_out)) for v in verdicts]
    compared = [p.compared for p in proofs if p.compared is not None]
    differing = [c for c in compared if c.difference]
    least = min(compared, key=lambda c: c.states, default=None)
    return with_comparison(verdicts, differing[0] if differing else least) if least else verdicts


def leaves_out(wanted: Sequence[Property]) -> tuple[str, ...]:
    """Return a note about the witnesses that a proof leaves out."""
    names = [p.name for p in wanted if p.kind == "sometimes"]
    if not names or len(names) == len(wanted):
        return ()
    return (f"witnesses are left to other engines: {', '.join(names)}",)


def prove(
    proof: Proof,
    model: Model,
    claims: Sequence[Property],
    limits: Limits,
    steps: int,
    record: Record,
    explains: bool = True,
) -> None:
    """Prove what one set of lemmas can prove.

    Parameters
    ----------
    proof : Proof
        Gets the results.
    model : Model
        The spec, whose claims are asked.
    claims : sequence of Property
    limits : Limits
    steps : int
        The greatest k of k-induction.
    record : Record
        Records the obligations.
    explains : bool
        Whether to search states that show why a proof fails, and to compare with plain Python. If
        not, only ranges without ends are compared: the caller compares the others.
    """
    names = {c.name for c in claims} | {p.name for _, p in _own(proof.model, model)}
    asked = [p for p in proof.model.properties if p.name in names and p.kind != "sometimes"]
    with reading(record):
        system = trace(proof.model, limits, asked)
        _ = system.claims, system.may_end, system.initial
        first = Prover(system, proof.model.lemmas, limits, record)
    failures = first.failures()
    prover = _kept(proof, first, failures)
    for claim in asked:
        limits.check(f"does {claim.name} follow?")
        answer = prover.follows(claim)
        proof.claims[claim.name] = 0 if answer == z3.unsat else f"z3 gave up: {prover.reason}"
        if answer == z3.sat:
            proof.claims[claim.name] = _does_not_follow(proof, steps)
    left = [p for p in asked if proof.claims[p.name] != 0]
    if left and not failures:
        proof.claims |= k_induction.proved_claims(
            system, prover.lemmas, left, limits, steps, record
        )
    if explains:
        proof.hints = {} if proof.model.lemmas else _hints(prover, proof, left)
        found = Obstacles(first)
        proof.obstacles = [found.smallest(failure) for failure in failures]
    if explains or any(cell.high == UNBOUNDED for cell in proof.model.cells):
        claims = [*asked, *proof.model.lemmas]
        proof.compared = compare(
            system, random_states(proof.model), claims, anywhere=True, limits=limits
        )
    proof.complete = True


def _does_not_follow(proof: Proof, steps: int) -> str:
    if proof.fallen:
        return "it rests on lemmas that are not inductive"
    given = "from the lemmas, nor " if proof.model.lemmas else ""
    return f"it does not follow {given}by {steps}-induction"


def _kept(proof: Proof, first: Prover, failures: Sequence[Failure]) -> Prover:
    """Drop lemmas until the rest is inductive; return a prover for the rest.

    Parameters
    ----------
    proof : Proof
        Gets the dropped lemmas, with reasons.
    first : Prover
        The prover with all lemmas.
    failures : sequence of Failure
        The lemmas that fail with all of them.
    """
    prover = first
    proof.fallen = dict.fromkeys((f.lemma.name for f in failures), "")
    while failures:
        gone = ", ".join(proof.fallen)
        kept = [p for p in prover.lemmas if p.name not in proof.fallen]
        prover = Prover(prover.system, kept, prover.limits, prover.record)
        failures = prover.failures()
        for failure in failures:
            why = f"without {gone} it is not kept by {failure.action}"
            proof.fallen.setdefault(failure.lemma.name, why)
    return prover


def _hints(prover: Prover, proof: Proof, left: Sequence[Property]) -> dict[str, Obstacle]:
    """Return, for unproved invariants, a step that violates one from a state where all hold.

    Parameters
    ----------
    prover : Prover
        The prover of the failed proof.
    proof : Proof
        Its results so far.
    left : sequence of Property
        The claims that are not proved.
    """
    claims = [p for p in left if proof.claims[p.name] != 0 and p.kind == "invariant"]
    alone = Prover(prover.system, claims, prover.limits)
    found = Obstacles(alone)
    return {f.lemma.name: found.smallest(f) for f in alone.failures()}


def _own(proof: Model, model: Model) -> Iterator[tuple[Model, Property]]:
    """Yield the claims that the proof has and the spec has not."""
    known = {p.name for p in model.properties}
    for claim in proof.properties:
        if claim.kind in ("invariant", "transition") and claim.name not in known:
            yield proof, claim


def _of_claim(model: Model, claim: Property, proofs: Sequence[Proof], reason: str) -> Verdict:
    """Return the verdict on a claim; ``reason`` says why the engine stopped early, if it did."""
    verdict = Verdict(model, claim, "induction", "unknown", EVERY, notes=_notes(proofs))
    makes = [p for p in proofs if claim.name in p.claims]
    if claim.kind == "sometimes":
        return replace(verdict, reason="a witness needs a run: ask another engine")
    if reason or not all(p.complete for p in proofs):
        return replace(verdict, reason=reason or "not decided")
    if not makes:
        return replace(verdict, reason="no proof covers it")
    for proof in makes:
        answer = proof.claims[claim.name]
        if isinstance(answer, str):
            lines = proof.hints[claim.name].lines if claim.name in proof.hints else ()
            return replace(verdict, reason=answer, explanation=Explanation(lines))
    k = max(int(p.claims[claim.name]) for p in makes)
    notes = (*verdict.notes, f"{k}-induction") if k else verdict.notes
    return replace(verdict, answer="holds", notes=notes)


def _notes(proofs: Sequence[Proof]) -> tuple[str, ...]:
    return tuple(count_lemmas(p.model) for p in proofs if p.model.lemmas) or ("no lemmas",)


def count_lemmas(model: Model) -> str:
    """Return the number of a model's lemmas as text, such as ``2 lemmas (lock)``."""
    number = len(model.lemmas)
    return f"{number} lemma{'' if number == 1 else 's'} ({model.name})"


def _of_lemmas(proofs: Sequence[Proof], reason: str) -> Iterator[Verdict]:
    """Yield a verdict for each lemma; if several proofs have it, the worst result counts."""
    worst: dict[str, Proof] = {}
    for proof in proofs:
        for lemma in proof.model.lemmas:
            known = worst.setdefault(lemma.name, proof)
            if _badness(proof, lemma.name) > _badness(known, lemma.name):
                worst[lemma.name] = proof
    for name, proof in worst.items():
        yield _of_lemma(proof, proof.model.property_named(name), reason)


def _badness(proof: Proof, name: str) -> int:
    """Return a rank of a lemma: it holds, is undecided, depends on failed ones, or fails."""
    if name in proof.fallen:
        return 2 if proof.fallen[name] else 3
    return 0 if proof.complete else 1


def _of_lemma(proof: Proof, lemma: Property, reason: str) -> Verdict:
    verdict = Verdict(proof.model, lemma, "induction", "unknown", EVERY, notes=_notes([proof]))
    if not proof.complete:
        return replace(verdict, reason=reason or "not decided")
    obstacles = [o for o in proof.obstacles if o.failure.lemma.name == lemma.name]
    if not obstacles:
        why = proof.fallen.get(lemma.name)
        return replace(verdict, reason=why) if why else replace(verdict, answer="holds")
    first = min(obstacles, key=lambda o: (o.trace is None, o.size))
    where = ", ".join(dict.fromkeys(o.where for o in obstacles))
    verdict = replace(verdict, reason=f"not kept by {where}", explanation=Explanation(first.lines))
    if first.trace is None or first.model is None:
        return verdict
    length = len(first.trace.steps)
    extent = in_steps(length) if length else "0 steps: it is false at the start"
    return replace(
        verdict, model=first.model, answer="violated", trace=first.trace, depth=length,
        extent=extent,
    )  # fmt: skip
