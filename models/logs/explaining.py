"""Searches a run of a spec that explains a log.

After each line the set of states is known in which a run can be that explains the log so far. Steps
that the log does not note can be taken between its lines. If the set becomes empty, no run explains
the log up to that line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Model, RangeError, SpecError, Step, Values

from .reading import Facts, Line, differences

CHECKED = 256
"""After so many states the limits are looked at."""

MOST_KNOWN = 200_000
"""The most steps whose results are remembered."""

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
    nearest : Values or None
        The state after the step in the nearest run; None if the step is not possible.
    """

    line: Line
    states: int
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    reason: str = ""
    allowed: list[Step] = field(default_factory=list)
    nearest: Values | None = None


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
    named = {line.action for line in lines}
    quiet = {action.name for action in model.actions} - named if silent is None else silent
    search = Search(model, quiet, limits)
    try:
        for line in lines:
            obstacle = search.advance(line)
            if obstacle is not None:
                return search.answer(obstacle)
    except LimitReached as limit:
        return search.answer(reason=str(limit))
    return search.answer()


class Search:
    """The states in which a run of a spec can be, from one line to the next.

    Parameters
    ----------
    model : Model
    silent : iterable of str
        The actions whose steps may be missing between lines.
    limits : Limits, optional
    first : iterable of Values, optional
        The states in which a run can begin; by default all initial ones.
    known : dict, optional
        The states after steps, as far as they are known: searches of one model can share it.

    Attributes
    ----------
    layers : list of Layer
        The states before the first line, and after each one that was explained.

    Raises
    ------
    SpecError
        If the spec has no such action.
    """

    def __init__(
        self,
        model: Model,
        silent: Iterable[str] = (),
        limits: Limits | None = None,
        first: Iterable[Values] | None = None,
        known: dict[tuple[Values, Step], Values | None] | None = None,
    ) -> None:
        quiet, actions = set(silent), [action.name for action in model.actions]
        for name in quiet - set(actions):
            raise SpecError(f"{model.name} has no action {name!r}; there are: {', '.join(actions)}")
        self._model, self._limits = model, limits or Limits()
        self._silent = [step for step in model.steps if step.action in quiet]
        self._quiet = quiet
        self._taken = 0
        self._known = {} if known is None else known
        self.layers: list[Layer] = [
            dict.fromkeys(model.initial_states() if first is None else first)
        ]
        self._closed = 0

    @property
    def states(self) -> Layer:
        """The states in which a run can be now, with silent steps after the last line."""
        self._close()
        return self.layers[-1]

    def advance(self, line: Line) -> Obstacle | None:
        """Go on to the states after a line; return why there is none, and stay, if so.

        Raises
        ------
        LimitReached
            If a limit is reached.
        """
        self._close()
        after = self._after(line)
        if not after:
            return self._obstacle(line)
        self.layers.append(after)
        return None

    def settle(self, line: Line) -> Obstacle | None:
        """Go on as `advance`; silent steps can also come between the step and what is compared."""
        if not (self._silent and line.action):
            return self.advance(line)
        first = self.advance(replace(line, after=()))
        return first or self.advance(replace(line, action="", steps=(), before=()))

    def refuse(self, steps: Sequence[Step], line: Line) -> Obstacle | None:
        """Go on to those states in which none of some steps is possible, and that a line agrees to.

        Parameters
        ----------
        steps : sequence of Step
        line : Line
            Without an action: what is true now.
        """
        self._close()
        lines = len(self.layers) - 1
        found: Layer = {
            values: (lines, values, None)
            for values in self.layers[-1]
            if all(self.after(values, step) is None for step in steps)
            and self._is(values, line.after)
        }
        if not found:
            return self._obstacle(line)
        self.layers.append(found)
        return None

    def after(self, values: Values, step: Step) -> Values | None:
        """Return the state after a step; None if it is not possible or leaves a range."""
        key = (values, step)
        if key not in self._known:
            self._taken += 1
            if self._taken % CHECKED == 0:
                self._limits.check("steps of runs that can explain the log")
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._take(values, step)
        return self._known[key]

    def _take(self, values: Values, step: Step) -> Values | None:
        try:
            return self._model.take(values, step)
        except RangeError:
            return None

    def _close(self) -> None:
        """Add what can be reached by steps that the log does not note."""
        if self._closed == len(self.layers):
            return
        layer, lines = self.layers[-1], len(self.layers) - 1
        todo = list(layer) if self._silent else []
        for values in todo:  # which grows
            for step in self._silent:
                after = self.after(values, step)
                if after is not None and after not in layer:
                    layer[after] = lines, values, step
                    todo.append(after)
        self._closed = len(self.layers)

    def _after(self, line: Line) -> Layer:
        """Return the states after a line, of which there were some before it."""
        found: Layer = {}
        lines = len(self.layers) - 1
        for values in self.layers[-1]:
            if not line.action:
                if self._is(values, line.after):
                    found[values] = lines, values, None
            elif self._is(values, line.before):
                for step in line.steps:
                    after = self.after(values, step)
                    if after is not None and after not in found and self._is(after, line.after):
                        found[after] = lines, values, step
        return found

    def _is(self, values: Values, facts: Facts) -> bool:
        return not differences(self._model, values, facts)

    # Answers

    def answer(self, obstacle: Obstacle | None = None, reason: str = "") -> Explanation:
        """Return what is known of the lines so far."""
        trace, places = _run(self.layers)
        return Explanation(len(self.layers) - 1, trace, places, obstacle, reason)

    def _obstacle(self, line: Line) -> Obstacle:
        """Return why no state allows a line."""
        near: list[tuple[str, str, str]] | None = None
        nearest: Values | None = None
        reason = ""
        layer = self.layers[-1]
        for values in layer:
            for step in line.steps if line.action else (None,):
                after = values if step is None else self.after(values, step)
                wrong = differences(self._model, values, line.before)
                if after is None:
                    if step is not None and not reason:
                        reason = self._why(values, step)
                    continue
                wrong += differences(self._model, after, line.after)
                if near is None or len(wrong) < len(near):
                    near, nearest = wrong, after
        return Obstacle(line, len(layer), near or [], "" if near else reason, self._allowed(layer),
                        nearest)  # fmt: skip

    def _why(self, values: Values, step: Step) -> str:
        shown = self._model.show_step(step)
        return f"{shown}: {self._model.obstacle(values, step) or 'it leaves a range'}"

    def _allowed(self, layer: Layer) -> list[Step]:
        """Return the steps, of those that the log notes, that are possible in some state."""
        return [
            step for step in self._model.steps
            if step.action not in self._quiet
            and any(self.after(values, step) is not None for values in layer)
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
