"""Prints expressions with quantifiers for z3, and proves conditions from ranges and lemmas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import z3

from counterpoint.models.limits import Limits
from counterpoint.models.symbolic import smt
from counterpoint.models.symbolic.obligations import Record, unrecorded
from counterpoint.spec.notation import Index, Model, Property, SpecError, nodes
from counterpoint.spec.notation.nodes import TRUE, UNBOUNDED, Node
from counterpoint.spec.notation.variables import ANY

from .parametric import FunctionStore, ParametricRun
from .quantified import applied, for_all, for_some, parts, symbol, within
from .ways import (
    ActionPath,
    Formula,
    actions,
    counts,
    formula,
    must_be_claimed_at_every_size,
    paths,
)

SECONDS, LAST_LOOK = 10.0, 5.0
"""Seconds of z3 for one question: first with instances chosen by terms, then by models as well."""

AT_ONCE = 200_000
"""The limit in z3's units of work for a question that it answers at once or not at all."""

BY_TERMS = {"smt.auto_config": False, "smt.mbqi": False}
"""Options with which z3 either proves quickly or gives up.

Both solvers for arithmetic are tried: each alone misses a few claims, depending on the order of
formulas.
"""

START = "the start"


class QuantifiedPrinter(smt.TermPrinter):
    """Prints expressions with functions and quantifiers; members lie below the size of their index.

    It has a z3 context of its own, since z3's results with quantifiers depend on the history of the
    context, and a proof should not.

    Parameters
    ----------
    sizes : mapping of str to Node
        The number of members of every index.
    """

    def __init__(self, sizes: Mapping[str, Node]) -> None:
        super().__init__({}, 0)
        self.context = z3.Context()
        self.sizes = sizes

    def number(self, value: int) -> Any:
        """Return the term of a number."""
        return z3.IntVal(value, self.context)

    def is_member(self, symbol: Node) -> Any:
        """Return the condition that a symbol is a member of its index."""
        member, size = self.show(symbol), self.show(self.sizes[symbol.args[0]])
        return z3.And(member >= 0, member < size)

    def _print(self, node: Node) -> Any:
        if node.op == "constant" and node.boolean:
            return z3.BoolVal(bool(node.args[0]), self.context)
        if node.op == "symbol":
            return z3.Int(f"{node.args[0]}!{len(self.done)}", self.context)
        if node.op == "size":
            return z3.Int(f"size of {node.args[0]}", self.context)
        if node.op == "apply":
            name, *key = node.args
            number = z3.IntSort(self.context)
            sort = z3.BoolSort(self.context) if node.boolean else number
            function = z3.Function(name, *[number] * len(key), sort)
            return function(*map(self.show, key))
        if node.op == "all":
            bound = [self.show(v) for v in node.args[0]]
            members = z3.And(*map(self.is_member, node.args[0]))
            return z3.ForAll(bound, z3.Implies(members, self.show(node.args[1])))
        return super()._print(node)


