"""Finds members of an index that can be exchanged without changing a spec's behaviour or claims.

Exchanging two neighbouring members of an index in a state swaps the values of their cells and the
references to them. If this maps every step to a step, and every claim, the initial states and the
possible end states to themselves, for all neighbours, then all members of the index are
interchangeable, and it is enough to visit one state of each class (Ip and Dill, "Better
verification through symmetry", 1996).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

from counterpoint.spec.notation import Array, Index, Model, Reference, Step, Values, nodes
from counterpoint.spec.notation.nodes import Node

from .trace import Command, System


@dataclass(frozen=True)
class MemberExchange:
    """The exchange of two members of an index, on states.

    Attributes
    ----------
    moves : tuple of int
        ``moves[i]``: the position of the cell whose value moves to position i.
    renames : frozenset of int
        The positions of the references to the index.
    first : int
        The first of the two members; the other is the next one.
    """

    moves: tuple[int, ...]
    renames: frozenset[int]
    first: int

    def member(self, value: int) -> int:
        """Return the member that replaces a member; values below zero stay as they are."""
        swapped = {self.first: self.first + 1, self.first + 1: self.first}
        return swapped.get(value, value)

    def state(self, values: Values) -> Values:
        """Return the state with the two members exchanged."""
        return tuple(
            self.member(values[j]) if i in self.renames else values[j]
            for i, j in enumerate(self.moves)
        )


def indices(model: Model) -> list[Index]:
    """Return the indices that have more than one member."""
    declared = model.spec.declared_parameters.values()
    return [p for p in declared if isinstance(p, Index) and p.size(model.spec) > 1]


def exchange(model: Model, index: Index, first: int) -> MemberExchange:
    """Return the exchange of a member of an index and the next one.

    Parameters
    ----------
    model : Model
        The spec.
    index : Index
        The index.
    first : int
        The first of the two members.
    """
    swapped = {first: first + 1, first + 1: first}
    places = {(c.variable, c.index): i for i, c in enumerate(model.cells)}
    moves, renames = [], set()
    for i, cell in enumerate(model.cells):
        variable = model.spec.declared_variables[cell.variable]
        key = tuple(
            swapped.get(member, member) if over is index else member
            for over, member in zip(variable.indices, cell.index, strict=True)
        )
        moves.append(places[cell.variable, key])
        element = variable.of if isinstance(variable, Array) else variable
        if isinstance(element, Reference) and element.to is index:
            renames.add(i)
    return MemberExchange(tuple(moves), frozenset(renames), first)


class Image:
    """Rewrites expressions over the state after an exchange to such over the state before."""

    def __init__(self, system: System, by: MemberExchange) -> None:
        self.by = by
        cells = system.cells
        self.moved = {n: cells[by.moves[i]] for i, n in enumerate(cells) if n.op == "cell"}
        self.references = {cells[i] for i in by.renames if cells[i].op == "cell"}
        self._done: dict[Node, Node] = {}

    def __call__(self, node: Node) -> Node:
        """Return the image of an expression."""
        found = self._done.get(node)
        if found is None:
            found = self._done[node] = self._image(node)
        return found

    def _image(self, node: Node) -> Node:
        if node.op == "constant":
            return node
        if node.op == "cell":
            return self._renamed(self.moved[node]) if node in self.references else self.moved[node]
        if node.op in ("equal", "less"):
            found = self._compared(node)
            if found is not None:
                return found
        args = [self(a) for a in node.args]
        if node.op in ("and", "or"):
            return nodes.conjunction(args) if node.op == "and" else nodes.disjunction(args)
        return nodes.BUILD[node.op](*args)

    def _compared(self, node: Node) -> Node | None:
        """Return the image of a comparison of references by name, without choices."""
        a, b = node.args
        if node.op == "equal" and a in self.references and b.op == "constant":
            return nodes.equal(self.moved[a], nodes.constant(self.by.member(b.args[0])))
        if node.op == "equal" and a in self.references and b in self.references:
            return nodes.equal(self.moved[a], self.moved[b])
        first = self.by.first
        if node.op == "less" and a in self.references and b.op == "constant":
            same = b.args[0] <= first or b.args[0] > first + 1
            return nodes.less(self.moved[a], b) if same else None
        if node.op == "less" and b in self.references and a.op == "constant":
            same = a.args[0] < first or a.args[0] > first
            return nodes.less(a, self.moved[b]) if same else None
        return None

    def _renamed(self, value: Node) -> Node:
        """Return the member that stands for a member."""
        one, other = (nodes.constant(self.by.first + k) for k in (0, 1))
        rest = nodes.ite(nodes.equal(value, other), one, value)
        return nodes.ite(nodes.equal(value, one), other, rest)

    def value(self, node: Node) -> Node:
        """Return the image of a reference's new value, with members renamed."""
        if node.op == "constant":
            return nodes.constant(self.by.member(node.args[0]))
        if node in self.references:
            return self.moved[node]
        if node.op == "ite":
            condition, then, otherwise = node.args
            return nodes.ite(self(condition), self.value(then), self.value(otherwise))
        return self._renamed(self(node))


