"""Runs a spec over indices of any size: each action once, for members that are symbols.

A variable is a function of its indices. A generator over an index inside `every`, `some`, `no` or
`count` becomes a quantifier. A loop over an index is run for one symbolic member, and an assignment
in it counts for all members. Members are 0, 1, ... below a size of which only the minimum is known.

Where a plain run would leave a range or an array, an obligation is recorded: a condition that must
follow from the facts on the path. Code that cannot be expressed in this way (a branch on one member
of a loop, the number of members) is rejected with a `SpecError`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from counterpoint.spec.notation import Disabled, Index, Model, Spec, SpecError, nodes
from counterpoint.spec.notation.nodes import FALSE, TRUE, UNBOUNDED, Node
from counterpoint.spec.notation.store import may_change
from counterpoint.spec.notation.symbolic import (
    Symbolic,
    Value,
    as_value,
    ite,
    node_of,
    quantifying,
    value_of,
)
from counterpoint.spec.notation.variables import ANY, Integer, Reference, Variable

from .loops import loop_of
from .quantified import (
    Count,
    applied,
    for_all,
    for_some,
    size,
    substituted,
    symbol,
    symbols_of,
    within,
)

UNKNOWN = "an index of any size has no fixed size here, and no first or last member"


class Members:
    """An index of any size: iterating over it yields one symbol that stands for each member."""

    __hash__ = None  # type: ignore[assignment]  # refused as a key; mypy wants a method
    any_size = True

    def __init__(self, run: ParametricRun, name: str) -> None:
        self.run, self.name = run, name

    def __iter__(self) -> Iterator[Symbolic]:
        loop = loop_of(sys._getframe(1))
        return self._in_generator() if isinstance(loop, ast.GeneratorExp) else self._in_loop()

    def _in_loop(self) -> Iterator[Symbolic]:
        new = symbol(self.name)
        self.run.loops.append(new)
        yield Symbolic(new)
        self.run.loops.remove(new)

    def _in_generator(self) -> Iterator[Symbolic]:
        consumer = sys._getframe(1).f_back
        if consumer is None or consumer.f_code is not ParametricRun.pulled.__code__:
            raise SpecError(
                "a generator over an index of any size may be used in every, some, no or count only"
            )
        new = symbol(self.name)
        self.run.bound.append(new)
        yield Symbolic(new)
        self.run.bound.remove(new)

    def _refuse(self, *_: object) -> NoReturn:
        raise SpecError(f"{self.name}: {UNKNOWN}")

    __len__ = __getitem__ = __contains__ = __reversed__ = __bool__ = __eq__ = _refuse


class SizelessParameters(dict[str, Any]):
    """The parameters of a spec without the sizes of indices of any size."""

    def __missing__(self, name: str) -> NoReturn:
        raise SpecError(f"{name}: {UNKNOWN}")

    def get(self, name: str, default: Any = None) -> Any:
        """Return a parameter."""
        return self[name]


class GivenParameters(dict[str, Any]):
    """The given parameters, for `Spec.derive`, which must not read a size."""

    def __init__(self, given: dict[str, Any], hidden: Collection[str]) -> None:
        super().__init__(given)
        self._hidden = hidden

    def __getitem__(self, name: str) -> Any:
        if name in self._hidden:
            raise SpecError(f"{name}: {UNKNOWN}")
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a parameter that was given."""
        there = name in self  # raises for a size
        return super().get(name, default) if there else default

    def __contains__(self, name: object) -> bool:
        if name in self._hidden:
            raise SpecError(f"{name}: {UNKNOWN}")
        return super().__contains__(name)

    def _refuse(self, *_: object) -> NoReturn:
        raise SpecError(f"derive iterates over all given parameters: {UNKNOWN}")

    __iter__ = __len__ = __bool__ = items = keys = values = copy = __or__ = _refuse


@dataclass(frozen=True)
class Assignment:
    """An assignment to one element, or to all elements that its loop symbols can name."""

    key: tuple[Node, ...]
    every: frozenset[Node]
    value: Node


