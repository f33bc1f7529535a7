"""The condition that a step of a spec is one of an abstract spec, over symbolic states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from counterpoint.spec.notation import RangeError, nodes
from counterpoint.spec.notation._refinement import Refinement
from counterpoint.spec.notation.nodes import FALSE, TRUE, Node
from counterpoint.spec.notation.symbolic import Value, node_of

from .paths import SymbolicRun

Command: TypeAlias = tuple[tuple[Node, ...], tuple[tuple[int, Node], ...]]
"""The guard and the updates of a step of the abstract spec."""


@dataclass(frozen=True)
class Image:
    """The state of the abstract spec as a function of the state of the concrete one.

    Attributes
    ----------
    cells : tuple of Node
        The value of each cell of the abstract spec; empty where no state has an image.
    defined : Node
        The condition that the mapping leaves no range.
    """

    cells: tuple[Node, ...]
    defined: Node = TRUE

    def at(self, state: dict[Node, Node]) -> Image:
        """Return the image of another state.

        Parameters
        ----------
        state : dict
            The values of the concrete spec's cells, by their nodes.
        """
        done: dict[Node, Node] = {}
        cells = tuple(nodes.rebuild(n, state, done) for n in self.cells)
        return Image(cells, nodes.rebuild(self.defined, state, done))


NOWHERE = Image((), FALSE)


def read(refinement: Refinement, values: Sequence[Value]) -> Image:
    """Return the image of a state along one path of the mapping.

    Parameters
    ----------
    refinement : Refinement
    values : sequence
        The symbolic state of the concrete spec.
    """
    try:
        image = refinement.image(values)
    except RangeError:
        return NOWHERE
    pairs = zip(map(node_of, image), refinement.abstract.cells, strict=True)
    return Image(tuple(nodes.truth(n) if c.boolean else nodes.integer(n) for n, c in pairs))


def merged(paths: Iterable[tuple[SymbolicRun, Image]]) -> Image:
    """Return one image from those along all paths of the mapping.

    The branches form a tree. A branch whose two sides end alike is left out, so that a mapping with
    many independent branches yields small expressions, however many paths it has.
    """
    return _merged(list(paths), 0)


def _merged(paths: list[tuple[SymbolicRun, Image]], depth: int) -> Image:
    """Return the image below a branch: all paths take the same sides above ``depth``."""
    while len(paths) > 1:
        then = [p for p in paths if p[0].decisions[depth]]
        otherwise = [p for p in paths if not p[0].decisions[depth]]
        condition = paths[0][0].branches[depth]
        depth += 1
        if then and otherwise:
            return _choice(condition, _merged(then, depth), _merged(otherwise, depth))
    return paths[0][1] if paths else NOWHERE


def _choice(condition: Node, then: Image, otherwise: Image) -> Image:
    defined = nodes.disjunction([
        nodes.conjunction([condition, then.defined]),
        nodes.conjunction([nodes.negation(condition), otherwise.defined]),
    ])  # fmt: skip
    if then.defined is FALSE or otherwise.defined is FALSE:
        return Image(then.cells or otherwise.cells, defined)
    pairs = zip(then.cells, otherwise.cells, strict=True)
    return Image(tuple(nodes.ite(condition, one, other) for one, other in pairs), defined)


def condition(
    image: Image,
    after: dict[Node, Node],
    refinement: Refinement,
    commands: Sequence[Command],
) -> Node:
    """Return the condition that a step is one of the abstract spec, or changes nothing there.

    Parameters
    ----------
    image : Image
        Of the state before the step.
    after : dict
        The values of the concrete spec's cells after the step, by their nodes.
    refinement : Refinement
    commands : sequence of Command
        All steps of the abstract spec.
    """
    if image.defined is FALSE:
        return FALSE
    then = image.at(after)
    step = _is_step(refinement, commands, image.cells, then.cells)
    return nodes.conjunction([image.defined, then.defined, step])


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
