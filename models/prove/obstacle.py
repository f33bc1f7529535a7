"""Explains why a lemma is not inductive: by a smallest state from which a step violates it.

Such a state satisfies all lemmas but may be unreachable. If it is unreachable, the lemmas are too
weak; if it is reachable, the lemma is false, and a run shows that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import z3

from counterpoint.models.explore.exhaustive import Disagreement, Exploration, explore
from counterpoint.models.limits import Limits
from counterpoint.models.symbolic.comparing import show_state
from counterpoint.models.symbolic.smt import answer_of
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Index, Model, Property, RangeError, SpecError, Step, Values
from counterpoint.spec.notation.nodes import Cell

from .proving import Failure, Prover

SECONDS = 10.0
"""Seconds to make one obstacle smaller, and seconds to search it among the reachable states."""


@dataclass(frozen=True)
class Obstacle:
    """A step that violates a lemma, from a state in which all lemmas hold.

    Attributes
    ----------
    failure : Failure
        The lemma and the action.
    where : str
        The step, or ``the start``.
    lines : tuple of str
        The state, and whether it can be reached, in words.
    size : int
        How many cells of the state differ from the initial one.
    model, trace : Model and Trace, or None
        A run to the state and the violating step, if the state was reached.
    """

    failure: Failure
    where: str
    lines: tuple[str, ...] = ()
    size: int = 0
    model: Model | None = None
    trace: Trace | None = None


class Obstacles:
    """Searches the smallest obstacle for each failure of one proof."""

    def __init__(self, prover: Prover) -> None:
        self.prover = prover
        self.model = prover.system.model
        self.what = "all lemmas" if self.model.lemmas else "all invariants"
        self.reachable = Reachable(prover.limits)

    @cached_property
    def first(self) -> list[int]:
        """The initial value of each cell; the first if there are several."""
        return [values[0] for values in self.model.initial_values()]

    def smallest(self, failure: Failure) -> Obstacle:
        """Return the obstacle of a failure."""
        if not failure.action:
            return self._at_start(failure)
        if failure.reason:
            return Obstacle(failure, failure.action, (f"z3 gave up: {failure.reason}",))
        state, step = self._search(failure)
        self._judge_again(failure.lemma, state, step)
        model, state, step = self._shrunk(failure.lemma, state, step)
        differing = [
            f"{c.label} = {model.show_value(c, v)}"
            for c, v, old in zip(
                model.cells, state, Model(model.spec).initial_values(), strict=True
            )
            if v not in old
        ]
        where = model.show_step(step)
        lines = [
            f"{failure.lemma.name}: {failure.lemma.description}",
            f"In {'this' if differing else 'the initial'} state {self.what} hold, and {where} "
            f"breaks it{':' if differing else '.'}",
            *(f"  {line}" for line in differing),
        ]
        trace, reached = self._reached(model, state, step)
        found = Obstacle(failure, where, (*lines, reached), len(differing))
        if trace is None:
            return found
        return replace(found, model=Model(model.spec, model.reference), trace=trace)

    def _at_start(self, failure: Failure) -> Obstacle:
        """Return the initial state that violates a lemma, checked in plain Python."""
        lemma = failure.lemma
        if failure.reason:
            return Obstacle(failure, "the start", (f"z3 gave up: {failure.reason}",))
        values = self.prover.starts[lemma.name]
        finite = Model(self.model.spec, self.model.reference)
        if finite.holds(lemma, values):
            raise Disagreement(
                f"z3 finds {lemma.name} false at the start, but plain Python does not"
            )
        lines = (
            f"{lemma.name}: {lemma.description}",
            f"It is false at the start: {show_state(finite, values)}",
        )
        return Obstacle(failure, "the start", lines, model=finite, trace=Trace((values,), ()))

    def _search(self, failure: Failure) -> tuple[Values, Step]:
        """Return a state that differs from the initial one as little as possible, and the step."""
        prover = self.prover
        frame = prover.frame
        broken = {
            i: z3.And(frame.guard(command), prover.fails_after(failure.lemma, command))
            for i, command in enumerate(prover.system.commands)
            if i in failure.commands
        }
        found = nearest(prover, self.first, z3.Or(*broken.values()))
        state = frame.values(found)
        for i, condition in broken.items():
            if z3.is_true(found.eval(condition, model_completion=True)):
                return state, prover.system.commands[i].step
        raise Disagreement(f"{self.model.name}: z3's own model does not satisfy the conditions")

    def _judge_again(self, lemma: Property, state: Values, step: Step) -> None:
        if not self._is_obstacle(self.model, lemma, state, step):
            raise Disagreement(
                f"{self.model.name}: plain Python does not break {lemma.name} by {step}"
            )

    def _is_obstacle(self, model: Model, lemma: Property, state: Values, step: Step) -> bool:
        """Return whether, in plain Python, all lemmas hold in a state and a step violates one.

        Parameters
        ----------
        model : Model
            The spec, perhaps with fewer members.
        lemma : Property
            The lemma to violate.
        state : Values
            The state.
        step : Step
            The step.
        """
        try:
            if not all(model.holds(known, state) for known in self.prover.lemmas):
                return False
            after = model.take(state, step)
            return after is not None and not model.holds(lemma, after)
        except SpecError:  # it left a range, or names a removed member
            return False

    def _shrunk(self, lemma: Property, state: Values, step: Step) -> tuple[Model, Values, Step]:
        """Remove the last members of each index as long as the obstacle remains one."""
        model = self.model
        for name, index in model.spec.declared_parameters.items():
            while isinstance(index, Index) and index.size(model.spec) > 1:
                smaller = _without_last(model, name, index, state)
                if smaller is None or not self._is_obstacle(smaller[0], lemma, smaller[1], step):
                    break
                model, state = smaller
        return model, state, step

    def _reached(self, model: Model, state: Values, step: Step) -> tuple[Trace | None, str]:
        """Search the state among the reachable ones, with the declared ends of all ranges."""
        finite = Model(model.spec, model.reference)
        found, line = self.reachable.way(finite, state)
        if found is None:
            return None, line
        try:
            after = finite.take(found.states[-1], step)
        except RangeError:
            after = None
        if after is None:
            return None, f"{line}, and the step is beyond the bounds."
        trace = Trace((*found.states, after), (*found.steps, step))
        return trace, f"{line}: it is false."


def nearest(prover: Prover, first: Sequence[int], condition: Any) -> Any:
    """Return a z3 model of a state that differs from the initial one as little as possible.

    Parameters
    ----------
    prover : Prover
        Assumes the lemmas.
    first : sequence of int
        The initial value of each cell.
    condition : z3 term
        A condition that some such state satisfies.

    Raises
    ------
    Disagreement
        If z3 finds no such state.
    """
    search = z3.Optimize()
    search.set("timeout", prover.limits.milliseconds(SECONDS))
    search.add(*prover.assumptions(), condition)
    terms = prover.frame.terms
    for cell, term, value in zip(prover.system.model.cells, terms, first, strict=True):
        if cell.low < cell.high:
            same = term == (bool(value) if cell.boolean else value)
            search.add_soft(same, 10 + sum(cell.index))
    numbers = [t for t in terms if z3.is_int(t)]
    if numbers:  # z3 has no empty sum
        search.minimize(z3.Sum(numbers))
    if answer_of(search) == z3.sat:
        return search.model()
    prover.solver.push()
    prover.solver.add(condition)
    if answer_of(prover.solver) != z3.sat:
        raise Disagreement(
            f"{prover.system.model.name}: z3 found an obstacle and does not find it again"
        )
    found = prover.solver.model()
    prover.solver.pop()
    return found


class Reachable:
    """Searches states among those that can be reached with the declared ends of all ranges."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.explored: dict[str, Exploration] = {}

    def way(self, model: Model, state: Values) -> tuple[Trace | None, str]:
        """Return a run to a state, and in words whether it is reachable.

        Parameters
        ----------
        model : Model
            The spec; its ranges have ends.
        state : Values
            The state.
        """
        indices = [p for p in model.spec.declared_parameters.values() if isinstance(p, Index)]
        sizes = ", ".join(f"{p.name}={p.size(model.spec)}" for p in indices) or "these bounds"
        if any(not c.low <= v <= c.high for c, v in zip(model.cells, state, strict=True)):
            return None, f"With {sizes} it lies outside the bounds that can be explored."
        run = self.explored.get(sizes)
        if run is None:
            limits = Limits(SECONDS, self.limits.bytes, self.limits.progress)
            run = self.explored[sizes] = explore(model, limits, ())
        place = run.find(state)
        if place is None:
            which = "one of" if run.complete else "among the first"
            return None, f"It is not {which} the {len(run.states):,} states reached with {sizes}."
        return run.trace_to(place), f"It is reachable with {sizes}"


