"""Compares the runs of cases with a spec, after each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterpoint.memories.conforming.comparing import Comparison, Watch
from counterpoint.memories.controller import After
from counterpoint.models.limits import Limits
from counterpoint.spec.notation import Model, SpecError

from .cases import Case, Run


class Conforming:
    """A spec, and how the state of code is read as one of its states.

    Parameters
    ----------
    model : Model
        A case may have a spec with other parameters; see `Case`.
    mapping : callable, optional
        Gets a `Run`, and returns its variables; by default its method ``state``.
    name : str
        What the mapping is called in errors.
    points : mapping of str to (str or None), optional
        The names of points, as for `Comparison`.
    limits : Limits, optional

    Attributes
    ----------
    model : Model
    comparisons : list of Comparison
        One for each case.
    """

    def __init__(
        self,
        model: Model,
        mapping: Callable[[Any], Any] | None = None,
        name: str = "the mapping",
        points: Any = None,
        limits: Limits | None = None,
    ) -> None:
        self.model, self._mapping, self._name = model, mapping, name
        self._points, self._limits = points, limits
        self.comparisons: list[Comparison] = []

    def watches(self, case: Case) -> Callable[[Run], After]:
        """Return what makes the comparison of each run of a case.

        Raises
        ------
        SpecError
            If a run has no state, and there is no mapping.
        """
        own = getattr(case, "spec", None)
        model = self.model if own is None else Model(own(self.model.spec))
        comparison = Comparison(model, self._name, self._points, self._limits)
        self.comparisons.append(comparison)
        arguments = getattr(case, "arguments", None)

        def watch(run: Run) -> After:
            return Watch(comparison, look_at(run, self._mapping), arguments).after

        return watch


def look_at(run: Any, mapping: Callable[[Any], Any] | None) -> Callable[[], Any]:
    """Return a function that shows the state of code.

    Raises
    ------
    SpecError
        If there is neither a mapping nor a method ``state``.
    """
    if mapping is not None:
        return lambda: mapping(run)
    found: Callable[[], Any] | None = getattr(run, "state", None)
    if not callable(found):
        raise SpecError(f"{type(run).__name__} has no method state(), so name a mapping that "
                        "shows its variables")  # fmt: skip
    return found
