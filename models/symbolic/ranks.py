"""Ranks as expressions, and their comparison from left to right."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.spec.notation import Model, Property, SpecError, Values, nodes
from counterpoint.spec.notation.nodes import FALSE, Node
from counterpoint.spec.notation.symbolic import node_of, value_of

from .trace import System, explore


def numbers(system: System, rank: Property) -> tuple[Node, ...]:
    """Return the numbers of a rank as expressions over a state.

    Raises
    ------
    SpecError
        If it has more numbers in some states than in others.
    """
    model = system.model

    def run() -> tuple[Node, ...]:
        state = model.at([value_of(n) for n in system.cells])
        return tuple(nodes.integer(node_of(one)) for one in model.call(rank.method, state))

    paths = list(explore(run))
    lengths = {len(found) for _, found in paths}
    if len(lengths) > 1:
        raise SpecError(f"{model.name}: the rank {rank.method} has {min(lengths)} numbers in some "
                        f"states and {max(lengths)} in others")  # fmt: skip
    *others, (_, found) = paths
    for path, value in reversed(others):
        here = nodes.conjunction(path.literals)
        found = tuple(nodes.ite(here, a, b) for a, b in zip(value, found, strict=True))
    return found


def plain_numbers(model: Model, rank: Property, values: Values) -> tuple[int, ...]:
    """Return the numbers of a rank in a state, in plain Python."""
    return tuple(map(int, model.call(rank.method, model.at(values))))


def smaller(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """Return the condition that rank ``a`` is smaller than ``b``, from left to right."""
    found = FALSE
    for one, other in reversed(list(zip(a, b, strict=True))):
        further = nodes.conjunction([nodes.equal(one, other), found])
        found = nodes.disjunction([nodes.less(one, other), further])
    return found


def same(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """Return the condition that two ranks are equal."""
    return nodes.conjunction(nodes.equal(one, other) for one, other in zip(a, b, strict=True))
