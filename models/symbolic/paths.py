"""One symbolic run: the side it takes at each branch, and the facts it knows on its path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterpoint.spec.notation import Disabled, SpecError, nodes
from counterpoint.spec.notation.nodes import FALSE, TRUE, Node

WIDE = 4096
"""A cell with at least so many values is tracked by its bounds only, not by its set of values."""


class Infeasible(Disabled):
    """The path condition is unsatisfiable: no state takes this path."""


class Facts:
    """The facts known on a path: truth of conditions, and possible values of cells.

    They are sound but incomplete: a condition that they leave open may still be always true or
    always false.
    """

    def __init__(self) -> None:
        self.truth: dict[Node, bool] = {}
        self.domain: dict[Node, frozenset[int]] = {}
        self.bounds: dict[Node, tuple[int, int]] = {}  # of cells with many values
        self._clauses: list[Node] = []
        self._decided: dict[Node, tuple[int, int]] = {}  # one value: more facts do not change it
        self._open: dict[Node, tuple[int, int]] = {}  # until a fact about a part of the node
        self._above: dict[Node, list[Node]] = {}  # the nodes in `_open` of which a node is a part

    def known(self, condition: Node) -> bool | None:
        """Return whether the condition is true; None if the facts leave it open."""
        low, high = self.interval(condition)
        return bool(low) if low == high else None

    def interval(self, node: Node) -> tuple[int, int]:
        """Return bounds of a node's values under the facts."""
        if node.op == "constant":
            return node.low, node.high
        if node in self.truth:
            value = int(self.truth[node])
            return value, value
        found = self._decided.get(node) or self._open.get(node)
        if found is None:
            found = self._compute(node)
            if found[0] == found[1]:
                self._decided[node] = found
            else:
                self._open[node] = found
                if node.op != "cell":
                    for part in node.args:
                        self._above.setdefault(part, []).append(node)
        return found

    def _forget(self, *nodes: Node) -> None:
        """Drop the bounds of all expressions of which some nodes are parts, and of these nodes."""
        todo = list(nodes)
        while todo:
            node = todo.pop()
            self._open.pop(node, None)
            todo += self._above.pop(node, ())

    def _compute(self, node: Node) -> tuple[int, int]:
        if node.op == "cell":
            domain = self.domain.get(node)
            there = self.bounds.get(node, (node.low, node.high))
            return (min(domain), max(domain)) if domain else there
        if node.boolean:
            return self._truth(node)
        if node.op == "ite":
            condition, then, otherwise = node.args
            known = self.known(condition)
            if known is not None:
                return self.interval(then if known else otherwise)
        bounds = [self.interval(a) for a in node.args if not a.boolean]
        (low_a, high_a), (low_b, high_b) = bounds[0], bounds[-1]
        if node.op == "add":
            return low_a + low_b, high_a + high_b
        if node.op == "subtract":
            return low_a - high_b, high_a - low_b
        if node.op == "ite":
            return min(low_a, low_b), max(high_a, high_b)
        return node.low, node.high

    def _truth(self, node: Node) -> tuple[int, int]:
        if node.op == "not":
            low, high = self.interval(node.args[0])
            return 1 - high, 1 - low
        if node.op in ("and", "or"):
            bounds = [self.interval(a) for a in node.args]
            pick = min if node.op == "and" else max
            return pick(low for low, _ in bounds), pick(high for _, high in bounds)
        a, b = node.args
        (low_a, high_a), (low_b, high_b) = self.interval(a), self.interval(b)
        if node.op == "less":
            return int(high_a < low_b), int(low_a < high_b)
        if high_a < low_b or high_b < low_a or self._excluded(a, b):
            return 0, 0
        return int(low_a == high_a == low_b == high_b), 1

    def _excluded(self, a: Node, b: Node) -> bool:
        return b.op == "constant" and a in self.domain and b.args[0] not in self.domain[a]

    def learn(self, condition: Node) -> None:
        """Add a condition to the facts.

        Raises
        ------
        Infeasible
            If it contradicts the facts.
        """
        todo = [condition]
        while todo:
            new = todo.pop()
            known = self.known(new)
            if known is False:
                raise Infeasible
            if known is None or new not in self.truth:
                todo.extend(self._record(new))
            if not todo:
                todo.extend(self._propagate())

    def _record(self, fact: Node) -> list[Node]:
        """Record a fact and return its immediate consequences."""
        inverse = nodes.negation(fact)
        if fact.op != "constant":
            self.truth[fact], self.truth[inverse] = True, False
            self._forget(fact, inverse)
        follows: list[Node] = []
        if fact.op == "and":
            follows.extend(fact.args)
        elif fact.op == "or":
            self._clauses.append(fact)
        elif fact.op == "not" and inverse.op == "or":
            follows.extend(nodes.negation(a) for a in inverse.args)
        elif fact.op == "not" and inverse.op == "and":
            clause = nodes.disjunction(nodes.negation(a) for a in inverse.args)
            (self._clauses if clause.op == "or" else follows).append(clause)
        elif fact.op == "less":
            a, b = fact.args
            follows.append(nodes.negation(nodes.less(b, a)))
            follows.append(nodes.negation(nodes.equal(a, b)))
        self._narrow(fact, inverse)
        return [f for f in follows if f is not TRUE]

    def _narrow(self, fact: Node, inverse: Node) -> None:
        atom = inverse if fact.op == "not" else fact
        for place in _cells_against_constants(atom):
            if place.high - place.low >= WIDE:
                self._bound(place, atom, atom is fact)
                continue
            possible = self.domain.get(place) or frozenset(range(place.low, place.high + 1))
            wanted = TRUE if atom is fact else FALSE
            kept = frozenset(
                v for v in possible if nodes.rebuild(atom, {place: _value(place, v)}, {}) is wanted
            )
            if not kept:
                raise Infeasible
            self.domain[place] = kept
            self._forget(place)

    def _bound(self, place: Node, atom: Node, true: bool) -> None:
        """Update the bounds of a cell with many values by a comparison with a constant."""
        low, high = self.bounds.get(place, (place.low, place.high))
        a, b = atom.args
        if atom.op == "equal":
            value = (b if a is place else a).args[0]
            if true:
                low, high = max(low, value), min(high, value)
            else:
                low, high = low + (low == value), high - (high == value)
        elif a is place:
            low, high = (low, min(high, b.args[0] - 1)) if true else (max(low, b.args[0]), high)
        else:
            low, high = (max(low, a.args[0] + 1), high) if true else (low, min(high, a.args[0]))
        if low > high:
            raise Infeasible
        self.bounds[place] = low, high
        self._forget(place)

    def _propagate(self) -> list[Node]:
        """Return the remaining parts of clauses whose other parts are all false."""
        units = []
        for clause in self._clauses:
            unknown = [a for a in clause.args if self.known(a) is not False]
            if not unknown:
                raise Infeasible
            if len(unknown) == 1 and unknown[0] not in self.truth:
                units.append(unknown[0])
        return units

    def replacements(self) -> dict[Node, Node]:
        """Return the facts as replacements for `nodes.rebuild`."""
        found = {node: nodes.constant(truth) for node, truth in self.truth.items()}
        for place, values in self.domain.items():
            if len(values) == 1:
                found[place] = _value(place, next(iter(values)))
        found |= {n: nodes.constant(low) for n, (low, high) in self.bounds.items() if low == high}
        return found


