"""A naive explorer in plain Python, and z3's successors: the engines are compared with both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import z3

from counterpoint.models.symbolic.smt import Frame, becomes, width_for
from counterpoint.models.symbolic.trace import System
from counterpoint.spec.notation import Model, RangeError, Step, Values

LEAVES = "leaves its range"


def successors(model: Model, values: Values) -> dict[Step, Values | str]:
    """Return the successors of a state in plain Python, for every step."""
    found: dict[Step, Values | str] = {}
    for step in model.steps:
        try:
            after = model.take(values, step)
        except RangeError:
            found[step] = LEAVES
        else:
            if after is not None:
                found[step] = after
    return found


@dataclass
class Naive:
    """The result of a plain breadth-first search."""

    states: dict[Values, int] = field(default_factory=dict)
    transitions: int = 0
    first: dict[str, int] = field(default_factory=dict)


def explore(model: Model, limit: int) -> Naive | None:
    """Return everything reachable with the depth of each claim's first failure; None if too much.

    A witness "fails" where it is reached.
    """
    run = Naive(dict.fromkeys(model.initial_states(), 0))
    todo = list(run.states)
    for values in todo:
        depth = run.states[values]
        _judge(model, values, depth, run)
        after = successors(model, values)
        run.transitions += len(after)
        if not after and model.methods("finished") and not model.may_end(values):
            run.first.setdefault("no-deadlock", depth)
        for following in after.values():
            if isinstance(following, str):
                run.first.setdefault("ranges", depth + 1)
                continue
            for claim in model.properties:
                if claim.kind == "transition" and not model.holds(claim, values, following):
                    run.first.setdefault(claim.name, depth + 1)
            if following not in run.states:
                run.states[following] = depth + 1
                todo.append(following)
        if len(todo) > limit:
            return None
    return run


def _judge(model: Model, values: Values, depth: int, run: Naive) -> None:
    for claim in model.properties:
        if claim.kind in ("invariant", "sometimes"):
            wanted = claim.kind == "sometimes"
            if model.holds(claim, values) == wanted:
                run.first.setdefault(claim.name, depth)


class Solver:
    """z3's view of one step, used for many states."""

    def __init__(self, system: System) -> None:
        self.system = system
        width = width_for(system)
        bits = max(1, len(system.commands).bit_length())
        self.before, self.after = Frame(system, "before", width), Frame(system, "after", width)
        self.choice = z3.BitVec("choice", bits)
        self.bits = bits
        self.solver = z3.SolverFor("QF_FD")
        self.solver.add(
            becomes(system, self.before, self.after, self.choice, lambda n: z3.BitVecVal(n, bits))
        )

    def successors(self, values: Values) -> dict[Step, Values | str]:
        """Return the successors of a state by z3, for every step."""
        found: dict[Step, Values | str] = {}
        fixed = self.before.is_one_of([[v] for v in values])
        self.solver.push()
        self.solver.add(fixed)
        while self.solver.check() == z3.sat:
            model = self.solver.model()
            number = model.eval(self.choice, True).as_long()
            step = self.system.commands[number].step
            assert step not in found, f"two commands of {step} are possible at once"
            found[step] = self.after.values(model)
            self.solver.add(self.choice != z3.BitVecVal(number, self.bits))
        self.solver.pop()
        for command in self.system.commands:
            if command.leaves and self._holds(fixed, self.before.guard(command)):
                assert command.step not in found
                found[command.step] = LEAVES
        return found

    def _holds(self, fixed: Any, condition: Any) -> bool:
        check = z3.SolverFor("QF_FD")
        check.add(fixed, condition)
        return bool(check.check() == z3.sat)
