"""The bounded engine: z3 checks every run of at most k steps, the shortest first.

The guarded commands are unrolled over bit-vectors that are wide enough for every possible value. At
each length z3 searches a violation of any property that is not yet decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.obligations import Record, reading, unrecorded, with_prefix
from counterpoint.models.symbolic.smt import Frame, answer_of, becomes, width_for
from counterpoint.models.symbolic.trace import System, trace
from counterpoint.models.verdict import (
    Trace,
    Verdict,
    confirm,
    explained,
    in_steps,
    replayed,
    what_failed,
)
from counterpoint.spec.notation import Model, Property, RangeError, Step, nodes
from counterpoint.spec.notation.nodes import Node

DEFAULT_STEPS = 20


def fails(system: System, last: Frame, claim: Property) -> Any:
    """Return the condition that a state, or a step from it, violates a claim.

    Parameters
    ----------
    system : System
        The traced spec.
    last : Frame
        Terms for the state.
    claim : Property
        The claim; a witness counts as violated where it is reached.
    """
    if claim.kind in ("invariant", "lemma"):
        return last.show(nodes.negation(system.claims[claim.name]))
    if claim.kind == "deadlock":
        end = system.may_end or nodes.TRUE
        stuck = [z3.Not(last.guard(c)) for c in system.commands]
        return z3.And(z3.Not(last.show(end)), *stuck)
    bad = [wrong for _, wrong in failing_steps(system, last, claim)]
    return z3.Or(*bad) if bad else z3.BoolVal(False)


def failing_steps(system: System, last: Frame, claim: Property) -> list[tuple[Step, Any]]:
    """Return the steps from a state that can violate a claim, each with its condition.

    Parameters
    ----------
    system : System
        The traced spec.
    last : Frame
        Terms for the state.
    claim : Property
        A transition property, or ``ranges``.
    """
    return [
        (command.step, z3.And(last.guard(command), wrong))
        for command in system.commands
        for wrong in (
            [z3.BoolVal(True)]
            if command.leaves and claim.kind == "range"
            else [z3.Not(last.show(c.condition)) for c in command.checks if c.claim == claim.name]
        )
    ]


@dataclass
class Unrolling:
    """The solver, with the conditions on the steps so far.

    Parameters
    ----------
    system : System
        The traced spec.
    more : sequence of Node
        Further values that the numbers of bits must hold, beside those of the spec's claims.
    """

    system: System
    more: Sequence[Node] = ()
    solver: Any = field(default_factory=lambda: z3.SolverFor("QF_FD"))
    frames: list[Frame] = field(default_factory=list)
    choices: list[Any] = field(default_factory=list)
    assumed: list[Any] = field(default_factory=list)  # this solver does not return its assertions

    def __post_init__(self) -> None:
        self.width = width_for(self.system, self.more)
        self.bits = max(1, len(self.system.commands).bit_length())
        first = Frame(self.system, "0", self.width)
        self.frames.append(first)
        self.assume(first.is_one_of(self.system.model.initial_values()))
        self.assume(first.show(self.system.initial))

    def assume(self, *conditions: Any) -> None:
        """Consider only runs that satisfy some conditions."""
        self.assumed += conditions
        self.solver.add(*conditions)

    def ask(self, limits: Limits, *assumptions: Any) -> Any:
        """Return whether some run satisfies what was assumed, and some further conditions.

        Raises
        ------
        LimitReached
            If the time is over, or z3 gives up.
        """
        limits.check(f"{len(self.choices)} steps")
        self.solver.set("timeout", limits.milliseconds())
        answer = answer_of(self.solver, *assumptions)
        if answer == z3.unknown:
            limits.check()
            raise LimitReached(f"the solver gave up: {self.solver.reason_unknown()}")
        return answer

    def number(self, command: int) -> Any:
        """Return the term of a command's number."""
        return z3.BitVecVal(command, self.bits)

    def extend(self) -> None:
        """Add one step."""
        k = len(self.choices)
        choice = z3.BitVec(f"command@{k}", self.bits)
        after = Frame(self.system, str(k + 1), self.width)
        self.assume(*becomes(self.system, self.frames[-1], after, choice, self.number))
        self.choices.append(choice)
        self.frames.append(after)

    def failing(self, claim: Property) -> Any:
        """Return the condition that the last state, or a step from it, decides a claim."""
        node = self.system.claims.get(claim.name)
        if claim.kind == "sometimes" and node is not None:
            return self.frames[-1].show(node)
        return fails(self.system, self.frames[-1], claim)

    def steps(self, found: Any) -> list[Step]:
        """Return the steps of the run in a z3 model."""
        numbers = [found.eval(c, model_completion=True).as_long() for c in self.choices]
        return [self.system.commands[n].step for n in numbers]

    def failing_step(self, found: Any, claim: Property) -> Step | None:
        """Return the step that violates a range or a transition property in a z3 model."""
        wrong_steps = failing_steps(self.system, self.frames[-1], claim)
        found_steps = (s for s, wrong in wrong_steps if z3.is_true(found.eval(wrong, True)))
        return next(found_steps, None)


