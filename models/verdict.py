"""The answers of all engines: a verdict for each property, its extent, and a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from counterpoint.spec.notation import (
    TEMPORAL,
    Explanation,
    Model,
    Property,
    RangeError,
    SpecError,
    Step,
    Values,
)

if TYPE_CHECKING:
    from .prove.second_opinion import Opinion

Answer: TypeAlias = Literal["holds", "violated", "unknown"]


def in_steps(number: int) -> str:
    """Return a number of steps in words: ``1 step``, ``13 steps``."""
    return f"{number} step" if number == 1 else f"{number} steps"


@dataclass(frozen=True)
class Trace:
    """A run of a spec that anyone can replay.

    Attributes
    ----------
    states : tuple of states
        From the initial state on. There is one more than steps, or as many if the last step leaves
        a range.
    steps : tuple of Step
        The steps between the states.
    loop : int or None
        Of a lasso: how many steps lead to the state with which the last one is equal; the steps
        from there on are repeated for ever. If there are none, the run stays in its last state.
    """

    states: tuple[Values, ...]
    steps: tuple[Step, ...]
    loop: int | None = None

    def to_json(self, model: Model) -> list[dict[str, Any]]:
        """Return a list of ``{action, parameters, changes}``."""
        entries = []
        for i, step in enumerate(self.steps):
            after = self.states[min(i + 1, len(self.states) - 1)]
            entries.append(
                {
                    "action": step.action,
                    "parameters": model.show_binding(step),
                    "changes": {
                        label: {"from": old, "to": new}
                        for label, (old, new) in model.changes(self.states[i], after).items()
                    },
                }
            )
        return entries


@dataclass(frozen=True)
class Verdict:
    """The answer of an engine about one property of a spec under given parameters.

    Attributes
    ----------
    model : Model
        The spec with its parameters.
    claim : Property
        The property.
    engine : str
        The engine's name.
    answer : str
        ``holds``, ``violated`` or ``unknown``.
    extent : str
        How far the answer reaches: ``all states``, ``k steps``, ``every step``, or a count of runs.
    states, transitions : int or None
        Numbers of states and transitions, if the engine counts them.
    depth : int or None
        The length of the trace, or the depth that the engine reached.
    seconds : float
        Wall time of the run that gave this verdict.
    trace : Trace or None
        The violation, or the run that reaches a witness.
    reason : str
        Why the answer is unknown, or what failed.
    notes : tuple of str
        Further remarks, such as actions that never happen.
    explanation : Explanation
        Why it is violated, in words.
    asked : Options or None
        Options that differ from the engine's defaults; see `engines.Options`.
    compared : int or None
        The number of states in which the engine's commands were compared with plain Python.
    second : Opinion or None
        Another solver's answers to the questions that the run rests on; see `second_opinion`.
    """

    model: Model
    claim: Property
    engine: str
    answer: Answer
    extent: str
    states: int | None = None
    transitions: int | None = None
    depth: int | None = None
    seconds: float = 0.0
    trace: Trace | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    explanation: Explanation = field(default_factory=lambda: Explanation(()))
    asked: Any = None
    compared: int | None = None
    second: Opinion | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as ``--format json`` prints it."""
        return {
            "spec": self.model.name,
            "reference": self.model.reference,
            "parameters": dict(self.model.spec.parameters),
            "property": self.claim.name,
            "kind": self.claim.kind,
            "engine": self.engine,
            "verdict": self.answer,
            "extent": self.extent,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "seconds": round(self.seconds, 3),
            "reason": self.reason,
            "explanation": list(self.explanation.lines),
            "notes": list(self.notes),
            "compared": self.compared,
            "second_solver": None if self.second is None else self.second.to_json(),
            "initial": self.model.show_open_cells(self.trace.states[0]) if self.trace else {},
            "trace": None if self.trace is None else self.trace.to_json(self.model),
            **({} if self.trace is None or self.trace.loop is None else {"loop": self.trace.loop}),
        }


def by_length(verdict: Verdict) -> tuple[bool, int]:
    """Return a key that sorts verdicts with a trace: runs before lassos, the shortest first."""
    return verdict.trace is not None and verdict.trace.loop is not None, verdict.depth or 0


def reachable_states(verdicts: Sequence[Verdict]) -> set[int]:
    """Return the numbers of all reachable states, as complete searches counted them.

    Those of temporal properties are taken only if there are no others, since these are searched
    without reductions.
    """
    whole = [v for v in verdicts if v.extent == "all states"]
    lassos = [v for v in verdicts if v.claim.kind in TEMPORAL and v.answer != "unknown"]
    return {v.states for v in whole or lassos if v.states is not None}


