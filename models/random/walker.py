"""What all random runs of one spec know: states, their moves, and what was found in them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeAlias

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Model, Property, RangeError, Step, Values

KINDS = ("invariant", "lemma", "transition", "sometimes", "deadlock", "range")

Move: TypeAlias = tuple[Step, Values | None]
"""A possible step and the state after it; None instead of the state if it leaves a range."""

Change: TypeAlias = tuple[Step, Values]
"""A possible step and the different state after it."""


class WalkStopped(BaseException):
    """The runs end here; no Exception, since Hypothesis would take that for a failed run."""


class Walker:
    """Random runs of one spec, and what they know of its states.

    When a run visits a state for the first time, every step that is possible there is judged, not
    only the one that the run then takes.

    Parameters
    ----------
    model : Model
        The spec.
    wanted : sequence of Property
        The properties to check.
    limits : Limits
        Time and memory.

    Attributes
    ----------
    starts : list of Values
        The initial states.
    seen : set
        Every state that was judged: visited ones, and those one step away from them.
    visits : dict
        For each visited state, how often runs visited it.
    moves : dict
        The possible moves of every visited state.
    found : dict
        For each violated property and each reached witness, by name, a trace to it.
    runs : int
        The number of started runs.
    stopped : str
        The limit that was reached, if any.
    """

    def __init__(self, model: Model, wanted: Sequence[Property], limits: Limits) -> None:
        self.model, self.limits = model, limits
        self.wanted = {kind: [p for p in wanted if p.kind == kind] for kind in KINDS}
        self.number_wanted = len(wanted)
        self.stopped = ""
        try:
            self.starts = list(model.initial_states(limits.check))
        except LimitReached as limit:
            self.starts, self.stopped = [], str(limit)
        self.seen: set[Values] = set()
        self.visits: dict[Values, int] = {}
        self.moves: dict[Values, list[Move]] = {}
        self.changes: dict[Values, list[Change]] = {}
        self.found: dict[str, Trace] = {}
        self.runs = 0
        self._waiting = list(self.starts)
        self._origins: dict[Values, tuple[Values, Step]] = {}
        self._roots = set(self.starts)

    def pause(self) -> None:
        """Check the limits.

        Raises
        ------
        WalkStopped
            If one was reached.
        """
        try:
            self.limits.check(f"{self.runs:,} runs, {len(self.seen):,} states")
        except LimitReached as limit:
            self.stop(str(limit))

    def stop(self, reason: str) -> None:
        """End the runs.

        Raises
        ------
        WalkStopped
            Always.
        """
        self.stopped = reason
        raise WalkStopped

    def complete(self) -> bool:
        """Return whether runs can find nothing more: all is found, or all states were visited."""
        return len(self.found) == self.number_wanted or self.unvisited(random.Random(0)) is None

    def unvisited(self, chance: random.Random) -> Values | None:
        """Return a random state that is known and that no run visited; None if there is none."""
        waiting = self._waiting
        while waiting:
            place = chance.randrange(len(waiting))
            if waiting[place] not in self.visits:
                return waiting[place]
            waiting[place] = waiting[-1]
            waiting.pop()
        return None

    def visit(self, values: Values) -> list[Change]:
        """Count a visit; return the steps that change the state, within its ranges.

        At the first visit of a state, the state and all its steps are judged.
        """
        self.visits[values] = self.visits.get(values, 0) + 1
        if values not in self.changes:
            self.pause()
            if values not in self._origins:
                self._roots.add(values)
            moves = self.moves[values] = self.possible(values)
            self._judge(values)
            if not moves and not self.model.may_end(values):
                self._note(self.wanted["deadlock"], values)
            for step, after in moves:
                self._judge_step(values, step, after)
            self.changes[values] = [(s, a) for s, a in moves if a is not None and a != values]
        return self.changes[values]

    def possible(self, values: Values) -> list[Move]:
        """Return the moves that are possible in a state."""
        return [m for step in self.model.steps for m in self._move(values, step)]

    def _move(self, values: Values, step: Step) -> list[Move]:
        try:
            after = self.model.take(values, step)
        except RangeError:
            return [(step, None)]
        except LimitReached as limit:  # an action that does not end
            self.stop(str(limit))
        return [] if after is None else [(step, after)]

    def _judge_step(self, values: Values, step: Step, after: Values | None) -> None:
        if after is None:
            self._note(self.wanted["range"], values, step)
            return
        if after not in self._origins and after not in self._roots:
            self._origins[after] = values, step
            self._waiting.append(after)
        for claim in self.wanted["transition"]:
            if claim.name not in self.found and not self.model.holds(claim, values, after):
                self._note([claim], values, step, after)
        self._judge(after)

    def _judge(self, values: Values) -> None:
        """Judge the claims about single states, once for each state."""
        if values in self.seen:
            return
        self.seen.add(values)
        for claim in (*self.wanted["invariant"], *self.wanted["lemma"], *self.wanted["sometimes"]):
            wanted = claim.kind == "sometimes"
            if claim.name not in self.found and self.model.holds(claim, values) == wanted:
                self._note([claim], values)

    def _note(
        self,
        claims: Sequence[Property],
        values: Values,
        step: Step | None = None,
        after: Values | None = None,
    ) -> None:
        """Record what was found in a state, or by a step from it."""
        for claim in claims:
            if claim.name not in self.found:
                trace = self.trace_to(values)
                steps = trace.steps if step is None else (*trace.steps, step)
                states = trace.states if after is None else (*trace.states, after)
                self.found[claim.name] = Trace(states, steps)

    def violated(self) -> list[Property]:
        """Return the violated properties, in the order in which they were found."""
        claims = [c for kind, known in self.wanted.items() if kind != "sometimes" for c in known]
        named = {c.name: c for c in claims}
        return [named[name] for name in self.found if name in named]

    def trace_to(self, values: Values) -> Trace:
        """Return a run from an initial state to a state that was judged."""
        states, steps = [values], []
        while states[-1] in self._origins:
            before, step = self._origins[states[-1]]
            states.append(before)
            steps.append(step)
        return Trace(tuple(reversed(states)), tuple(reversed(steps)))


def lane_of(step: Step) -> int:
    """Return the lane of a step: its first parameter."""
    return step.binding[0] if step.binding else -1