class QuantifiedProver:
    """Proof obligations over one arbitrary state that satisfies the lemmas, and one step from it.

    Parameters
    ----------
    model : Model
        The spec.
    limits : Limits
        Of the whole proof.
    record : Record
        Called with every obligation and z3's answer.

    Attributes
    ----------
    paths : list of ActionPath
        Every path through every action.
    lemmas : dict of str to Formula
        The lemmas, as formulas over the state before.
    inexpressible : dict of str to str
        The lemmas that cannot be expressed for any number, with reasons.

    Raises
    ------
    SpecError
        If an action cannot be run on indices of any size.
    """

    def __init__(self, model: Model, limits: Limits, record: Record = unrecorded) -> None:
        self.model, self.limits, self.record = model, limits, record
        self.run = ParametricRun(model)
        indices = [p for p in model.spec.declared_parameters.values() if isinstance(p, Index)]
        self.sizes = {index.attribute: self.run.size_of(index) for index in indices}
        self.printer = QuantifiedPrinter(self.sizes)
        self.before = FunctionStore(self.run)
        self.first = FunctionStore(ParametricRun(model), initial=True)
        self.paths = [path for action in actions(model) for path in paths(model, action)]
        self.ways = [path for path in self.paths if path.possible]
        self.lemmas: dict[str, Formula] = {}
        self.inexpressible: dict[str, str] = {}
        for lemma in model.lemmas:
            try:
                self.lemmas[lemma.name] = self.formula_of(lemma, self.before)
            except SpecError as error:
                self.inexpressible[lemma.name] = str(error)
        names = model.spec.declared_variables
        self.ranges = [self._range(name, name) for name in names]
        self.ends = [self.printer.show(self._ends(name, name)) for name in names]
        self.least = [self.printer.show(size) >= size.low for size in self.sizes.values()]
        self._learn()

    def add(self, claims: Sequence[Property]) -> None:
        """Add claims to the lemmas; they must be inductive as well."""
        self.lemmas |= {claim.name: self.formula_of(claim, self.before) for claim in claims}
        self._learn()

    def drop(self, names: Sequence[str]) -> None:
        """Drop lemmas."""
        for name in names:
            del self.lemmas[name]
        self._learn()

    def _learn(self) -> None:
        known = [*self.ranges, *(lemma.meaning for lemma in self.lemmas.values())]
        self.known = list(map(self.printer.show, known))
        by_terms: list[tuple[Any, list[Any]]] = [
            (self._solver({**BY_TERMS, "smt.arith.solver": a}, []), []) for a in (6, 2)
        ]
        self.by_terms = [*by_terms, (self._solver(BY_TERMS, self.ends), self.ends)]

    def _solver(self, options: Mapping[str, Any], ends: Sequence[Any]) -> Any:
        """Return a solver that knows the sizes, the lemmas, and some ends of ranges."""
        solver = self._empty(**options)
        solver.add(*self.known, *ends)
        return solver

    def _empty(self, **options: Any) -> Any:
        solver = z3.Solver(ctx=self.printer.context)
        for name, value in options.items():
            solver.set(name, value)
        solver.add(*self.least)
        return solver

    def _range(self, name: str, called: str) -> Node:
        """Return the condition that a variable lies in its declared range."""
        variable = self.model.spec.declared_variables[name]
        low, high, _ = self.run.bounds(name)
        key = tuple(symbol(index.attribute) for index in variable.indices)
        return for_all(key, within(self.run._function(name, called, key), low, high))

    def _ends(self, name: str, called: str) -> Node:
        """Return the conditions for the constant ends of a range too.

        Simplification has already used those ends, so most proofs do not need these conditions, and
        with them proofs take half as long again.
        """
        low, high, boolean = self.run.bounds(name)
        if boolean or low == high:
            return TRUE
        variable = self.model.spec.declared_variables[name]
        key = tuple(symbol(index.attribute) for index in variable.indices)
        value = applied(called, key, -UNBOUNDED, UNBOUNDED, boolean=False)
        return for_all(key, within(value, low, high))

    def formula_of(self, claim: Property, store: FunctionStore, *after: Any) -> Formula:
        """Return a claim as a formula.

        Parameters
        ----------
        claim : Property
            The claim.
        store : FunctionStore
            The state.
        *after
            The next state, for a transition property.

        Raises
        ------
        SpecError
            If it cannot be expressed for any number.
        """
        must_be_claimed_at_every_size(self.model, self.run, claim)
        return formula(self.model, claim.method, store, *after)

    # Questions

    def ask(
        self, name: str, conditions: Sequence[Node], members: Sequence[Node], looks: bool = True
    ) -> str:
        """Return "" if the conditions are unsatisfiable, else z3's answer in words.

        Parameters
        ----------
        name : str
            The name of the obligation.
            conditions : sequence of Node
                The conditions.
            members : sequence of Node
                Symbols that are members of their indices.
        looks : bool
            Whether z3 searches a model if it finds no proof.
        """
        self.limits.check(f"{len(self.lemmas)} lemmas, {len(self.paths)} paths")
        asked = [*map(self.printer.is_member, members), *map(self.printer.show, conditions)]
        effort = 0 if looks else AT_ONCE
        for solver, known in self.by_terms:
            answer, ends = self._answer(solver, asked, SECONDS, effort), known
            if answer == z3.unsat:
                break
        if looks and answer != z3.unsat:
            answer = self._answer(self._solver({}, self.ends), asked, LAST_LOOK)
        self.record(name, [*self.least, *self.known, *ends, *asked], answer)
        return _said(answer)

    def _answer(
        self, solver: Any, conditions: Sequence[Any], seconds: float, effort: int = 0
    ) -> Any:
        """Return z3's answer to the conjunction of conditions.

        Parameters
        ----------
        solver : z3 solver
            Is left as it was.
        conditions : sequence of z3 terms
        seconds : float
            The time limit.
        effort : int
            The limit of z3's resources; 0: none.
        """
        solver.set("timeout", self.limits.milliseconds(seconds))
        solver.set("rlimit", effort)  # 0: no limit
        solver.push()
        solver.add(*conditions)
        answer = smt.answer_of(solver)
        solver.pop()
        if answer == z3.unknown:
            self.limits.check()
        return answer

    def at_start(self, name: str, wanted: Node) -> str:
        """Return "" if a condition holds in all initial states, else z3's answer in words."""
        if wanted is TRUE:
            return ""
        solver = self._empty()  # a solver without lemmas
        variables = self.model.spec.declared_variables.items()
        anywhere = [name for name, variable in variables if variable.initially is ANY]
        known = [self._ends(open_, f"{open_} at the start") for open_ in anywhere]
        asked = [*known, *self._initially(), nodes.negation(wanted)]
        shown = list(map(self.printer.show, asked))
        answer = self._answer(solver, shown, SECONDS)
        self.record(f"start/{name}", [*self.least, *shown], answer)
        return _said(answer)

    def _initially(self) -> Iterator[Node]:
        """Yield the conditions on initial states that hold at every size."""
        for method, mark in self.model.spec.declared_methods.items():
            if mark.kind == "initially" and counts(self.model, self.run, method):
                found = formula(self.model, method, self.first)
                if found.obligations is TRUE:
                    yield found.meaning

    def broken_by(self, lemma: Property) -> dict[str, str]:
        """Return the actions (or the start) that may violate a lemma, with z3's answers."""
        found: dict[str, str] = {}
        why = self.at_start(lemma.name, self.formula_of(lemma, self.first).wanted)
        if why:
            found[START] = why
        before = self.lemmas[lemma.name]
        for path in self.ways:
            after = self.formula_of(lemma, path.after)
            if after.meaning is not before.meaning:
                why = self._breaks(lemma, path, after.wanted)
                if why:
                    found[path.action.name] = why
        if not found:
            why = self.everywhere(f"places/{lemma.name}", before.obligations)
            if why:
                found["an element outside an array"] = why
        return found

    def everywhere(self, name: str, wanted: Node) -> str:
        """Return "" if a condition follows from the lemmas, else z3's answer in words."""
        answers = (self.ask(name, [nodes.negation(part)], ()) for part in parts(wanted))
        return next(filter(None, answers), "") if wanted is not TRUE else ""

    def _breaks(self, claim: Property, path: ActionPath, wanted: Node) -> str:
        if wanted is TRUE:
            return ""
        name = f"{path.action.name}/{claim.name}"
        return self.ask(name, [*path.literals, nodes.negation(wanted)], path.run.members)

    def judge(self, claim: Property) -> str:
        """Return "" if a claim holds in every step, else the reason why that is not proved.

        Raises
        ------
        SpecError
            If the claim cannot be expressed for any number.
        """
        if claim.kind == "invariant":
            return self.everywhere(
                f"follows/{claim.name}", self.formula_of(claim, self.before).wanted
            )
        if claim.method in self.model.refinements:
            raise SpecError(f"{claim.name}: a refinement is not judged for any number of members")
        if claim.kind == "transition":
            answers = [(path, self._step(claim, path)) for path in self.ways]
            found = (self._breaks(claim, path, wanted) for path, wanted in answers)
            return next(filter(None, found), "")
        if claim.kind == "range":
            return next(filter(None, self._out_of_range(claim)), "")
        if claim.kind == "deadlock":
            asked = [nodes.negation(self._goes_on())]
            return self.ask(f"follows/{claim.name}", asked, (), looks=False)
        raise SpecError(f"a {claim.kind} cannot be judged by one step")

    def _goes_on(self) -> Node:
        """Return the condition that a run may end in a state, or that some step is possible."""
        declared = self.model.spec.declared_methods.items()
        ending = [name for name, mark in declared if mark.kind == "finished"]
        methods = [name for name in ending if counts(self.model, self.run, name)]
        ends = [formula(self.model, method, self.before).wanted for method in methods]
        steps = [for_some(way.run.members, nodes.conjunction(way.literals)) for way in self.ways]
        return nodes.disjunction([nodes.conjunction(ends), *steps])

    def _step(self, claim: Property, path: ActionPath) -> Node:
        before = FunctionStore(path.run)
        return self.formula_of(claim, before, path.run.at(path.after)).wanted

    def _out_of_range(self, claim: Property) -> Iterator[str]:
        """Yield z3's answers to whether a value may leave its range, or an index its array."""
        for name in self.model.spec.declared_variables:
            low, high, _ = self.run.bounds(name)
            indices = self.model.spec.declared_variables[name].indices
            key = tuple(symbol(index.attribute) for index in indices)
            wanted = for_all(key, within(self.run.first(name, key), low, high))
            yield self.at_start(f"{claim.name}/{name}", wanted)
        for path in self.paths:
            passed: list[Node] = []
            for literals, wanted in path.run.obligations:
                asked = [*literals, *passed, nodes.negation(wanted)]
                yield self.ask(f"{path.action.name}/{claim.name}", asked, path.run.members)
                passed.append(wanted)


NOT_INDUCTIVE = "some step breaks it in a state that the lemmas allow, which may be unreachable"


def _said(answer: Any) -> str:
    if answer == z3.unsat:
        return ""
    return NOT_INDUCTIVE if answer == z3.sat else "z3 finds no proof"
