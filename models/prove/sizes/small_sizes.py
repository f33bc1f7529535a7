"""Checks proofs for any number at small sizes: 1, 2, 3 and 5 members of an index."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from counterpoint.models.explore.exhaustive import explore, verdicts
from counterpoint.models.limits import Limits
from counterpoint.models.symbolic.comparing import (
    LEAVES,
    After,
    ComparisonResult,
    Difference,
    plain_result,
    random_states,
    show_state,
)
from counterpoint.models.symbolic.evaluating import SizedEvaluation
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Index, Model, Property, SpecError, Values, nodes
from counterpoint.spec.notation.nodes import Node

from .quantifiers import QuantifiedProver
from .ways import ActionPath, Formula

SIZES = (1, 2, 3)

SECONDS = 1.0
"""The budget in seconds for visiting the states of small sizes."""

STATES, ANYWHERE, STEPS = {1: 100, 2: 100, 3: 100, 5: 10}, 20, 4
"""By size: how many states of random runs are compared, how many states that may be unreachable,
and how many steps in each state.
"""

MOST = 100_000
"""An action whose guard has more parts, as with counts of many members, is not compared."""

PARTS, FEWEST = 40_000, 4
"""About how many parts of claims are evaluated at each size, and the least number of states
compared at the visited sizes.
"""


def model_of_size(
    model: Model, number: int, indices: Collection[str], unbounded: bool = False
) -> Model | None:
    """Return a spec with another number of members of some indices.

    Parameters
    ----------
    model : Model
        The spec.
    number : int
        The size of each of the indices.
    indices : collection of str
        The attributes of the indices.
    unbounded : bool
        Whether ranges declared with ``grows`` have no upper end.

    Returns
    -------
    Model or None
        None if the spec does not allow that size.
    """
    wanted = {
        p.name: min(max(number, p.at_least), p.at_most)
        for p in model.spec.declared_parameters.values()
        if isinstance(p, Index) and p.attribute in indices
    }
    try:
        given = model.changed_parameters() | wanted
        found = Model(type(model.spec)(**given), model.reference, unbounded)
        _ = found.cells, found.steps, found.initial_values()
    except SpecError:  # sizes that follow from other parameters
        return None
    return found


# Comparing formulas with plain Python


def compare_at_small_sizes(
    prover: QuantifiedProver, claims: Sequence[Property]
) -> ComparisonResult:
    """Compare the formulas of a proof for any number with plain Python.

    Parameters
    ----------
    prover : QuantifiedProver
        The prover, with the paths through actions and the lemmas.
    claims : sequence of Property
        The claims that were judged.
    """
    count = 0
    done: list[object] = []
    try:
        for number, most in STATES.items():
            model = model_of_size(
                prover.model, number, prover.model.spec.any_number, unbounded=True
            )
            if model is None or model.changed_parameters() in done:
                continue
            done.append(model.changed_parameters())
            here = _FormulasAtSize(prover, model, claims)
            states = random_states(model, most, seed=number)
            for place, values in enumerate(states):
                if count and prover.limits.left() == 0:
                    return ComparisonResult(count)
                count += 1
                here.compare(values, claims=place < here.enough)
            for place, values in enumerate(here.anywhere(states[:ANYWHERE])):
                here.compare(values, claims=not place, reached=False)
    except Difference as difference:
        return ComparisonResult(count, str(difference))
    return ComparisonResult(count)


class _FormulasAtSize:
    """The formulas of a proof for any number, evaluated at one size."""

    def __init__(self, prover: QuantifiedProver, model: Model, claims: Sequence[Property]) -> None:
        self.prover, self.model = prover, model
        self.chance = random.Random(0)
        indices = [p for p in model.spec.declared_parameters.values() if isinstance(p, Index)]
        self.sizes = {index.attribute: index.size(model.spec) for index in indices}
        self.formulas = [(p, f) for p, f in self._said(claims) if f is not None]
        cost = sum(_cost(f.meaning, max(self.sizes.values())) for _, f in self.formulas)
        fewest = FEWEST if max(self.sizes.values()) in SIZES else 1
        self.enough = max(fewest, PARTS // max(1, cost))
        self.ways: dict[str, list[ActionPath]] = {}
        large = {
            p.action.name for p in prover.paths if _cost_of(p, max(self.sizes.values())) > MOST
        }
        self.steps = [step for step in model.steps if step.action not in large]
        for path in prover.paths:
            self.ways.setdefault(path.action.name, []).append(path)
        self.cells: dict[tuple[int, int], Node] = {}

    def _said(self, claims: Sequence[Property]) -> Iterator[tuple[Property, Formula | None]]:
        for lemma in self.prover.model.lemmas:
            yield lemma, self.prover.lemmas.get(lemma.name)
        for claim in claims:
            if claim.kind == "invariant":
                try:
                    yield claim, self.prover.formula_of(claim, self.prover.before)
                except SpecError:
                    continue

    def _read(self, values: Values, name: str, key: tuple[int, ...]) -> int:
        place = self.model.layout.places.get((name, key))
        return 0 if place is None else values[place]

    def anywhere(self, states: Sequence[Values]) -> Iterator[Values]:
        """Yield states with some other values within their ranges; they may be unreachable."""
        for values in states:
            found = list(values)
            for place, cell in enumerate(self.model.cells):
                if self.chance.random() < 0.3:
                    high = cell.high if cell.high != nodes.UNBOUNDED else cell.low + 9
                    found[place] = self.chance.randint(cell.low, high)
            yield tuple(found)

    def compare(self, values: Values, claims: bool, reached: bool = True) -> None:
        """Compare some steps in one state, and the claims on request.

        Parameters
        ----------
        values : Values
            The state.
        claims : bool
            Whether to compare the claims.
        reached : bool
            Whether the state is known to be reachable; in other states errors of plain Python are
            ignored.
        """
        read: Callable[[str, tuple[int, ...]], int] = partial(self._read, values)
        state = SizedEvaluation(self.sizes, read, {})
        for claim, formula in self.formulas if claims else ():
            right = self._holds(claim, values)
            found = bool(state.value(formula.meaning)) if state.value(formula.obligations) else None
            if right != found:
                self._differ(claim.name, values, right, found)
        steps = self.steps
        for step in self.chance.sample(steps, min(STEPS, len(steps))):
            members = step.binding
            try:
                after = plain_result(self.model, values, step)
            except SpecError as error:
                if reached:
                    raise Difference(f"plain Python fails: {error}") from error
                continue
            ways = {self._way(p, values, read, members) for p in self.ways.get(step.action, ())}
            ways = ways - {None} or {None}
            if ways != {after}:
                self._differ(self.model.show_step(step), values, after, *ways)

    def _holds(self, claim: Property, values: Values) -> bool | None:
        try:
            return self.model.holds(claim, values)
        except SpecError:  # an index outside an array
            return None

    def _way(self, path: ActionPath, values: Values, read: Any, members: Sequence[int]) -> After:
        """Return the result of a path: a state, a range error, or None if the path is not taken.

        Parameters
        ----------
        path : ActionPath
            The path through an action.
        values : Values
            The state before.
        read : callable
            Returns the value of a variable at members.
        members : sequence of int
            The parameters of the action.
        """
        state = SizedEvaluation(self.sizes, read, dict(zip(path.run.members, members, strict=True)))
        for literals, wanted in path.run.obligations:
            if state.all(literals) and not state.value(wanted):
                return LEAVES
        if not path.possible or not state.all(path.run.literals):
            return None
        return tuple(state.value(self._cell(path, place)) for place in range(len(self.model.cells)))

    def _cell(self, path: ActionPath, place: int) -> Node:
        key = (id(path), place)
        if key not in self.cells:
            cell = self.model.cells[place]
            index = tuple(map(nodes.constant, cell.index))
            self.cells[key] = path.after.at(cell.variable, index)
        return self.cells[key]

    def _differ(self, what: str, values: Values, right: object, *read: object) -> None:
        where = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        others = " or ".join(sorted(map(str, read)))
        raise Difference(
            f"{what} means two things, with {where} at {show_state(self.model, values)}: in plain "
            f"Python: {right}; in the proof for any number: {others}"
        )


def _cost_of(path: ActionPath, members: int) -> int:
    return sum(_cost(node, members) for node in path.literals)


@cache
def _cost(node: Node, members: int) -> int:
    """Estimate how many parts of an expression are evaluated at a size of the indices."""
    if node.op == "all":
        bound, body = node.args
        return int(members ** len(bound)) * _cost(body, members)
    return 1 + sum(_cost(part, members) for part in node.args if isinstance(part, Node))


# Visiting all states


@dataclass
class SmallSizesResult:
    """The results of visiting the states of small sizes.

    Attributes
    ----------
    violated : dict of str to Verdict
        For each violated claim, its shortest violation at the smallest size.
    reached : list of str
        For each size, the number of visited states, in words.
    """

    violated: dict[str, Verdict] = field(default_factory=dict)
    reached: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        """The note on the visited states."""
        return f"explored: {', '.join(self.reached) or 'nothing'}"


def visit(
    model: Model, indices: Collection[str], wanted: Sequence[Property], limits: Limits
) -> SmallSizesResult:
    """Visit the states of sizes 1 to 3, within a small budget.

    Parameters
    ----------
    model : Model
        The spec.
    indices : collection of str
        The indices of any size.
    wanted : sequence of Property
        What to judge.
    limits : Limits
        The limits of the whole check; its memory limit applies here.
    """
    found = SmallSizesResult()
    left = SECONDS
    grows = any(variable.grows for variable in model.spec.declared_variables.values())
    asked = [p for p in wanted if p.kind != "sometimes" and not (grows and p.kind == "range")]
    for number in SIZES if asked else ():
        small = model_of_size(model, number, indices)
        if small is None or left <= 0:
            continue
        known = {p.name for p in small.properties}
        claims = [p for p in asked if p.name in known and p.name not in found.violated]
        own = Limits(left, limits.bytes, limits.progress)
        run = explore(small, own, claims, explorer="python")
        left -= own.elapsed()
        how = "all" if run.complete else "the first"
        found.reached.append(f"{how} {len(run.states):,} states of size {number}")
        for verdict in verdicts(run, claims, 0.0):
            if verdict.answer == "violated":
                found.violated[verdict.claim.name] = verdict
    return found