class FunctionStore:
    """The values of a state as functions: the state before, and the assignments since then.

    It replaces `counterpoint.spec.notation.store.StateStore`.
    """

    def __init__(self, run: ParametricRun, initial: bool = False) -> None:
        self.run, self.initial = run, initial
        self.writes: dict[str, list[Assignment]] = {}
        self.read_in_loops: set[tuple[str, tuple[Node, ...]]] = set()

    def read(self, name: str, key: tuple[Value, ...]) -> Value:
        """Return the value of an element."""
        place = tuple(nodes.integer(node_of(part)) for part in key)
        self.run.inside(name, place)
        if self.run.loops:
            self.read_in_loops.add((name, place))
        return value_of(self.at(name, place))

    def at(self, name: str, place: tuple[Node, ...]) -> Node:
        """Return the value of an element that lies within the array."""
        found = self.run.first(name, place) if self.initial else self.run.before(name, place)
        for write in self.writes.get(name, ()):
            if place != write.key and not write.every.isdisjoint(self.run.loops):
                raise SpecError(f"{name} is read in a loop before the loop assigns to it")
            matches, given = _match(write, place)
            found = nodes.ite(matches, substituted(write.value, given), found)
        return found

    def write(self, name: str, key: tuple[Value, ...], value: Value) -> None:
        """Assign to an element; the parameters are those of `StateStore.write`."""
        may_change(name)
        run = self.run
        place = tuple(nodes.integer(node_of(part)) for part in key)
        run.inside(name, place)
        low, high, boolean = run.bounds(name)
        new = nodes.truth(node_of(value)) if boolean else nodes.integer(node_of(value))
        loops = frozenset(v for v in place if v in run.loops)
        if run.bound or any(v not in place for v in run.loops):
            raise SpecError(f"{name} is assigned in a loop, to the same element in each iteration")
        run.must_be_known(new, loops)
        for part in place:
            run.must_be_known(part, loops if part in loops else ())
        if loops and any(of == name and at != place for of, at in self.read_in_loops):
            raise SpecError(f"{name} is read at one element in a loop that assigns to others")
        if boolean and not node_of(value).boolean:
            run.oblige(within(node_of(value), 0, 1))
        run.oblige(within(new, low, high))
        self.writes.setdefault(name, []).append(Assignment(place, loops, new))


def _match(write: Assignment, place: tuple[Node, ...]) -> tuple[Node, dict[Node, Node]]:
    """Return the condition that an assignment concerns an element, and its loop symbols then."""
    given: dict[Node, Node] = {}
    others = []
    for part, wanted in zip(write.key, place, strict=True):
        if part in write.every and part not in given:
            given[part] = wanted
        else:
            others.append((part, wanted))
    equal = (nodes.equal(substituted(part, given), wanted) for part, wanted in others)
    return nodes.conjunction(equal), given


