"""Compares what threads do, step by step, with the steps of a spec.

A point with the name of an action is that action, with the arguments that the point has. Any other
point, and a step that was tried in vain, may change nothing that the mapping shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from counterpoint.memories.controller import Controlled
from counterpoint.memories.points import Point
from counterpoint.models.conforming.columns import Difference, difference
from counterpoint.models.conforming.mapped import Mapped, Row
from counterpoint.models.limits import Limits
from counterpoint.models.logs.explaining import Obstacle, Search
from counterpoint.models.logs.reading import Line, differences
from counterpoint.models.logs.stepping import Steps
from counterpoint.spec.notation import Model, SpecError, Step, Values

Arguments = Callable[[Point], Mapping[str, Any]]
"""Returns the arguments of the spec's step for a point."""


class RunDiffers(Exception):  # not an error: it ends a run
    """After a step the code is in no state that the spec allows.

    Attributes
    ----------
    found : Difference
    number : int
        The number of the step in the run, from 1 on; 0 for the beginning.
    thread : int or None
        Whose step it was.
    raised : str
        What the thread raised in this step; "": nothing.
    """

    def __init__(
        self, found: Difference, number: int, thread: int | None, raised: str = ""
    ) -> None:  # fmt: skip
        super().__init__(found.reason)
        self.found, self.number, self.thread, self.raised = found, number, thread, raised

    def of(self, controlled: Controlled) -> RunDiffers:
        """Return the same with what the thread raised, if it did."""
        error = None if self.thread is None else controlled.outcomes[self.thread].error
        said = "" if error is None else f"{type(error).__name__}: {error}".removesuffix(": ")
        return RunDiffers(self.found, self.number, self.thread, said)


