"""Replays traces that were printed as JSON, in plain Python."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from counterpoint.files.inputs import without_advice
from counterpoint.models.lassos import fault_of_lasso, what_happens
from counterpoint.models.loading import load
from counterpoint.models.verdict import Trace, in_steps, violates
from counterpoint.spec.notation import TEMPORAL, Model, RangeError, SpecError, Step, Values


@dataclass(frozen=True)
class ReplayResult:
    """The result of replaying one recorded trace.

    Attributes
    ----------
    title : str
        The spec and the property.
    agrees : bool
        Whether the replay agrees with the record.
    outcome : str
        What the replay showed, in words.
    """

    title: str
    agrees: bool
    outcome: str


def read_records(text: str, name: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a JSON text that have a trace.

    Raises
    ------
    SpecError
        If the text is not an output of ``check --format json``.
    """
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise SpecError(f"{name}:{error.lineno}: {error.msg}") from None
    except ValueError as error:  # int() refuses thousands of digits
        raise SpecError(f"{name}: {without_advice(error)}") from None
    except RecursionError:
        raise SpecError(f"{name}: the JSON is nested too deeply") from None
    for place, record in enumerate(found if isinstance(found, list) else [found]):
        if not _has(record, RECORD) or not all(_has(e, ENTRY) for e in record["trace"] or ()):
            raise SpecError(f"{name}: entry {place + 1} is not a verdict of check --format json")
        if record["trace"] is not None:
            yield record


RECORD = {
    "spec": str,
    "reference": str,
    "parameters": dict,
    "property": str,
    "verdict": str,
    "initial": dict,
    "trace": list | None,
}
ENTRY = {"action": str, "parameters": dict, "changes": dict}


def _has(found: Any, shape: dict[str, Any]) -> bool:
    """Return whether a JSON value is an object with at least these keys, of these types."""
    return isinstance(found, dict) and all(
        key in found and isinstance(found[key], kind) for key, kind in shape.items()
    )


def replay_record(record: dict[str, Any]) -> ReplayResult:
    """Replay one record and compare the result with it.

    Raises
    ------
    SpecError
        If the spec, a parameter, an action or the property is not there any more.
    """
    given = [f"{n}={v}" for n, v in record["parameters"].items()]
    model = load(record["reference"], given)
    title = f"{model.name} {record['property']}"
    claim = model.property_named(record["property"])
    violated = record["verdict"] == "violated"
    steps = [model.read_step(e["action"], e["parameters"]) for e in record["trace"]]
    trace = Trace((start_of(model, record["initial"]),), ())
    for place, (step, entry) in enumerate(zip(steps, record["trace"], strict=True)):
        try:
            after = model.take(trace.states[-1], step)
        except RangeError as error:
            last = claim.kind == "range" and place == len(steps) - 1
            return ReplayResult(title, last and violated, str(error))
        if after is None:
            return ReplayResult(
                title, False, f"step {place + 1}, {model.show_step(step)}, is not possible"
            )
        if not _same_changes(model, trace.states[-1], after, entry["changes"]):
            return ReplayResult(title, False, f"step {place + 1} makes other changes than recorded")
        trace = Trace((*trace.states, after), (*trace.steps, step))
    if claim.kind in TEMPORAL:
        trace = replace(trace, loop=_loop(record.get("loop"), steps))
        fault = fault_of_lasso(model, claim, trace)
        outcome = fault or what_happens(model, claim, trace)
        return ReplayResult(title, not fault and violated, outcome)
    if claim.kind == "sometimes":
        reached = model.holds(claim, trace.states[-1])
        outcome = f"reached after {in_steps(len(steps))}" if reached else "missed"
        return ReplayResult(title, reached and record["verdict"] == "holds", outcome)
    broken = violates(model, claim, trace)
    outcome = f"violated after {in_steps(len(steps))}" if broken else "not violated"
    return ReplayResult(title, broken and violated, outcome)


def ends_so(
    model: Model,
    claim: str,
    run: Sequence[tuple[str, Mapping[str, str]]],
    initial: Mapping[str, Any] | None = None,
    loop: int | None = None,
) -> bool:
    """Return whether a run is possible and still violates or reaches a property.

    The changes of its steps may differ from those recorded.

    Parameters
    ----------
    model : Model
        The spec.
    claim : str
        The property that the run violates, or the witness that it reaches.
    run : sequence of (str, mapping)
        An action and its parameters by name, as labels, for each step.
    initial : mapping, optional
        By label, the initial values of the cells that have several possible ones.
    loop : int, optional
        Of a lasso, for a temporal property: how many steps stand before those that are repeated.

    Raises
    ------
    SpecError
        If the spec, an action, a parameter or the property is not there any more.
    """
    found = model.property_named(claim)
    steps = [model.read_step(action, dict(parameters)) for action, parameters in run]
    states = [start_of(model, dict(initial or {}))]
    for place, step in enumerate(steps):
        try:
            after = model.take(states[-1], step)
        except RangeError:
            return found.kind == "range" and place == len(steps) - 1
        if after is None:
            return False
        states.append(after)
    if found.kind in TEMPORAL:
        trace = Trace(tuple(states), tuple(steps), _loop(loop, steps))
        return not fault_of_lasso(model, found, trace)
    if found.kind == "sometimes":
        return model.holds(found, states[-1])
    return violates(model, found, Trace(tuple(states), tuple(steps)))


def _loop(given: Any, steps: Sequence[Step]) -> int | None:
    """Return the number of steps before a cycle.

    Raises
    ------
    SpecError
        If a run of so many steps cannot have it.
    """
    if given is None or (type(given) is int and 0 <= given <= len(steps)):
        return given
    raise SpecError(f"loop is a number of steps from 0 to {len(steps)}, not {given!r}")


def start_of(model: Model, initial: dict[str, Any]) -> Values:
    """Return the initial state in which the open cells have recorded values.

    Raises
    ------
    SpecError
        If there is none.
    """
    for values in model.initial_states():
        if model.show_open_cells(values) == initial:
            return values
    raise SpecError(f"{model.name} does not have the recorded initial state")


def _same_changes(model: Model, before: Values, after: Values, recorded: Any) -> bool:
    """Return whether a step between two states makes the changes of the record, and no others."""
    changes = model.changes(before, after)
    return bool(recorded == {n: {"from": a, "to": b} for n, (a, b) in changes.items()})
