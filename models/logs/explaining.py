"""Searches a run of a spec that explains a log.

After each line the set of states is known in which a run can be that explains the log so far. Steps
that the log does not note can be taken between its lines. If the set becomes empty, no run explains
the log up to that line. The sets and the ways between them are kept, so a set that comes again
costs a look into a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Model, SpecError, Step, Values

from .reading import Facts, Line, differences
from .stepping import Steps

CHECKED = 256
"""After so many states the limits are looked at."""

Origins = dict[Values, tuple[Values, Step | None] | None]
"""States, each with the state before it and the step from there.

The step is None if the state was seen and no step taken. Initial states have nothing before.
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
        If the spec has no such action, or no initial state.
    """
    return _Search(model, lines, silent, limits or Limits()).explanation()


class _Layer:
    """The states in which a run can be after some lines.

    Logs repeat themselves, so a search comes to the same states again and again. What was found out
    about them the first time is kept.

    Attributes
    ----------
    states : Origins
        For a state that was reached from another one of them, by a step that the log does not note:
        that state and the step. For the others None.
    moves : dict
        By what a line says: the states after it, with those of this layer before them, and their
        layer; None if no state allows the line.
    """

    __slots__ = ("moves", "states")

    def __init__(self, states: Origins) -> None:
        self.states = states
        self.moves: dict[Said, tuple[Origins, _Layer] | None] = {}


Said = tuple[str, Facts, Facts]
"""What a line says: its text and its facts. Lines that say the same have the same steps."""


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
        if next(self._model.initial_states(), None) is None:
            raise SpecError(f"{model.name} has no initial state")
        self._silent = [step for step in model.steps if step.action in quiet]
        self._layers: dict[frozenset[Values], _Layer] = {}
        self._steps = Steps(model)
        self._passed: list[tuple[_Layer, Origins]] = []
        self._looked = 0

    def explanation(self) -> Explanation:
        """Return the answer."""
        layer: _Layer | None = None
        try:
            layer = self._closed(dict.fromkeys(self._model.initial_states()))
            for line in self._lines:
                found = self._move(layer, line)
                if found is None:
                    return self._answer(layer, self._obstacle(layer, line))
                self._passed.append((layer, found[0]))
                layer = found[1]
        except LimitReached as limit:
            return self._answer(layer, reason=str(limit))
        return self._answer(layer)

    def _look(self) -> None:
        """Look at the limits from time to time."""
        self._looked += 1
        if self._looked % CHECKED == 0:
            line = f"{len(self._passed):,} of {len(self._lines):,} lines"
            self._limits.check(line)

    def _step(self, values: Values, step: Step) -> Values | None:
        """Return the state after a step; None if it is not possible or leaves a range."""
        self._look()
        return self._steps.after(values, step)

    def _closed(self, entered: Origins) -> _Layer:
        """Return the layer of some states, with what steps reach that the log does not note."""
        key = frozenset(entered)
        if key not in self._layers:
            states: Origins = dict.fromkeys(entered)
            todo = list(states) if self._silent else []
            step_from = self._steps.after
            for values in todo:  # which grows
                self._look()
                for step in self._silent:
                    after = step_from(values, step)
                    if after is not None and after not in states:
                        states[after] = values, step
                        todo.append(after)
            self._layers[key] = _Layer(states)
        return self._layers[key]

    def _move(self, layer: _Layer, line: Line) -> tuple[Origins, _Layer] | None:
        """Return the states after a line, with those before them, and their layer."""
        self._look()
        said = line.text, line.before, line.after
        if said not in layer.moves:
            entered = self._after(layer.states, line)
            layer.moves[said] = (entered, self._closed(entered)) if entered else None
        return layer.moves[said]

    def _after(self, states: Iterable[Values], line: Line) -> Origins:
        """Return the states after a line, with those before them."""
        found: Origins = {}
        for values in states:
            if not line.action:
                if not differences(self._model, values, line.after):
                    found[values] = values, None
            elif not differences(self._model, values, line.before):
                for step in line.steps:
                    after = self._step(values, step)
                    if after is not None and after not in found and self._is(after, line.after):
                        found[after] = values, step
        return found

    def _is(self, values: Values, facts: Facts) -> bool:
        return not differences(self._model, values, facts)

    # Answers

    def _answer(
        self, layer: _Layer | None, obstacle: Obstacle | None = None, reason: str = ""
    ) -> Explanation:
        if layer is None:  # a limit was reached before the first line
            first = next(iter(self._model.initial_states()))
            return Explanation(0, Trace((first,), ()), [], obstacle, reason)
        trace, places = _run(self._passed, layer)
        return Explanation(len(self._passed), trace, places, obstacle, reason)

    def _obstacle(self, layer: _Layer, line: Line) -> Obstacle:
        """Return why no state of a layer allows a line."""
        near: list[tuple[str, str, str]] | None = None
        reason = ""
        for values in layer.states:
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
        allowed = self._allowed(layer)
        return Obstacle(line, len(layer.states), near or [], "" if near else reason, allowed)

    def _why(self, values: Values, step: Step) -> str:
        shown = self._model.show_step(step)
        return f"{shown}: {self._model.obstacle(values, step) or 'it leaves a range'}"

    def _allowed(self, layer: _Layer) -> list[Step]:
        """Return the steps, of those that the log notes, that are possible in some state."""
        quiet = {step.action for step in self._silent}
        return [
            step for step in self._model.steps
            if step.action not in quiet
            and any(self._step(values, step) is not None for values in layer.states)
        ]  # fmt: skip


def _run(passed: Sequence[tuple[_Layer, Origins]], layer: _Layer) -> tuple[Trace, list[int]]:
    """Return a run to the first state of the last layer, and its length after each line.

    Parameters
    ----------
    passed : sequence of (_Layer, Origins)
        For each line, the layer before it, and the states after it.
    layer : _Layer
        The last one.
    """
    states = [next(iter(layer.states))]
    steps: list[Step] = []
    left: list[int] = []

    def back(origins: Origins) -> bool:
        origin = origins[states[-1]]
        if origin is not None and origin[1] is not None:
            states.append(origin[0])
            steps.append(origin[1])
        return origin is not None

    while back(layer.states):
        pass
    for before, entered in reversed(passed):
        left.append(len(steps))
        back(entered)
        while back(before.states):
            pass
    trace = Trace(tuple(reversed(states)), tuple(reversed(steps)))
    return trace, [len(steps) - k for k in reversed(left)]