class Symmetry:
    """Decides whether an exchange leaves a system unchanged."""

    def __init__(self, system: System, index: Index, by: MemberExchange) -> None:
        self.system, self.index, self.by = system, index, by
        self.image = Image(system, by)

    def holds(self, claims: Iterable[Node]) -> bool:
        """Return whether steps, initial states, end states and the claims are all unchanged."""
        system = self.system
        cells, values = system.model.cells, system.model.initial_values()
        for i, j in enumerate(self.by.moves):
            stays = (cells[i].low, cells[i].high) == (cells[j].low, cells[j].high)
            rename = self.by.member if i in self.by.renames else int
            alike = rename is int and values[i] == values[j]
            if not stays or not (alike or sorted(map(rename, values[i])) == sorted(values[j])):
                return False
        conditions = [*claims, system.initial, system.may_end or nodes.TRUE]
        if not all(same([self.image(n)], [n]) for n in conditions):
            return False
        return all(self._steps_alike(step) for step in system.model.steps)

    def _steps_alike(self, step: Step) -> bool:
        mine = [self._moved(c) for c in self.system.commands if c.step == step]
        other = self._other(step)
        theirs = [c for c in self.system.commands if c.step == other]
        if set(map(_key, mine)) == set(map(_key, theirs)):
            return True
        places = sorted({i for c in [*mine, *theirs] for i, _ in c.updates})
        names = sorted({k.claim for c in [*mine, *theirs] for k in c.checks})
        return same(*(_meaning(self.system, c, places, names) for c in (mine, theirs)))

    def _other(self, step: Step) -> Step:
        action = next(a for a in self.system.model.actions if a.name == step.action)
        chosen = zip(action.parameters, step.binding, strict=True)
        return Step(
            step.action, tuple(self.by.member(m) if i is self.index else m for (_, i), m in chosen)
        )

    def _moved(self, command: Command) -> Command:
        image, by = self.image, self.by
        return Command(
            self._other(command.step),
            tuple(image(n) for n in command.guard),
            tuple(
                (by.moves[i], image.value(n) if i in by.renames else image(n))
                for i, n in command.updates
            ),
            tuple(type(c)(image(c.condition), c.claim) for c in command.checks),
            command.leaves,
        )


def _key(command: Command) -> tuple[object, ...]:
    return (
        nodes.conjunction(command.guard),
        frozenset(command.updates),
        frozenset(command.checks),
        bool(command.leaves),
    )


def _meaning(
    system: System, commands: Sequence[Command], places: Sequence[int], names: Sequence[str]
) -> list[Node]:
    """Return the effect of a step as expressions: guards, new values, range errors, violations.

    Parameters
    ----------
    system : System
        The traced spec.
    commands : sequence of Command
        The commands of one step.
    places : sequence of int
        The positions of the cells whose new values count.
    names : sequence of str
        The transition properties that count.
    """
    guards = [nodes.conjunction(c.guard) for c in commands]
    able = nodes.disjunction(guards)
    found = [able, nodes.disjunction(g for g, c in zip(guards, commands, strict=True) if c.leaves)]
    for place in places:
        value = system.cells[place]
        for guard, command in zip(guards, commands, strict=True):
            value = nodes.ite(guard, dict(command.updates).get(place, system.cells[place]), value)
        found.append(value)
    for name in names:
        fails = [
            nodes.conjunction([g, nodes.negation(k.condition)])
            for g, c in zip(guards, commands, strict=True)
            for k in c.checks
            if k.claim == name
        ]
        found.append(nodes.disjunction(fails))
    return found


def same(some: Sequence[Node], others: Sequence[Node]) -> bool:
    """Return whether expressions have the same values in every state; z3 decides if needed."""
    from .smt import satisfiable  # z3 takes long to load, and is rarely needed

    for a, b in zip(some, others, strict=True):
        if a is not b and satisfiable([nodes.negation(nodes.equal(a, b))]):
            return False
    return True


@dataclass(frozen=True)
class InterchangeableIndices:
    """Indices whose members are interchangeable, with exchanges that generate all permutations.

    Attributes
    ----------
    indices : tuple of (str, tuple of MemberExchange)
        For each index, its name and the exchanges of neighbouring members.
    """

    model: Model
    indices: tuple[tuple[str, tuple[MemberExchange, ...]], ...]

    @cached_property
    def arrangements(self) -> list[list[MemberExchange]]:
        """Return for every permutation of all members a sequence of exchanges that makes it."""
        found = []
        sorts = [
            [_sorting(order) for order in permutations(range(len(swaps) + 1))]
            for _, swaps in self.indices
        ]
        for chosen in product(*sorts):
            found.append(
                [
                    swaps[k]
                    for (_, swaps), sequence in zip(self.indices, chosen, strict=True)
                    for k in sequence
                ]
            )
        return found

    def representative(self, values: Values) -> Values:
        """Return the least of the states that differ from a state by exchanges only."""
        return min(map(self._arranged(values), self.arrangements))

    @staticmethod
    def _arranged(values: Values) -> Callable[[list[MemberExchange]], Values]:
        def arranged(by: list[MemberExchange]) -> Values:
            state = values
            for one in by:
                state = one.state(state)
            return state

        return arranged


def _sorting(order: Sequence[int]) -> list[int]:
    """Return exchanges of neighbours that sort a permutation."""
    left, found = list(order), []
    for _ in left:
        for k in range(len(left) - 1):
            if left[k] > left[k + 1]:
                left[k], left[k + 1] = left[k + 1], left[k]
                found.append(k)
    return found


def interchangeable(system: System, claims: Iterable[Node]) -> InterchangeableIndices:
    """Return the indices whose members are interchangeable with respect to some claims."""
    model, asked = system.model, list(claims)
    found = []
    for index in indices(model):
        swaps = [exchange(model, index, k) for k in range(index.size(model.spec) - 1)]
        if all(Symmetry(system, index, by).holds(asked) for by in swaps):
            found.append((index.name, tuple(swaps)))
    return InterchangeableIndices(model, tuple(found))
