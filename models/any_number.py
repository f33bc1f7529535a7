"""z3, every step and any number: the lemmas of `induction` with quantifiers over the indices.

The spec is run once for members without number (`parametric`), so that what is proved holds of any
number of transactions, objects or whatever its indices count. The solver is asked whether a step
can break a lemma from a state in which all hold; where it cannot say, the answer is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import z3

from spec.notation import Model, Property, SpecError
from spec.notation import _nodes as nodes
from spec.notation._nodes import TRUE, Node

from . import smt
from .limits import LimitReached, Limits
from .loading import proofs_of
from .parametric import Functions, Path, Run, for_all, formula, paths, symbol, within
from .verdict import Verdict

SECONDS, LAST_LOOK = 10.0, 5.0
"""What z3 may take for one question: choosing instances by terms, and then by models as well."""

BY_TERMS = {"smt.auto_config": False, "smt.mbqi": False}
"""Options by which z3 proves or gives up at once. Asked with either of two solvers for arithmetic:
each alone misses a claim or two, depending on how formulas happen to be ordered."""


class Printer(smt.Printer):
    """Prints expressions with functions and quantifiers; members are natural numbers.

    It has a z3 context of its own: how far z3 gets with quantifiers depends on what its context has
    seen before, and a proof should not.
    """

    def __init__(self) -> None:
        super().__init__({}, 0)
        self.context = z3.Context()

    def number(self, value: int) -> Any:
        """Return the term of a number."""
        return z3.IntVal(value, self.context)

    def _print(self, node: Node) -> Any:
        if node.op == "constant" and node.boolean:
            return z3.BoolVal(bool(node.args[0]), self.context)
        if node.op == "symbol":
            return z3.Int(f"{node.args[0]}!{len(self.done)}", self.context)
        if node.op == "apply":
            name, *key = node.args
            number = z3.IntSort(self.context)
            sort = z3.BoolSort(self.context) if node.boolean else number
            function = z3.Function(name, *[number] * len(key), sort)
            return function(*map(self.show, key))
        if node.op == "all":
            bound = [self.show(v) for v in node.args[0]]
            members = z3.And(*(v >= 0 for v in bound))
            return z3.ForAll(bound, z3.Implies(members, self.show(node.args[1])))
        return super()._print(node)


@dataclass
class Proof:
    """What was shown of one class of lemmas.

    Attributes
    ----------
    model : Model
        The spec with its lemmas.
    broken : dict
        Name of a lemma to the actions that may break it, each with z3's answer.
    claims : dict
        Name of a claim to "" where it is proved, or to why not.
    unsaid : dict
        Name of a claim to why it cannot be said for any number.
    """

    model: Model
    broken: dict[str, dict[str, str]] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)
    unsaid: dict[str, str] = field(default_factory=dict)
    complete: bool = False

    @property
    def extent(self) -> str:
        """How far a proof reaches."""
        return f"every step, any number of {' and '.join(self.model.spec.any_number)}"


def check(
    model: Model, limits: Limits | None = None, wanted: Sequence[Property] | None = None
) -> list[Verdict]:
    """Return a verdict for each claim that can be said for any number, and for each lemma.

    Parameters
    ----------
    model : Model
        The spec under its parameters; the sizes of its indices do not matter.
    limits : Limits, optional
        Of time.
    wanted : sequence of Property, optional
        The claims; all by default. Witnesses are left out unless nothing else is wanted.
    """
    limits = limits or Limits()
    wanted = model.properties if wanted is None else wanted
    wanted = [p for p in wanted if p.kind != "sometimes"] or list(wanted)
    proofs = [Proof(m) for m in proofs_of(model) if m.spec.any_number]
    reason = "" if proofs else "the spec does not say which indices may have any number"
    try:
        for proof in proofs:
            _prove(proof, {p.name for p in wanted}, model, limits)
            if any(proof.broken.values()):
                reason = f"not asked, since lemmas of {proof.model.name} are not kept"
                break
    except LimitReached as limit:
        reason = str(limit)
    except SpecError as error:
        reason = f"it cannot be said for any number: {error}"
    found = _verdicts(model, wanted, proofs, reason)
    seconds = limits.elapsed()
    return [replace(v, seconds=seconds) for v in found]


def _prove(proof: Proof, names: set[str], model: Model, limits: Limits) -> None:
    known = {p.name for p in model.properties}
    prover = _Prover(proof.model, limits)
    for lemma in proof.model.lemmas:
        proof.broken[lemma.name] = prover.broken_by(lemma)
    for claim in proof.model.properties:
        if claim.name in names or claim.name not in known:
            _judge(proof, prover, claim)
    proof.complete = True


def _judge(proof: Proof, prover: _Prover, claim: Property) -> None:
    try:
        answer = prover.judge(claim)
    except SpecError as error:
        proof.unsaid[claim.name] = str(error)
    else:
        proof.claims[claim.name] = answer


def _parts(node: Node) -> list[Node]:
    """Return conditions that together say the same, easier to prove one by one."""
    if node.op == "and":
        return [part for inner in node.args for part in _parts(inner)]
    if node.op == "all":
        return [for_all(node.args[0], part) for part in _parts(node.args[1])]
    return [node]


class _Prover:
    def __init__(self, model: Model, limits: Limits) -> None:
        self.model, self.limits = model, limits
        self.printer = Printer()
        self.before = Functions(Run(model))
        self.lemmas = {p.name: formula(model, p.method, self.before) for p in model.lemmas}
        self.first = Functions(Run(model), initial=True)
        self.paths = [path for action in model.actions for path in paths(model, action)]
        self.known = [*self._ranges(), *self.lemmas.values()]
        self.by_terms = [self._solver(**{**BY_TERMS, "smt.arith.solver": a}) for a in (6, 2)]

    def _solver(self, **options: Any) -> Any:
        """Return a solver that knows the ranges and the lemmas."""
        solver = z3.Solver(ctx=self.printer.context)
        for name, value in options.items():
            solver.set(name, value)
        solver.add(*map(self.printer.show, self.known))
        return solver

    def _ranges(self) -> Iterator[Node]:
        """Yield what the declared ranges say of the state before."""
        for name, variable in self.model.spec.declared_variables.items():
            low, high, _ = self.before.run.bounds(name)
            key = tuple(symbol(i.name) for i in variable.indices)
            yield for_all(key, within(self.before.run.before(name, key), low, high))

    def _ask(self, conditions: Sequence[Node], members: Sequence[Node]) -> str:
        """Return "" if the conditions cannot be met, or z3's answer."""
        self.limits.check(f"{len(self.lemmas)} lemmas, {len(self.paths)} paths")
        asked = [self.printer.show(member) >= 0 for member in members]
        asked += [self.printer.show(condition) for condition in conditions]
        for solver in self.by_terms:
            if self._answer(solver, asked, SECONDS) == z3.unsat:
                return ""
        answer = self._answer(self._solver(), asked, LAST_LOOK)
        if answer == z3.unsat:
            return ""
        return "it can be broken" if answer == z3.sat else "z3 finds no proof"

    def _answer(self, solver: Any, conditions: Sequence[Any], seconds: float) -> Any:
        left = self.limits.left()
        most = seconds if left is None else min(left, seconds)
        solver.set("timeout", max(1, int(most * 1000)))
        solver.push()
        solver.add(*conditions)
        answer = solver.check()
        solver.pop()
        if answer == z3.unknown:
            self.limits.check()
        return answer

    def broken_by(self, lemma: Property) -> dict[str, str]:
        """Return the actions that may break a lemma, with why."""
        found: dict[str, str] = {}
        start = nodes.negation(formula(self.model, lemma.method, self.first))
        if start is not nodes.FALSE and not self._unsatisfiable(start):
            found["the start"] = "it can be broken"
        for path in self.paths:
            after = formula(self.model, lemma.method, path.after)
            if after is not self.lemmas[lemma.name]:
                why = self._breaks(path, after)
                if why:
                    found[path.action.name] = why
        return found

    def _unsatisfiable(self, condition: Node) -> bool:
        solver = z3.Solver(ctx=self.printer.context)  # one that knows no lemma
        return bool(self._answer(solver, [self.printer.show(condition)], SECONDS) == z3.unsat)

    def _breaks(self, path: Path, wanted: Node) -> str:
        if wanted is TRUE:
            return ""
        return self._ask([*path.literals, nodes.negation(wanted)], path.binding)

    def judge(self, claim: Property) -> str:
        """Return "" if a claim holds in every step, or why that is not shown.

        Raises
        ------
        SpecError
            If the claim cannot be said for any number.
        """
        if claim.kind == "invariant":
            wanted = _parts(formula(self.model, claim.method, self.before))
            answers = (self._ask([nodes.negation(part)], ()) for part in wanted)
        elif claim.kind == "transition":
            answers = (self._breaks(p, self._step(claim, p)) for p in self.paths)
        elif claim.kind == "range":
            answers = (self._breaks(p, self._fits(p)) for p in self.paths)
        else:
            raise SpecError(f"a {claim.kind} cannot be judged by one step")
        return next(filter(None, answers), "")

    def _step(self, claim: Property, path: Path) -> Node:
        return formula(self.model, claim.method, self.before, self.before.run.at(path.after))

    def _fits(self, path: Path) -> Node:
        return nodes.conjunction(path.after.ranges)


