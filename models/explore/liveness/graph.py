"""The graph of all reachable states, with the promises of fairness that each step keeps.

A run is an infinite sequence of states that begins in an initial state; each state follows from the
one before by a step, or is the same (it *stutters*). Steps that change nothing are stuttering, too:
they keep no promise, and a promise is not due where only such steps are possible. This is how TLA+
defines weak and strong fairness of an action under its variables.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from counterpoint.models.explore.python.exploration import Exploration
from counterpoint.models.explore.python.generate import (
    BytePacking,
    Expander,
    compile_function,
    tree_of,
    unpacking,
)
from counterpoint.models.limits import Limits
from counterpoint.models.symbolic.fairness import Promises, promises_of
from counterpoint.spec.notation import nodes
from counterpoint.spec.notation.nodes import Cell

CHUNK = 1024
"""The number of states expanded between two checks of the limits."""


@dataclass
class StateGraph:
    """The reachable states with all steps between them that change the state, in Python.

    Attributes
    ----------
    run : Exploration
        The exploration that found the states.
    promises : Promises
        The promises; bit k of a mask stands for the k-th of them.
    first : array of int
        ``first[s]`` to ``first[s + 1]``: the places of the steps of state s.
    targets, commands : array of int
        For each step, the next state and the command.
    due : list of int
        For each state, the mask of the promises of which a step is possible.
    """

    run: Exploration
    promises: Promises
    first: array[int]
    targets: array[int]
    commands: array[int]
    due: list[int]

    def steps(self, state: int) -> range:
        """Return the places of a state's steps."""
        return range(self.first[state], self.first[state + 1])


class _StepFinder(Expander):
    """Generates a function that calls ``add`` for each step from the states of a chunk."""

    def source(self) -> str:
        """Return the source of ``find(chunk, first, add)``; it calls ``add(state, command, n)``."""
        used: set[Cell] = set()
        for command in self.system.commands:
            used |= nodes.cells_of([*command.guard, *(n for _, n in command.updates)])
        self.lines = ["def find(chunk, first, add):", "    for i, s in enumerate(chunk, first):"]
        self.lines += ["        " + line for line in unpacking(self.layout, used)]
        self.lines += ["        pass"]
        self._emit(tree_of(self.system.commands), 2)
        return "\n".join(self.lines)

    def _emit_command(self, index: int, depth: int) -> None:
        pad = "    " * depth
        command = self.system.commands[index]
        if command.leaves:
            self.lines.append(f"{pad}pass")
            return
        known = dict(self.printer.named)
        self.lines += [pad + line for line in self.printer.name([n for _, n in command.updates])]
        self.lines += [pad + line for line in self._successor(command)]
        self.lines.append(f"{pad}if n != s: add(i, {index}, n)")
        self.printer.named = known


def state_graph(run: Exploration, limits: Limits) -> StateGraph:
    """Return the graph of an exploration in Python.

    A step to a state that the exploration does not have is left out, but counts as possible.

    Raises
    ------
    LimitReached
        If time or memory end before.
    """
    layout = run.layout
    assert isinstance(layout, BytePacking)
    number = {state: k for k, state in enumerate(run.states)}
    promises = promises_of(run.system)
    first, targets, commands = array("Q", [0]), array("I"), array("I")
    due: list[int] = []
    find: Callable[..., Any] = compile_function(_StepFinder(run.system, layout).source(), "find")
    for begin in range(0, len(run.states), CHUNK):
        chunk = run.states[begin : begin + CHUNK]
        found: list[tuple[int, int, bytes]] = []
        find(chunk, begin, lambda *step, found=found: found.append(step))
        at = 0
        for state in range(begin, begin + len(chunk)):
            mask = 0
            while at < len(found) and found[at][0] == state:
                _, command, after = found[at]
                mask |= promises.kept_by[command]
                at += 1
                if after in number:
                    targets.append(number[after])
                    commands.append(command)
            first.append(len(targets))
            due.append(mask)
        limits.check(f"{len(first) - 1:,} states with {len(targets):,} steps")
    return StateGraph(run, promises, first, targets, commands, due)


def components(graph: StateGraph, members: Iterable[int]) -> list[list[int]]:
    """Return the strongly connected components of a part of the graph.

    Parameters
    ----------
    graph : StateGraph
    members : iterable of int
        The states of the part; steps to other states do not count.
    """
    search = _Components(graph, set(members))
    for root in search.inside:
        if root not in search.order:
            search.visit(root)
    return search.found


class _Components:
    """Tarjan's search for strongly connected components, without recursion."""

    def __init__(self, graph: StateGraph, inside: set[int]) -> None:
        self.graph, self.inside = graph, inside
        self.order: dict[int, int] = {}
        self.low: dict[int, int] = {}
        self.stack: list[int] = []
        self.open: set[int] = set()
        self.found: list[list[int]] = []

    def visit(self, root: int) -> None:
        """Add the components of all states that can be reached from a state and are new."""
        todo = [self._entered(root)]
        while todo:
            state, places = todo[-1]
            after = self._new_after(state, places)
            if after is not None:
                todo.append(self._entered(after))
                continue
            todo.pop()
            if todo:
                above = todo[-1][0]
                self.low[above] = min(self.low[above], self.low[state])
            self._left(state)

    def _entered(self, state: int) -> tuple[int, Iterator[int]]:
        self.order[state] = self.low[state] = len(self.order)
        self.stack.append(state)
        self.open.add(state)
        return state, iter(self.graph.steps(state))

    def _new_after(self, state: int, places: Iterator[int]) -> int | None:
        """Return the next new state after a state; None if its steps lead to no other."""
        for place in places:
            after = self.graph.targets[place]
            if after in self.inside and after not in self.order:
                return after
            if after in self.open:
                self.low[state] = min(self.low[state], self.order[after])
        return None

    def _left(self, state: int) -> None:
        if self.low[state] == self.order[state]:
            part = [self.stack.pop()]
            while part[-1] != state:
                part.append(self.stack.pop())
            self.open.difference_update(part)
            self.found.append(part)


def fair_parts(graph: StateGraph, members: Iterable[int]) -> list[list[int]]:
    """Return the largest parts in which some fair run can go on for ever, through all their states.

    A part is strongly connected, or one state that stutters. If a weak promise is due in all states
    of a component, and no step within keeps it, no run stays there. If a strong promise is due in
    some states, and no step within keeps it, a run that stays must avoid these states, so the rest
    is divided again.

    Parameters
    ----------
    graph : StateGraph
    members : iterable of int
        The states in which the run must stay.
    """
    weak, strong = graph.promises.weak, graph.promises.strong
    found, todo = [], [list(members)]
    while todo:
        for part in components(graph, todo.pop()):
            inside = set(part)
            kept, ever, always = 0, 0, -1
            for state in part:
                ever |= graph.due[state]
                always &= graph.due[state]
                for place in graph.steps(state):
                    if graph.targets[place] in inside:
                        kept |= graph.promises.kept_by[graph.commands[place]]
            if weak & always & ~kept:
                continue
            if unmet := strong & ever & ~kept:
                todo.append([state for state in part if not graph.due[state] & unmet])
            else:
                found.append(sorted(part))
    return found
