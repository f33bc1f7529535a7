"""Finds equal models: with other parameters, but the same guarded commands for some properties."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from counterpoint.models.symbolic.trace import Command, System, trace
from counterpoint.spec.notation import TEMPORAL, Model, nodes
from counterpoint.spec.notation.nodes import Cell, Node


def fingerprint(model: Model, wanted: Sequence[str]) -> str:
    """Return a text that two models share only if they have the same shortest violations.

    Parameters
    ----------
    model : Model
        A spec under its parameters.
    wanted : sequence of str
        The invariants and temporal properties to judge.

    Notes
    -----
    Cells on which no guard and no wanted property depends, directly or through other cells, are
    left out: their values do not affect the steps of the rest. So two models with the same text
    have the same shortest violations, though perhaps different numbers of states. For a temporal
    property all cells count, since a step that changes any of them keeps a promise of fairness,
    and so do the promises, and the operators of a formula.
    """
    system = trace(model, wanted=())
    commands = [c for c in system.commands if not c.leaves]
    judged = [model.property_named(name) for name in wanted]
    claims = [node for claim in judged for node in system.formulas(claim.method)]
    of_runs = any(claim.kind in TEMPORAL for claim in judged)
    needed = set(model.cells) if of_runs else _needed(system, commands, claims)
    known: dict[Node, str] = {}
    cells = zip(model.cells, model.initial_values(), strict=True)
    parts: list[object] = [(_cell(c), first) for c, first in cells if c in needed]
    for command in commands:
        updates = [(model.cells[place], node) for place, node in command.updates]
        parts.append((
            command.step.action, command.step.binding, _nodes(command.guard, known),
            [(_cell(c), _node(node, known)) for c, node in updates if c in needed],
        ))  # fmt: skip
    parts += [*wanted, *_nodes(claims, known), _node(system.initial, known)]
    parts += [model.shapes.of(model, c.method) for c in judged if c.kind == "temporal"]
    if of_runs:
        parts += [(one.strong, [(step.action, step.binding) for step in one.steps])
                  for one in model.fairness]  # fmt: skip
    return _digest(repr(parts))


def _needed(system: System, commands: Sequence[Command], claims: Sequence[Node]) -> set[Cell]:
    """Return the cells on which a guard or a claim depends, directly or through updates.

    Parameters
    ----------
    system : System
        The traced spec.
    commands : sequence of Command
        The commands that count.
    claims : sequence of Node
        The properties to judge.
    """
    cells = system.model.cells
    guards = [literal for c in commands for literal in c.guard]
    needed = set(nodes.cells_of([*guards, *claims, system.initial]))
    updates = [(cells[place], node) for c in commands for place, node in c.updates]
    while True:
        more = nodes.cells_of([node for cell, node in updates if cell in needed]) - needed
        if not more:
            return needed
        needed |= more


def _nodes(several: Iterable[Node], known: dict[Node, str]) -> list[str]:
    return [_node(n, known) for n in several]


def _node(node: Node, known: dict[Node, str]) -> str:
    """Return the digest of an expression. It does not recurse, since expressions can be deep."""
    todo = [node]
    while todo:
        top = todo[-1]
        inner = [a for a in top.args if isinstance(a, Node)]
        missing = [a for a in inner if a not in known]
        if top not in known and missing:
            todo += missing
            continue
        todo.pop()
        if top not in known:
            args = [known[a] if isinstance(a, Node) else _leaf(a) for a in top.args]
            known[top] = _digest(f"{top.op} {top.boolean} {args}")
    return known[node]


def _leaf(found: object) -> str:
    return _cell(found) if isinstance(found, Cell) else repr(found)


def _cell(cell: Cell) -> str:
    return f"{cell.label} {cell.low} {cell.high} {cell.boolean}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
