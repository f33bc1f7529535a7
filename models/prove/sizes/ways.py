"""Paths through the actions of a spec, and its claims as formulas, over indices of any size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from counterpoint.spec.notation import Action, Disabled, Model, Property, SpecError, nodes
from counterpoint.spec.notation.nodes import Node
from counterpoint.spec.notation.symbolic import deciding, node_of, quantifying, value_of

from .parametric import FunctionStore, ParametricRun
from .quantified import symbol


@dataclass(frozen=True)
class ActionPath:
    """One path through an action with symbolic parameters.

    Attributes
    ----------
    action : Action
        The action.
    run, after : ParametricRun and FunctionStore
        The facts on the path, and the state after it.
    possible : bool
        Whether the path reaches the end of the action. If not, a requirement fails; obligations
        before that still count.
    """

    action: Action
    run: ParametricRun
    after: FunctionStore
    possible: bool

    @property
    def literals(self) -> list[Node]:
        """The condition under which a step takes this path and stays within its ranges."""
        return [*self.run.literals, *(wanted for _, wanted in self.run.obligations)]


def paths(model: Model, action: Action) -> Iterator[ActionPath]:
    """Yield every path through an action.

    Raises
    ------
    SpecError
        If the action cannot be run on indices of any size.
    """
    members = tuple(symbol(index.attribute) for _, index in action.parameters)
    todo: list[list[bool]] = [[]]
    while todo:
        given = todo.pop()
        run = ParametricRun(model, members, list(given))
        store = FunctionStore(run)
        try:
            evaluate(run, store, action.name, *map(value_of, members))
        except Disabled:
            if run.obligations:
                yield ActionPath(action, run, store, possible=False)
        else:
            yield ActionPath(action, run, store, possible=True)
        todo += [[*run.decisions[:i], False] for i in range(len(given), len(run.decisions))]


def evaluate(run: ParametricRun, store: FunctionStore, method: str, *arguments: Any) -> Any:
    """Run one of the spec's methods on functions.

    Parameters
    ----------
    run : ParametricRun
        The symbolic run.
    store : FunctionStore
        The state.
    method : str
        The name of the method.
    *arguments
        Its arguments.

    Raises
    ------
    SpecError
        If it cannot be expressed for indices of any size.
    """
    if run.model.chooses(method):
        raise SpecError(f"{method} has a parameter with choose(...) or some_subset(...), which is "
                        f"not read for any number of members")  # fmt: skip
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
        The condition.
        obligations : Node
            The condition under which a plain run stays within arrays.
    """

    meaning: Node
    obligations: Node

    @property
    def wanted(self) -> Node:
        """The condition to prove."""
        return nodes.conjunction([self.meaning, self.obligations])


def formula(model: Model, method: str, store: FunctionStore, *arguments: Any) -> Formula:
    """Return a condition of the spec as a formula, without branches.

    Parameters
    ----------
    model : Model
        The spec.
    method : str
        The name of the method.
    store : FunctionStore
        The state.
    *arguments
        Further arguments of the method.

    Raises
    ------
    SpecError
        If it branches, or cannot be expressed for indices of any size.
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


def counts(model: Model, run: ParametricRun, method: str) -> bool:
    """Return whether a method is part of the spec under its parameters, at every size.

    Parameters
    ----------
    model : Model
        The spec.
    run : ParametricRun
        A symbolic run without sizes.
    method : str
        The name of the method.

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
        If an action exists at some sizes only.
    """
    run = ParametricRun(model)
    declared = model.spec.declared_methods.items()
    there = {n for n, mark in declared if mark.kind == "action" and counts(model, run, n)}
    return [a for a in model.actions if a.name in there]


def must_be_claimed_at_every_size(model: Model, run: ParametricRun, claim: Property) -> None:
    """Reject a claim that is made at some sizes only.

    Parameters
    ----------
    model : Model
        The spec.
    run : ParametricRun
        A symbolic run without sizes.
    claim : Property
        The claim.

    Raises
    ------
    SpecError
        If it is made at some sizes only.
    """
    if claim.method and not counts(model, run, claim.method):
        raise SpecError(f"{claim.name} is not claimed at every size")