def check(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    steps: int = DEFAULT_STEPS,
    record: Record = unrecorded,
) -> list[Verdict]:
    """Return a verdict for each property, for every run of at most ``steps`` steps.

    A witness that no such run reaches is unknown, since a longer run may reach it.

    Parameters
    ----------
    model : Model
        The spec under its parameters.
    limits : Limits, optional
        Time and memory.
    wanted : sequence of Property, optional
        The properties; all by default.
    steps : int
        The length of the longest runs.
    record : Record
        Called with every obligation and z3's answer.
    """
    limits = limits or Limits()
    run = _Bounded(model, limits, model.properties if wanted is None else wanted)
    run.record = with_prefix(record, "bounded")
    reason = f"not reached within {in_steps(steps)}"
    try:
        run.go(steps)
    except LimitReached as limit:
        reason = str(limit)
    compared = comparing.ComparisonResult()
    if run.system is not None:
        compared = comparing.compare(
            run.system, comparing.random_states(model), run.wanted, anywhere=True, limits=limits
        )
    if compared.difference:
        return comparing.with_comparison([run.unknown(claim) for claim in run.wanted], compared)
    return comparing.with_comparison(
        [run.verdict(claim, steps, reason) for claim in run.wanted], compared
    )


class _Bounded:
    def __init__(self, model: Model, limits: Limits, wanted: Sequence[Property]) -> None:
        self.model, self.limits, self.wanted = model, limits, wanted
        self.system: System | None = None
        self.record: Record = unrecorded
        self.found: dict[str, Trace] = {}
        self.done = -1  # the length up to which all runs were checked
        self.ended = False  # whether there are no longer runs

    def go(self, steps: int) -> None:
        with reading(self.record):
            system = trace(self.model, self.limits, self.wanted)
            run = Unrolling(system)
        self.system = system
        if run.ask(self.limits) == z3.unsat:
            raise LimitReached("there is no initial state")
        for k in range(steps + 1):
            self._decide(run, k, steps)
            self.done = k
            if len(self.found) == len(self.wanted) or k == steps:
                return
            run.extend()
            if run.ask(self.limits) == z3.unsat:
                self.record(f"step-{k + 1}/no-run-is-as-long", run.assumed, z3.unsat)
                self.ended = True
                return

    def _decide(self, run: Unrolling, k: int, steps: int) -> None:
        """Decide claims by the state after k steps, or by a step from it."""
        open_claims = {
            c: z3.Bool(f"fails {c.name}@{k}")
            for c in self.wanted
            if c.name not in self.found and (k < steps or c.kind not in ("range", "transition"))
        }
        for claim, flag in open_claims.items():
            run.assume(flag == run.failing(claim))
        while open_claims:
            anything = z3.Bool(f"anything@{k}@{len(open_claims)}")
            run.assume(anything == z3.Or(*open_claims.values()))
            answer = run.ask(self.limits, anything)
            names = [claim.name for claim in open_claims]
            name = names[0] if len(names) == 1 else f"{len(names)}-properties"
            self.record(f"step-{k}/{name}", [*run.assumed, anything], answer)
            if answer == z3.unsat:
                return
            model = run.solver.model()
            for claim, flag in list(open_claims.items()):
                if z3.is_true(model.eval(flag, model_completion=True)):
                    self.found[claim.name] = self._trace(run, model, claim)
                    del open_claims[claim]

    def _trace(self, run: Unrolling, found: Any, claim: Property) -> Trace:
        """Return the run in a z3 model, replayed in plain Python."""
        start = run.frames[0].values(found)
        trace_found = replayed(self.model, run.steps(found), start)
        last = run.failing_step(found, claim)
        if last is None:
            return trace_found
        try:
            after = self.model.take(trace_found.states[-1], last)
        except RangeError:
            return Trace(trace_found.states, (*trace_found.steps, last))
        states = trace_found.states if after is None else (*trace_found.states, after)
        return Trace(states, (*trace_found.steps, last))

    def unknown(self, claim: Property) -> Verdict:
        """Return a verdict with the answer ``unknown``."""
        seconds = self.limits.elapsed()
        return Verdict(self.model, claim, "bounded", "unknown", in_steps(0), seconds=seconds)

    def verdict(self, claim: Property, steps: int, reason: str) -> Verdict:
        """Return the verdict for a claim.

        Parameters
        ----------
        claim : Property
            The claim.
        steps : int
            The length of the longest runs.
        reason : str
            Why the check ended early; empty if it did not.
        """
        witness = claim.kind == "sometimes"
        notes = comparing.note_on_ranges(self.system, self.wanted) if self.system else ()
        base = replace(self.unknown(claim), answer="holds", depth=self.done, notes=notes)
        if claim.name in self.found:
            trace_found = self.found[claim.name]
            confirm(self.model, claim, trace_found)
            length = len(trace_found.steps)
            answer = "holds" if witness else "violated"
            what = what_failed(self.model, claim, trace_found)
            base = replace(base, depth=length, trace=trace_found, reason=what)
            return explained(_answered(base, answer, in_steps(length)))
        if self.ended:
            if witness:
                return _answered(
                    replace(base, reason="no run reaches it"), "violated", "all states"
                )
            return _answered(base, "holds", "all states")
        if witness or self.done < steps:
            return _answered(replace(base, reason=reason), "unknown", in_steps(max(self.done, 0)))
        return _answered(base, "holds", in_steps(steps))


def _answered(verdict: Verdict, answer: Any, extent: str) -> Verdict:
    return replace(verdict, answer=answer, extent=extent)
