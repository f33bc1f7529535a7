"""Inherited actions that do something first, and are fair: for a spec that builds on another."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from ._marks import MARK, MethodMark, must_be_fairness

if TYPE_CHECKING:
    from ._spec import Spec

AROUND = "_counterpoint_around"


def around_actions(
    spec: type[Spec],
    first: Callable[..., None],
    *,
    fair: str = "none",
    fair_for: tuple[str, ...] | None = None,
    leave_out: Collection[str] = (),
) -> None:
    """Let each action of a class do something before its own text, and promise that it is fair.

    Called in ``__init_subclass__`` before that of `Spec`. Actions that the class inherits from
    another one for which this was called stay as they are.

    Parameters
    ----------
    spec : type of Spec
        The class that is created.
    first : callable
        A method, called with the state and the parameters of the action. What it requires, the
        action requires, too.
    fair, fair_for
        See `action`.
    leave_out : collection of str
        Names of actions that stay as they are.
    """
    must_be_fairness(fair)
    for name in dir(spec):
        function = getattr(spec, name, None)
        mark = getattr(function, MARK, None)
        kept = name in leave_out or hasattr(function, AROUND)
        if not isinstance(mark, MethodMark) or mark.kind != "action" or kept or function is None:
            continue
        mark = replace(mark, fair=fair, fair_for=fair_for)
        if name in vars(spec):
            setattr(function, MARK, mark)
        setattr(spec, name, _around(function, first, mark))


def _around(function: Callable[..., None], first: Callable[..., None], mark: MethodMark) -> Any:
    @wraps(function)
    def step(s: Any, *members: Any) -> None:
        first(s, *members)
        function(s, *members)

    setattr(step, MARK, mark)
    setattr(step, AROUND, True)
    return step
