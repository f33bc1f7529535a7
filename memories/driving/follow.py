"""Lets real threads follow a trace, step by step, and says where they cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from counterpoint.memories.conforming.comparing import RunDiffers
from counterpoint.memories.controller import After, Controlled, Deadlock, Unreached
from counterpoint.memories.points import Point

from .trace import Subject, Trace, TraceStep


@dataclass(frozen=True)
class Followed:
    """What came of a trace in real code.

    Attributes
    ----------
    taken : int
        How many steps of the trace the code took as the trace says.
    reason : str
        Why it did not take the next one; "" if it took all.
    points : tuple of Point
        The points that were passed.
    expected, observed : dict of str to object
        What the spec says that the code sees, and what it saw; empty if the subject does not say.
    unknown : bool
        Whether a thread got lost between two points, so that nothing is known.
    differed : RunDiffers or None
        If the code was compared with the spec after each step, and differs: where, and how.
    """

    taken: int
    reason: str
    points: tuple[Point, ...]
    expected: Mapping[str, Any] = field(default_factory=dict)
    observed: Mapping[str, Any] = field(default_factory=dict)
    unknown: bool = False
    differed: RunDiffers | None = None

    @property
    def agrees(self) -> bool:
        """Whether the code did all that the trace says, and saw what the spec says."""
        return not self.reason and self.expected == self.observed


def follow(
    trace: Trace, subject: Subject, limit: float = 10.0,
    watch: Callable[[Subject], After] | None = None,
) -> Followed:  # fmt: skip
    """Let a subject's threads take the steps of a trace, in its order.

    Parameters
    ----------
    trace : Trace
    subject : Subject
        It is used once: each run needs a new one.
    limit : float
        How many seconds a thread may take from one step to the next.
    watch : callable, optional
        Returns what is called after each step of a subject, see `Controlled`.
    """
    run = _Run(trace, subject, limit, watch and watch(subject))
    run.follow()
    expected: Mapping[str, Any] = {}
    observed: Mapping[str, Any] = {}
    if hasattr(subject, "expected") and hasattr(subject, "observed"):
        expected, observed = subject.expected(trace), subject.observed()
    points = tuple(run.controlled.passed)
    return Followed(run.taken, run.reason, points, expected, observed, run.unknown, run.differed)


class _Run:
    """One run; its method `choose` is the choice of the controller."""

    def __init__(
        self, trace: Trace, subject: Subject, limit: float, after: After | None = None
    ) -> None:
        self.trace = trace
        names: Mapping[str, str | None] = getattr(subject, "actions", {})
        self.names = {action: names.get(action, action) for action in trace.actions}
        self.besides = set(getattr(subject, "besides", ()))
        self.steps = [s for s in trace.steps if self.names[s.action] is not None]
        self.controlled = Controlled(list(subject.programs(trace)), limit=limit, after=after)
        self.place = 0  # of the next step in `steps`
        self.last: Point | None = None  # the point of the step that was taken last
        self.reason = ""
        self.unknown = False
        self.differed: RunDiffers | None = None

    @property
    def taken(self) -> int:
        """The number of steps of the trace that are done, with those that have no point."""
        if self.place == len(self.steps):
            return len(self.trace.steps)
        return next(i for i, s in enumerate(self.trace.steps) if s is self.steps[self.place])

    def follow(self) -> None:
        """Run the threads as far as the trace or the code goes."""
        try:
            self.controlled.run(self.choose)
        except Deadlock:
            self.fault_of_last()  # a thread that waits for ever
        except Unreached as error:
            self.reason, self.unknown = str(error), True
        except RunDiffers as differed:
            self.differed, self.reason = differed.of(self.controlled), str(differed)
            passed = self.controlled.passed
            self.place -= bool(passed) and passed[-1] == self.last
        if not self.reason:
            self.fault_of_last()
        if not self.reason and self.place < len(self.steps):
            self.reason = "all threads have ended before it"

    def choose(self, able: list[Point]) -> int | None:
        """Return the place of the point that the trace comes to next; None: it ends here."""
        if self.fault_of_last():
            return None
        for place, point in enumerate(able):
            if point.name in self.besides:
                return place
        if self.place == len(self.steps):
            return None
        step = self.steps[self.place]
        places = [i for i, point in enumerate(able) if self.is_point_of(point, step)]
        if len(places) == 1:
            self.last = able[places[0]]
            self.place += 1
            return places[0]
        self.reason = self.why_not(step, [able[i] for i in places])
        return None

    def is_point_of(self, point: Point, step: TraceStep) -> bool:
        """Return whether a thread stands before a step of the trace."""
        return point.name == self.names[step.action] and step.has(dict(point.arguments))

    def fault_of_last(self) -> bool:
        """Return whether the step that was taken last came out otherwise; then it was not taken."""
        if self.reason or self.last is None:
            return bool(self.reason)
        outcome = self.controlled.outcomes[self.last.thread]
        now = self.controlled.waiting.get(self.last.thread)
        if outcome.error is not None:
            raised = f"{type(outcome.error).__name__}: {outcome.error}".removesuffix(": ")
            self.reason = f"there the code raised {raised}"
        elif now and now.waiting and (now.name, now.arguments) == self.key(self.last):
            self.reason = f"there thread {now.thread} of the code waits"
        self.place -= bool(self.reason)
        return bool(self.reason)

    @staticmethod
    def key(point: Point) -> tuple[str, tuple[tuple[str, Any], ...]]:
        """Return what a step and its repeated tries have in common."""
        return point.name, point.arguments

    def why_not(self, step: TraceStep, several: list[Point]) -> str:
        """Return why no thread, or more than one, can take a step."""
        if several:
            threads = " and ".join(str(point.thread) for point in several)
            return f"threads {threads} are all before it; give its arguments to the point"
        parts = [f"thread {n} is before {p}" for n, p in self.controlled.waiting.items()]
        parts += [
            f"thread {n} raised {type(one.error).__name__}: {one.error}"
            for n, one in enumerate(self.controlled.outcomes)
            if one.error is not None
        ]
        where = "; ".join(parts)
        known = {name for name in self.names.values() if name}
        strange = sorted({p.name for p in self.controlled.waiting.values()} - known)
        hint = f" ({strange[0]} is no action of {self.trace.spec})" if strange else ""
        return f"no thread is before it: {where or 'all have ended'}{hint}"
