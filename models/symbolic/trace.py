"""Makes guarded commands of a spec's plain-Python actions by running them on symbolic values.

Each action is run once for every combination of its parameters and every feasible path through its
branches. Infeasible paths are dropped, and paths with the same effect are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from counterpoint.models.limits import Limits
from counterpoint.spec.notation import (
    Disabled,
    Model,
    Property,
    RangeError,
    Spec,
    SpecError,
    Step,
    conditions_of,
    nodes,
)
from counterpoint.spec.notation.nodes import TRUE, Cell, Node
from counterpoint.spec.notation.symbolic import deciding, node_of, value_of

from . import refining
from .paths import Facts, Infeasible, SymbolicRun

T = TypeVar("T")

Updates: TypeAlias = tuple[tuple[int, Node], ...]
"""Positions of cells and their new values, as expressions over the state before."""


@dataclass(frozen=True)
class Check:
    """The condition that a transition property puts on a command.

    Attributes
    ----------
    condition : Node
        True in the states from which the step satisfies the property.
    claim : str
        The property.
    """

    condition: Node
    claim: str


@dataclass(frozen=True)
class Command:
    """A guarded command: if its guard holds, all updates happen at once.

    Attributes
    ----------
    step : Step
        The action and its parameters.
    guard : tuple of Node
        Conditions that must all hold.
    updates : tuple of (int, Node)
        See `Updates`.
    checks : tuple of Check
        The conditions of transition properties.
    leaves : str
        The variable that would leave its range by this step; empty if none. Such a command has no
        next state.
    """

    step: Step
    guard: tuple[Node, ...]
    updates: Updates
    checks: tuple[Check, ...] = ()
    leaves: str = ""


@dataclass
class System:
    """A traced spec: all that an engine needs, without the spec's Python code.

    Attributes
    ----------
    model : Model
        The spec under its parameters.
    commands : tuple of Command
        In the order of the spec's steps.
    left_out : tuple of Command
        The steps that constraints leave out: each leads to a state outside of them.
    limits : Limits or None
        The limits while conditions are read, which happens when they are first asked for.
    """

    model: Model
    commands: tuple[Command, ...] = field(default=())
    left_out: tuple[Command, ...] = field(default=())
    limits: Limits | None = field(default=None, repr=False, compare=False)

    @cached_property
    def cells(self) -> tuple[Node, ...]:
        """The node of every cell."""
        return tuple(map(nodes.cell, self.model.cells))

    @cached_property
    def claims(self) -> dict[str, Node]:
        """The condition of every invariant and of every witness, by name."""
        kinds = ("invariant", "lemma", "sometimes")
        claimed = (*self.model.properties, *self.model.lemmas)
        return {p.name: self.formula(p.method) for p in claimed if p.kind in kinds}

    @cached_property
    def may_end(self) -> Node | None:
        """The condition on states where a run may end; None if the spec declares none.

        A run may also end where a constraint leaves out a step.
        """
        methods = self.model.methods("finished")
        if not methods:
            return None
        cut = (nodes.conjunction(command.guard) for command in self.left_out)
        return nodes.disjunction([nodes.conjunction(map(self.formula, methods)), *cut])

    @cached_property
    def initial(self) -> Node:
        """The condition on initial states, in addition to `Model.initial_values`."""
        methods = self.model.methods("initially", "constraint")
        return nodes.conjunction(map(self.formula, methods))

    def formula(self, method: str, *after: Any) -> Node:
        """Return one of the spec's conditions as a node, with its branches resolved."""
        return self.formulas(method, *after)[0]

    def formulas(self, method: str, *after: Any) -> tuple[Node, ...]:
        """Return the conditions of a property: one, two, or those of a formula."""
        if self.model.spec.declared_methods[method].kind == "temporal":
            self.model.shapes.of(self.model, method)  # not from a path that no state takes

        def run() -> tuple[Node, ...]:
            state = self.model.at([value_of(n) for n in self.cells])
            several = conditions_of(self.model.call(method, state, *after))
            return tuple(nodes.truth(node_of(one)) for one in several)

        paths = list(explore(run, self.limits))
        return tuple(
            nodes.disjunction(nodes.conjunction([*r.literals, result[k]]) for r, result in paths)
            for k in range(len(paths[0][1]))
        )

    def transitions(
        self, wanted: Collection[Property]
    ) -> list[tuple[Property, Node, dict[Node, int]]]:
        """Return transition properties over cells and their values after the step.

        Parameters
        ----------
        wanted : collection of Property
            Other properties are left out.

        Returns
        -------
        list of (Property, Node, dict)
            The condition, and the position of each cell whose next value it reads, by its node.
        """
        primed = [
            nodes.cell(replace(c, variable=c.variable + "'", label=c.label + "'"))
            for c in self.model.cells
        ]
        places = {n: i for i, n in enumerate(primed) if n.op == "cell"}
        names = {p.name for p in wanted if p.kind == "transition"}
        asked = [p for p in self.model.properties if p.name in names]
        return [(p, self._of_steps(p.method, primed), places) for p in asked]

    def _of_steps(self, method: str, primed: Sequence[Node]) -> Node:
        """Return the condition of a transition property, or of a refinement."""
        refinement = self.model.refinements.get(method)
        if refinement is None:
            return self.formula(method, self.model.at([value_of(n) for n in primed]))
        abstract = trace(refinement.abstract, self.limits, ())
        commands = [(c.guard, c.updates) for c in abstract.commands if not c.leaves]
        values = [value_of(n) for n in self.cells]
        paths = explore(lambda: refining.read(refinement, values), self.limits)
        after = dict(zip(self.cells, primed, strict=True))
        return refining.condition(refining.merged(paths), after, refinement, commands)

    def checked(
        self, command: Command, transitions: Sequence[tuple[Property, Node, dict[Node, int]]]
    ) -> Command:
        """Return a command with the conditions of transition properties; see `transitions`."""
        if command.leaves:
            return command
        facts = facts_of(command.guard)
        given = facts.replacements()
        checks = []
        for claim, condition, places in transitions:
            new = dict(command.updates)
            stepped = {n: new.get(i, self.cells[i]) for n, i in places.items()}
            rest = nodes.rebuild(nodes.rebuild(condition, stepped, {}), given, {})
            if rest is not TRUE and facts.known(rest) is not True:
                checks.append(Check(rest, claim.name))
        return replace(command, checks=tuple(checks))


