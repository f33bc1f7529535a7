"""The condition that a step of a spec is one of an abstract spec, over symbolic states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from counterpoint.spec.notation import RangeError, nodes
from counterpoint.spec.notation._refinement import Refinement
from counterpoint.spec.notation.nodes import Node
from counterpoint.spec.notation.symbolic import Value, node_of

Command = tuple[tuple[Node, ...], tuple[tuple[int, Node], ...]]
"""The guard and the updates of a step of the abstract spec."""

Explore = Callable[[Callable[[], Any]], Iterable[tuple[Any, Any]]]


def condition(
    refinement: Refinement,
    commands: Sequence[Command],
    before: Sequence[Value],
    after: Sequence[Value],
    explore: Explore,
) -> Node:
    """Return the condition that a step is one of the abstract spec, or changes nothing there.

    Parameters
    ----------
    refinement : Refinement
    commands : sequence of Command
        All steps of the abstract spec.
    before, after : sequence
        The symbolic states of the concrete spec.
    explore : callable
        Runs a function along every path; see `trace.explore`.
    """

    def run() -> tuple[tuple[Node, ...], tuple[Node, ...]] | None:
        try:
            images = refinement.image(before), refinement.image(after)
        except RangeError:
            return None
        one, two = (tuple(map(node_of, image)) for image in images)
        return one, two

    ways = []
    for path, images in explore(run):
        if images is not None:
            step = _is_step(refinement, commands, *images)
            ways.append(nodes.conjunction([*path.literals, step]))
    return nodes.disjunction(ways)


def _is_step(
    refinement: Refinement,
    commands: Sequence[Command],
    before: tuple[Node, ...],
    after: tuple[Node, ...],
) -> Node:
    own = map(nodes.cell, refinement.abstract.cells)
    given = dict(zip(own, before, strict=True))
    done: dict[Node, Node] = {}
    ways = [nodes.conjunction(map(nodes.equal, before, after))]
    for guard, updates in commands:
        new = dict(enumerate(before))
        new |= {i: nodes.rebuild(node, given, done) for i, node in updates}
        holds = [nodes.rebuild(node, given, done) for node in guard]
        ways.append(
            nodes.conjunction([*holds, *(nodes.equal(new[i], n) for i, n in enumerate(after))])
        )
    return nodes.disjunction(ways)