def _value(place: Node, value: int) -> Node:
    return nodes.constant(bool(value)) if place.boolean else nodes.constant(value)


def _cells_against_constants(atom: Node) -> Sequence[Node]:
    if atom.op == "cell":
        return (atom,)
    if atom.op in ("less", "equal"):
        a, b = atom.args
        if a.op == "cell" and b.op == "constant":
            return (a,)
        if b.op == "cell" and a.op == "constant":
            return (b,)
    return ()


class SymbolicRun:
    """A symbolic run that first follows given decisions, then makes new ones.

    Attributes
    ----------
    literals : list of Node
        The path condition: its parts in the order of the run.
    decisions : list of bool
        The sides taken at branches that the facts left open.
    branches : list of Node
        The conditions of these branches.
    """

    limit = 100_000  # decisions of one run; beyond, a loop is taken to be endless
    deep = 16  # decisions after which z3 decides what the facts leave open

    def __init__(self, decisions: Iterable[bool] = ()) -> None:
        self.decisions = list(decisions)
        self.literals: list[Node] = []
        self.branches: list[Node] = []
        self.facts = Facts()
        self._next = 0
        self._asked = 0

    def decide(self, condition: Node) -> bool:
        """Return a side: the known one, else the given one, else the true one."""
        self._asked += 1
        if self._asked > self.limit:
            raise SpecError(f"more than {self.limit:,} branches: a loop that does not end")
        known = self.facts.known(condition)
        if known is None and self._next >= self.deep:
            known = self._solved(condition)
        if known is not None:
            return known
        if self._next == len(self.decisions):
            self.decisions.append(True)
        side = self.decisions[self._next]
        self._next += 1
        self.branches.append(condition)
        self._add(condition if side else nodes.negation(condition))
        return side

    def _solved(self, condition: Node) -> bool | None:
        """Ask z3, which is exact but slow.

        Raises
        ------
        Infeasible
            If the path condition is unsatisfiable.
        """
        from .smt import satisfiable  # z3 takes long to load, and few specs branch so deeply

        can_be = satisfiable([*self.literals, condition])
        if can_be and satisfiable([*self.literals, nodes.negation(condition)]):
            return None
        if not can_be and not satisfiable(self.literals):
            raise Infeasible
        return can_be

    def assume(self, condition: Node) -> None:
        """Restrict the run to states where the condition holds; an integer holds if it is not 0."""
        condition = nodes.truth(condition)
        known = self.facts.known(condition)
        if known is False:
            raise Infeasible
        if known is None:
            self._add(condition)

    def _add(self, literal: Node) -> None:
        self.literals.extend(literal.args if literal.op == "and" else [literal])
        self.facts.learn(literal)
