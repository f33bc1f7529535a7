"""The any-number engine: the lemmas of `induction`, with quantifiers over indices of any size.

The spec is run once for symbolic members (`parametric`), so a proof covers any number of
transactions, objects or other members of its indices. z3 is asked whether a step can violate a
lemma from a state in which all lemmas hold; if it cannot decide, the answer is unknown.

The formulas are compared with plain Python at sizes 1 to 3. After the proof all reachable states at
these sizes are visited, within a small budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.loading import proofs_of
from counterpoint.models.prove.induction import count_lemmas, leaves_out
from counterpoint.models.symbolic.comparing import ComparisonResult, with_comparison
from counterpoint.models.symbolic.obligations import Record, unrecorded, with_prefix
from counterpoint.models.verdict import Verdict, in_steps
from counterpoint.spec.notation import Model, Property, SpecError

from .quantifiers import START, QuantifiedProver
from .small_sizes import SmallSizesResult, compare_at_small_sizes, visit


@dataclass
class AnyNumberProof:
    """The results for one class of lemmas.

    Attributes
    ----------
    model : Model
        The spec with its lemmas.
    broken : dict
        For each lemma that is not inductive, the reason; the others are the greatest set of lemmas
        that is inductive.
    claims : dict
        For each claim, "" if it is proved, else the reason why not.
    inexpressible : dict
        For each claim that cannot be expressed for any number, the reason.
    complete : bool
        Whether all lemmas and claims were judged.
    compared : ComparisonResult
        The result of comparing the formulas with plain Python.
    """

    model: Model
    broken: dict[str, str] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)
    inexpressible: dict[str, str] = field(default_factory=dict)
    complete: bool = False
    compared: ComparisonResult = field(default_factory=ComparisonResult)

    @property
    def extent(self) -> str:
        """The extent of a proof."""
        return f"every step, any number of {' and '.join(_indices(self.model))}"


def _indices(model: Model) -> Iterator[str]:
    """Yield the indices of any number, with the smallest size that the spec allows."""
    for name in model.spec.any_number:
        index = getattr(type(model.spec), name)
        yield name if index.at_least == 1 else f"{name} ({index.at_least} or more)"


def check(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    record: Record = unrecorded,
) -> list[Verdict]:
    """Return a verdict for each claim that can be expressed for any number, and for each lemma.

    Parameters
    ----------
    model : Model
        The spec under its parameters; the sizes of its indices do not matter.
    limits : Limits, optional
        Of time.
    wanted : sequence of Property, optional
        The claims; all by default. Witnesses are left out unless nothing else is wanted.
    record : Record
        Called with every obligation and z3's answer.
    """
    limits = limits or Limits()
    wanted = model.properties if wanted is None else wanted
    notes = leaves_out(wanted)
    wanted = [p for p in wanted if p.kind != "sometimes"] or list(wanted)
    proofs = [AnyNumberProof(m) for m in proofs_of(model) if m.spec.any_number]
    reason = "" if proofs else "the spec declares no indices of any number (any_number)"
    try:
        for proof in proofs:
            mine = with_prefix(record, "any-number", proof.model.name)
            _prove(proof, {p.name for p in wanted}, model, limits, mine)
            if proof.broken and proof is not proofs[-1]:
                reason = f"not checked, since lemmas of {proof.model.name} are not inductive"
                break
    except LimitReached as limit:
        reason = str(limit)
    except SpecError as error:
        reason = f"it cannot be expressed for any number: {error}"
    found = _verdicts(model, wanted, proofs, reason)
    done = [p.compared for p in proofs if p.complete]
    compared = min(done, key=lambda c: (not c.difference, c.states), default=ComparisonResult())
    if proofs and not compared.difference:
        found = _against_small_sizes(
            found, visit(model, proofs[0].model.spec.any_number, wanted, limits)
        )
    seconds = limits.elapsed()
    found = [replace(v, seconds=seconds, notes=(*v.notes, *notes)) for v in found]
    return with_comparison(found, compared)


def _prove(
    proof: AnyNumberProof, names: set[str], model: Model, limits: Limits, record: Record
) -> None:
    """Prove what one class of lemmas can prove.

    Parameters
    ----------
    proof : AnyNumberProof
        Gets the results.
    names : set of str
        The names of the claims to judge.
    model : Model
        The checked spec; claims that only the class of lemmas has are judged, too.
    limits : Limits
    record : Record
        Records the obligations.
    """
    known = {p.name for p in model.properties}
    prover = QuantifiedProver(proof.model, limits, record)
    claims = [p for p in proof.model.properties if p.name in names or p.name not in known]
    proof.broken |= {
        n: f"it cannot be expressed for any number: {w}" for n, w in prover.inexpressible.items()
    }
    proof.broken |= _not_kept(prover, [p for p in proof.model.lemmas if p.name in prover.lemmas])
    _judge(proof, prover, claims)
    open_claims = [p for p in claims if proof.claims.get(p.name)]
    invariants = [p for p in open_claims if p.kind == "invariant"]
    if invariants:
        prover.add(invariants)
        _not_kept(prover, invariants)
        _judge(proof, prover, open_claims)
    proof.compared = compare_at_small_sizes(prover, claims)
    proof.complete = True


def _judge(proof: AnyNumberProof, prover: QuantifiedProver, claims: Sequence[Property]) -> None:
    for claim in claims:
        try:
            proof.claims[claim.name] = prover.judge(claim)
        except SpecError as error:
            proof.inexpressible[claim.name] = str(error)


def _not_kept(prover: QuantifiedProver, lemmas: Sequence[Property]) -> dict[str, str]:
    """Drop lemmas until the rest is inductive; return for each dropped lemma the reason."""
    found: dict[str, str] = {}
    while True:
        falling = {p.name: prover.broken_by(p) for p in lemmas if p.name not in found}
        falling = {name: where for name, where in falling.items() if where}
        if not falling:
            return found
        without = f"without {', '.join(found) if len(found) < 3 else f'{len(found)} lemmas'} it is "
        without = without if found else ""
        for name, where in falling.items():
            steps = ", ".join(f"{action} ({why})" for action, why in where.items())
            found[name] = f"{without}not kept by {steps}: induction shows from which state"
            if START in where:
                found[name] = f"it is false at the start ({where[START]})"
        prover.drop(list(falling))


def _verdicts(
    model: Model, wanted: Sequence[Property], proofs: Sequence[AnyNumberProof], reason: str
) -> list[Verdict]:
    """Return the verdicts on claims and lemmas; ``reason`` says why the engine stopped early."""
    found = {claim.name: _of_claim(model, claim, proofs, reason) for claim in wanted}
    for proof in proofs:
        for name in proof.claims:
            if name not in found:
                own = proof.model.property_named(name)
                found[name] = _of_claim(proof.model, own, proofs, reason)
    return [*found.values(), *_of_lemmas(proofs, reason)]


def _noted(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, notes=(*verdict.notes, note))


def _why(claim: Property, proofs: Sequence[AnyNumberProof], reason: str) -> str:
    reasons = (
        p.inexpressible[name]
        for p in proofs
        for name in _names(p, claim)
        if name in p.inexpressible
    )
    return reason or next(reasons, "no proof covers it")


def _unknown(model: Model, claim: Property, proofs: Sequence[AnyNumberProof], why: str) -> Verdict:
    """Return the verdict that a claim is unknown, and ``why``."""
    extent = proofs[0].extent if proofs else "every step"
    notes = tuple(count_lemmas(p.model) for p in proofs)
    return Verdict(model, claim, "any-number", "unknown", extent, reason=why, notes=notes)


def _names(proof: AnyNumberProof, claim: Property) -> tuple[str, ...]:
    """Return the claim's name, or the names of the claims that together are equivalent to it."""
    return proof.model.spec.in_other_words.get(claim.method, ()) or (claim.name,)


