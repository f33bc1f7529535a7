"""A spec run over indices of any size: each action once, for members that are named by symbols.

A variable is a function of its indices. A generator over an index inside `every` or `some` stands
for a quantifier; a loop over an index stands for one member of it, and an assignment in it for an
assignment to all. Members are the natural numbers, so that they are in order and there is no last.

What cannot be said so (a count, a branch on one member of a loop) is refused with a `SpecError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count as numbers
from typing import Any

from spec.notation import Action, Disabled, Model, Spec, SpecError
from spec.notation import _nodes as nodes
from spec.notation._nodes import FALSE, TRUE, UNBOUNDED, Node
from spec.notation._symbolic import Symbolic, Value, deciding, node_of, quantifying, value_of
from spec.notation._variables import Reference, Variable

_serial = numbers()


def symbol(name: str) -> Node:
    """Return a new member of an index, of which nothing is known."""
    return nodes._node("symbol", (name, next(_serial)), 0, UNBOUNDED)


def applied(name: str, key: Sequence[Node], low: int, high: int, boolean: bool) -> Node:
    """Return the value of a variable at a place, in the state before."""
    return nodes._node("apply", (name, *key), low, high, boolean)


def for_all(bound: Sequence[Node], body: Node) -> Node:
    """Return whether the body holds for all members that the bound symbols can name."""
    bound = [v for v in bound if v in symbols_of(body)]
    return nodes._node("all", (tuple(bound), body), 0, 1, True) if bound else body


_free: dict[Node, frozenset[Node]] = {}


def symbols_of(node: Node) -> frozenset[Node]:
    """Return the symbols that an expression speaks of and no quantifier in it binds."""
    found = _free.get(node)
    if found is None:
        if node.op == "symbol":
            found = frozenset([node])
        elif node.op == "all":
            found = symbols_of(node.args[1]) - frozenset(node.args[0])
        else:
            parts = (a for a in node.args if isinstance(a, Node))
            found = frozenset().union(*map(symbols_of, parts))
        _free[node] = found
    return found


def substituted(node: Node, replace: dict[Node, Node]) -> Node:
    """Return an expression with other members for some of its symbols."""
    return _substituted(node, replace, {})


def _substituted(node: Node, replace: dict[Node, Node], done: dict[Node, Node]) -> Node:
    if symbols_of(node).isdisjoint(replace):
        return node
    found = done.get(node)
    if found is None:
        found = done[node] = _replaced(node, replace, done)
    return found


def _replaced(node: Node, replace: dict[Node, Node], done: dict[Node, Node]) -> Node:
    if node.op == "symbol":
        return replace[node]
    if node.op == "all":
        return for_all(node.args[0], _substituted(node.args[1], replace, done))
    if node.op == "apply":
        key = [_substituted(a, replace, done) for a in node.args[1:]]
        return applied(node.args[0], key, node.low, node.high, node.boolean)
    args = [_substituted(a, replace, done) for a in node.args]
    if node.op in ("and", "or"):
        return nodes.conjunction(args) if node.op == "and" else nodes.disjunction(args)
    return nodes.BUILD[node.op](*args)


class Members:
    """An index without a last member: iterating yields one symbol that stands for each."""

    def __init__(self, run: Run, name: str) -> None:
        self.run, self.name = run, name

    def __iter__(self) -> Iterator[Symbolic]:
        new = symbol(self.name)
        self.run.created.append(new)
        self.run.open.append(new)
        yield Symbolic(new)
        self.run.open.remove(new)

    def __len__(self) -> int:
        raise SpecError(f"{self.name} have no number here")

    def __getitem__(self, place: object) -> Symbolic:
        raise SpecError(f"{self.name} have no number here, and none is the first")


@dataclass(frozen=True)
class Write:
    """An assignment: to one place, or to all places that its loop symbols can name."""

    key: tuple[Node, ...]
    every: frozenset[Node]
    value: Node


class Functions:
    """The values of a state as functions: those of the state before, and what was assigned since.

    Takes the place of `spec.notation._store.Store`.
    """

    def __init__(self, run: Run, initial: bool = False) -> None:
        self.run, self.initial = run, initial
        self.writes: dict[str, list[Write]] = {}
        self.read_in_loops: set[tuple[Node, str]] = set()
        self.ranges: list[Node] = []

    def read(self, name: str, key: tuple[Value, ...]) -> Value:
        """Return the value at a place."""
        place = tuple(map(node_of, key))
        self.read_in_loops |= {(v, name) for v in self.run.open if v not in place}
        found = self.run.first(name, place) if self.initial else self.run.before(name, place)
        for write in self.writes.get(name, ()):
            if any(v in self.run.open and v not in place for v in write.every):
                raise SpecError(f"{name} is read where a loop is still to assign to it")
            matches, given = _match(write, place)
            value = substituted(write.value, given)
            found = nodes.ite(substituted(matches, given), value, found)
        return value_of(found)

    def write(self, name: str, key: tuple[Value, ...], value: Value) -> None:
        """Assign to a place."""
        place = tuple(map(node_of, key))
        low, high, boolean = self.run.bounds(name)
        new = nodes.truth(node_of(value)) if boolean else nodes.integer(node_of(value))
        loops = frozenset(v for v in place if v in self.run.created)
        if any(v not in place for v in self.run.open):
            raise SpecError(f"{name} is assigned to in a loop, each time at the same place")
        if (symbols_of(new) & frozenset(self.run.created)) - loops:
            raise SpecError(f"{name} is assigned a value of a loop over other members")
        if any((v, name) in self.read_in_loops for v in loops):
            raise SpecError(f"{name} is read at one place in a loop that assigns to others")
        self.ranges.append(within(new, low, high))
        self.writes.setdefault(name, []).append(Write(place, loops, new))


def _match(write: Write, place: tuple[Node, ...]) -> tuple[Node, dict[Node, Node]]:
    """Return when an assignment concerns a place, and what its loop symbols then are."""
    given: dict[Node, Node] = {}
    conditions = []
    for part, wanted in zip(write.key, place, strict=True):
        if part in write.every and part not in given:
            given[part] = wanted
        else:
            conditions.append(nodes.equal(part, wanted))
    return nodes.conjunction(conditions), given


def within(node: Node, low: int, high: int) -> Node:
    """Return whether a value lies in a range, which may have no upper end."""
    ends = [nodes.negation(nodes.less(node, nodes.constant(low)))]
    if high != UNBOUNDED:
        ends.append(nodes.negation(nodes.less(nodes.constant(high), node)))
    return nodes.conjunction(ends) if not node.boolean else TRUE


@dataclass
class Run:
    """One symbolic run: given decisions first, then new ones; also the quantifiers' trace."""

    model: Model
    decisions: list[bool] = field(default_factory=list)
    literals: list[Node] = field(default_factory=list)
    created: list[Node] = field(default_factory=list)
    open: list[Node] = field(default_factory=list)
    asked: int = 0

    # Variables

    def bounds(self, name: str) -> tuple[int, int, bool]:
        """Return the range of a variable, without an end where it grows or names members."""
        variable: Variable = self.model.spec.declared_variables[name]
        low, high = variable.bounds(self.model.spec)
        element = getattr(variable, "of", variable)
        if isinstance(element, Reference) or (variable.grows and low < high):
            high = UNBOUNDED
        return low, high, variable.boolean

    def before(self, name: str, key: tuple[Node, ...]) -> Node:
        """Return a variable's value in the state before."""
        low, high, boolean = self.bounds(name)
        if low == high:
            return nodes.constant(bool(low)) if boolean else nodes.constant(low)
        return applied(name, key, low, high, boolean)

    def first(self, name: str, key: tuple[Node, ...]) -> Node:
        """Return a variable's initial value."""
        variable: Variable = self.model.spec.declared_variables[name]
        value = variable.initially
        if callable(value):
            value = value(self.model.spec, *map(value_of, key))
        if value is None:
            low, high, _ = self.bounds(name)
            value = low if low > 0 or high < 0 else 0
        if not isinstance(value, int):
            raise SpecError(f"{name} has several initial values")
        return nodes.constant(bool(value) if variable.boolean else int(value))

    def at(self, store: Functions) -> Spec:
        """Return the spec on functions, with indices of any size."""
        spec = self.model.spec
        found = object.__new__(type(spec))
        found.__dict__.update(spec.__dict__)
        found.__dict__["_store"] = store
        for name in spec.any_number:
            found.__dict__[name] = Members(self, name)
        return found

    # Branches (see `spec.notation._symbolic.Path`)

    def decide(self, condition: Node) -> bool:
        """Take the side that is known, given, or the true one."""
        self._refuse_loops(condition)
        if condition in self.literals or condition is TRUE:
            return True
        if nodes.negation(condition) in self.literals or condition is FALSE:
            return False
        if self.asked == len(self.decisions):
            self.decisions.append(True)
        side = self.decisions[self.asked]
        self.asked += 1
        self.literals.append(condition if side else nodes.negation(condition))
        return side

    def assume(self, condition: Node) -> None:
        """Go on only where the condition holds."""
        condition = nodes.truth(condition)
        self._refuse_loops(condition)
        if condition is FALSE or nodes.negation(condition) in self.literals:
            raise Disabled
        if condition is not TRUE:
            self.literals.append(condition)

    def _refuse_loops(self, condition: Node) -> None:
        if symbols_of(condition) & frozenset(self.created):
            raise SpecError("a branch on one member of a loop or generator: use every, some or ite")

    # Quantifiers (see `spec.notation._symbolic.Quantifiers`)

    def junction(self, conditions: Iterable[Value], every: bool) -> Value:
        """Return whether every or some condition holds, for all members that were made in it."""
        begin = len(self.created)
        parts = [nodes.truth(node_of(c)) for c in conditions]
        bound = self.created[begin:]
        del self.created[begin:]
        if every:
            return value_of(for_all(bound, nodes.conjunction(parts)))
        nobody = nodes.conjunction(map(nodes.negation, parts))
        return value_of(nodes.negation(for_all(bound, nobody)))


