"""Fair actions: the promises that follow from the marks of a spec's actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ._marks import must_be_fairness
from ._records import Action, Fairness, Step
from ._sources import decided, place_of
from ._spec import Spec
from .errors import SpecError


def fairness_of(
    spec: Spec, actions: Sequence[Action], steps: Sequence[Step]
) -> tuple[Fairness, ...]:
    """Return what is promised of fair actions, in the order of declaration.

    Parameters
    ----------
    spec : Spec
    actions, steps : sequence
        Its actions, and each with every combination of its parameters.

    Raises
    ------
    SpecError
        If the fairness of an action is none of `FAIRNESS`, or names no parameter of it.
    """
    found: list[Fairness] = []
    for one in actions:
        mark = spec.declared_methods[one.name]
        names = [name for name, _ in one.parameters]
        apart = names if mark.fair_for is None else list(mark.fair_for)
        strength: Any = mark.fair
        if not isinstance(strength, str):
            strength = decided(strength, spec, one.name, "fair")
        try:
            must_be_fairness(strength)
            for name in apart:
                if name not in names:
                    known = ", ".join(names) or "none"
                    raise SpecError(f"fair_for names {name!r}, which is no parameter of it "
                                    f"(it has: {known})")  # fmt: skip
        except SpecError as error:
            place = place_of(getattr(type(spec), one.name))
            raise SpecError(f"{place}: action {one.name}: {error}") from None
        if strength != "none":
            own = [step for step in steps if step.action == one.name]
            found += _promises(spec, one, own, strength == "strong", apart)
    return tuple(found)


def _promises(
    spec: Spec, action: Action, steps: Sequence[Step], strong: bool, apart: Sequence[str]
) -> Iterator[Fairness]:
    """Yield the promises of an action, one for each combination of some parameters.

    Parameters
    ----------
    spec : Spec
    action : Action
    steps : sequence of Step
        The steps of the action.
    strong : bool
        Whether they are strongly fair.
    apart : sequence of str
        The parameters whose members are taken one by one.
    """
    places = [k for k, (name, _) in enumerate(action.parameters) if name in apart]
    of_members: dict[tuple[int, ...], list[Step]] = {}
    for step in steps:
        of_members.setdefault(tuple(step.binding[k] for k in places), []).append(step)
    for members, own in of_members.items():
        member = dict(zip(places, members, strict=True))
        labels = [f"{name}={index.label(spec, member[k]) if k in member else 'any'}"
                  for k, (name, index) in enumerate(action.parameters)]  # fmt: skip
        yield Fairness(f"{action.name}({', '.join(labels)})", strong, tuple(own))
