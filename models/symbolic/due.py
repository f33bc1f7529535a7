"""Promises of fairness over guarded commands: when they are due, and which commands keep them.

A step that changes nothing is stuttering: it keeps no promise, and no promise is due where only
such steps are possible. A command that leaves a range is no step.
"""

from __future__ import annotations

from collections.abc import Collection

from counterpoint.spec.notation import Fairness, nodes
from counterpoint.spec.notation.nodes import Node

from .trace import Command, System


def changes(system: System, command: Command, without: Collection[int] = ()) -> Node:
    """Return the condition that a command changes the state.

    Parameters
    ----------
    system : System
        The traced spec.
    command : Command
        One of its commands.
    without : collection of int
        Positions of cells that do not count as parts of the state.
    """
    return nodes.disjunction(
        nodes.negation(nodes.equal(system.cells[place], new))
        for place, new in command.updates
        if place not in without
    )


def commands_of(system: System, promise: Fairness) -> list[int]:
    """Return the numbers of the commands that can keep a promise."""
    steps = set(promise.steps)
    return [
        number
        for number, command in enumerate(system.commands)
        if command.step in steps and not command.leaves
    ]


def due(system: System, promise: Fairness, without: Collection[int] = ()) -> Node:
    """Return the condition that a promise is due; the parameters are those of `changes`."""
    return nodes.disjunction(
        nodes.conjunction([*command.guard, changes(system, command, without)])
        for command in (system.commands[number] for number in commands_of(system, promise))
    )
