"""The calls of an object that stand for the actions of a spec."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from counterpoint.models.runs.steps import member
from counterpoint.spec.notation import Action, Model, SpecError, Step

from .mapped import as_text

Name = str | Callable[..., Any] | None
"""A method's name, a function of the object and the arguments, or None for no call at all."""


@dataclass(frozen=True)
class Naming:
    """How calls are made of the actions of a spec.

    Attributes
    ----------
    names : mapping of str to Name
        For an action, what is called; by default the method of the same name.
    returns : mapping of str to str
        For an action, its parameter whose value the call returns.
    decides : mapping of str to collection of str
        For an action, its parameters that the code decides and does not say.
    silent : collection of str
        Actions that can happen between two calls.
    """

    names: Mapping[str, Name] = field(default_factory=dict)
    returns: Mapping[str, str] = field(default_factory=dict)
    decides: Mapping[str, Collection[str]] = field(default_factory=dict)
    silent: Collection[str] = ()

    def hidden(self, action: str) -> set[str]:
        """Return the parameters that are no arguments of the call."""
        given = self.decides.get(action, ())
        several = {given} if isinstance(given, str) else set(given)
        return several | ({self.returns[action]} if action in self.returns else set())

    def check(self, model: Model) -> None:
        """Refuse names that the spec does not have.

        Raises
        ------
        SpecError
            If there is no such action or parameter.
        """
        known = {action.name: {name for name, _ in action.parameters} for action in model.actions}
        for word in ("names", "returns", "decides", "silent"):
            for name in getattr(self, word):
                if name not in known:
                    raise SpecError(f"{word}: {model.name} has no action {name!r} (it has: "
                                    f"{', '.join(known)})")  # fmt: skip
        for name, parameters in known.items():
            for parameter in self.hidden(name) - parameters:
                has = ", ".join(sorted(parameters)) or "none"
                raise SpecError(f"{name} has no parameter {parameter!r} (its parameters: {has})")


@dataclass(frozen=True)
class Call:
    """A call, and the steps of the spec that it can be.

    Attributes
    ----------
    action : str
    text : str
        The call, as in ``put(item=1)``.
    arguments : dict of str to object
        As the spec's action gets them: the number of a member, or a value.
    steps : tuple of Step
        Several if the code decides a parameter.
    """

    action: str
    text: str
    arguments: Mapping[str, Any]
    steps: tuple[Step, ...]

    def returning(self, model: Model, parameter: str, result: object) -> tuple[Step, ...]:
        """Return the steps in which a parameter has the value that the call returned."""
        action = action_named(model, self.action)
        names = [name for name, _ in action.parameters]
        place = names.index(parameter)
        index = action.parameters[place][1]
        for number in range(index.size(model.spec)):
            if type(result) is type(index.argument(model.spec, number)) and (
                result == index.argument(model.spec, number)
            ):
                return tuple(step for step in self.steps if step.binding[place] == number)
        try:
            wanted = member(model, parameter, index, as_text(result))
        except SpecError:
            return ()
        return tuple(step for step in self.steps if step.binding[place] == wanted)


def action_named(model: Model, name: str) -> Action:
    """Return an action of a spec."""
    return next(action for action in model.actions if action.name == name)


def calls_of(model: Model, naming: Naming) -> tuple[Call, ...]:
    """Return all calls that an object is tried with, in the order of the spec's steps."""
    found: dict[tuple[str, tuple[tuple[str, int], ...]], list[Step]] = {}
    for step in model.steps:
        if step.action in naming.silent or naming.names.get(step.action, "") is None:
            continue
        hidden = naming.hidden(step.action)
        names = [name for name, _ in action_named(model, step.action).parameters]
        seen = tuple((n, m) for n, m in zip(names, step.binding, strict=True) if n not in hidden)
        found.setdefault((step.action, seen), []).append(step)
    return tuple(_call(model, name, dict(seen), steps) for (name, seen), steps in found.items())


def _call(model: Model, name: str, seen: Mapping[str, int], steps: list[Step]) -> Call:
    parameters = dict(action_named(model, name).parameters)
    arguments = {p: parameters[p].argument(model.spec, m) for p, m in seen.items()}
    inside = ", ".join(f"{p}={parameters[p].label(model.spec, m)}" for p, m in seen.items())
    return Call(name, f"{name}({inside})", arguments, tuple(steps))
