"""Runs that violate a formula: the explored states together with an automaton of violations.

A node is a state with a state of the automaton, which has read the conditions there. To belong to
an acceptance set is one more promise, always due, that the moves of that set keep; so the fair
parts, and cycles in them, are found as for the explored states alone.

A formula does not depend on how long a run stays in a state. So a run stutters only where it stays
for ever: in a node whose state has no due promise, if the automaton accepts that.
"""

from __future__ import annotations

from array import array

from counterpoint.models.limits import Limits
from counterpoint.models.ltl.automaton import Automaton
from counterpoint.models.symbolic.fairness import Promises
from counterpoint.spec.notation import Property

from .graph import StateGraph, fair_parts
from .lasso import shortest
from .question import Graph, Path
from .search import RegionSearch

CHUNK = 4096
"""The number of nodes between two checks of the limits."""


def violation(
    graph: Graph, claim: Property, automaton: Automaton, limits: Limits
) -> tuple[int, Path, Path] | None:
    """Return a short fair run that an automaton accepts.

    Parameters
    ----------
    graph : Graph
        The explored states.
    claim : Property
        The property whose conditions the automaton reads.
    automaton : Automaton
    limits : Limits

    Returns
    -------
    (int, Path, Path) or None
        An initial state, the steps from there to a cycle, and the cycle, which has no steps if the
        run stays in a state. None if there is no such run.

    Raises
    ------
    LimitReached
        If time or memory end before.
    """
    product = _Product(graph, claim, automaton, limits)
    search = _ProductSearch(product)
    limits.check(product.doing)
    found = shortest(search, product.as_graph.promises, search.met_by_closing)
    begin, cycle = found or (-1, [])
    stay = product.stays
    if stay >= 0 and (begin < 0 or search.depth(stay) <= search.depth(begin) + len(cycle)):
        begin, cycle = stay, []
    if begin < 0:
        return None
    start, stem = search.way(begin)
    first = product.state(start)
    return first, *_shorter(first, product.path(stem), product.path(cycle))


