"""The rule by which a rank proves a temporal property, as questions to z3 about one step.

A state is *pending* if a run in it may wait for the *goal* of the property. The rule asks that in
all pending states in which the lemmas hold

1. no number of the rank is below zero;
2. each step reaches the goal, or stays pending and does not make the rank larger;
3. some promise of fairness *helps*.

A weak promise helps in a set of states, in each of which a step of it is possible, if each step
from there reaches the goal, makes the rank smaller, or leads to a state of the set with the same
rank without being a step of the promise. A run that waits for ever makes its rank smaller only
finitely often. From then on one promise is always due and never kept, so the run is not fair.

A strong promise also helps in a set of states in which no step of it is possible, if a property
that is proved already says that it is possible again: from each such state that property leads to
another, and all states of the set that the property leads to have a possible step.

Steps that change nothing are no steps here, as in the definition of a run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import z3

from counterpoint.models.prove.proving import Prover
from counterpoint.models.symbolic.due import changes, commands_of, due
from counterpoint.models.symbolic.ranks import numbers, same, smaller
from counterpoint.spec.notation import Fairness, Property, nodes
from counterpoint.spec.notation.nodes import FALSE, TRUE, Node

from .waiting import MOST_VALUES, Waiting

LEVELS = 3
"""How many times a set of states in which a promise may help is made smaller."""

MOST_COMMANDS = 200
"""With more commands, sets of states are not made smaller twice: their conditions would be long."""


@dataclass(frozen=True)
class Gap:
    """A condition of the rule that z3 does not prove.

    Attributes
    ----------
    reason : str
        What may happen, in words.
    where : Node
        The condition on states in which it happens.
    command : int or None
        The command that does it, if one does.
    gave_up : str
        Why z3 gave no answer; empty if it did.
    helps : bool
        Whether the condition is the third, that some promise helps.
    """

    reason: str
    where: Node
    command: int | None = None
    gave_up: str = ""
    helps: bool = False


@dataclass(eq=False)
class Helper:
    """A promise, and a set of states in which it may help.

    Attributes
    ----------
    promise : Fairness
        The promise.
    commands : collection of int
        The commands that can keep it.
    begin : Node
        A condition that all states of the set satisfy.
    states : Node
        The set.
    again : str
        The property that says that a step of the promise is possible again; empty if none does.
    """

    promise: Fairness
    commands: Collection[int]
    begin: Node
    states: Node
    again: str = ""

    @property
    def name(self) -> str:
        """The promise, and the property that says that it is possible again."""
        return f"{self.promise.name} by {self.again}" if self.again else self.promise.name


class Rule:
    """The rule for one property.

    Parameters
    ----------
    prover : Prover
        Assumes the lemmas, in a system whose ranges all have ends.
    claim : Property
        A temporal property.
    rank : Property or None
        Its rank; without one, the rank is the same in all states.
    promises : sequence of Fairness
        The promises of fairness of the spec.
    without : collection of int
        Positions of cells that only a proof records.
    proved : sequence of Property
        Temporal properties that are proved already.
    """

    def __init__(
        self,
        prover: Prover,
        claim: Property,
        rank: Property | None,
        promises: Sequence[Fairness],
        without: Collection[int] = (),
        proved: Sequence[Property] = (),
    ) -> None:
        self.prover, self.system, self.claim = prover, prover.system, claim
        self.promises, self.without, self.proved = promises, without, proved
        self.first, self.goal = self._conditions(claim)
        self.rank = () if rank is None else numbers(self.system, rank)
        self.ranked = rank
        self.found: Gap | None = None
        self.moves = [i for i, c in enumerate(self.system.commands) if not c.leaves]
        self.done: dict[int, dict[Node, Node]] = {i: {} for i in self.moves}
        self.pending = nodes.negation(self.goal)
        self.helpers: list[Helper] = []

    def _conditions(self, claim: Property) -> tuple[Node, Node]:
        """Return when a run begins to wait, and for what."""
        found = self.system.formulas(claim.method)
        return (found[0], found[1]) if len(found) == 2 else (TRUE, found[0])

    def gap(self) -> Gap | None:
        """Return the first condition that is not proved, and keep it; None if the property is."""
        if self.claim.kind in ("leads-to", "eventually"):
            begins = self.first if self.claim.kind == "leads-to" else self._begins()
            waiting = Waiting(
                self.prover, begins, self.goal, self.moves, self.after, self.claim.name
            )
            self.pending = waiting.states()
        if self.claim.kind == "until":
            self.pending = nodes.conjunction([self.first, self.pending])
        for gap in (self._too_early(), self._below_zero(), self._larger(), self._no_help()):
            if gap is not None:
                self.found = gap
                return gap
        return None

    def _begins(self) -> Node:
        """Return a condition on what the goal reads that is true in all initial states."""
        read = nodes.cells_of([self.goal])
        model = self.system.model
        return nodes.conjunction(
            nodes.disjunction(
                nodes.equal(nodes.cell(cell), nodes.constant(bool(v) if cell.boolean else v))
                for v in values
            )
            for cell, values in zip(model.cells, model.initial_values(), strict=True)
            if cell in read and len(values) <= MOST_VALUES
        )

    # Asking z3

    def _gap(
        self, name: str, reason: str, parts: Sequence[Node], command: int | None = None
    ) -> Gap | None:
        """Return a gap unless z3 proves that no state satisfies some conditions."""
        where = nodes.conjunction(parts)
        if where is FALSE:
            return None
        answer = self._answer(name, where)
        if answer == z3.unsat:
            return None
        return Gap(reason, where, command, self.prover.reason if answer == z3.unknown else "")

    def _answer(self, name: str, where: Node) -> z3.CheckSatResult:
        return self.prover.ask(f"{self.claim.name}/{name}", self.prover.frame.show(where))

    def _step(self, number: int) -> str:
        return self.system.model.show_step(self.system.commands[number].step)

    # Steps

    def after(self, node: Node, number: int) -> Node:
        """Return a condition on the state after a command, as one on the state before."""
        new = {self.system.cells[i]: n for i, n in self.system.commands[number].updates}
        return nodes.rebuild(node, new, self.done[number])

    def ranks_after(self, number: int) -> list[Node]:
        """Return the rank after a command."""
        return [self.after(one, number) for one in self.rank]

    def _taken(self, number: int) -> list[Node]:
        """Return the conditions that a command takes a pending state to one without the goal."""
        command = self.system.commands[number]
        return [self.pending, *command.guard, nodes.negation(self.after(self.goal, number))]

    # The conditions of the rule

    def _too_early(self) -> Gap | None:
        """Return a state of `until` in which neither of its conditions is true."""
        if self.claim.kind != "until":
            return None
        neither = nodes.conjunction([nodes.negation(self.first), nodes.negation(self.goal)])
        frame = self.prover.frame
        starts = [
            frame.is_one_of(self.system.model.initial_values()),
            frame.show(self.system.initial),
            frame.show(neither),
        ]
        answer = self.prover.ask(f"{self.claim.name}/start", *starts)
        if answer != z3.unsat:
            reason = "neither of its conditions is true in an initial state"
            return Gap(reason, neither, None, self.prover.reason)
        for number in self.moves:
            gap = self._gap(
                f"{self._step(number)}/until",
                f"{self._step(number)} may end its first condition before the second is true",
                [*self._taken(number), nodes.negation(self.after(self.first, number))],
                number,
            )
            if gap is not None:
                return gap
        return None

    def _below_zero(self) -> Gap | None:
        below = nodes.disjunction(nodes.less(one, nodes.constant(0)) for one in self.rank)
        reason = "the rank may be below zero"
        return self._gap("rank-below-zero", reason, [self.pending, below])

    def _larger(self) -> Gap | None:
        """Return a step after which the rank is larger, or of `stays` not smaller in time."""
        for number in self.moves:
            then, step = self.ranks_after(number), self._step(number)
            taken = self._taken(number)
            if self.claim.kind == "stays":
                taken = list(self.system.commands[number].guard)
            larger = smaller(self.rank, then)
            reason = f"{step} may make the rank larger"
            gap = self._gap(f"{step}/rank", reason, [*taken, larger], number)
            if gap is None and self.claim.kind == "stays":
                ends = nodes.negation(self.after(self.goal, number))
                left = nodes.negation(smaller(then, self.rank))
                reason = f"{step} may end the condition, and no rank is smaller then"
                gap = self._gap(f"{step}/ends", reason, [*taken, self.goal, ends, left], number)
            if gap is not None:
                return gap
        return None

    def _no_help(self) -> Gap | None:
        """Return a pending state in which no promise helps."""
        open_ = list(self._candidates())
        levels = LEVELS if len(self.moves) <= MOST_COMMANDS else LEVELS - 1
        for level in range(levels):
            if level:
                for helper in open_:
                    helper.states = self._made_smaller(helper)
            closed = [helper for helper in open_ if self._is_closed(helper, level)]
            open_ = [helper for helper in open_ if helper not in closed]
            self.helpers += closed
            gap = self._uncovered(f"helps-{level}", self.helpers)
            if gap is None:
                self._leave_out_idle()
                break
        return gap

    def _uncovered(self, name: str, helpers: Sequence[Helper]) -> Gap | None:
        """Return a pending state that is in no set of some promises that help."""
        reason = "no promise of fairness is sure to help"
        nowhere = [nodes.negation(helper.states) for helper in helpers]
        gap = self._gap(name, reason, [self.pending, *nowhere])
        return None if gap is None else replace(gap, helps=True)

    def _leave_out_idle(self) -> None:
        """Keep only promises without which the proof would not succeed."""
        for helper in list(self.helpers):
            others = [one for one in self.helpers if one is not helper]
            if self._uncovered(f"without-{helper.name}", others) is None:
                self.helpers = others

    def _candidates(self) -> Iterator[Helper]:
        for promise in self.promises:
            commands = set(commands_of(self.system, promise))
            is_due = due(self.system, promise, self.without)
            yield Helper(promise, commands, is_due, is_due)
            for known in self.proved if promise.strong else ():
                first, second = self._conditions(known)
                again = nodes.disjunction([is_due, first])
                begin = nodes.conjunction(
                    [again, nodes.disjunction([is_due, nodes.negation(second)])]
                )
                yield Helper(promise, commands, begin, begin, known.name)

    def _right_after(self, helper: Helper, number: int) -> Node:
        """Return the condition that a command does what it must where a promise helps."""
        then = self.ranks_after(number)
        stays = [same(then, self.rank), self.after(helper.states, number)]
        if number in helper.commands:
            command = self.system.commands[number]
            stays.append(nodes.negation(changes(self.system, command, self.without)))
        return nodes.disjunction([
            self.after(self.goal, number),
            smaller(then, self.rank),
            nodes.conjunction(stays),
        ])  # fmt: skip

    def _is_closed(self, helper: Helper, level: int) -> bool:
        """Return whether a promise helps in all pending states of its set."""
        wrong = nodes.disjunction(
            nodes.conjunction([
                *self.system.commands[number].guard,
                nodes.negation(self._right_after(helper, number)),
            ])
            for number in self.moves
        )  # fmt: skip
        where = nodes.conjunction([self.pending, helper.states, wrong])
        self.prover.limits.check(f"{self.claim.name}: does {helper.name} help?")
        name = f"{helper.name}/helps-{level}"
        return where is FALSE or self._answer(name, where) == z3.unsat

    def _made_smaller(self, helper: Helper) -> Node:
        """Return the states of a set from which all commands do what they must."""
        return nodes.conjunction([
            helper.begin,
            *(
                nodes.disjunction([
                    nodes.negation(nodes.conjunction(self.system.commands[number].guard)),
                    self._right_after(helper, number),
                ])
                for number in self.moves
            ),
        ])  # fmt: skip
