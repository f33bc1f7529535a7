"""z3, one step from anywhere: which lemmas every step keeps, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic.obligations import Record, unrecorded
from counterpoint.models.symbolic.smt import Frame
from counterpoint.models.symbolic.trace import Command, System
from counterpoint.spec.notation import Property, Values, nodes
from counterpoint.spec.notation.nodes import TRUE, Node

from .bounded import fails


@dataclass(frozen=True)
class Failure:
    """A lemma that an action does not keep.

    Attributes
    ----------
    lemma : Property
        The lemma.
    action : str
        The action; empty where an initial state already breaks the lemma.
    commands : tuple of int
        The commands of the action that break it.
    reason : str
        Empty, or why the solver could not say.
    """

    lemma: Property
    action: str
    commands: tuple[int, ...] = ()
    reason: str = ""


class Prover:
    """Proof obligations over one arbitrary state that satisfies the lemmas, and one step from it.

    Values lie within their ranges, which no step leaves; ranges that grow have no upper end.

    Parameters
    ----------
    system : System
        The traced spec; of a model with ``unbounded``.
    lemmas : sequence of Property
        What is assumed of the state, and to be shown of the next.
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
        self.starts: dict[str, Values] = {}  # for lemmas that are false there, an initial state

    def assumptions(self) -> list[Any]:
        """Return z3 conditions: ranges and lemmas hold."""
        return [*ranges(self.frame), *map(self.frame.show, self.known)]

    def ask(self, name: str, *conditions: Any) -> Any:
        """Return z3's answer on the assumptions together with some conditions.

        Parameters
        ----------
        name : str
            Of the obligation.
        conditions : z3 terms
            What is asked.

        Raises
        ------
        LimitReached
            If the time is up.
        """
        self.limits.check()
        left = self.limits.left()
        if left is not None:
            self.solver.set("timeout", max(1, int(left * 1000)))
        self.solver.push()
        self.solver.add(*conditions)
        answer = self.solver.check()
        self.reason = self.solver.reason_unknown() if answer == z3.unknown else ""
        self.solver.pop()
        if answer == z3.unknown:
            self.limits.check()
        self.record(name, [*self.assumed, *conditions], answer)
        return answer

    def failures(self) -> list[Failure]:
        """Return the lemmas that do not hold at the start, or that some action does not keep."""
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
        """Return the lemmas that an initial state may break, with why the solver could not say."""
        first = Frame(self.system, "first", 0)
        initially = [
            first.is_one_of(self.system.model.initial_values()),
            first.show(self.system.initial),
        ]
        solver = z3.Solver()
        solver.add(*initially)
        left = self.limits.left()
        if left is not None:
            solver.set("timeout", max(1, int(left * 1000)))
        if solver.check() == z3.unsat:
            raise LimitReached("there is no initial state")
        found = []
        for name, parts in self.parts.items():
            broken = z3.Not(first.show(nodes.conjunction(parts)))
            answer = solver.check(broken)
            self.record(f"start/{name}", [*initially, broken], answer)
            if answer == z3.sat:
                self.starts[name] = first.values(solver.model())
            if answer != z3.unsat:
                found.append((name, solver.reason_unknown() if answer == z3.unknown else ""))
        return found

    def _broken_by(self, command: Command) -> list[tuple[str, str]]:
        """Return the lemmas that a command may break, each with why the solver could not say."""
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
        """Return what is to be shown of each lemma after a command, in terms of the state before.

        Parts of lemmas that the command does not touch are left out.
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
        """Return the z3 condition that a command breaks a lemma."""
        return self._some_fails(self.after(command)[lemma.name])

    def _some_fails(self, parts: Iterable[Node]) -> Any:
        return z3.Not(self.frame.show(nodes.conjunction(parts)))

    def follows(self, claim: Property) -> Any:
        """Return z3's answer on whether a claim can be broken where the lemmas hold.

        Unsatisfiable: the claim holds wherever the lemmas do.
        """
        return self.ask(f"follows/{claim.name}", fails(self.system, self.frame, claim))


def ranges(frame: Frame) -> list[Any]:
    """Return z3 conditions: every cell of a frame has a value of its range."""
    found = []
    for term, node in zip(frame.terms, frame.system.cells, strict=True):
        if node.op != "constant" and not node.boolean:
            found.append(term >= node.low)
            if node.high != nodes.UNBOUNDED:
                found.append(term <= node.high)
    return found


def _conjuncts(node: Node) -> list[Node]:
    return list(node.args) if node.op == "and" else [node]