class Comparison:
    """What all runs beside one spec share.

    Parameters
    ----------
    model : Model
    name : str
        What the mapping is called in errors.
    points : mapping of str to (str or None)
        For an action, the name of the code's point, if it has another one; None if the code has no
        point for it: then it may happen at any time.
    limits : Limits, optional

    Attributes
    ----------
    taken : Counter of str
        How often each action was taken. A step that can have been several counts for each.
    steps : int
        How many steps were compared, with those that are no action.
    compared : set of str
        The cells of the spec, by label, that the mapping has named.
    """

    def __init__(
        self,
        model: Model,
        name: str = "the mapping",
        points: Mapping[str, str | None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.model, self.mapped, self.limits = model, Mapped(model, name), limits or Limits()
        self.taking = Steps(model)
        self.taken: Counter[str] = Counter()
        self.steps = 0
        self.compared: set[str] = set()
        given = points or {}
        known = [action.name for action in model.actions]
        for action in given:
            if action not in known and action not in model.spec.declared_methods:
                raise SpecError(f"actions: {model.name} has no action {action!r} (it has: "
                                f"{', '.join(known)})")  # fmt: skip
        self._actions: dict[str, list[str]] = {}
        for action in known:
            point = given.get(action, action)
            if point is not None:
                self._actions.setdefault(point, []).append(action)
        self.silent = [action for action in known if given.get(action, action) is None]
        self._steps: dict[Point, tuple[Step, ...]] = {}

    def rows(self, given: Any) -> tuple[Row, ...]:
        """Return what a mapping says."""
        rows = self.mapped.rows(given)
        self.compared |= {self.model.cells[k].label for row in rows for k, _ in row.facts}
        return rows

    def steps_of(self, point: Point, arguments: Mapping[str, Any]) -> tuple[Step, ...]:
        """Return the steps of the spec that a point can be; none if it is no action.

        Raises
        ------
        SpecError
            If it is an action, but the spec has no such step.
        """
        actions = self._actions.get(point.name, [])
        if not actions:
            return ()
        if point not in self._steps:
            named = self._that_name_some(point, actions, arguments)
            found = tuple(
                step
                for step in self.model.steps
                if step.action in named and self._has(step, arguments)
            )
            if not found:
                raise SpecError(f"the code is before {point}, and no step of {self.model.name} has "
                                "these arguments")  # fmt: skip
            self._steps[point] = found
        return self._steps[point]

    def _that_name_some(
        self, point: Point, actions: list[str], arguments: Mapping[str, Any]
    ) -> list[str]:
        """Return the actions without parameters, or with one that a point names.

        Raises
        ------
        SpecError
            If there are none.
        """
        names = {action: self._parameters(action) for action in actions}
        given = set(arguments)
        found = [a for a in actions if not (names[a] and given) or given & set(names[a])]
        if not found:
            first = actions[0]
            raise SpecError(f"the code is before {point}, and {first} has no such parameter (it "
                            f"has: {', '.join(names[first])})")  # fmt: skip
        return found

    def _parameters(self, action: str) -> list[str]:
        first = next(step for step in self.model.steps if step.action == action)
        return list(self.model.show_binding(first))

    def _has(self, step: Step, arguments: Mapping[str, Any]) -> bool:
        labels = self.model.show_binding(step)
        return all(
            arguments[name] in (number, labels[name])
            for (name, number) in zip(labels, step.binding, strict=True)
            if name in arguments
        )

    def never_taken(self) -> list[str]:
        """Return the actions that no run took, of those that have a point."""
        return [
            action
            for actions in self._actions.values()
            for action in actions
            if not self.taken[action]
        ]


class Watch:
    """One run beside a spec; its method `after` is what `Controlled` calls after each step.

    Parameters
    ----------
    comparison : Comparison
    look : callable
        Returns what the mapping says of the code now.
    arguments : callable, optional
        Returns the arguments of the spec's step for a point; by default those of the point.
    first : iterable of Values, optional
        The states in which the spec can begin; by default all initial ones.
    """

    def __init__(
        self,
        comparison: Comparison,
        look: Callable[[], Any],
        arguments: Arguments | None = None,
        first: Iterable[Values] | None = None,
    ) -> None:
        self._comparison, self._look = comparison, look
        self._arguments = arguments or _own
        self._search = Search(comparison.model, comparison.silent, comparison.limits, first,
                              comparison.taking)  # fmt: skip
        self._rows: tuple[Row, ...] = ()
        self.number = 0

    def after(self, point: Point | None, in_vain: bool) -> None:
        """Compare after a step.

        Raises
        ------
        RunDiffers
            If the code is in no state that the spec allows.
        """
        before, self._rows = self._rows, self._comparison.rows(self._look())
        if point is None:
            self._must_agree("the beginning", (), before, "the code begins in another state", None)
            return
        self.number += 1
        self._comparison.steps += 1
        steps = self._comparison.steps_of(point, self._arguments(point))
        said = str(point).removesuffix(", waiting")
        reason = ""
        if in_vain:
            steps, reason = (), f"{said} was tried in vain, so nothing may change"
        elif not steps:
            name = self._comparison.model.name
            reason = f"{point.name} is no action of {name}, so nothing may change"
        states = tuple(self._search.states)
        self._must_agree(said, steps, before, reason, point.thread)
        self._comparison.taken.update(self._taken(steps, states))

    def _taken(self, steps: tuple[Step, ...], states: tuple[Values, ...]) -> set[str]:
        """Return the actions that a step can have been, of those that its point can be."""
        actions = {step.action for step in steps}
        if len(actions) < 2:
            return actions
        after = self._comparison.taking.after
        reached: dict[str, set[Values]] = {action: set() for action in actions}
        for step in steps:
            reached[step.action] |= {new for v in states if (new := after(v, step)) is not None}
        return {action for action, new in reached.items() if new and self._agrees(new)}

    def _agrees(self, reached: set[Values]) -> bool:
        """Return whether one of some states, or silent steps from it, is what the code shows."""
        one = self._comparison
        facts = tuple(fact for row in self._rows for fact in row.facts)
        states = Search(one.model, one.silent, one.limits, reached, one.taking).states
        return any(not differences(one.model, values, facts) for values in states)

    def _must_agree(
        self, said: str, steps: tuple[Step, ...], before: tuple[Row, ...], reason: str,
        thread: int | None,
    ) -> None:  # fmt: skip
        facts = tuple(fact for row in self._rows for fact in row.facts)
        action = steps[0].action if steps else ""
        # Without a text: points of two threads may say the same and be different steps.
        line = Line(self.number, "", action, steps, (), facts)
        earlier = next(iter(self._search.states))
        obstacle: Obstacle | None = self._search.settle(line)
        if obstacle is not None:
            found = difference(self._comparison.model, said, obstacle, earlier, self._rows, before,
                               reason)  # fmt: skip
            raise RunDiffers(found, self.number, thread)


def _own(point: Point) -> Mapping[str, Any]:
    return dict(point.arguments)