def explore(run: Callable[[], T], limits: Limits | None = None) -> Iterator[tuple[SymbolicRun, T]]:
    """Run a function of symbolic values along every feasible path.

    An error is raised only if some state takes the path to it.

    Yields
    ------
    (Run, result)
        For each feasible path that is not disabled.
    """
    todo: list[list[bool]] = [[]]
    while todo:
        given = todo.pop()
        path = SymbolicRun(given)
        token = deciding.set(path)
        try:
            result = run()
        except Disabled:
            pass
        except SpecError:
            if _satisfiable(path.literals):
                raise
        else:
            yield path, result
        finally:
            deciding.reset(token)
        if limits is not None:
            limits.check()
        new = range(len(path.decisions) - 1, len(given) - 1, -1)
        todo.extend([*path.decisions[:i], False] for i in reversed(new))


def trace(
    model: Model, limits: Limits | None = None, wanted: Collection[Property] | None = None
) -> System:
    """Return a spec's guarded commands.

    Parameters
    ----------
    model : Model
        The spec.
    limits : Limits, optional
        By default there are none.
    wanted : collection of Property, optional
        The transition properties whose conditions the commands get; by default all. Other
        properties may be among them.

    Raises
    ------
    SpecError
        If an action cannot be run on symbolic values; the message names the line.
    LimitReached
        If it takes too long.
    """
    system = System(model, limits=limits)
    found = [c for step in model.steps for c in _commands(system, step, limits)]
    # The facts of a path often cannot exclude that a step leaves a range, but z3 can.
    found = [c for c in found if not c.leaves or _satisfiable(c.guard)]
    if model.constraints:
        found, system.left_out = _within(system, found)
    transitions = system.transitions(model.properties if wanted is None else wanted)
    system.commands = tuple(system.checked(command, transitions) for command in found)
    return system


