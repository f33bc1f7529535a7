"""``counterpoint drive --conform``: the state of real code beside a spec, after each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import click

from counterpoint import show
from counterpoint.console import shown
from counterpoint.memories.conforming import Comparison, RunDiffers, Watch
from counterpoint.memories.controller import After
from counterpoint.memories.exploring.conforming import look_at
from counterpoint.models.conforming.columns import instead, table
from counterpoint.models.loading import find_any
from counterpoint.spec.notation import Model, SpecError, Values

Mapping = Callable[[Any], Any]


def mapping_named(name: str) -> Mapping | None:
    """Return the function that a user names; None if there is no name.

    Raises
    ------
    SpecError
        If there is none, or it is no function.
    """
    if not name:
        return None
    found: Mapping = find_any(name)
    if not callable(found):
        raise SpecError(f"--mapping: {name} is no function")
    return found


class TraceComparison:
    """Compares runs that follow a trace with the spec of the trace.

    Parameters
    ----------
    model : Model
    start : Values
        The state in which the trace begins.
    mapping : str
        The function that the user names; "" for the method ``state`` of the subject.
    """

    def __init__(self, model: Model, start: Values, mapping: str) -> None:
        self._model, self._start, self._name = model, start, mapping
        self._mapping = mapping_named(mapping)
        self.comparisons: list[Comparison] = []

    def watch(self, subject: Any) -> After:
        """Return what is called after each step of a subject."""
        if not self.comparisons:
            points = getattr(subject, "actions", None)
            self.comparisons.append(Comparison(self._model, self._name or "state()", points))
        look = look_at(subject, self._mapping)
        return Watch(self.comparisons[0], look, first=[self._start]).after


def print_difference(name: str, spec: str, where: str, differed: RunDiffers) -> None:
    """Print the first difference as two columns."""
    found = differed.found
    whose = "" if differed.thread is None else f" of thread {differed.thread}"
    step = f"at step {differed.number}, {found.step}{whose}" if differed.number else "before step 1"
    text = f"{name} differs from {spec}{where} {step}: {shown(found.reason)}."
    click.secho(show.wrapped(text, indent=0), fg="red")
    if differed.raised:
        click.secho(show.wrapped(f"The code raised {shown(differed.raised)}.", indent=0), fg="red")
    plain = [replace(c, spec=shown(c.spec), code=shown(c.code)) for c in found.columns]
    lines = table(replace(found, columns=tuple(plain)))
    if lines:
        click.echo()
    for line in lines:
        click.secho(f"  {line}".rstrip(), fg="red" if line.endswith("  differs") else None)
    if sentence := instead(found):
        click.echo(f"\n{show.wrapped(sentence, indent=0)}")
    if found.states > 1:
        said = f"The spec could be in {found.states:,} states; the nearest is shown."
        click.echo(f"\n{show.wrapped(said, indent=0)}")


def print_compared(comparisons: Sequence[Comparison], missing: bool = True) -> None:
    """Print which variables were compared, and, if asked for, which actions no run took."""
    compared, left = variables_of(comparisons)
    text = f"Compared: {', '.join(compared)}" + (f"; not: {', '.join(left)}" if left else "")
    click.echo(show.wrapped(f"{text}.", indent=0))
    if missing and (never := never_taken(comparisons)):
        click.echo(show.wrapped(f"Never taken: {', '.join(never)}.", indent=0))


def variables_of(comparisons: Sequence[Comparison]) -> tuple[list[str], list[str]]:
    """Return the variables of which a part was compared, and the others."""
    variables: dict[str, bool] = {}
    for one in comparisons:
        for cell in one.model.cells:
            name = cell.label.partition("[")[0].partition(".")[0]
            variables[name] = variables.get(name, False) or cell.label in one.compared
    compared = [name for name, was in variables.items() if was]
    return compared, [name for name, was in variables.items() if not was]


def never_taken(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the actions with a point that no run took."""
    taken: Counter[str] = Counter()
    for one in comparisons:
        taken.update(one.taken)
    named = dict.fromkeys(name for one in comparisons for name in one.never_taken())
    return [name for name in named if not taken[name]]


def must_compare(comparisons: Sequence[Comparison], name: str) -> None:
    """Refuse a run in which nothing was compared.

    Raises
    ------
    SpecError
        If the mapping named no variable, or no point was an action.
    """
    if not any(one.compared for one in comparisons):
        raise SpecError(f"{name}: the mapping names no variable, so nothing was compared")
    if not any(one.taken for one in comparisons):
        spec = comparisons[0].model.name
        raise SpecError(f"{name}: no point of the code has the name of an action of {spec}, so "
                        "nothing was compared; its attribute actions can name them")  # fmt: skip


def compared_as_json(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return what was compared for ``--format json``."""
    compared, left = variables_of(comparisons)
    return {
        "steps": sum(one.steps for one in comparisons),
        "compared": compared,
        "not_compared": left,
        "never_taken": never_taken(comparisons),
    }


def as_json(differed: RunDiffers | None) -> dict[str, Any] | None:
    """Return a difference for ``--format json``."""
    if differed is None:
        return None
    found = differed.found
    return {
        "number": differed.number,
        "step": found.step,
        "thread": differed.thread,
        "reason": found.reason,
        "raised": differed.raised,
        "states": found.states,
        "allowed": list(found.allowed),
        "variables": [
            {"variable": c.label, "spec": c.spec, "code": c.code, "differs": c.differs}
            for c in found.columns
        ],
    }