@dataclass
class ParametricRun:
    """One symbolic run, which first follows given decisions, then makes new ones.

    Attributes
    ----------
    model : Model
        The spec.
    members : tuple of Node
        The symbols of the action's parameters, on which a run may branch.
    decisions : list of bool
        The side taken at each branch.
    literals : list of Node
        The path condition.
    obligations : list of (tuple of Node, Node)
        Conditions that must hold wherever the literals do, so that ranges and arrays are kept.
    loops, bound : list of Node
        The symbols of the loops and of the generators that are running.
    asked : int
        The number of decisions used so far.
    branches : bool
        Whether branches may depend on the state, as in actions.
    """

    model: Model
    members: tuple[Node, ...] = ()
    decisions: list[bool] = field(default_factory=list)
    literals: list[Node] = field(default_factory=list)
    obligations: list[tuple[tuple[Node, ...], Node]] = field(default_factory=list)
    loops: list[Node] = field(default_factory=list)
    bound: list[Node] = field(default_factory=list)
    asked: int = 0
    branches: bool = True

    # Variables

    def size_of(self, index: Index) -> Node:
        """Return the number of members of an index; a constant unless the index has any size."""
        spec = self.model.spec
        if index.attribute in spec.any_number:
            return size(index.attribute, index.at_least)
        return nodes.constant(index.size(spec))

    def inside(self, name: str, place: tuple[Node, ...]) -> None:
        """Record the obligation that an element lies within the array."""
        indices = self.model.spec.declared_variables[name].indices
        if len(indices) != len(place):
            raise SpecError(f"{name} has {len(indices)} indices, not {len(place)}")
        for index, part in zip(indices, place, strict=True):
            if part.op == "symbol" and part.args[0] == index.attribute:
                continue
            last = nodes.subtract(self.size_of(index), nodes.constant(1))
            self.oblige(within(part, 0, last))

    def oblige(self, condition: Node) -> None:
        """Record an obligation, for all members that the running loops and generators stand for."""
        open_symbols = [*self.loops, *self.bound]
        self.must_be_known(condition, open_symbols)
        wanted = for_all(open_symbols, condition)
        active = quantifying.get()
        owner = active if isinstance(active, ParametricRun) else self
        if wanted is not TRUE:
            owner.obligations.append((tuple(owner.literals), wanted))

    def bounds(self, name: str) -> tuple[int, Node | int, bool]:
        """Return the least and the greatest value of a variable, and whether it is boolean."""
        variable: Variable = self.model.spec.declared_variables[name]
        element = getattr(variable, "of", variable)
        spec = self.sizeless()
        if isinstance(element, Reference):
            last = nodes.subtract(self.size_of(element.to), nodes.constant(1))
            return int(min(element.otherwise)), last, False
        if isinstance(element, Integer) and variable.grows:
            low = element.low
            return low(spec) if callable(low) else low, UNBOUNDED, False
        low, high = variable.bounds(spec)
        return low, high, variable.boolean

    def before(self, name: str, key: tuple[Node, ...]) -> Node:
        """Return a variable's value in the state before."""
        return self._function(name, name, key)

    def _function(self, name: str, called: str, key: tuple[Node, ...]) -> Node:
        low, high, boolean = self.bounds(name)
        if low == high:
            return nodes.constant(bool(low)) if boolean else nodes.constant(low)
        return applied(called, key, low, UNBOUNDED if isinstance(high, Node) else high, boolean)

    def first(self, name: str, key: tuple[Node, ...]) -> Node:
        """Return a variable's initial value; an unknown one if it starts with `ANY`."""
        variable: Variable = self.model.spec.declared_variables[name]
        value = variable.initially
        if value is ANY:
            return self._function(name, f"{name} at the start", key)
        if callable(value):
            value = value(self.sizeless(), *map(value_of, key))
        if value is None:
            low, high, _ = self.bounds(name)
            value = min(max(0, low), high) if isinstance(high, int) else max(0, low)
        found = node_of(as_value(value))
        if variable.boolean and not found.boolean and found.op != "constant":
            raise SpecError(f"{name} is a truth value and starts with a number")
        return nodes.truth(found) if variable.boolean else nodes.integer(found)

    def sizeless(self) -> Spec:
        """Return the spec without a state and without sizes, for evaluating declarations."""
        spec = self.model.spec
        declared = spec.declared_parameters.values()
        hidden = {p.name for p in declared if p.attribute in spec.any_number}
        found = object.__new__(type(spec))
        given = {n: v for n, v in spec.parameters.items() if n not in hidden}
        found.__dict__["parameters"] = SizelessParameters(given)
        for name in spec.any_number:
            found.__dict__[name] = Members(self, name)
        if type(spec).derive is not Spec.derive:
            own = {n: v for n, v in self.model.changed_parameters().items() if n not in hidden}
            for name, value in found.derive(GivenParameters(own, hidden)).items():
                if name in given and given[name] != value:
                    raise SpecError(f"{name} follows from the size of an index")
        return found

    def at(self, store: FunctionStore) -> Spec:
        """Return the spec with functions as its state, and with indices of any size."""
        found = self.sizeless()
        found.__dict__["_store"] = store
        return found

    # Branches (see `counterpoint.spec.notation.symbolic.SymbolicPath`)

    def decide(self, condition: Node) -> bool:
        """Return a side: the known one, else the given one, else the true one."""
        self._must_not_be_of_a_loop(condition)
        if condition in self.literals or condition is TRUE:
            return True
        if nodes.negation(condition) in self.literals or condition is FALSE:
            return False
        if not self.branches:
            raise SpecError(
                "a branch on the state: use every, some, no, implies or ite; for x in (a, b) "
                "write some(x == a, x == b)"
            )
        if self.asked == len(self.decisions):
            self.decisions.append(True)
        side = self.decisions[self.asked]
        self.asked += 1
        self.literals.append(condition if side else nodes.negation(condition))
        return side

    def assume(self, condition: Node) -> None:
        """Restrict the run to states where the condition holds."""
        condition = nodes.truth(condition)
        self._must_not_be_of_a_loop(condition)
        if condition is FALSE or nodes.negation(condition) in self.literals:
            raise Disabled
        if condition is not TRUE:
            self.literals.append(condition)

    def _must_not_be_of_a_loop(self, condition: Node) -> None:
        if not symbols_of(condition) <= frozenset(self.members):
            raise SpecError("a branch on one member of a loop or generator: use every, some or ite")

    def must_be_known(self, node: Node, loops: Iterable[Node] = ()) -> None:
        """Reject an expression with symbols of loops that are not running here."""
        if not symbols_of(node) <= frozenset(self.members) | frozenset(loops):
            raise SpecError("a value that depends on one member of a loop is used outside the loop")

    # Quantifiers (see `counterpoint.spec.notation.symbolic.Quantifiers`)

    def pulled(self, conditions: Iterable[Value]) -> Iterator[tuple[list[Node], Node]]:
        """Yield each condition with the symbols that generators bind for it."""
        begin = len(self.bound)
        for condition in conditions:
            bound = self.bound[begin:]
            node = nodes.truth(node_of(as_value(condition)))
            self.must_be_known(node, [*self.loops, *self.bound])
            yield bound, node

    def _conditions(self, given: tuple[Value, ...]) -> list[tuple[list[Node], Node]]:
        several: Iterable[Value] = given
        if len(given) == 1 and not (type(given[0]) is Symbolic or isinstance(given[0], int)):
            if not isinstance(given[0], Iterable) or isinstance(given[0], str | Members):
                as_value(given[0])
            several = given[0]
        return list(self.pulled(several))

    def junction(self, conditions: tuple[Value, ...], every: bool) -> Value:
        """Return whether every or some condition holds, for all members of generators."""
        found = self._conditions(conditions)
        if every:
            return value_of(nodes.conjunction(for_all(bound, node) for bound, node in found))
        return value_of(nodes.disjunction(for_some(bound, node) for bound, node in found))

    def count(self, conditions: tuple[Value, ...]) -> Any:
        """Return how many conditions hold: a number, or an object that can be compared with one."""
        found = self._conditions(conditions)
        if not any(bound for bound, _ in found):
            return sum(ite(value_of(node), 1, 0) for _, node in found)
        if len(found) > 1:
            raise SpecError(
                "count takes a generator over indices of any size only, without other conditions"
            )
        return Count(*found[0])