@dataclass(frozen=True)
class Path:
    """One way through an action, for symbolic parameters.

    Attributes
    ----------
    action : Action
        The action.
    binding : tuple of Node
        The symbols of its parameters.
    literals : tuple of Node
        When it goes this way.
    run, after : Run and Functions
        The state after it.
    """

    action: Action
    binding: tuple[Node, ...]
    literals: tuple[Node, ...]
    run: Run
    after: Functions


def paths(model: Model, action: Action) -> Iterator[Path]:
    """Yield every way through an action.

    Raises
    ------
    SpecError
        If the action cannot be run on indices of any size.
    """
    binding = tuple(symbol(index.name) for _, index in action.parameters)
    todo: list[list[bool]] = [[]]
    while todo:
        given = todo.pop()
        run = Run(model, list(given))
        store = Functions(run)
        try:
            evaluate(run, store, action.name, *map(value_of, binding))
        except Disabled:
            pass
        else:
            yield Path(action, binding, tuple(run.literals), run, store)
        todo += [[*run.decisions[:i], False] for i in range(len(given), len(run.decisions))]


def evaluate(run: Run, store: Functions, method: str, *arguments: Any) -> Any:
    """Run one of the spec's methods on functions.

    Raises
    ------
    SpecError
        If it cannot be said for indices of any size.
    """
    state = run.at(store)
    path, quantifiers = deciding.set(run), quantifying.set(run)
    made = len(run.created)
    try:
        found = run.model.call(method, state, *arguments)
        if run.open:
            raise SpecError(f"{method} leaves a loop over members before its end")
    except BaseException:
        run.open.clear()
        del run.created[made:]
        raise
    finally:
        deciding.reset(path)
        quantifying.reset(quantifiers)
    return found


def formula(model: Model, method: str, store: Functions, *arguments: Any) -> Node:
    """Return a condition of the spec on functions, without branches.

    Raises
    ------
    SpecError
        If it branches, or cannot be said for indices of any size.
    """
    run = store.run
    known = len(run.literals)
    found = nodes.truth(node_of(evaluate(run, store, method, *arguments)))
    if len(run.literals) != known:
        raise SpecError(f"{method} branches on the state: use every, some, implies or ite")
    if symbols_of(found) & frozenset(run.created):
        raise SpecError(f"{method} speaks of one member of a loop")
    return found
