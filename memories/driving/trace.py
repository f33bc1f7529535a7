"""A trace of a spec as real code needs it, and what a driven object offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from counterpoint.spec.notation import Model, SpecError, Step, Values


@dataclass(frozen=True)
class TraceStep:
    """A step of a trace.

    Attributes
    ----------
    action : str
        The name of the spec's action.
    arguments : dict of str to int
        Its arguments as the spec has them: the number of a member, or a value.
    labels : dict of str to str
        Its arguments as they are shown, such as ``T0``.
    changes : dict of str to (object, object)
        What it changes: for each cell, by label, the value before and after, as shown.
    """

    action: str
    arguments: dict[str, int]
    labels: dict[str, str]
    changes: dict[str, tuple[Any, Any]]

    def __str__(self) -> str:
        """Return the step as a call, such as ``read(t=T0, x=y)``."""
        return f"{self.action}({', '.join(f'{n}={v}' for n, v in self.labels.items())})"

    def has(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether the step has some arguments, each as a number or as it is shown.

        Only those that the step names are compared.
        """
        return all(
            arguments[name] in (number, self.labels[name])
            for name, number in self.arguments.items()
            if name in arguments
        )


@dataclass(frozen=True)
class Trace:
    """A run of a spec.

    Attributes
    ----------
    spec : str
        The spec's name.
    parameters : dict of str to object
        All of its parameters.
    changed : dict of str to object
        Those that are not the default.
    claim : str
        The property that the run violates, or the witness that it reaches.
    actions : tuple of str
        The names of all actions of the spec.
    steps : tuple of TraceStep
    """

    spec: str
    parameters: dict[str, Any]
    changed: dict[str, Any]
    claim: str
    actions: tuple[str, ...]
    steps: tuple[TraceStep, ...]

    def of(self, **arguments: Any) -> Iterator[TraceStep]:
        """Yield the steps that have some arguments, such as ``of(t=0)`` or ``of(t="T0")``."""
        return (
            s for s in self.steps if arguments.keys() <= s.arguments.keys() and s.has(arguments)
        )

    def after(self) -> dict[str, Any]:
        """Return the last value of each cell that changes, as shown, by label."""
        return {cell: new for step in self.steps for cell, (_, new) in step.changes.items()}


def trace_of(model: Model, start: Values, steps: Sequence[Step], claim: str) -> Trace:
    """Return a run of a spec as a `Trace`.

    Parameters
    ----------
    model : Model
        The spec.
    start : state
    steps : sequence of Step
    claim : str
        The property that the run violates, or the witness that it reaches.

    Raises
    ------
    SpecError
        If a step is not possible.
    """
    found = []
    for number, step in enumerate(steps, 1):
        after = model.take(start, step)
        if after is None:
            raise SpecError(f"step {number}, {model.show_step(step)}, is not possible in the spec")
        labels = model.show_binding(step)
        arguments = dict(zip(labels, step.binding, strict=True))
        found.append(TraceStep(step.action, arguments, labels, model.changes(start, after)))
        start = after
    actions = tuple(action.name for action in model.actions)
    parameters, changed = dict(model.spec.parameters), dict(model.changed_parameters())
    return Trace(model.name, parameters, changed, claim, actions, tuple(found))


class Subject(Protocol):
    """Code that a trace drives: the only method that it must have.

    These attributes and methods may be there as well:

    ``actions`` : mapping of str to (str or None)
        The name of the code's point for an action of the spec, if it has another one; None if the
        code has no point for it.
    ``besides`` : collection of str
        The names of points that are no action of the spec. They are passed at once.
    ``expected(trace)`` and ``observed()`` : mapping of str to object
        What the spec says that the code must have seen at the end, and what it has seen. The two
        are shown beside each other, and must be equal.
    ``state()`` : dict of str to object
        For comparisons with the spec after each step, if no mapping is given: the values of its
        variables that the code has now.
    """

    def programs(self, trace: Trace) -> Sequence[Callable[[], object]]:
        """Return a function for each thread that takes the trace's steps, in fresh memory.

        A function that raises has left the trace, so it catches what the trace expects. It is
        stopped where the trace ends.
        """
