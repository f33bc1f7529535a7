"""Runs of a spec at random: what each state allows, and what it violates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Model, Property, RangeError, Step, Values

from .minimise import minimise

KINDS = ("invariant", "lemma", "transition", "sometimes", "deadlock", "range")

Move: TypeAlias = tuple[Step, Values | None]
"""A step that is possible, and the state it leads to; None if it leaves a range."""


class Violated(AssertionError):
    """Properties do not hold at the end of a run."""

    def __init__(self, model: Model, claims: Sequence[Property], trace: Trace) -> None:
        steps = "\n".join(f"  {i + 1:3} {model.show_step(s)}" for i, s in enumerate(trace.steps))
        names = ", ".join(c.name for c in claims)
        super().__init__(f"{model.name}: violated after these steps: {names}\n{steps}")
        self.claims, self.trace = claims, trace


class OutOfLimits(BaseException):
    """A limit was reached. Hypothesis would take an Exception for a failure, and run it again."""


class Walker:
    """Runs of one spec, with a memory of what each state allows and what it violates.

    Parameters
    ----------
    model : Model
        The spec.
    wanted : sequence of Property
        What to look for.
    limits : Limits
        Time and memory.
    small : bool
        Whether a violation is minimised before it is raised.

    Attributes
    ----------
    seen : set
        Every state that a run was in.
    moves : dict
        Every state in which a run could go on, with the steps possible there.
    witnessed : dict
        The witnesses that were reached, each with a trace.
    pairs : list of (str, int)
        Every action with every lane it has.
    runs : int
        How many runs were begun.
    stopped : str
        The limit that was reached, if one was.
    """

    def __init__(
        self, model: Model, wanted: Sequence[Property], limits: Limits, small: bool = False
    ) -> None:
        self.model, self.limits, self.small = model, limits, small
        self.stopped = ""
        try:
            self.starts = list(model.initial_states(limits.check))
        except LimitReached as limit:
            self.starts, self.stopped = [], str(limit)
        self.seen: set[Values] = set()
        self.moves: dict[Values, list[Move]] = {}
        self.witnessed: dict[str, Trace] = {}
        self.pairs = sorted({(s.action, lane_of((s, None))) for s in model.steps})
        self.smallest: dict[str, Trace] = {}
        self.runs = 0
        self.broken: dict[Values, list[Property]] = {}
        self.wrong: dict[tuple[Values, Values], list[Property]] = {}
        self.watch(wanted)

    def watch(self, wanted: Sequence[Property]) -> None:
        """Look for violations of these properties, of those watched so far, from now on."""
        self.wanted = {kind: [p for p in wanted if p.kind == kind] for kind in KINDS}
        self.broken = {s: [c for c in failing if c in wanted] for s, failing in self.broken.items()}
        self.wrong = {s: [c for c in failing if c in wanted] for s, failing in self.wrong.items()}

    def pause(self) -> None:
        """Look at the limits.

        Raises
        ------
        OutOfLimits
            If one was reached.
        """
        try:
            self.limits.check(f"{self.runs:,} runs, {len(self.seen):,} states")
        except LimitReached as limit:
            self.stopped = str(limit)
            raise OutOfLimits from None

    def possible(self, values: Values) -> list[Move]:
        """Return the steps possible in a state, with where they lead."""
        found = self.moves.get(values)
        if found is None:
            found = [m for step in self.model.steps for m in self._move(values, step)]
            self.moves[values] = found
        return found

    def _move(self, values: Values, step: Step) -> list[Move]:
        try:
            after = self.model.take(values, step)
        except RangeError:
            return [(step, None)]
        except LimitReached as limit:  # in an action that does not end
            self.stopped = str(limit)
            raise OutOfLimits from None
        return [] if after is None else [(step, after)]

    def closed(self) -> bool:
        """Return whether every step from every state seen was judged, and leads to a state seen."""
        steps = {(s, after) for s, moves in self.moves.items() for _, after in moves}
        after = {after for _, after in steps}
        if self.wanted["range"] and None in after:
            return False
        if self.wanted["transition"] and any(s not in self.wrong for s in steps if s[1]):
            return False
        return after - {None} <= self.broken.keys()

    def judge(self, trace: Trace) -> None:
        """Note witnesses that the last state satisfies.

        Raises
        ------
        Violated
            If the last state, or the last step, violates a property that is looked for.
        """
        if len(trace.steps) == len(trace.states):
            found = self.wanted["range"]
        else:
            found = self._judge_state(trace) + self._judge_step(trace)
        if found:
            raise Violated(self.model, found, self._small(found[0], trace))

    def _small(self, claim: Property, trace: Trace) -> Trace:
        """Return a minimal violation, found once, so that Hypothesis can repeat it quickly."""
        if not self.small:
            return trace
        if claim.name not in self.smallest:
            self.smallest[claim.name] = minimise(self.model, claim, trace, self.limits)
        return self.smallest[claim.name]

    def _judge_state(self, trace: Trace) -> list[Property]:
        last = trace.states[-1]
        self.seen.add(last)
        if last not in self.broken:
            for claim in self.wanted["sometimes"]:
                if claim.name not in self.witnessed and self.model.holds(claim, last):
                    self.witnessed[claim.name] = trace
            claims = [*self.wanted["invariant"], *self.wanted["lemma"]]
            self.broken[last] = [c for c in claims if not self.model.holds(c, last)]
            if not self.possible(last) and not self.model.may_end(last):
                self.broken[last] += self.wanted["deadlock"]
        return self.broken[last]

    def _judge_step(self, trace: Trace) -> list[Property]:
        if not trace.steps or not self.wanted["transition"]:
            return []
        before, after = trace.states[-2:]
        if (before, after) not in self.wrong:
            claims = self.wanted["transition"]
            failing = [c for c in claims if not self.model.holds(c, before, after)]
            self.wrong[before, after] = failing
        return self.wrong[before, after]


def lane_of(move: Move) -> int:
    """Return the lane of a move: its step's first parameter."""
    return move[0].binding[0] if move[0].binding else -1
