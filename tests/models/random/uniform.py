"""A uniform random walk, which the random engine must equal at least; they share no code."""

from __future__ import annotations

import random

from counterpoint.spec.notation import Model, Property, RangeError, Step, Values

Moves = list[tuple[Step, Values | None]]


class UniformWalk:
    """Walks that take any possible step with the same chance; each state is computed once.

    Parameters
    ----------
    model : Model
        The spec.
    seed : int
        The same seed gives the same walks.

    Attributes
    ----------
    seen : set
        The visited states.
    found : dict
        For each violated property and each reached witness, by name, the number of the walk.
    """

    def __init__(self, model: Model, seed: int) -> None:
        self.model, self.chance = model, random.Random(seed)
        self.starts = list(model.initial_states())
        self.seen: set[Values] = set()
        self.found: dict[str, int] = {}
        self.number = 0
        self._moves: dict[Values, Moves] = {}
        self._judged: dict[tuple[Values | None, ...], list[str]] = {}

    def walk(self, steps: int) -> None:
        """Walk once, and judge all states and steps of the way."""
        self.number += 1
        state = self.chance.choice(self.starts)
        self.judge(state)
        for _ in range(steps):
            moves = self.moves(state)
            if not moves:
                return
            _, after = self.chance.choice(moves)
            self.judge(state, after)
            if after is None:
                return
            state = after
            self.judge(state)

    def moves(self, state: Values) -> Moves:
        """Return the possible steps of a state; None is the state after a step out of the range."""
        if state not in self._moves:
            self._moves[state] = [m for step in self.model.steps for m in self.move(state, step)]
        return self._moves[state]

    def move(self, state: Values, step: Step) -> Moves:
        """Return a step with the state after it, or nothing if it is not possible."""
        try:
            after = self.model.take(state, step)
        except RangeError:
            return [(step, None)]
        return [] if after is None else [(step, after)]

    def judge(self, *states: Values | None) -> None:
        """Record what a state, or a step between two states, violates or reaches."""
        if states not in self._judged:
            if len(states) == 1:
                self.seen.add(states[0])  # type: ignore[arg-type]
            self._judged[states] = [p.name for p in self.model.properties if self.shows(p, states)]
        for name in self._judged[states]:
            self.found.setdefault(name, self.number)

    def shows(self, claim: Property, states: tuple[Values | None, ...]) -> bool:
        """Return whether a state or a step violates a property or reaches a witness."""
        first, last = states[0], states[-1]
        assert first is not None
        if len(states) == 2:
            if last is None:
                return claim.kind == "range"
            return claim.kind == "transition" and not self.model.holds(claim, first, last)
        if claim.kind == "deadlock":
            return not self.moves(first) and not self.model.may_end(first)
        if claim.kind in ("invariant", "sometimes"):
            return self.model.holds(claim, first) == (claim.kind == "sometimes")
        return False
