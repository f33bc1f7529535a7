"""Ways through the actions of a spec, and its claims as formulas, over indices of any size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from counterpoint.spec.notation import Action, Disabled, Model, Property, SpecError, nodes
from counterpoint.spec.notation.nodes import Node
from counterpoint.spec.notation.symbolic import deciding, node_of, quantifying, value_of

from .parametric import Functions, Run
from .quantified import symbol


@dataclass(frozen=True)
class Path:
    """One way through an action, for symbolic parameters.

    Attributes
    ----------
    action : Action
        The action.
    run, after : Run and Functions
        What holds on the way, and the state after it.
    possible : bool
        Whether it leads to its end. If not, a requirement fails; until then its obligations count.
    """

    action: Action
    run: Run
    after: Functions
    possible: bool

    @property
    def literals(self) -> list[Node]:
        """When a step goes this way: a step that leaves a range leads nowhere."""
        return [*self.run.literals, *(wanted for _, wanted in self.run.obligations)]


def paths(model: Model, action: Action) -> Iterator[Path]:
    """Yield every way through an action.

    Raises
    ------
    SpecError
        If the action cannot be run on indices of any size.
    """
    members = tuple(symbol(index.attribute) for _, index in action.parameters)
    todo: list[list[bool]] = [[]]
    while todo:
        given = todo.pop()
        run = Run(model, members, list(given))
        store = Functions(run)
        try:
            evaluate(run, store, action.name, *map(value_of, members))
        except Disabled:
            if run.obligations:
                yield Path(action, run, store, possible=False)
        else:
            yield Path(action, run, store, possible=True)
        todo += [[*run.decisions[:i], False] for i in range(len(given), len(run.decisions))]


def evaluate(run: Run, store: Functions, method: str, *arguments: Any) -> Any:
    """Run one of the spec's methods on functions.

    Raises
    ------
    SpecError
        If it cannot be said for indices of any size.
    """
    path, quantifiers = deciding.set(run), quantifying.set(run)
    try:
        found = run.model.call(method, run.at(store), *arguments)
        if run.loops or run.bound:
            raise SpecError(f"{method} leaves a loop over members before its end")
    finally:
        run.loops.clear()
        run.bound.clear()
        deciding.reset(path)
        quantifying.reset(quantifiers)
    return found


@dataclass(frozen=True)
class Formula:
    """A condition of the spec on functions.

    Attributes
    ----------
    meaning : Node
        What it says.
    obligations : Node
        When a plain run could say it, without leaving an array.
    """

    meaning: Node
    obligations: Node

    @property
    def wanted(self) -> Node:
        """What is to be shown of it."""
        return nodes.conjunction([self.meaning, self.obligations])


def formula(model: Model, method: str, store: Functions, *arguments: Any) -> Formula:
    """Return a condition of the spec on functions, without branches.

    Raises
    ------
    SpecError
        If it branches, or cannot be said for indices of any size.
    """
    run = store.run
    obligations, run.branches = len(run.obligations), False
    try:
        found = nodes.truth(node_of(evaluate(run, store, method, *arguments)))
        run.must_be_known(found)
        wanted = nodes.conjunction(condition for _, condition in run.obligations[obligations:])
        return Formula(found, wanted)
    finally:
        run.branches = True
        del run.obligations[obligations:]


def counts(model: Model, run: Run, method: str) -> bool:
    """Return whether a method counts under the parameters, without asking for a size.

    Raises
    ------
    SpecError
        If that depends on a size.
    """
    mark = model.spec.declared_methods[method]
    return mark.when is None or bool(mark.when(run.sizeless()))


def actions(model: Model) -> list[Action]:
    """Return the actions, which are the same for any size.

    Raises
    ------
    SpecError
        If an action is there at some sizes only.
    """
    run = Run(model)
    declared = model.spec.declared_methods.items()
    there = {n for n, mark in declared if mark.kind == "action" and counts(model, run, n)}
    return [a for a in model.actions if a.name in there]


def spoken(model: Model, run: Run, claim: Property) -> None:
    """Refuse a claim that is made at some sizes only.

    Raises
    ------
    SpecError
        If it is.
    """
    if claim.method and not counts(model, run, claim.method):
        raise SpecError(f"{claim.name} is not claimed at every size")
