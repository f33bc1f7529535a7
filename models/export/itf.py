"""A run as JSON in Apalache's Informal Trace Format (ITF).

The format is defined in Apalache's decision record 015, "Informal Trace Format in JSON".
"""

from __future__ import annotations

import json
from typing import Any

from counterpoint.models.present.chart import outcome
from counterpoint.models.present.formats import command
from counterpoint.models.present.lanes import traced
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, Values
from counterpoint.spec.notation.nodes import Cell


def itf(verdict: Verdict) -> str:
    """Return a verdict's run in the Informal Trace Format.

    Every variable of the spec becomes a variable of the trace; an array becomes a map from labels,
    or from tuples of labels, to values. The ``#meta`` of a state contains the step before it, as
    ``action`` and ``parameters``. If the last step leaves a range, no state follows it, and it is
    in the ``#meta`` of the whole trace. Of a lasso, ``loop`` is the state after the last one, which
    stands twice: as the last state, too.

    Raises
    ------
    SpecError
        If the verdict has no trace.
    """
    model, trace = verdict.model, traced(verdict)
    lost = trace.steps[len(trace.states) - 1 :]
    meta = {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": command(verdict),
        "status": "violation" if verdict.answer == "violated" else "ok",
        "description": " ".join([outcome(verdict), *verdict.explanation.lines]),
        "property": verdict.claim.name,
        **({"last-step": model.show_step(lost[0])} if lost else {}),
    }
    states = []
    for i, values in enumerate(trace.states):
        about: dict[str, Any] = {"index": i}
        if i:
            step = trace.steps[i - 1]
            about |= {"action": step.action, "parameters": model.show_binding(step)}
        states.append({"#meta": about, **_variables(model, values)})
    names = list(model.spec.declared_variables)
    parts = [
        f' "#meta": {_json(meta)}',
        ' "params": []',
        f' "vars": {_json(names)}',
        *([] if trace.loop is None else [f' "loop": {trace.loop}']),
        ' "states": [\n' + ",\n".join(map(_lines, states)) + "\n ]",
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(state: dict[str, Any]) -> str:
    """Return a state with a line for each variable."""
    return "  {" + ",\n   ".join(f"{_json(name)}: {_json(v)}" for name, v in state.items()) + "}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _variables(model: Model, values: Values) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for cell, value in zip(model.cells, values, strict=True):
        shown = _value(model.show_value(cell, value))
        if not cell.index:
            found[cell.variable] = shown
        else:
            entries = found.setdefault(cell.variable, {"#map": []})["#map"]
            entries.append([_key(model, cell), shown])
    for name in model.spec.declared_variables:
        found.setdefault(name, {"#map": []})
    return found


def _key(model: Model, cell: Cell) -> Any:
    indices = model.spec.declared_variables[cell.variable].indices
    labels = [i.label(model.spec, m) for i, m in zip(indices, cell.index, strict=True)]
    return labels[0] if len(labels) == 1 else {"#tup": labels}


def _value(shown: str | int | bool) -> Any:
    if isinstance(shown, bool | str):
        return shown
    return {"#bigint": str(shown)}
