"""Runs of a spec, and a breadth-first search of all its states, in as little Python as possible."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from tests.oracle.functions import Disabled, Leaves, SpecError, acting, value
from tests.oracle.notation import Index, Spec, Variable, declared

Values: TypeAlias = tuple[int, ...]
"""A state: the value of every variable, in the order of declaration, arrays row by row."""

Step: TypeAlias = tuple[str, tuple[int, ...]]
"""An action, and a member for each of its parameters."""


def executed(*sources: str) -> dict[str, Any]:
    """Return the names that the texts of modules define, executed in order with this notation."""
    space: dict[str, Any] = {"__name__": "executed"}
    for source in sources:
        text = source.replace(
            "from counterpoint.spec.notation import", "from tests.oracle.notation import"
        )
        exec(compile(text, "<a spec>", "exec"), space)
    return space


def spec_in(source: str) -> type[Spec]:
    """Return the last spec that a text defines."""
    found = executed(source).values()
    return [v for v in found if isinstance(v, type) and issubclass(v, Spec) and v is not Spec][-1]


class Runner:
    """A spec with given parameters, run step by step.

    Attributes
    ----------
    steps : list of Step
        Every action with every choice of its parameters.
    kinds : dict
        The kind of each claim, by its public name.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        variables: list[Variable] = list(declared(type(spec), Variable).values())
        self.places = [(v, key) for v in variables for key in v.keys(spec)]
        self.names = [(v.name, key) for v, key in self.places]
        self.steps = list(self._steps())
        claims = spec._methods("invariant", "lemma", "transition", "sometimes")
        self.claims = {name.replace("_", "-"): f for name, f in claims.items()}
        self.kinds = {name: f.kind for name, f in self.claims.items()}
        self.finished = list(spec._methods("finished").values())

    def _steps(self) -> Any:
        indices = declared(type(self.spec), Index)
        size = {n: self.spec._given[name] for name, index in indices.items() for n in index.names}
        for name, function in self.spec._methods("action").items():
            code = function.__code__
            names = code.co_varnames[1 : code.co_argcount]
            for binding in product(*(range(size[n]) for n in names)):
                yield name, binding

    def at(self, values: Values, fixed: bool = True) -> Spec:
        """Return the spec in a state, for a property, which may not assign."""
        found: Spec = object.__new__(type(self.spec))
        found.__dict__.update(self.spec.__dict__)
        found.__dict__["_values"] = dict(zip(self.names, values, strict=True))
        found.__dict__["_fixed"] = fixed
        return found

    def starts(self) -> list[Values]:
        """Return the initial states."""
        several = product(*(v.starts(self.spec, key) for v, key in self.places))
        conditions = self.spec._methods("initially").values()
        return [values for values in several if all(self._ask(f, values) for f in conditions)]

    def take(self, values: Values, step: Step) -> Values | None:
        """Return the next state, or None where the step is not possible.

        Raises
        ------
        Leaves
            If the step leaves a range or an array.
        """
        state = self.at(values, fixed=False)
        name, binding = step
        try:
            with acting():
                getattr(state, name)(*binding)
        except Disabled:
            return None
        except Leaves:
            raise
        except Exception as error:
            raise SpecError(f"{name}: {error!r}") from error
        return tuple(state._values.values())

    def holds(self, claim: str, values: Values, *after: Values) -> bool:
        """Return whether a claim is true in a state, or a transition property for two states."""
        return self._ask(self.claims[claim], values, *after)

    def may_end(self, values: Values) -> bool:
        """Return whether a run may end in a state."""
        return all(self._ask(f, values) for f in self.finished)

    def _ask(self, function: Any, values: Values, *after: Values) -> bool:
        try:
            return bool(value(function(self.at(values), *map(self.at, after))))
        except Exception as error:  # also what would be a violation in an action
            raise SpecError(f"{function.__name__}: {error!r}") from error


@dataclass
class Found:
    """The results of a search of a spec's states.

    Attributes
    ----------
    states : dict
        Every reachable state, with the least number of steps to it.
    transitions : int
        The possible steps of all states, also those that leave a range.
    first : dict
        The least number of steps after which each failing claim fails; a witness "fails" where
        it is reached.
    leaves : int or None
        As ``first["ranges"]``, leaving out the upper ends of ranges that grow.
    possible : set of str
        The actions that are possible in some state.
    complete : bool
        Whether these are all states; else there were too many.
    """

    states: dict[Values, int] = field(default_factory=dict)
    transitions: int = 0
    first: dict[str, int] = field(default_factory=dict)
    leaves: int | None = None
    possible: set[str] = field(default_factory=set)
    complete: bool = False

    def fails(self, claim: str, depth: int) -> None:
        """Record that a claim fails after a number of steps."""
        self.first.setdefault(claim, depth)

    def violated(self, claim: str, kind: str) -> bool:
        """Return whether a claim is violated; a witness is violated if it is never reached."""
        return (claim in self.first) != (kind == "sometimes")


def search(runner: Runner, limit: int = 100_000) -> Found:
    """Visit every state, breadth first, until there are more than ``limit``."""
    found = Found(dict.fromkeys(runner.starts(), 0))
    todo = list(found.states)
    for values in todo:  # it grows meanwhile
        if len(todo) > limit:
            return found
        depth = found.states[values]
        _judge(runner, values, depth, found)
        for after in _expand(runner, values, depth, found):
            if after not in found.states:
                found.states[after] = depth + 1
                todo.append(after)
    found.complete = True
    return found


def _judge(runner: Runner, values: Values, depth: int, found: Found) -> None:
    """Evaluate the claims in one state."""
    for name, kind in runner.kinds.items():
        if kind != "transition" and runner.holds(name, values) == (kind == "sometimes"):
            found.fails(name, depth)


def _expand(runner: Runner, values: Values, depth: int, found: Found) -> list[Values]:
    """Take every step from a state; return the successors."""
    reached = []
    stuck = True
    for step in runner.steps:
        try:
            after = runner.take(values, step)
        except Leaves as leaves:
            found.fails("ranges", depth + 1)
            if not leaves.grown and found.leaves is None:
                found.leaves = depth + 1
        else:
            if after is None:
                continue
            reached.append(after)
            _judge_step(runner, values, after, depth, found)
        stuck = False
        found.transitions += 1
        found.possible.add(step[0])
    if stuck and runner.finished and not runner.may_end(values):
        found.fails("no-deadlock", depth)
    return reached


def _judge_step(runner: Runner, values: Values, after: Values, depth: int, found: Found) -> None:
    for name, kind in runner.kinds.items():
        if kind == "transition" and not runner.holds(name, values, after):
            found.fails(name, depth + 1)