def _verdicts(
    model: Model, wanted: Sequence[Property], proofs: Sequence[Proof], reason: str
) -> list[Verdict]:
    found = {}
    unsaid = []
    for claim in wanted:
        verdict = _of_claim(model, claim, proofs, reason)
        if verdict is None:
            unsaid.append(claim.name)
            verdict = _unknown(model, claim, proofs, _why(claim, proofs, reason))
        found[claim.name] = verdict
    for proof in proofs:
        for name in proof.claims:
            if name not in found:
                own = proof.model.property_named(name)
                found[name] = _of_claim(proof.model, own, proofs, reason) or found[name]
    asked_by_name = len(wanted) < len([p for p in model.properties if p.kind != "sometimes"])
    if not asked_by_name and len(unsaid) < len(wanted):
        note = f"not said for any number: {', '.join(unsaid)}"
        found = {n: _noted(v, note) for n, v in found.items() if n not in unsaid}
    return [*found.values(), *_of_lemmas(proofs, reason)]


def _noted(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, notes=(*verdict.notes, note))


def _why(claim: Property, proofs: Sequence[Proof], reason: str) -> str:
    said = (p.unsaid[claim.name] for p in proofs if claim.name in p.unsaid)
    return reason or next(said, "no proof speaks of it")


def _unknown(model: Model, claim: Property, proofs: Sequence[Proof], why: str) -> Verdict:
    extent = proofs[0].extent if proofs else "every step"
    notes = tuple(f"{len(p.model.lemmas)} lemmas ({p.model.name})" for p in proofs)
    return Verdict(model, claim, "any-number", "unknown", extent, reason=why, notes=notes)


