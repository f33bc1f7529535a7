"""The formulas of a traced spec's properties, and the automata of their violations."""

from __future__ import annotations

from counterpoint.models.symbolic.trace import System
from counterpoint.spec.notation import Property, SpecError, nodes
from counterpoint.spec.notation.nodes import FALSE, TRUE, Node

from .automaton import Automaton
from .construction import TooLarge, automaton_of
from .normal import ALWAYS_FALSE, ALWAYS_TRUE, Term, normal


def violations(system: System, claim: Property) -> Automaton:
    """Return an automaton that accepts the runs that violate a property marked ``temporal``.

    Its conditions are those of the property, by their places.

    Raises
    ------
    SpecError
        If it would be too large; the message names the line of the property.
    """
    try:
        return automaton_of(negated(system, claim))
    except TooLarge as error:
        code = getattr(type(system.model.spec), claim.method).__code__
        raise SpecError(
            f"{code.co_filename}:{code.co_firstlineno}: the formula of {claim.method} is too "
            f"large: {error}; use several properties, or --engine bounded"
        ) from None


def negated(system: System, claim: Property) -> Term:
    """Return the negation of the formula of a property, in normal form."""
    shape = system.model.shapes.of(system.model, claim.method)
    return normal(shape, reading_of(system.formulas(claim.method)), positive=False)


def reading_of(conditions: tuple[Node, ...]) -> list[int]:
    """Return what the conditions of a formula are, so that equal ones count once."""
    first: dict[Node, int] = {TRUE: ALWAYS_TRUE, FALSE: ALWAYS_FALSE}
    found = []
    for place, node in enumerate(conditions):
        if node not in first:
            first[node] = place + 1
            first.setdefault(nodes.negation(node), -place - 1)
        found.append(first[node])
    return found
