"""Searches a run of a spec that explains a log.

After each line the set of states is known in which a run can be that explains the log so far. Steps
that the log does not note can be taken between its lines. If the set becomes empty, no run explains
the log up to that line. The sets and the ways between them are kept, so a set that comes again
costs a look into a table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Reversible, Sequence
from dataclasses import dataclass, field, replace

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
        A run that explains them, or the last of them that are kept.
    places : list of int
        For each of these lines, the number of steps of the run up to it.
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
    named = {line.action for line in lines}
    quiet = {action.name for action in model.actions} - named if silent is None else silent
    search = Search(model, quiet, limits, lines=len(lines))
    try:
        for line in lines:
            obstacle = search.advance(line)
            if obstacle is not None:
                return search.answer(obstacle)
        search.settled()
    except LimitReached as limit:
        return search.answer(reason=str(limit))
    return search.answer()


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


Said = tuple[str, str, tuple[Step, ...], Facts, Facts]
"""What a line says. Lines with the same text have the same steps, which are left out then."""


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
    steps : Steps, optional
        Takes steps of the model; searches of one model can share it.
    lines : int, optional
        How many lines there are, for the progress.
    keep : int, optional
        Of how many lines at the end the run is kept, so that a log may have no end; by default of
        all.

    Attributes
    ----------
    lines : int
        How many lines are explained.

    Raises
    ------
    SpecError
        If the spec has no such action, or no initial state.
    """

    def __init__(
        self,
        model: Model,
        silent: Iterable[str] = (),
        limits: Limits | None = None,
        first: Iterable[Values] | None = None,
        steps: Steps | None = None,
        lines: int | None = None,
        keep: int | None = None,
    ) -> None:
        quiet, actions = set(silent), [action.name for action in model.actions]
        for name in quiet - set(actions):
            raise SpecError(f"{model.name} has no action {name!r}; there are: {', '.join(actions)}")
        self._model, self._limits, self._expected = model, limits or Limits(), lines
        self._silent = [step for step in model.steps if step.action in quiet]
        self._steps = steps or Steps(model)
        self._layers: dict[frozenset[Values], _Layer] = {}
        self._passed: deque[tuple[_Layer, Origins]] = deque(maxlen=keep)
        self.lines, self._looked = 0, 0
        self._entered: Origins = dict.fromkeys(model.initial_states() if first is None else first)
        if not self._entered:
            raise SpecError(f"{model.name} has no initial state")
        self._here: _Layer | None = None

    @property
    def states(self) -> Origins:
        """The states in which a run can be now, with silent steps after the last line."""
        return self.settled().states

    def settled(self) -> _Layer:
        """Return the present layer, with silent steps after the last line."""
        if self._here is None:
            self._here = self._closed(self._entered)
        return self._here

    def advance(self, line: Line) -> Obstacle | None:
        """Go on to the states after a line; return why there is none, and stay, if so.

        Raises
        ------
        LimitReached
            If a limit is reached.
        """
        layer = self.settled()
        found = self._move(layer, line)
        if found is None:
            return self._obstacle(layer, line)
        self._pass(layer, found[0])
        self._here = found[1]
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
        layer = self.settled()
        entered: Origins = {
            values: (values, None)
            for values in layer.states
            if all(self._step(values, step) is None for step in steps)
        }
        if not entered:
            return self._obstacle(layer, line)
        here = self._closed(entered)  # silent steps can come between the refusal and the look
        self._pass(layer, entered)
        self._here = here
        return self.advance(line)

    def _pass(self, layer: _Layer, entered: Origins) -> None:
        """Note the states before and after a line; forget what is too old to be kept."""
        self._passed.append((layer, entered))
        self.lines += 1
        most = self._passed.maxlen
        if most is not None and len(self._layers) > most:
            self._layers.clear()

    def _look(self) -> None:
        """Look at the limits from time to time."""
        self._looked += 1
        if self._looked % CHECKED == 0:
            of = "" if self._expected is None else f" of {self._expected:,}"
            self._limits.check(f"{self.lines:,}{of} lines")

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
        said = line.text, line.action, () if line.text else line.steps, line.before, line.after
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

    def answer(self, obstacle: Obstacle | None = None, reason: str = "") -> Explanation:
        """Return what is known of the lines so far."""
        if self._here is None:  # a limit was reached before the first line
            first = next(iter(self._entered))
            return Explanation(0, Trace((first,), ()), [], obstacle, reason)
        trace, places = _run(self._passed, self._here)
        return Explanation(self.lines, trace, places, obstacle, reason)

    def _obstacle(self, layer: _Layer, line: Line) -> Obstacle:
        """Return why no state of a layer allows a line."""
        near: list[tuple[str, str, str]] | None = None
        nearest: Values | None = None
        reason = ""
        for values in layer.states:
            for step in line.steps if line.action else (None,):
                # No limit ends this: what was found must not become unknown.
                after = values if step is None else self._steps.after(values, step)
                wrong = differences(self._model, values, line.before)
                if after is None:
                    if step is not None and not reason:
                        reason = self._why(values, step)
                    continue
                wrong += differences(self._model, after, line.after)
                if near is None or len(wrong) < len(near):
                    near, nearest = wrong, after
        allowed = self._allowed(layer)
        states = len(layer.states)
        return Obstacle(line, states, near or [], "" if near else reason, allowed, nearest)

    def _why(self, values: Values, step: Step) -> str:
        shown = self._model.show_step(step)
        return f"{shown}: {self._model.obstacle(values, step) or 'it leaves a range'}"

    def _allowed(self, layer: _Layer) -> list[Step]:
        """Return the steps, of those that the log notes, that are possible in some state."""
        quiet = {step.action for step in self._silent}
        return [
            step for step in self._model.steps
            if step.action not in quiet
            and any(self._steps.after(values, step) is not None for values in layer.states)
        ]  # fmt: skip


def _run(passed: Reversible[tuple[_Layer, Origins]], layer: _Layer) -> tuple[Trace, list[int]]:
    """Return a run to the first state of the last layer, and its length after each line.

    Parameters
    ----------
    passed : reversible of (_Layer, Origins)
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
