"""Hypothesis: a `RuleBasedStateMachine` made from any spec, in plain Python.

As a test class, one line::

    TestWindow = machine(Window(transactions=3)).TestCase

As an engine, `check` runs such a machine again and again, until what fails has been found, and
minimises what Hypothesis found.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from counterpoint.models.limits import Limits
from counterpoint.models.symbolic import comparing
from counterpoint.models.verdict import (
    Disagreement,
    Trace,
    Verdict,
    explained,
    in_steps,
    what_failed,
)
from counterpoint.spec.notation import Model, Property, Spec, SpecError, Step, Values

from .minimise import minimise
from .walker import Move, OutOfLimits, Violated, Walker, lane_of

DEFAULT_RUNS = 6000
DEFAULT_MOVES = 8

AGAIN = 200
"""States whose steps and claims are run again at the end."""

BATCH = 500
"""Runs that one call of Hypothesis makes."""

BURSTS = (0, 1, 1, 2, 3, 40, 40, 40)
"""How many steps one lane may run on after the one that a rule chose."""


def machine(spec: Spec | Model, wanted: Sequence[Property] | None = None) -> type[SpecMachine]:
    """Return a Hypothesis state machine that takes a spec's steps and checks its properties.

    Parameters
    ----------
    spec : Spec or Model
        The spec under its parameters.
    wanted : sequence of Property, optional
        The properties to check; all by default. Witnesses are only noted.
    """
    model = spec if isinstance(spec, Model) else Model(spec)
    wanted = model.properties if wanted is None else wanted
    return _machine(Walker(model, wanted, Limits(), small=True))


class SpecMachine(RuleBasedStateMachine):
    """One run of a spec; a subclass has the walker and a rule for each action.

    Errors of order are rare among random runs. So a run changes lanes seldom (Musuvathi and Qadeer,
    PLDI 2007: few preemptions suffice), and it avoids some moves of some lanes where it has others
    (Groce et al., ISSTA 2012: swarm testing).
    """

    walker: Walker
    trace: Trace
    avoided: set[tuple[str, int]]

    @initialize(data=st.data())
    def start(self, data: st.DataObject) -> None:
        """Choose an initial state, and the moves that this run avoids where it can."""
        starts, pairs = self.walker.starts, self.walker.pairs
        first = starts[0] if len(starts) == 1 else data.draw(st.sampled_from(starts))
        size = -(-len(pairs) // 8)
        bits = int.from_bytes(data.draw(st.binary(min_size=size, max_size=size), label="avoided"))
        self.avoided = {pair for i, pair in enumerate(pairs) if bits >> i & 1}
        self.trace = Trace((first,), ())
        self.walker.runs += 1
        self.walker.judge(self.trace)

    def possible(self) -> list[Move]:
        """Return what is possible now; steps that leave a range only while they are looked for."""
        found = self.walker.possible(self.trace.states[-1])
        return found if self.walker.wanted["range"] else [m for m in found if m[1] is not None]

    def go(self, step: Step, after: Values | None) -> None:
        """Take a step."""
        states = self.trace.states if after is None else (*self.trace.states, after)
        self.trace = Trace(states, (*self.trace.steps, step))
        self.walker.judge(self.trace)

    @rule(data=st.data())
    def go_on(self, data: st.DataObject) -> None:
        """Take a step, then let its lane run on for a while; nothing where the run has ended.

        One rule for all actions: Hypothesis discards a run in which it has switched off every rule
        that is possible.
        """
        self.walker.pause()
        moves = self.possible()
        if not moves:
            return
        lane = lane_of(self.take_one(moves, data))
        for _ in range(data.draw(st.sampled_from(BURSTS), label="steps more")):
            moves = [m for m in self.possible() if lane_of(m) == lane]
            if not moves:
                return
            self.take_one(moves, data)

    def take_one(self, moves: list[Move], data: st.DataObject) -> Move:
        """Take one of the moves, one that the run does not avoid if there is any."""
        liked = [m for m in moves if (m[0].action, lane_of(m)) not in self.avoided] or moves
        move = liked[0] if len(liked) == 1 else data.draw(st.sampled_from(liked))
        self.go(*move)
        return move


def _machine(walker: Walker) -> type[SpecMachine]:
    name = "".join(part.title() for part in re.split(r"\W", walker.model.name)) + "Machine"
    made: type[SpecMachine] = type(name, (SpecMachine,), {"walker": walker})
    made.TestCase.settings = settings(
        max_examples=500,
        stateful_step_count=DEFAULT_MOVES,
        deadline=None,
        phases=(Phase.explicit, Phase.reuse, Phase.generate),  # `minimise` shrinks faster
        suppress_health_check=list(HealthCheck),
    )
    return made


def check(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    runs: int = DEFAULT_RUNS,
    moves: int = DEFAULT_MOVES,
    random_seed: int = 0,
) -> list[Verdict]:
    """Return a verdict for each property from random runs; what they do not find may still be.

    Parameters
    ----------
    model : Model
        The spec.
    limits : Limits, optional
        Time and memory.
    wanted : sequence of Property, optional
        The properties; all by default.
    runs, moves : int
        How many runs, of at most how many rules each (a rule is one step or several of one lane).
        They end early when all states that can be reached, and all steps, were judged.
    random_seed : int
        The same seed gives the same runs.

    Notes
    -----
    A witness that no run reached is unknown.
    """
    limits = limits or Limits()
    wanted = list(model.properties if wanted is None else wanted)
    walker = Walker(model, wanted, limits)
    found: dict[str, Trace] = {}
    reason = walker.stopped or ("" if walker.starts else "there is no initial state")
    try:
        for batch in count():
            if reason or walker.runs >= runs or len(found) == len(wanted):
                break
            walker.watch([p for p in wanted if p.name not in found])
            size = min(BATCH, runs - walker.runs)
            violation = _run(walker, size, moves, random_seed * 1_000_003 + batch)
            if violation is not None:
                for claim in violation.claims:
                    found[claim.name] = minimise(model, claim, violation.trace, limits)
            elif walker.closed():
                break
    except (OutOfLimits, HypothesisException) as error:
        reason = walker.stopped or _flaky(error)
    verdicts = [_verdict(walker, claim, found, reason, limits) for claim in wanted]
    return comparing.judged(verdicts, _again(walker, wanted, random_seed))


def _flaky(error: BaseException) -> str:
    """Raise what made a run end in another way when Hypothesis repeated it.

    Where a limit was reached, Hypothesis may find a run flaky that the limit cut short.
    """
    for inner in getattr(error, "exceptions", ()):
        if isinstance(inner, SpecError):
            raise inner from error
    raise Disagreement("plain Python does something else when it is run again") from error


def _judged_alike(walker: Walker, wanted: Sequence[Property], values: Values) -> bool:
    """Return whether claims say the same of a state three times."""
    claims = [p for p in wanted if p.kind in ("invariant", "lemma", "sometimes")]
    answers = [[walker.model.holds(c, values) for c in claims] for _ in range(3)]
    return answers[0] == answers[1] == answers[2]


def _again(walker: Walker, wanted: Sequence[Property], random_seed: int) -> comparing.Compared:
    """Take the steps of some states again: a text that means one thing does the same."""
    model = walker.model
    states = sorted(walker.moves)
    chosen = random.Random(random_seed).sample(states, min(AGAIN, len(states)))
    for values in chosen:
        before = walker.moves.pop(values)
        try:
            same = walker.possible(values) == before and _judged_alike(walker, wanted, values)
        except SpecError as error:
            return comparing.Compared(len(chosen), str(error))
        if not same:
            where = comparing.shown(model, values)
            return comparing.Compared(
                len(chosen), f"plain Python does something else when it is run again, at {where}"
            )
    return comparing.Compared(len(chosen))


def _run(walker: Walker, runs: int, moves: int, random_seed: int) -> Violated | None:
    """Make runs; return the first violation, if there is one."""
    chosen = settings(
        max_examples=runs,
        stateful_step_count=moves,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate,),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    try:
        run_state_machine_as_test(seed(random_seed)(_machine(walker)), settings=chosen)
    except Violated as violation:
        return violation
    return None


def _verdict(
    walker: Walker,
    claim: Property,
    found: dict[str, Trace],
    reason: str,
    limits: Limits,
) -> Verdict:
    extent = f"{walker.runs:,} random runs"
    base = Verdict(
        walker.model, claim, "stateful", "holds", extent, len(walker.seen),
        seconds=limits.elapsed(),
    )  # fmt: skip
    if claim.name in found:
        trace = found[claim.name]
        what = what_failed(walker.model, claim, trace)
        length = len(trace.steps)
        return explained(
            replace(base, answer="violated", extent=in_steps(length), depth=length, trace=trace,
                    reason=what)
        )  # fmt: skip
    if claim.kind == "sometimes":
        if claim.name not in walker.witnessed:
            return replace(base, answer="unknown", reason=reason or "no run reached it")
        trace = walker.witnessed[claim.name]
        return replace(base, trace=trace, depth=len(trace.steps), extent=in_steps(len(trace.steps)))
    return replace(base, answer="unknown", reason=reason) if reason else base
