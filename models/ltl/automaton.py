"""Automata that accept the runs that satisfy a formula.

A move of an automaton reads which conditions are true in one state of the run, and belongs to some
acceptance sets. A run is accepted if it can be read so that moves of each set are taken again and
again: a generalised Büchi automaton with acceptance on its moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

Edges = Mapping[int, Sequence[tuple[int, int]]]
"""For each node of a graph the nodes that follow, each with the acceptance sets that are met."""


class Move(NamedTuple):
    """A move of an automaton.

    Attributes
    ----------
    yes, no : int
        The masks of the conditions that must be true, and false, in the state that it reads.
    target : int
        The next state of the automaton.
    puts_off : int
        The mask of the acceptance sets to which it does not belong.
    """

    yes: int
    no: int
    target: int
    puts_off: int

    def reads(self, truth: int) -> bool:
        """Return whether it can be taken where a mask of conditions is true."""
        return not (self.yes & ~truth or self.no & truth)


@dataclass(frozen=True)
class Automaton:
    """A generalised Büchi automaton with acceptance on its moves; runs begin in state 0.

    Attributes
    ----------
    moves : tuple of tuple of Move
        For each state.
    sets : int
        The number of acceptance sets.
    """

    moves: tuple[tuple[Move, ...], ...]
    sets: int

    def after(self, state: int, truth: int) -> list[tuple[int, int]]:
        """Return the targets of a state's moves, where some conditions are true.

        Returns
        -------
        list of (int, int)
            Each target, and the mask of the acceptance sets to which the move belongs.
        """
        every = (1 << self.sets) - 1
        return [(m.target, every & ~m.puts_off) for m in self.moves[state] if m.reads(truth)]

    def accepts(self, truths: Sequence[int], loop: int) -> bool:
        """Return whether it accepts a lasso.

        Parameters
        ----------
        truths : sequence of int
            For each state of the lasso, the mask of the conditions that are true there.
        loop : int
            The place from which on they are repeated for ever.
        """
        places = len(truths)

        def following(node: int) -> list[tuple[int, int]]:
            state, place = divmod(node, places)
            after = place + 1 if place + 1 < places else loop
            return [(t * places + after, a) for t, a in self.after(state, truths[place])]

        return accepting(reached(following, 0), self.sets)

    def stays(self, state: int, truth: int) -> bool:
        """Return whether it accepts a run, from one of its states on, that changes no more."""
        edges = reached(lambda node: self.after(node, truth), state)
        return accepting(edges, self.sets)


def reached(following: Callable[[int], list[tuple[int, int]]], begin: int) -> Edges:
    """Return the part of a graph that can be reached from a node."""
    edges: dict[int, list[tuple[int, int]]] = {}
    todo = [begin]
    while todo:
        node = todo.pop()
        if node not in edges:
            edges[node] = following(node)
            todo += [after for after, _ in edges[node]]
    return edges


def accepting(edges: Edges, sets: int) -> bool:
    """Return whether some cycle of a graph meets all acceptance sets."""
    return any(is_accepting(part, edges, sets) for part in parts_of(edges))


def is_accepting(part: set[int], edges: Edges, sets: int) -> bool:
    """Return whether some cycle in a strongly connected part meets all acceptance sets."""
    inner = [accepts for node in part for after, accepts in edges[node] if after in part]
    met = 0
    for accepts in inner:
        met |= accepts
    return bool(inner) and met == (1 << sets) - 1


def parts_of(edges: Edges) -> list[set[int]]:
    """Return the strongly connected components of a graph, those further on first."""
    search = _Parts(edges)
    for root in edges:
        if root not in search.order:
            search.visit(root)
    return search.found


class _Parts:
    """Tarjan's search for strongly connected components, without recursion."""

    def __init__(self, edges: Edges) -> None:
        self.edges = edges
        self.order: dict[int, int] = {}
        self.low: dict[int, int] = {}
        self.stack: list[int] = []
        self.open: set[int] = set()
        self.found: list[set[int]] = []
        self._number = count()

    def visit(self, root: int) -> None:
        """Add the components of all nodes that can be reached from a node and are new."""
        todo = [self._entered(root)]
        while todo:
            node, rest = todo[-1]
            after = next((t for t, _ in rest if t not in self.order or t in self.open), None)
            if after is None:
                todo.pop()
                self._left(node)
                if todo:
                    above = todo[-1][0]
                    self.low[above] = min(self.low[above], self.low[node])
            elif after in self.order:
                self.low[node] = min(self.low[node], self.order[after])
            else:
                todo.append(self._entered(after))

    def _entered(self, node: int) -> tuple[int, Iterator[tuple[int, int]]]:
        self.order[node] = self.low[node] = next(self._number)
        self.stack.append(node)
        self.open.add(node)
        return node, iter(self.edges[node])

    def _left(self, node: int) -> None:
        if self.low[node] == self.order[node]:
            place = self.stack.index(node)
            part = set(self.stack[place:])
            del self.stack[place:]
            self.open -= part
            self.found.append(part)
