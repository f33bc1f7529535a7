"""A run as the text of a scenario."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from counterpoint.models.runs.steps import written
from counterpoint.models.runs.walk import Option, Walk
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Model

from .endings import surely_violated

_WORDS = ("scenario", "spec", "set", "initial", "step", "expect", "must", "for")


def as_scenario(model: Model, trace: Trace, title: str, folder: Path | None = None) -> str:
    """Return a run as a scenario: its steps, the violations, and what its last step changed.

    Parameters
    ----------
    model : Model
    trace : Trace
        The run; a lasso is written as one.
    title : str
    folder : Path, optional
        Where the file will be, if not in the present folder.
    """
    lines = [f"scenario: {' '.join(title.split())}",
             f"spec: {_reference_from(model.reference, folder)}"]  # fmt: skip
    lines += [f"set: {name}={value}" for name, value in model.changed_parameters().items()]
    lines += [f"initial: {n} = {v}" for n, v in model.show_open_cells(trace.states[0]).items()]
    lines += ["", *_steps(model, trace)]
    return "\n".join(lines) + "\n"


def _steps(model: Model, trace: Trace) -> Iterator[str]:
    walk, known = Walk(model, trace.states[0]), set[str]()
    last = len(trace.steps)
    for number in range(last + 1):
        if number == trace.loop:
            yield "for ever:"
        if number == last:
            break
        yield _step(written(model, trace.steps[number]))
        after = trace.states[number + 1] if number + 1 < len(trace.states) else None
        walk.go(_option(walk, trace, number, after))
        now = [claim.name for claim in walk.violated]
        if new := [name for name in now if name not in known]:
            yield f"expect property {', '.join(new)} violated"
        known = set(now)
    yield from _end(walk, trace)


def _end(walk: Walk, trace: Trace) -> Iterator[str]:
    """Yield what is expected after the last step."""
    if walk.before is not None and trace.loop is None:
        for label, (_, value) in walk.model.changes(walk.before, walk.here).items():
            yield f"expect {label} == {value}"
    if trace.loop is None and (reached := [claim.name for claim in walk.reached]):
        yield f"expect property {', '.join(reached)} reached"
    if violated := [claim.name for claim in surely_violated(walk, trace)]:
        yield f"expect property {', '.join(violated)} violated"


def _option(walk: Walk, trace: Trace, number: int, after: tuple[int, ...] | None) -> Option:
    step = trace.steps[number]
    return next(option for option in walk.options if option.step == step and option.after == after)


def _step(text: str) -> str:
    """Return the line of a step, so that no action's name is read as another word."""
    return f"step: {text}" if text.split()[0] in _WORDS else text


def _reference_from(reference: str, folder: Path | None) -> str:
    """Return a reference as the file in a folder names it."""
    found = re.match(r"(.*?\.py)(:.*|/.*)?$", reference)
    if found is None or folder is None or Path(found[1]).is_absolute():
        return reference
    return os.path.relpath(found[1], folder) + (found[2] or "")
