"""Fair actions: the promises that follow from the marks of a spec's actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ._marks import must_be_fairness
from ._records import Action, Fairness, Step
from ._sources import place_of
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
        strength = mark.fair if isinstance(mark.fair, str) else mark.fair(spec)
        place = place_of(getattr(type(spec), one.name))
        try:
            must_be_fairness(strength)
        except SpecError as error:
            raise SpecError(f"{place}: action {one.name}: {error}") from None
        names = [name for name, _ in one.parameters]
        apart = names if mark.fair_for is None else list(mark.fair_for)
        for name in apart:
            if name not in names:
                known = ", ".join(names) or "none"
                raise SpecError(f"{place}: action {one.name}: fair_for names {name!r}, which is "
                                f"no parameter of it (it has: {known})")  # fmt: skip
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
        named = zip((action.parameters[k] for k in places), members, strict=True)
        labels = [f"{name}={index.label(spec, member)}" for (name, index), member in named]
        yield Fairness(f"{action.name}({', '.join(labels)})", strong, tuple(own))