def _of_claim(
    model: Model, claim: Property, proofs: Sequence[Proof], reason: str
) -> Verdict | None:
    """Return the verdict of a claim; None if it cannot be said for any number."""
    others = [p.model.spec.in_other_words.get(claim.method, ()) for p in proofs]
    names = [words or (claim.name,) for words in others]
    answers = [
        proof.claims[name]
        for proof, mine in zip(proofs, names, strict=True)
        for name in mine
        if name in proof.claims
    ]
    if not answers and not reason:
        return None
    verdict = _unknown(model, claim, proofs, reason)
    if any(p.broken[lemma] for p in proofs for lemma in p.broken):
        return replace(verdict, reason="it rests on lemmas that are not kept")
    if not reason and all(p.complete for p in proofs):
        why = next(filter(None, answers), "")
        verdict = replace(verdict, answer="unknown" if why else "holds", reason=why)
        words = [n for mine in names for n in mine if n != claim.name]
        if words:
            verdict = replace(verdict, notes=(*verdict.notes, f"{claim.name}: {', '.join(words)}"))
    return verdict


def _of_lemmas(proofs: Sequence[Proof], reason: str) -> Iterator[Verdict]:
    """Yield a verdict for each lemma that was judged; of two proofs, both must keep it."""
    for name in dict.fromkeys(n for p in proofs for n in p.broken):
        mine = [p for p in proofs if name in p.broken]
        where = {action: why for p in mine for action, why in p.broken[name].items()}
        model = mine[0].model
        verdict = _unknown(model, model.property_named(name), proofs, reason)
        if where:
            said = ", ".join(f"{action} ({why})" for action, why in where.items())
            yield replace(verdict, reason=f"not kept by {said}: induction shows from which state")
        else:
            yield replace(verdict, answer="holds", reason="")