def _shorter(first: int, stem: Path, cycle: Path) -> tuple[Path, Path]:
    """Return the same infinite run with a stem and a cycle that are as short as can be."""
    for size in range(1, len(cycle)):
        if len(cycle) % size == 0 and cycle[:size] * (len(cycle) // size) == cycle:
            cycle = cycle[:size]
            break
    while stem and cycle:
        before = stem[-2][1] if len(stem) > 1 else first
        if before != (cycle[-2] if len(cycle) > 1 else stem[-1])[1]:
            break
        stem, cycle = stem[:-1], [cycle[-1], *cycle[:-1]]
    return stem, cycle


class _Product:
    """The nodes that runs reach, the nearest first.

    Attributes
    ----------
    as_graph : StateGraph
        The nodes as a graph with promises of their own. Its commands are pairs of a command of the
        explored states and the acceptance sets of a move.
    depth : list of int
        For each node, the number of steps of the shortest run to it.
    before : list of (int, int)
        For each node but the first ones, the node before and the command.
    starts : int
        The number of nodes where runs begin.
    stays : int
        The nearest node in which an accepted fair run stays for ever; -1 if there is none.
    """

    def __init__(self, graph: Graph, claim: Property, automaton: Automaton, limits: Limits) -> None:
        self._graph, self._automaton, self._limits = graph, automaton, limits
        self._sets = max(1, automaton.sets)
        used = 0
        for m in (m for several in automaton.moves for m in several):
            used |= m.yes | m.no
        self._used = used
        self._truths = graph.truths(claim, used)
        self._name = claim.name
        self._size = len(automaton.moves)
        self._moves: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._stay: dict[tuple[int, int], bool] = {}
        self._number: dict[int, int] = {}
        self._nodes: list[int] = []
        self._commands: dict[tuple[int, int], int] = {}
        self.depth: list[int] = []
        self.before: list[tuple[int, int]] = []
        self.stays = -1
        self._begin()
        self.starts = len(self._nodes)
        self.as_graph = self._explored()

    @property
    def doing(self) -> str:
        """What is searched, in words."""
        return f"{self._name}: {len(self._nodes):,} states with those of its automaton"

    def state(self, node: int) -> int:
        """Return the state of a node."""
        return self._nodes[node] // self._size

    def path(self, steps: Path) -> Path:
        """Return steps between nodes as steps between states."""
        commands = list(self._commands)
        return [(commands[command][0], self.state(node)) for command, node in steps]

    def _begin(self) -> None:
        levels = self._graph.run.levels
        for state in range(levels[0] if levels else 0):
            for target, _ in self._read(0, state):
                self._node(state, target, 0, (-1, -1))

    def _read(self, state: int, system: int) -> list[tuple[int, int]]:
        """Return the targets of the automaton's moves that read a state, with their sets."""
        key = (state, self._truths[system] & self._used)
        if key not in self._moves:
            found = self._automaton.after(*key)
            self._moves[key] = [
                (target, accepts if self._automaton.sets else 1)
                for target, accepts in dict.fromkeys(found)
                if not any(t == target and accepts != a and accepts & ~a == 0 for t, a in found)
            ]
        return self._moves[key]

    def _node(self, system: int, state: int, depth: int, before: tuple[int, int]) -> int:
        """Return the number of a node, which is added if it is new."""
        key = system * self._size + state
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self._nodes)
            self._nodes.append(key)
            self.depth.append(depth)
            self.before.append(before)
        return number

    def _explored(self) -> StateGraph:
        """Return the graph of all nodes."""
        graph, promises = self._graph, self._graph.promises
        first, targets, commands = array("Q", [0]), array("I"), array("I")
        due: list[int] = []
        number = len(promises.all)
        accepts = (1 << self._sets) - 1 << number
        fair = promises.weak | promises.strong
        for node, key in enumerate(self._nodes):  # which grows
            if node % CHUNK == 0:
                self._limits.check(self.doing)
            system, state = divmod(key, self._size)
            owed = graph.due(system)
            if self.stays < 0 and not owed & fair and self._may_stay(state, system):
                self.stays = node
            for command, after in graph.following(system):
                for target, sets in self._read(state, after):
                    pair = self._commands.setdefault((command, sets), len(self._commands))
                    before = (node, pair)
                    targets.append(self._node(after, target, self.depth[node] + 1, before))
                    commands.append(pair)
            first.append(len(targets))
            due.append(owed | accepts)
        kept_by = tuple(promises.kept_by[c] | sets << number for c, sets in self._commands)
        own = Promises(promises.all, kept_by, promises.weak | accepts, promises.strong)
        return StateGraph(graph.run, own, first, targets, commands, due)

    def _may_stay(self, state: int, system: int) -> bool:
        key = (state, self._truths[system] & self._used)
        if key not in self._stay:
            self._stay[key] = self._automaton.stays(*key)
        return self._stay[key]


class _ProductSearch(RegionSearch):
    """The fair parts of a product."""

    def __init__(self, product: _Product) -> None:
        self._graph = product.as_graph
        self._depth = dict(enumerate(product.depth))
        self._before = dict(enumerate(product.before[product.starts :], product.starts))
        self._parts = fair_parts(product.as_graph, self._depth)
        self._part = {node: k for k, part in enumerate(self._parts) for node in part}
        self._kept_to: dict[int, int] = {}
        self._note_kept()

    def _note_kept(self) -> None:
        """Note for each node of a part what all steps to it within the part keep."""
        graph, kept_to = self._graph, self._kept_to
        for node, part in self._part.items():
            for place in graph.steps(node):
                after = graph.targets[place]
                if self._part.get(after) == part:
                    kept = graph.promises.kept_by[graph.commands[place]]
                    kept_to[after] = kept_to.get(after, -1) & kept

    def met_by_closing(self, node: int) -> int:
        """Return the mask of what all steps to a node of a part, within the part, keep."""
        return self._kept_to[node]

    def is_wanted(self, state: int) -> bool:
        """Return that each node is wanted: what is wanted are promises here."""
        return True