def _without_last(
    model: Model, name: str, index: Index, state: Values
) -> tuple[Model, Values] | None:
    """Return the state without the last member of an index; None if the member matters.

    Parameters
    ----------
    model : Model
        The spec.
    name : str
        The attribute of the index.
    index : Index
        The index.
    state : Values
        The state.
    """
    given = model.changed_parameters() | {name: index.size(model.spec) - 1}
    try:
        smaller = Model(type(model.spec)(**given), model.reference, unbounded=True)
        kept = {(c.variable, c.index): c for c in smaller.cells}
        system = trace(smaller)
        _ = system.claims, system.may_end, system.initial
    except SpecError:  # a size that is not allowed, or the spec names the member
        return None
    first = [values[0] for values in model.initial_values()]
    values: dict[tuple[str, tuple[int, ...]], int] = {}
    for cell, value, initial in zip(model.cells, state, first, strict=True):
        if (cell.variable, cell.index) in kept:
            values[cell.variable, cell.index] = value
        elif value != initial:
            return None
    found = tuple(values[c.variable, c.index] for c in smaller.cells)
    if not all(_fits(c, v) for c, v in zip(smaller.cells, found, strict=True)):
        return None
    return smaller, found


def _fits(cell: Cell, value: int) -> bool:
    return cell.low <= value <= cell.high
