"""The actions of a spec, with the indices that their parameters range over."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from ._parameters import Index
from ._records import Action, Step
from ._sources import first_line, place_of
from ._spec import Spec
from .errors import SpecError

MOST_STEPS = 65_536
"""The most combinations of an action's parameters. Each becomes commands of its own."""

Arguments = Callable[[tuple[int, ...]], tuple[Any, ...]]
"""Makes the arguments of an action of the members that a step binds."""


def actions_of(spec: Spec, methods: Sequence[str]) -> tuple[Action, ...]:
    """Return the actions, in the order of declaration.

    Parameters
    ----------
    spec : Spec
    methods : sequence of str
        The names of its actions.

    Raises
    ------
    SpecError
        If there are none, or a parameter of one ranges over nothing.
    """
    every = (*spec.declared_parameters.values(), *spec.declared_domains.values())
    by_name = {n: p for p in every if isinstance(p, Index) for n in p.names}
    found = []
    for method in methods:
        function = getattr(type(spec), method)
        parameters = list(inspect.signature(function).parameters.values())[1:]
        domains = tuple((p.name, _domain(p, by_name, function)) for p in parameters)
        _must_be_few(spec, f"{place_of(function)}: action {method}", domains)
        found.append(Action(method, domains, first_line(function)))
    if not found:
        module = sys.modules.get(type(spec).__module__)
        place = getattr(module, "__file__", None)
        what = f"{spec.name} has no action: mark its methods that are steps with @action"
        raise SpecError(f"{place}: {what}" if place else what)
    return tuple(found)


def _must_be_few(spec: Spec, where: str, domains: Sequence[tuple[str, Index]]) -> None:
    """Refuse an action with too many combinations of its parameters before they are made."""
    for name, index in domains:
        if fault := index.fault(spec):
            raise SpecError(f"{where}: parameter {name}: {fault}")
    sizes = [index.size(spec) for _, index in domains]
    if (number := prod(sizes)) > MOST_STEPS:
        widest = domains[sizes.index(max(sizes))][0]
        shown = f" ({' x '.join(map(str, sizes))})" if len(sizes) > 1 else ""
        raise SpecError(
            f"{where} has {number:,} combinations of its parameters{shown}, and at most "
            f"{MOST_STEPS:,} are allowed: make what {widest} ranges over smaller"
        )


def _domain(parameter: inspect.Parameter, by_name: dict[str, Index], function: Any) -> Index:
    """Return what a parameter of an action ranges over: its default, or the index with its name."""
    of = parameter.default
    if isinstance(of, Index):
        return of
    where = f"{place_of(function)}: action {function.__name__}"
    if of is not inspect.Parameter.empty:
        raise SpecError(f"{where}: {parameter.name}={of!r}: write {parameter.name}=choose(...) or "
                        f"some_subset(...)")  # fmt: skip
    if parameter.name not in by_name:
        known = ", ".join(sorted(by_name)) or "none"
        raise SpecError(
            f"{where}: no index lists the name {parameter.name!r} (known names: {known})"
        )
    return by_name[parameter.name]


def arguments_of(spec: Spec, actions: Sequence[Action]) -> dict[str, Arguments]:
    """Return, for each action that gets something else than members, what makes it of them."""
    plain = Index.argument
    return {
        action.name: _maker(spec, [index for _, index in action.parameters])
        for action in actions
        if any(type(index).argument is not plain for _, index in action.parameters)
    }


def _maker(spec: Spec, indices: Sequence[Index]) -> Arguments:
    def make(binding: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(i.argument(spec, m) for i, m in zip(indices, binding, strict=True))

    return make


def read_step(
    spec: Spec, actions: Sequence[Action], action: str, parameters: dict[str, str]
) -> Step:
    """Return the step with an action's name and its parameters as labels.

    Raises
    ------
    SpecError
        If there is no such action, parameter or member.
    """
    for known in actions:
        if known.name == action:
            if set(parameters) != {name for name, _ in known.parameters}:
                raise SpecError(f"{action} does not take the parameters {list(parameters)}")
            binding = (i.member(spec, str(parameters[n])) for n, i in known.parameters)
            return Step(action, tuple(binding))
    raise SpecError(f"{spec.name} has no action {action!r}")
