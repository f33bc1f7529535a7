"""Proof obligations with z3: lemmas are inductive, and claims follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic.obligations import Record, unrecorded
from counterpoint.models.symbolic.smt import Frame, answer_of
from counterpoint.models.symbolic.trace import Command, System
from counterpoint.spec.notation import Property, Values, nodes
from counterpoint.spec.notation.nodes import TRUE, Node

from .bounded import fails


@dataclass(frozen=True)
class Failure:
    """A lemma that an action violates.

    Attributes
    ----------
    lemma : Property
        The lemma.
    action : str
        The action; empty if an initial state violates the lemma.
    commands : tuple of int
        The numbers of the action's commands that violate it.
    reason : str
        Why z3 gave no answer; empty if it did.
    """

    lemma: Property
    action: str
    commands: tuple[int, ...] = ()
    reason: str = ""


class Prover:
    """Proof obligations about any state that satisfies the lemmas, and about one step from it.

    Values lie within their ranges, which no step leaves; ranges declared with ``grows`` have no
    upper end.

    Parameters
    ----------
    system : System
        The traced spec; of a model with ``unbounded``.
    lemmas : sequence of Property
        The lemmas, which are assumed in the state and to be shown in the next one.
    limits : Limits
        Of the whole proof.
    record : Record
        Called with every obligation and z3's answer.
    """

    def __init__(
        self,
        system: System,
        lemmas: Sequence[Property],
        limits: Limits,
        record: Record = unrecorded,
    ) -> None:
        self.system, self.lemmas, self.limits, self.record = system, lemmas, limits, record
        self.parts = {p.name: _conjuncts(system.formula(p.method)) for p in lemmas}
        self.known = dict.fromkeys(part for parts in self.parts.values() for part in parts)
        self.reads = {part: set(map(nodes.cell, nodes.cells_of([part]))) for part in self.known}
        self.frame = Frame(system, "before", 0)
        self.solver = z3.Solver()
        self.assumed = self.assumptions()
        self.solver.add(*self.assumed)
        self.found: Any = None  # z3's model of the last question that it could meet
        self.starts: dict[str, Values] = {}  # by lemma, an initial state that violates it

    def assumptions(self) -> list[Any]:
        """Return the z3 conditions that ranges and lemmas hold."""
        return [*ranges(self.frame), *map(self.frame.show, self.known)]

    def ask(self, name: str, *conditions: Any) -> Any:
        """Return whether z3 can satisfy the assumptions together with some conditions.

        Parameters
        ----------
        name : str
            The name of the obligation.
            conditions : z3 terms
                The conditions.

        Raises
        ------
        LimitReached
            If the time is over.
        """
        self.limits.check()
        self.solver.set("timeout", self.limits.milliseconds())
        self.solver.push()
        self.solver.add(*conditions)
        answer = answer_of(self.solver)
        self.reason = self.solver.reason_unknown() if answer == z3.unknown else ""
        self.found = self.solver.model() if answer == z3.sat else None
        self.solver.pop()
        if answer == z3.unknown:
            self.limits.check()
        self.record(name, [*self.assumed, *conditions], answer)
        return answer

    def failures(self) -> list[Failure]:
        """Return the lemmas that an initial state or some action violates."""
        found: dict[tuple[str, str], list[int]] = {}
        reasons: dict[tuple[str, str], str] = {}
        for name, reason in self._broken_at_start():
            found[name, ""] = []
            reasons[name, ""] = reason
        for place, command in enumerate(self.system.commands):
            self.limits.check(f"{place} of {len(self.system.commands)} steps")
            for name, reason in self._broken_by(command):
                found.setdefault((name, command.step.action), []).append(place)
                reasons.setdefault((name, command.step.action), reason)
        return [
            Failure(p, action, tuple(places), reasons.get((name, action), ""))
            for p in self.lemmas
            for (name, action), places in found.items()
            if name == p.name
        ]

    def _broken_at_start(self) -> list[tuple[str, str]]:
        """Return the lemmas that an initial state may violate, and why z3 gave no answer, if so."""
        first = Frame(self.system, "first", 0)
        initially = [
            first.is_one_of(self.system.model.initial_values()),
            first.show(self.system.initial),
        ]
        solver = z3.Solver()
        solver.add(*initially)
        solver.set("timeout", self.limits.milliseconds())
        if answer_of(solver) == z3.unsat:
            raise LimitReached("there is no initial state")
        found = []
        for name, parts in self.parts.items():
            broken = z3.Not(first.show(nodes.conjunction(parts)))
            answer = answer_of(solver, broken)
            self.record(f"start/{name}", [*initially, broken], answer)
            if answer == z3.sat:
                self.starts[name] = first.values(solver.model())
            if answer != z3.unsat:
                found.append((name, solver.reason_unknown() if answer == z3.unknown else ""))
        return found

    def _broken_by(self, command: Command) -> list[tuple[str, str]]:
        """Return the lemmas that a command may violate, and why z3 gave no answer, if so."""
        if command.leaves:
            return []
        goals = self.after(command)
        guard = self.frame.guard(command)
        everything = [g for parts in goals.values() for g in parts]
        step = self.system.model.show_step(command.step)
        if not everything:
            return []
        if self.ask(f"{step}/lemmas", guard, self._some_fails(everything)) == z3.unsat:
            return []
        return [
            (name, self.reason)
            for name, parts in goals.items()
            if self.ask(f"{step}/{name}", guard, self._some_fails(parts)) != z3.unsat
        ]

    def after(self, command: Command) -> dict[str, list[Node]]:
        """Return, for each lemma, its parts after a command, as conditions on the state before.

        Parts that the command does not change are left out.
        """
        new = {self.system.cells[i]: n for i, n in command.updates}
        done: dict[Node, Node] = {}
        goals: dict[str, list[Node]] = {}
        for name, parts in self.parts.items():
            for part in parts:
                if not self.reads[part].isdisjoint(new):
                    rebuilt = nodes.rebuild(part, new, done)
                    if rebuilt is not TRUE and rebuilt not in self.known:
                        goals.setdefault(name, []).append(rebuilt)
        return goals

    def fails_after(self, lemma: Property, command: Command) -> Any:
        """Return the z3 condition that a command violates a lemma."""
        return self._some_fails(self.after(command)[lemma.name])

    def _some_fails(self, parts: Iterable[Node]) -> Any:
        return z3.Not(self.frame.show(nodes.conjunction(parts)))

    def follows(self, claim: Property) -> Any:
        """Return z3's answer to the question whether a claim can fail where the lemmas hold.

        If it is ``unsat``, the claim follows from the lemmas.
        """
        return self.ask(f"follows/{claim.name}", fails(self.system, self.frame, claim))


def ranges(frame: Frame) -> list[Any]:
    """Return the z3 conditions that every cell of a frame has a value in its range."""
    found = []
    for term, node in zip(frame.terms, frame.system.cells, strict=True):
        if node.op != "constant" and not node.boolean:
            found.append(term >= node.low)
            if node.high != nodes.UNBOUNDED:
                found.append(term <= node.high)
    return found


def _conjuncts(node: Node) -> list[Node]:
    return list(node.args) if node.op == "and" else [node]