def _of_claim(
    model: Model, claim: Property, proofs: Sequence[AnyNumberProof], reason: str
) -> Verdict:
    """Return the verdict for a claim.

    A claim that is stated in other words holds if all of those claims hold. If one of them cannot
    be expressed, the verdict is unknown.
    """
    names = [_names(proof, claim) for proof in proofs]
    speaks = [
        proof
        for proof, mine in zip(proofs, names, strict=True)
        if all(name in proof.claims for name in mine)
    ]
    verdict = _unknown(model, claim, proofs, _why(claim, proofs, reason))
    if reason or not speaks or not all(p.complete for p in proofs):
        return verdict
    answers = [p.claims[name] for p in speaks for name in _names(p, claim)]
    why = next(filter(None, answers), "")
    if why and any(p.broken for p in speaks):
        return replace(verdict, reason="it rests on lemmas that are not inductive")
    verdict = replace(verdict, answer="unknown" if why else "holds", reason=why)
    words = [name for p in speaks for name in _names(p, claim) if name != claim.name]
    if words:
        verdict = replace(verdict, notes=(*verdict.notes, f"{claim.name}: {', '.join(words)}"))
    return verdict


def _of_lemmas(proofs: Sequence[AnyNumberProof], reason: str) -> Iterator[Verdict]:
    """Yield a verdict for each lemma; if two proofs have it, it must hold in both."""
    lemmas = {lemma.name: (proof, lemma) for proof in proofs for lemma in proof.model.lemmas}
    for name, (proof, lemma) in lemmas.items():
        mine = [p for p in proofs if any(own.name == name for own in p.model.lemmas)]
        verdict = _unknown(proof.model, lemma, proofs, reason or "not decided")
        why = next((p.broken[name] for p in mine if name in p.broken), "")
        if why:
            yield replace(verdict, reason=why)
        elif all(p.complete for p in mine):
            yield replace(verdict, answer="holds", reason="")
        else:
            yield verdict


def _against_small_sizes(found: list[Verdict], small: SmallSizesResult) -> list[Verdict]:
    """Compare verdicts with the states that are reached at small sizes."""
    return [_noted(_against(verdict, small), small.note) for verdict in found]


def _against(verdict: Verdict, small: SmallSizesResult) -> Verdict:
    seen = small.violated.get(verdict.claim.name)
    if seen is None:
        return verdict
    if verdict.answer == "holds":
        sizes = ", ".join(f"{n}={v}" for n, v in seen.model.changed_parameters().items())
        why = f"it was proved, but a run with {sizes or 'the default sizes'} violates it"
        return replace(
            verdict, answer="unknown", reason=f"{why}: check it with --engine exhaustive"
        )
    return replace(
        verdict, model=seen.model, answer="violated", extent=in_steps(seen.depth or 0),
        depth=seen.depth, trace=seen.trace, reason=seen.reason, explanation=seen.explanation,
    )  # fmt: skip