def _within(
    system: System, commands: Sequence[Command]
) -> tuple[list[Command], tuple[Command, ...]]:
    """Divide commands into steps to states that satisfy the constraints, and steps to others."""
    condition = nodes.conjunction(map(system.formula, system.model.constraints))
    found: list[Command] = []
    left_out: list[Command] = []
    for command in commands:
        if command.leaves:
            found.append(command)
            continue
        after = {system.cells[i]: n for i, n in command.updates}
        inside = nodes.rebuild(condition, after, {})
        inside = nodes.rebuild(inside, facts_of(command.guard).replacements(), {})
        found += _restricted(command, inside)
        left_out += _restricted(command, nodes.negation(inside))
    return found, tuple(left_out)


def _restricted(command: Command, condition: Node) -> list[Command]:
    """Return a command with one more guard; none if it is never possible."""
    if condition is nodes.TRUE:
        return [command]
    if condition is nodes.FALSE:
        return []
    part = _simplified(replace(command, guard=(*command.guard, condition)))
    return [] if part is None else [part]


def _satisfiable(conditions: Sequence[Node]) -> bool:
    from .smt import satisfiable  # smt imports this module

    return satisfiable(conditions)


def _commands(system: System, step: Step, limits: Limits | None) -> list[Command]:
    model = system.model

    def run() -> tuple[Updates, str]:
        state = model.at([value_of(n) for n in system.cells])
        try:
            model.call(step.action, state, *step.binding)
        except RangeError as error:
            return (), error.variable
        return _updates(system, state), ""

    groups: dict[tuple[Updates, str], list[frozenset[Node]]] = {}
    order: dict[Node, int] = {}
    for path, effect in explore(run, limits):
        for literal in path.literals:
            order.setdefault(literal, len(order))
        groups.setdefault(effect, []).append(frozenset(path.literals))
    commands = [
        Command(step, tuple(sorted(guard, key=order.__getitem__)), updates, leaves=leaves)
        for (updates, leaves), guards in groups.items()
        for guard in merge(guards)
    ]
    return [c for c in map(_simplified, commands) if c is not None]


def _updates(system: System, state: Spec) -> Updates:
    """Return the cells that a symbolic run has changed."""
    new = [node_of(v) for v in state._store.values]
    return tuple(
        (i, _as_cell(n, c))
        for i, (n, c) in enumerate(zip(new, system.model.cells, strict=True))
        if n is not system.cells[i]
    )


def _as_cell(node: Node, cell: Cell) -> Node:
    return nodes.truth(node) if cell.boolean else nodes.integer(node)


def merge(guards: list[frozenset[Node]]) -> list[frozenset[Node]]:
    """Merge guards that differ in one literal only, which one of them negates."""
    place = {guard: i for i, guard in enumerate(dict.fromkeys(guards))}
    found = {literal for guard in place for literal in guard}
    literals = sorted((n for n in found if nodes.negation(n) in found), key=lambda n: n.serial)
    again = True
    while again:
        again = False
        for literal in literals:
            other = nodes.negation(literal)
            for one in [guard for guard in place if literal in guard]:
                common = one - {literal}
                if common | {other} in place:
                    at = min(place.pop(one), place.pop(common | {other}))
                    place[common] = min(at, place.get(common, at))
                    again = True
    return sorted(place, key=place.__getitem__)


def facts_of(guard: tuple[Node, ...]) -> Facts:
    """Return the facts that follow from a guard."""
    facts = Facts()
    for literal in guard:
        facts.learn(literal)
    return facts


def _simplified(command: Command) -> Command | None:
    """Return the command simplified by its guard; None if the guard is unsatisfiable."""
    try:
        facts = facts_of(command.guard)
    except Infeasible:
        return None
    given = facts.replacements()
    done: dict[Node, Node] = {}
    updates = tuple((i, nodes.rebuild(n, given, done)) for i, n in command.updates)
    return replace(command, updates=updates)
