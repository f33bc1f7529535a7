"""Compares guarded commands and claims with plain Python, whose runs give a spec its meaning.

An engine runs the code of a spec once, on symbols, and then works with the resulting commands and
formulas. Here these are evaluated in some of the states that the engine reached, and compared with
plain-Python runs of the same steps and claims. A difference is an error of Counterpoint, or a spec
whose code means two things; either way, none of the engine's answers can be trusted.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product

from counterpoint.models.limits import Limits
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, Property, RangeError, SpecError, Step, Values
from counterpoint.spec.notation.nodes import Cell, Node

from .evaluating import Evaluation
from .trace import Command, System

STATES = 1000
"""The most states that are compared."""

WALKED = 300
"""The most states of random runs that are compared, if an engine visits no states itself."""

STEPS, PARTS = 1, 20
"""For each state, the most steps and parts of claims that are compared on average.

Of a spec with many steps some are compared in each state; large claims in fewer states.
"""

FEWEST = 10
"""The least number of states in which a claim is compared, however large it is."""

STARTS, TRIES = 64, 4096
"""The most initial states from which runs begin, and the most candidates tried to find them."""

WALK = 3.0
"""Seconds after which random runs end, however few states they have found."""

TWICE = 0.25
"""The share of the steps that plain Python runs twice, and that must have the same effect again."""

RARE, HARD = 40, 3
"""For commands that no compared state enters: for how many of them z3 searches a state at most, and
after how many failures it stops.
"""

LEAVES = "leaves its range"

After = Values | str | None
"""The result of a step: a state, `LEAVES`, or None if the step is not possible."""


@dataclass
class ComparisonResult:
    """The result of a comparison.

    Attributes
    ----------
    states : int
        The number of compared states.
    difference : str
        The first difference, in one line; empty if there is none.
    """

    states: int = 0
    difference: str = ""


class Difference(Exception):
    """Guarded commands and plain Python differ; the message is one line."""


def with_comparison(verdicts: Sequence[Verdict], found: ComparisonResult) -> list[Verdict]:
    """Return verdicts with the result of a comparison; after a difference all are unknown."""
    if not found.difference:
        return [replace(v, compared=found.states) for v in verdicts]
    return [replace(v, answer="unknown", reason=found.difference, trace=None) for v in verdicts]


def random_states(
    model: Model, number: int = WALKED, seed: int = 0, length: int = 60
) -> list[Values]:
    """Return states of random runs in plain Python.

    Parameters
    ----------
    model : Model
        The spec.
    number : int
        The most states; fewer if runs find no new ones.
    seed : int
        Of the choices.
    length : int
        The number of steps after which a new run begins.
    """
    chance = random.Random(seed)
    starts = _starts(model, chance)
    found = dict.fromkeys(starts)
    fruitless = 0
    end = time.monotonic() + WALK
    while starts and len(found) < number and fruitless < 20 and time.monotonic() < end:
        known, state = len(found), chance.choice(starts)
        for _ in range(length):
            after = _one_after(model, state, chance, end)
            if after is None:
                break
            state = after
            found[state] = None
        fruitless = fruitless + 1 if len(found) == known else 0
    return list(found)[:number]


def _starts(model: Model, chance: random.Random) -> list[Values]:
    """Return some initial states, from all combinations of initial values or a random sample."""
    choices = model.initial_values()
    if math.prod(map(len, choices)) <= TRIES:
        tried = list(product(*choices))
        chance.shuffle(tried)
    else:
        tried = [tuple(map(chance.choice, choices)) for _ in range(TRIES)]
    conditions = model.methods("initially", "constraint")
    right = (v for v in tried if all(model.call(m, model.at(v)) for m in conditions))
    return list(dict.fromkeys(islice(right, STARTS)))


def _one_after(
    model: Model, state: Values, chance: random.Random, end: float = math.inf
) -> Values | None:
    """Return a random next state; None if there is none, or after the time ``end``."""
    for step in chance.sample(model.steps, len(model.steps)):
        if time.monotonic() > end:  # one step with nested quantifiers may take seconds
            return None
        after = plain_result(model, state, step)
        if not isinstance(after, str) and after is not None:
            return after
    return None


def plain_result(model: Model, state: Values, step: Step) -> After:
    """Return the result of a step in plain Python.

    Parameters
    ----------
    model : Model
        The spec.
    state : Values
        The state before.
    step : Step
        The step.
    """
    try:
        return model.take(state, step)
    except RangeError:
        return LEAVES


def compare(
    system: System,
    states: Sequence[Values],
    wanted: Sequence[Property],
    seed: int = 0,
    most: int = STATES,
    anywhere: bool = False,
    limits: Limits | None = None,
) -> ComparisonResult:
    """Compare guarded commands and claims with plain Python.

    Parameters
    ----------
    system : System
        The guarded commands and claims of an engine.
    states : sequence of states
        The states that it reached; a sample is taken if there are many.
    wanted : sequence of Property
        The claims that it judged.
    seed : int
        Of the choice.
    most : int
        States that are compared.
    anywhere : bool
        Whether to compare commands in unreachable states too, if no given state enters them.
    limits : Limits, optional
        The engine's limits; their time bounds the search for such states.
    """
    system.limits = None  # what an engine has found by the end of its time is compared all the same
    chance = random.Random(seed)
    places = range(len(states))
    chosen = places if len(states) <= most else chance.sample(places, most)
    try:
        compared = _Comparison(system, wanted, chance, most)
        compared.starts()
        for number, place in enumerate(chosen):
            compared.at(states[place], number, len(chosen))
        if compared.left and chosen and anywhere:
            compared.elsewhere(states[chosen[0]], limits)
    except Difference as difference:
        return ComparisonResult(len(chosen), str(difference))
    except RecursionError:  # an expression too deep for this evaluation
        return ComparisonResult(0)
    return ComparisonResult(len(chosen))


class _Comparison:
    def __init__(
        self, system: System, wanted: Sequence[Property], chance: random.Random, most: int
    ) -> None:
        self.system, self.model, self.chance, self.most = system, system.model, chance, most
        self.commands: dict[Step, list[Command]] = {}
        for command in system.commands:
            self.commands.setdefault(command.step, []).append(command)
        self.claims = [(p, system.claims[p.name]) for p in wanted if p.name in system.claims]
        self.parts = sum(_size(node) for _, node in self.claims)
        self.moves = [p for p in wanted if p.kind == "transition"]
        self.stops = any(p.kind == "deadlock" for p in wanted)
        self.entered: set[int] = set()
        self.left: Sequence[Command] = system.commands

    def starts(self) -> None:
        """Compare the condition on initial states."""
        methods = self.model.methods("initially", "constraint")
        choices = self.model.initial_values()
        for _ in range(50 if methods else 0):
            values = tuple(map(self.chance.choice, choices))
            right = all(self.model.call(m, self.model.at(values)) for m in methods)
            read = bool(Evaluation(self.system.cells, values).value(self.system.initial))
            if right != read:
                self._differ("initially", values, str(right), str(read))

    def at(self, values: Values, number: int, total: int) -> None:
        """Compare steps and claims in one state.

        Parameters
        ----------
        values : Values
            The state.
        number, total : int
            The position of the state, from 0, and the number of states that are compared.
        """
        state = Evaluation(self.system.cells, values)
        steps = self.model.steps
        some = max(1, self.most * STEPS // total)
        for step in steps if len(steps) <= some else self.chance.sample(steps, some):
            self._step(state, values, step)
        if self.left:
            self._rare(state, values)
        if number < max(FEWEST, self.most * PARTS // max(1, self.parts)):
            self._claims(state, values)

    def _rare(self, state: Evaluation, values: Values) -> None:
        """Compare the commands that this state enters and no state before has entered."""
        here = [c for c in self.left if state.all(c.guard)]
        for step in dict.fromkeys(c.step for c in here if id(c) not in self.entered):
            self._step(state, values, step)
        if here:
            self.left = [c for c in self.left if id(c) not in self.entered]

    def elsewhere(self, values: Values, limits: Limits | None) -> None:
        """Compare commands that no state has entered, each in a state that z3 finds for it.

        That state may be unreachable, so an error of plain Python in it is no difference.

        Parameters
        ----------
        values : state
            A reached state, for the values of cells on which a command does not depend.
        limits : Limits or None
            The search ends when its time is over.
        """
        from .smt import solution  # z3 takes long to load, and is rarely needed

        in_vain = 0
        for command in self.left[:RARE]:
            if in_vain == HARD or (limits is not None and limits.left() == 0):
                break
            found = solution(command.guard)
            in_vain += found is None
            if found is not None:
                cells = zip(self.model.cells, values, strict=True)
                there = tuple(found.get(cell, value) for cell, value in cells)
                try:
                    plain_result(self.model, there, command.step)
                except SpecError:
                    continue
                self._step(Evaluation(self.system.cells, there), there, command.step)

    def _claims(self, state: Evaluation, values: Values) -> None:
        for claim, node in self.claims:
            right = self._run(claim.name, values, partial(self.model.holds, claim, values))
            if right != bool(state.value(node)):
                self._differ(claim.name, values, str(right), str(not right))
        if self.stops and self.system.may_end is not None:
            right = self._run("finished", values, lambda: self.model.may_end(values))
            if right != bool(state.value(self.system.may_end)):
                self._differ("finished", values, str(right), str(not right))

    def _step(self, state: Evaluation, values: Values, step: Step) -> None:
        label = self.model.show_step(step)
        right = self._run(label, values, lambda: plain_result(self.model, values, step))
        if self.chance.random() < TWICE:
            again = self._run(label, values, lambda: plain_result(self.model, values, step))
            if right != again:
                self._differ(label, values, self._shown(values, right), self._shown(values, again))
        ways = [c for c in self.commands.get(step, ()) if state.all(c.guard)]
        self.entered.update(map(id, ways))
        read = {self._after(state, values, c) for c in ways} or {None}
        if read != {right}:
            others = " or ".join(sorted(self._shown(values, a) for a in read))
            self._differ(label, values, self._shown(values, right), others)
        if isinstance(right, tuple):
            for claim in self.moves:
                self._move(claim, state, values, right, ways)

    def _move(
        self, claim: Property, state: Evaluation, values: Values, after: Values, ways: list[Command]
    ) -> None:
        """Compare a transition property of one step.

        Parameters
        ----------
        claim : Property
        state : Evaluation
            The state before the step, as the engine reads it.
        values, after : Values
            The states before and after the step.
        ways : list of Command
            The commands of the step that are possible.
        """
        right = self._run(claim.name, values, lambda: self.model.holds(claim, values, after))
        checks = [k.condition for c in ways for k in c.checks if k.claim == claim.name]
        if right != state.all(checks):
            self._differ(claim.name, values, str(right), str(not right))

    def _after(self, state: Evaluation, values: Values, command: Command) -> After:
        if command.leaves:
            return LEAVES
        after = list(values)
        for place, node in command.updates:
            after[place] = state.value(node)
        return tuple(after)

    def _run(self, name: str, values: Values, call: Callable[[], After | bool]) -> After | bool:
        try:
            return call()
        except SpecError as error:
            message = f"plain Python fails in {name}, at {show_state(self.model, values)}: {error}"
            raise Difference(message) from error

    def _shown(self, before: Values, after: After | bool) -> str:
        if isinstance(after, tuple):
            changes = self.model.changes(before, after).items()
            return ", ".join(f"{label} {a}→{b}" for label, (a, b) in changes) or "changes nothing"
        return "is not possible" if after is None else str(after)

    def _differ(self, name: str, values: Values, right: str, read: str) -> None:
        """Raise the difference between plain Python and the engine in a state."""
        raise Difference(
            f"{name} means two things, at {show_state(self.model, values)}: in plain Python: "
            f"{right}; in the engine, or when plain Python runs it again: {read}"
        )


def show_state(model: Model, values: Values) -> str:
    """Return a state in one line: the cells that differ from the first initial state."""
    first = [several[0] for several in model.initial_values()]
    cells: Iterator[tuple[Cell, int, int]] = zip(model.cells, values, first, strict=True)
    parts = [f"{c.label}={model.show_value(c, v)}" for c, v, old in cells if v != old]
    return ", ".join(parts) or "the initial state"


def _size(root: Node) -> int:
    seen, todo = {root}, [root]
    while todo:
        for part in todo.pop().args:
            if isinstance(part, Node) and part not in seen:
                seen.add(part)
                todo.append(part)
    return len(seen)


def note_on_ranges(system: System, wanted: Sequence[Property]) -> tuple[str, ...]:
    """Return a note if steps may leave a range but the property ``ranges`` is not checked."""
    if any(p.kind == "range" for p in wanted) or not any(c.leaves for c in system.commands):
        return ()
    actions = dict.fromkeys(c.step.action for c in system.commands if c.leaves)
    names = ", ".join(actions)
    return (f"not judged: ranges ({names}: a step that leaves a range counts as not possible)",)