def replay(model: Model, taken: Sequence[Step], start: Values | None = None) -> Trace:
    """Take steps in plain Python, from a given state or the first initial state.

    Parameters
    ----------
    model : Model
        The spec.
    taken : sequence of Step
        The steps, in order.
    start : Values, optional
        The state to start from; by default the first initial state.

    Raises
    ------
    SpecError
        If a step is not possible; the message names it. A step that leaves a range raises
        `RangeError`, a subclass.
    """
    states = [next(model.initial_states()) if start is None else start]
    for i, step in enumerate(taken):
        after = model.take(states[-1], step)
        if after is None:
            raise SpecError(f"step {i + 1}, {model.show_step(step)}, is not possible there")
        states.append(after)
    return Trace(tuple(states), tuple(taken))


def replayed(model: Model, taken: Sequence[Step], start: Values | None = None) -> Trace:
    """Replay a run that an engine has found.

    Parameters
    ----------
    model, taken, start
        As for `replay`.

    Raises
    ------
    Disagreement
        If plain Python cannot take the steps.
    """
    try:
        return replay(model, taken, start)
    except SpecError as error:
        raise Disagreement(
            f"plain Python cannot replay the run that the engine found: {error}"
        ) from error


def extended(model: Model, trace: Trace, step: Step) -> Trace | None:
    """Return a run with one more step, which may leave a range; None if it is not possible.

    Parameters
    ----------
    model : Model
        The spec.
    trace : Trace
        The run so far.
    step : Step
        The further step.
    """
    try:
        after = model.take(trace.states[-1], step)
    except RangeError:
        return Trace(trace.states, (*trace.steps, step))
    return None if after is None else Trace((*trace.states, after), (*trace.steps, step))


def explained(verdict: Verdict) -> Verdict:
    """Return the verdict with the spec's explanation of its violation."""
    if verdict.answer != "violated" or verdict.trace is None:
        return verdict
    states = [verdict.model.at(v) for v in verdict.trace.states]
    return replace(verdict, explanation=verdict.model.spec.explain(verdict.claim.name, states))


def _possible(model: Model, values: Values, step: Step) -> bool:
    """Return whether a step is possible, even if it leaves a range."""
    try:
        return model.take(values, step) is not None
    except RangeError:
        return True


def violates(model: Model, claim: Property, trace: Trace) -> bool:
    """Return whether a replayed trace ends in a violation of a property, in plain Python.

    Parameters
    ----------
    model : Model
        The spec.
    claim : Property
        Any property but a witness.
    trace : Trace
        The run; if its last step leaves a range, it has as many states as steps.
    """
    last = trace.states[-1]
    if claim.kind == "deadlock":
        return not model.may_end(last) and not any(_possible(model, last, s) for s in model.steps)
    if claim.kind == "transition":
        if len(trace.states) == 1 and claim.method in model.refinements:
            return model.refinements[claim.method].fault_of_start(last) != ""
        return len(trace.states) > 1 and not model.holds(claim, trace.states[-2], last)
    if claim.kind == "range":
        return len(trace.steps) == len(trace.states) and what_failed(model, claim, trace) != ""
    return claim.kind in ("invariant", "lemma") and not model.holds(claim, last)


class Disagreement(Exception):
    """An engine and plain Python disagree about a spec: an error in this program."""


def confirm(model: Model, claim: Property, trace: Trace) -> None:
    """Check in plain Python that a trace ends as an engine reports.

    Parameters
    ----------
    model : Model
        The spec.
    claim : Property
        The property that the trace violates, or the witness that it reaches.
    trace : Trace
        The run.

    Raises
    ------
    Disagreement
        If the trace neither violates the property nor, for a witness, reaches it.
    """
    if claim.kind == "sometimes":
        right = model.holds(claim, trace.states[-1])
    else:
        right = violates(model, claim, trace)
    if not right:
        raise Disagreement(f"{model.name}: plain Python does not confirm {claim.name}")


def what_failed(model: Model, claim: Property, trace: Trace) -> str:
    """Describe the failure at the end of a trace if its states do not show it; else "".

    Parameters
    ----------
    model : Model
        The spec.
    claim : Property
        The violated property.
    trace : Trace
        The violation.
    """
    if claim.kind == "range":
        try:
            model.take(trace.states[-1], trace.steps[-1])
        except RangeError as error:
            return str(error)
    if claim.kind == "deadlock":
        return "no step is possible, and the run may not end there"
    if claim.method in model.refinements:
        refinement, states = model.refinements[claim.method], trace.states
        if len(states) == 1:
            return refinement.fault_of_start(states[0])
        return refinement.fault(states[-2], states[-1])
    return ""
