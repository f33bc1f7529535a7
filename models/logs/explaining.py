"""Searches a run of a spec that explains a log.

After each line the set of states is known in which a run can be that explains the log so far. Steps
that the log does not note can be taken between its lines. If the set becomes empty, no run explains
the log up to that line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Model, RangeError, SpecError, Step, Values

from .reading import Facts, Line, differences

CHECKED = 256
"""After so many states the limits are looked at."""

Layer = dict[Values, tuple[int, Values, Step | None] | None]
"""States in which a run can be after a number of lines.

Each has the number of lines and the state before, and the step from there, or None if it was seen
and no step taken. Initial states have nothing before.
"""


@dataclass(frozen=True)
class Obstacle:
    """Why no run explains a line.

    Attributes
    ----------
    line : Line
    states : int
        In how many states a run can be before it.
    facts : list of (str, str, str)
        If the step is possible: what the log says otherwise than the nearest run, as label, logged
        value and the run's value.
    reason : str
        If the step is not possible: why, in one of these states.
    allowed : list of Step
        What is possible instead in some of these states.
    """

    line: Line
    states: int
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    reason: str = ""
    allowed: list[Step] = field(default_factory=list)


@dataclass(frozen=True)
class Explanation:
    """Whether a run explains a log.

    Attributes
    ----------
    explained : int
        How many lines are explained.
    trace : Trace
        A run that explains them.
    places : list of int
        For each explained line, the number of steps of the run up to it.
    obstacle : Obstacle or None
        If a line is not explained: why.
    reason : str
        Why the answer is unknown; "" if it is known.
    """

    explained: int
    trace: Trace
    places: list[int]
    obstacle: Obstacle | None = None
    reason: str = ""

    @property
    def answer(self) -> str:
        """``holds``, ``violated`` or ``unknown``."""
        if self.reason:
            return "unknown"
        return "violated" if self.obstacle else "holds"


def explained(
    model: Model, lines: Sequence[Line], silent: Iterable[str] | None = None,
    limits: Limits | None = None,
) -> Explanation:  # fmt: skip
    """Return whether a run of a spec explains a log.

    Parameters
    ----------
    model : Model
    lines : sequence of Line
    silent : iterable of str, optional
        The actions whose steps may be missing in the log; by default those that no line names.
    limits : Limits, optional

    Raises
    ------
    SpecError
        If the spec has no such action.
    """
    return _Search(model, lines, silent, limits or Limits()).explanation()


class _Search:
    def __init__(
        self, model: Model, lines: Sequence[Line], silent: Iterable[str] | None, limits: Limits
    ) -> None:
        self._model, self._lines, self._limits = model, lines, limits
        named = {line.action for line in lines}
        actions = [action.name for action in model.actions]
        quiet = set(actions) - named if silent is None else set(silent)
        for name in quiet - set(actions):
            raise SpecError(f"{model.name} has no action {name!r}; there are: {', '.join(actions)}")
        self._silent = [step for step in model.steps if step.action in quiet]
        self._taken = 0

    def explanation(self) -> Explanation:
        """Return the answer."""
        layers: list[Layer] = [dict.fromkeys(self._model.initial_states())]
        try:
            for k, line in enumerate(self._lines):
                self._close(layers[-1], k)
                after = self._after(layers[-1], k, line)
                if not after:
                    obstacle = self._obstacle(layers[-1], line)
                    return self._answer(layers, k, obstacle)
                layers.append(after)
        except LimitReached as limit:
            return self._answer(layers, len(layers) - 1, reason=str(limit))
        return self._answer(layers, len(self._lines))

    def _step(self, values: Values, step: Step) -> Values | None:
        """Return the state after a step; None if it is not possible or leaves a range."""
        self._taken += 1
        if self._taken % CHECKED == 0:
            self._limits.check("steps of runs that can explain the log")
        try:
            return self._model.take(values, step)
        except RangeError:
            return None

    def _close(self, layer: Layer, lines: int) -> None:
        """Add what can be reached by steps that the log does not note."""
        todo = list(layer) if self._silent else []
        for values in todo:  # which grows
            for step in self._silent:
                after = self._step(values, step)
                if after is not None and after not in layer:
                    layer[after] = lines, values, step
                    todo.append(after)

    def _after(self, layer: Layer, lines: int, line: Line) -> Layer:
        """Return the states after a line, of which there were some before it."""
        found: Layer = {}
        for values in layer:
            if not line.action:
                if not differences(self._model, values, line.after):
                    found[values] = lines, values, None
            elif not differences(self._model, values, line.before):
                for step in line.steps:
                    after = self._step(values, step)
                    if after is not None and after not in found and self._is(after, line.after):
                        found[after] = lines, values, step
        return found

    def _is(self, values: Values, facts: Facts) -> bool:
        return not differences(self._model, values, facts)

    # Answers

    def _answer(
        self, layers: list[Layer], lines: int, obstacle: Obstacle | None = None, reason: str = ""
    ) -> Explanation:
        trace, places = _run(layers[: lines + 1])
        return Explanation(lines, trace, places, obstacle, reason)

    def _obstacle(self, layer: Layer, line: Line) -> Obstacle:
        """Return why no state of a layer allows a line."""
        near: list[tuple[str, str, str]] | None = None
        reason = ""
        for values in layer:
            for step in line.steps if line.action else (None,):
                after = values if step is None else self._step(values, step)
                wrong = differences(self._model, values, line.before)
                if after is None:
                    if step is not None and not reason:
                        reason = self._why(values, step)
                    continue
                wrong += differences(self._model, after, line.after)
                if near is None or len(wrong) < len(near):
                    near = wrong
        return Obstacle(line, len(layer), near or [], "" if near else reason, self._allowed(layer))

    def _why(self, values: Values, step: Step) -> str:
        shown = self._model.show_step(step)
        return f"{shown}: {self._model.obstacle(values, step) or 'it leaves a range'}"

    def _allowed(self, layer: Layer) -> list[Step]:
        """Return the steps, of those that the log notes, that are possible in some state."""
        quiet = {step.action for step in self._silent}
        return [
            step for step in self._model.steps
            if step.action not in quiet
            and any(self._step(values, step) is not None for values in layer)
        ]  # fmt: skip


def _run(layers: list[Layer]) -> tuple[Trace, list[int]]:
    """Return a run through layers to the first state of the last one, and its length at each."""
    lines = len(layers) - 1
    states = [next(iter(layers[lines]))]
    steps: list[Step] = []
    left = [0] * lines
    while (before := layers[lines][states[-1]]) is not None:
        earlier, values, step = before
        if earlier < lines:
            left[earlier] = len(steps)
            lines = earlier
        if step is not None:
            steps.append(step)
            states.append(values)
    trace = Trace(tuple(reversed(states)), tuple(reversed(steps)))
    return trace, [len(steps) - k for k in left]
