"""Bounded lassos: z3 searches every stem and cycle of at most k steps, the shortest first.

A run that violates a temporal property can be taken as a lasso: some steps, and then a cycle that
is repeated for ever. The guarded commands are unrolled as for invariants, and after each step z3 is
asked for a cycle that ends there, keeps all promises of fairness, and violates the property. A
cycle without steps is a run that stays in its last state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import z3

from counterpoint.models.lassos import promised, violated_by
from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.ltl.reading import negated
from counterpoint.models.symbolic import comparing, conditions
from counterpoint.models.symbolic.due import commands_of, due
from counterpoint.models.symbolic.obligations import Record, reading, unrecorded, with_prefix
from counterpoint.models.symbolic.trace import System, trace
from counterpoint.models.verdict import Trace, Verdict, in_steps, replayed
from counterpoint.spec.notation import Model, Property
from counterpoint.spec.notation.nodes import Node

from .bounded import DEFAULT_STEPS, Unrolling
from .bounded_formulas import FormulaOnLasso


def check(
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    steps: int = DEFAULT_STEPS,
    record: Record = unrecorded,
) -> list[Verdict]:
    """Return a verdict for each temporal property, for all lassos of at most ``steps`` steps.

    Parameters
    ----------
    model : Model
        The spec under its parameters.
    limits : Limits
        Time and memory.
    wanted : sequence of Property
        Temporal properties.
    steps : int
        The length of the longest lassos, stem and cycle together.
    record : Record
        Called with every obligation and z3's answer.

    Raises
    ------
    Disagreement
        If plain Python does not confirm a lasso.
    """
    run = _Search(model, limits, wanted, with_prefix(record, "bounded"))
    reason = ""
    try:
        run.go(steps)
    except LimitReached as limit:
        reason = str(limit)
    verdicts = [run.verdict(claim, steps, reason) for claim in wanted]
    if run.system is None:
        return verdicts
    states = comparing.random_states(model)
    found = comparing.compare(run.system, states, (), anywhere=True, limits=limits)
    if not found.difference:
        found.difference = conditions.difference(run.system, wanted, states)
    return comparing.with_comparison(verdicts, found)


class _Search:
    """The search for a lasso for each of several properties."""

    def __init__(
        self, model: Model, limits: Limits, wanted: Sequence[Property], record: Record
    ) -> None:
        self.model, self.limits, self.wanted, self.record = model, limits, wanted, record
        self.system: System | None = None
        self.found: dict[str, Trace] = {}
        self.done = -1  # the length up to which all lassos were searched
        self.ended = False  # whether there are no longer ones
        self.leaves = False  # whether a step of some run may leave a range

    def go(self, steps: int) -> None:
        """Search lassos of at most some steps."""
        with reading(self.record):
            _ = self.model.fairness
            system = trace(self.model, self.limits, self.wanted)
            lassos = _Lassos(system, self.wanted)
        self.system = system
        run = lassos.run
        if run.ask(self.limits) == z3.unsat:
            raise LimitReached("there is no initial state")
        for length in range(steps + 1):
            lassos.look()
            self._decide(lassos, length)
            self.leaves = self.leaves or lassos.may_leave(self.limits)
            self.done = length
            if len(self.found) == len(self.wanted) or length == steps:
                return
            lassos.extend()
            if run.ask(self.limits) == z3.unsat:
                self.record(f"lasso-{length + 1}/no-run-is-as-long", run.assumed, z3.unsat)
                self.ended = True
                return

    def _decide(self, lassos: _Lassos, length: int) -> None:
        """Search a lasso of one length for each property without one."""
        run = lassos.run
        for claim in self.wanted:
            if claim.name in self.found:
                continue
            violated = z3.Bool(f"lasso {claim.name}@{length}")
            run.assume(z3.Implies(violated, lassos.violates(claim)))
            answer = run.ask(self.limits, violated)
            self.record(f"lasso-{length}/{claim.name}", [*run.assumed, violated], answer)
            if answer == z3.sat:
                self.found[claim.name] = lassos.read(run.solver.model(), claim)

    def verdict(self, claim: Property, steps: int, reason: str) -> Verdict:
        """Return the verdict for a property.

        Parameters
        ----------
        claim : Property
        steps : int
            The length of the longest lassos.
        reason : str
            Why the search ended early; empty if it did not.
        """
        verdict = Verdict(
            self.model, claim, "bounded", "unknown", in_steps(max(self.done, 0)), depth=self.done,
            seconds=self.limits.elapsed(), reason=reason,
        )  # fmt: skip
        if self.system is not None:
            verdict = replace(verdict, notes=self._notes(self.system))
        if claim.name in self.found:
            return violated_by(verdict, self.found[claim.name])
        if not self.ended and self.done < steps:
            return verdict
        extent = self._all_runs() if self.ended else f"no lasso of up to {in_steps(steps)}"
        return replace(verdict, answer="holds", extent=extent, reason="")

    def _notes(self, system: System) -> tuple[str, ...]:
        """Return the promises, and which steps may leave a range."""
        notes = [promised(self.model.fairness)]
        if names := dict.fromkeys(c.step.action for c in system.commands if c.leaves):
            actions = " or ".join(names)
            notes.append(f"a step of {actions} that leaves a range counts as not possible")
        return tuple(notes)

    def _all_runs(self) -> str:
        """Return what was judged if no run is longer, in words."""
        return "all runs within ranges" if self.leaves else "all runs"


class _Lassos:
    """Runs of one length, with the conditions that their last steps are a fair cycle.

    Parameters
    ----------
    system : System
        The traced spec.
    wanted : sequence of Property
        The temporal properties.
    """

    def __init__(self, system: System, wanted: Sequence[Property]) -> None:
        self.formulas = {claim.name: system.formulas(claim.method) for claim in wanted}
        self.run = Unrolling(system, [n for both in self.formulas.values() for n in both])
        self.system, self.promises = system, system.model.fairness
        self.due_when = [due(system, one) for one in self.promises]
        self.kept_by = [commands_of(system, one) for one in self.promises]
        self.due: list[list[Any]] = []  # for each state, whether each promise is due
        self.kept: list[list[Any]] = []  # for each step, whether it keeps each promise
        self.truth: dict[str, list[tuple[Any, ...]]] = {claim.name: [] for claim in wanted}
        self.negated = {c.name: negated(system, c) for c in wanted if c.kind == "temporal"}
        self.begins: list[Any] = []  # whether the cycle begins in each state
        self.inside: list[Any] = []  # whether each state is in the cycle

    def extend(self) -> None:
        """Add one step, which changes the state."""
        run = self.run
        run.extend()
        before, after = run.frames[-2:]
        run.assume(z3.Or(*(a != b for a, b in zip(before.terms, after.terms, strict=True))))
        choice = run.choices[-1]
        self.kept.append([z3.Or(*(choice == run.number(c) for c in own)) for own in self.kept_by])

    def look(self) -> None:
        """Name what is true in the last state, and let a cycle end there."""
        last = len(self.run.frames) - 1
        self.due.append([
            self._named(f"due {k}@{last}", node) for k, node in enumerate(self.due_when)
        ])  # fmt: skip
        for claim, formulas in self.formulas.items():
            self.truth[claim].append(tuple(
                self._named(f"{claim} {k}@{last}", node) for k, node in enumerate(formulas)
            ))  # fmt: skip
        self._close(last)

    def may_leave(self, limits: Limits) -> bool:
        """Return whether some step from the last state of some run leaves a range."""
        last = self.run.frames[-1]
        ways = [last.guard(command) for command in self.system.commands if command.leaves]
        if not ways:
            return False
        leaves = z3.Bool(f"leaves@{len(self.run.frames)}")
        self.run.assume(z3.Implies(leaves, z3.Or(*ways)))
        return bool(self.run.ask(limits, leaves) == z3.sat)

    def _named(self, name: str, node: Node) -> Any:
        """Return a truth value that is equal to a condition on the last state."""
        value = z3.Bool(name)
        self.run.assume(value == self.run.frames[-1].show(node))
        return value

    def _close(self, last: int) -> None:
        """Let a cycle begin in each state that is equal to the last."""
        frames = self.run.frames
        self.begins = [z3.Bool(f"begins {k}@{last}") for k in range(last + 1)]
        self.inside = [z3.Bool(f"inside {k}@{last}") for k in range(last + 1)]
        for k, begins in enumerate(self.begins):
            same = (a == b for a, b in zip(frames[k].terms, frames[last].terms, strict=True))
            self.run.assume(z3.Implies(begins, z3.And(*same)))
            before = self.inside[k - 1] if k else z3.BoolVal(False)
            self.run.assume(self.inside[k] == z3.Or(before, begins))

    def violates(self, claim: Property) -> Any:
        """Return the condition that the run is a fair lasso that violates a property.

        A run whose last state breaks an `until` counts as well.
        """
        lasso = z3.And(self.inside[-1], *map(self._is_kept, range(len(self.promises))),
                       self._is_violation(claim))  # fmt: skip
        return z3.Or(lasso, self._breaks(claim)) if claim.kind == "until" else lasso

    def _is_kept(self, promise: int) -> Any:
        taken = [z3.And(i, kept[promise]) for i, kept in zip(self.inside, self.kept, strict=False)]
        idle = [z3.And(i, z3.Not(due[promise]))
                for i, due in zip(self.inside, self.due, strict=True)]  # fmt: skip
        if not self.promises[promise].strong:
            return z3.Or(*taken, *idle)
        never = [z3.Not(z3.And(i, due[promise]))
                 for i, due in zip(self.inside, self.due, strict=True)]  # fmt: skip
        return z3.Or(*taken, z3.And(*never))

    def _is_violation(self, claim: Property) -> Any:
        if claim.kind == "temporal":
            return self._is_false(claim)
        truth = self.truth[claim.name]
        goal = [both[-1] for both in truth]
        in_cycle = list(zip(self.inside, goal, strict=True))
        if claim.kind in ("eventually", "until"):
            return z3.Not(z3.Or(*goal))
        if claim.kind == "infinitely-often":
            return z3.And(*(z3.Implies(i, z3.Not(true)) for i, true in in_cycle))
        if claim.kind == "stays":
            return z3.Or(*(z3.And(i, z3.Not(true)) for i, true in in_cycle))
        waits: Any = z3.BoolVal(False)
        for first, second in truth:
            waits = z3.And(z3.Or(waits, first), z3.Not(second))
        return z3.And(waits, *(z3.Implies(i, z3.Not(true)) for i, true in in_cycle))

    def _is_false(self, claim: Property) -> Any:
        """Return the condition that the formula of a property is false."""
        first = [z3.And(begins, z3.Not(z3.Or(*self.begins[:k])))
                 for k, begins in enumerate(self.begins)]  # fmt: skip
        lasso = FormulaOnLasso(self.truth[claim.name], first)
        return lasso.truth(self.negated[claim.name])[0]

    def _breaks(self, claim: Property) -> Any:
        """Return the condition that neither condition of `until` is true in the last state."""
        *before, last = self.truth[claim.name]
        waits = [z3.And(first, z3.Not(second)) for first, second in before]
        return z3.And(*waits, z3.Not(z3.Or(*last)))

    def read(self, found: Any, claim: Property) -> Trace:
        """Return the lasso in a z3 model, replayed in plain Python."""
        start = self.run.frames[0].values(found)
        run = replayed(self.system.model, self.run.steps(found), start)
        broken = z3.is_true(found.eval(self._breaks(claim), True)) \
            if claim.kind == "until" else False  # fmt: skip
        begins = [k for k, one in enumerate(self.begins) if z3.is_true(found.eval(one, True))]
        return replace(run, loop=None if broken else begins[0])
