"""Sets, bags, maps, records and sequences do what Python's own do, in all engines."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint import (
    Array,
    Bag,
    Index,
    Integer,
    Map,
    Member,
    Queue,
    Record,
    Reference,
    Sequence,
    Set,
    Spec,
    action,
    choose,
    every,
    invariant,
    no,
    require,
    some_subset,
)
from counterpoint.models.checking.engines import Options, check
from counterpoint.models.limits import Limits
from counterpoint.spec.notation import Model, RangeError, Step, Values
from tests.examples import few_and_many


class Colour(IntEnum):
    """A colour."""

    RED = 0
    BLUE = 1


class Nobody(IntEnum):
    """No member."""

    NONE = -1


class Toys(Spec):
    """A variable of each kind, changed by actions that say what they do."""

    kids = Index(3, names="p", labels="K")
    box = Set(kids)
    other = Set(kids, initially=(0, 2))
    marbles = Bag(Integer(1, 2), copies=2)
    owner = Map(kids, Integer(1, 4))
    row = Queue(Integer(2, 5), capacity=3)
    stack = Sequence(Record(colour=Member(Colour), of=Reference(kids, Nobody)), capacity=2)
    best = Record(colour=Member(Colour), size=Integer(1, 3))
    inner = Array(kids, Set(kids))

    @action
    def add(s, p):
        s.box.add(p)
        s.inner[p].add(p)

    @action
    def remove(s, p):
        s.box.remove(p)

    @action
    def discard(s, p):
        s.box.discard(p)

    @action
    def lose(s, n=choose(Integer(1, 2))):
        s.marbles.discard(n)

    @action
    def forget(s, p):
        s.owner.discard(p)

    @action
    def join(s):
        s.box = s.box | s.other

    @action
    def cut(s):
        s.other = s.box & s.other

    @action
    def subtract(s):
        s.box = s.box - s.other

    @action
    def replace(s, q=some_subset(kids)):
        s.other = q

    @action
    def buy(s, n=choose(Integer(1, 2))):
        require(s.marbles.count(n) < 2)
        s.marbles.add(n)

    @action
    def sell(s, n=choose(Integer(1, 2))):
        require(s.marbles.has(n))
        s.marbles.remove(n)

    @action
    def give(s, p, n=choose(Integer(1, 4))):
        s.owner[p] = n

    @action
    def take_away(s, p):
        s.owner.remove(p)

    @action
    def put(s, n=choose(Integer(2, 5))):
        require(no(s.row.full))
        s.row.put(n)

    @action
    def take(s):
        require(no(s.row.empty))
        s.best.size = s.row.take() - 1

    @action
    def push(s, p, c=choose(Member(Colour))):
        require(no(s.stack.full))
        s.stack.append(colour=c, of=p)

    @action
    def pop(s):
        require(no(s.stack.empty))
        s.best.colour = s.stack.pop_last().colour

    @action
    def drop(s, k=choose(Integer(0, 2))):
        require(k < s.row.length)
        s.row.pop(k)

    @invariant
    def the_sizes(s):
        return every(s.box.size <= 3, s.marbles.size <= 4, s.owner.size <= 3, s.row.length <= 3)


class Mirror:
    """The same state in Python's own sets, counters, dicts and lists."""

    def __init__(self) -> None:
        self.box: set[int] = set()
        self.other = {0, 2}
        self.inner: set[int] = set()
        self.marbles: Counter[int] = Counter()
        self.owner: dict[int, int] = {}
        self.row: list[int] = []
        self.stack: list[tuple[int, int]] = []
        self.best = [0, 1]

    def take(self, name: str, given: tuple[Any, ...]) -> bool:
        """Take a step; return whether it is possible."""
        return bool(getattr(self, f"do_{name}")(*given))

    def do_add(self, p: int) -> bool:
        self.box.add(p)
        self.inner.add(p)
        return True

    def do_remove(self, p: int) -> bool:
        self.box.remove(p)
        return True

    def do_discard(self, p: int) -> bool:
        self.box.discard(p)
        return True

    def do_lose(self, n: int) -> bool:
        self.marbles[n] -= self.marbles[n] > 0
        return True

    def do_forget(self, p: int) -> bool:
        self.owner.pop(p, None)
        return True

    def do_join(self) -> bool:
        self.box |= self.other
        return True

    def do_cut(self) -> bool:
        self.other &= self.box
        return True

    def do_subtract(self) -> bool:
        self.box -= self.other
        return True

    def do_replace(self, q: frozenset[int]) -> bool:
        self.other = set(q)
        return True

    def do_buy(self, n: int) -> bool:
        possible = self.marbles[n] < 2
        self.marbles[n] += possible
        return possible

    def do_sell(self, n: int) -> bool:
        possible = self.marbles[n] > 0
        self.marbles[n] -= possible
        return possible

    def do_give(self, p: int, n: int) -> bool:
        self.owner[p] = n
        return True

    def do_take_away(self, p: int) -> bool:
        del self.owner[p]
        return True

    def do_put(self, n: int) -> bool:
        if len(self.row) == 3:
            return False
        self.row.append(n)
        return True

    def do_take(self) -> bool:
        if not self.row or not 1 <= self.row[0] - 1 <= 3:
            return False
        self.best[1] = self.row.pop(0) - 1
        return True

    def do_push(self, p: int, c: int) -> bool:
        if len(self.stack) == 2:
            return False
        self.stack.append((c, p))
        return True

    def do_pop(self) -> bool:
        if not self.stack:
            return False
        self.best[0] = self.stack.pop()[0]
        return True

    def do_drop(self, k: int) -> bool:
        if k >= len(self.row):
            return False
        self.row.pop(k)
        return True

    def cells(self) -> dict[str, Any]:
        """Return the values that the cells of a spec should show."""
        found: dict[str, Any] = {}
        for k in range(3):
            found[f"box[K{k}]"] = k in self.box
            found[f"other[K{k}]"] = k in self.other
            found[f"owner.has[K{k}]"] = k in self.owner
            found[f"owner[K{k}]"] = self.owner.get(k, 1)
            found[f"row[{k}]"] = self.row[k] if k < len(self.row) else 2
            for j in range(3):
                found[f"inner[K{k}][K{j}]"] = k == j and k in self.inner
        for n in (1, 2):
            found[f"marbles[{n}]"] = self.marbles[n]
        for k in range(2):
            there = k < len(self.stack)
            colour, of = self.stack[k] if there else (0, -1)
            found[f"stack[{k}].colour"] = Colour(colour).name
            found[f"stack[{k}].of"] = f"K{of}" if of >= 0 else "NONE"
        found |= {"row.length": len(self.row), "stack.length": len(self.stack)}
        return found | {"best.colour": Colour(self.best[0]).name, "best.size": self.best[1]}


TOYS = Model(Toys())


def shown(model: Model, values: Values) -> dict[str, Any]:
    """Return all cells of a state as people see them."""
    return {c.label: model.show_value(c, v) for c, v in zip(model.cells, values, strict=True)}


@few_and_many(given(st.lists(st.sampled_from(TOYS.steps), max_size=25)), 60, 2000)
def test_a_run_does_what_python_does(steps: list[Step]) -> None:
    """A member, copy, key, order or length that differs, or an unused place with a rest."""
    values, mirror = next(TOYS.initial_states()), Mirror()
    for step in steps:
        action_ = next(a for a in TOYS.actions if a.name == step.action)
        pairs = zip(action_.parameters, step.binding, strict=True)
        given_ = tuple(index.argument(TOYS.spec, member) for (_, index), member in pairs)
        if step.action == "take" and mirror.row and mirror.row[0] == 5:
            continue  # leaves the range of best.size
        try:
            possible = mirror.take(step.action, given_)
        except KeyError:
            with pytest.raises(RangeError, match="does not have the value to remove"):
                TOYS.take(values, step)
            continue
        after = TOYS.take(values, step)
        assert (after is not None) == possible, step
        values = after or values
        assert shown(TOYS, values) == mirror.cells()


class Few(Toys):
    """Half of the actions, so that all states are explored soon."""

    without = ("add", "remove", "join", "cut", "subtract", "replace", "give", "take_away", "sell",
               "discard", "lose", "forget")  # fmt: skip


def test_all_engines_take_them_for_the_same() -> None:
    """A value with parts that means something else on symbols than on integers."""
    model = Model(Few())
    for engine, options in (
        ("exhaustive", Options(compared=300)),
        ("bounded", Options(steps=2)),
        ("stateful", Options(runs=60)),
    ):
        found = check(model, engine, Limits(seconds=100), options=options)
        answers = {v.claim.name: v.answer for v in found}
        assert answers == {"the-sizes": "holds", "ranges": "violated"}, engine  # a five is taken


class Used(Spec):
    """Places that are used and given back, whose elements do not begin with 0."""

    kids = Index(2, names="p")
    row = Queue(Set(kids, initially=[1]), capacity=2)
    known = Map(kids, Record(of=Set(kids, initially=[0]), size=Integer(1, 3, initially=2)))

    @action
    def put(s, p):
        require(no(s.row.full))
        s.row.put([p])

    @action
    def take(s):
        require(no(s.row.empty))
        s.row.take()

    @action
    def learn(s, p, q=some_subset(kids)):
        s.known[p] = {"of": q, "size": 1}

    @action
    def forget(s, p):
        s.known.discard(p)

    @action
    def forget_all(s):
        s.known.clear()
        s.row.clear()


def test_places_that_are_not_used_are_as_at_the_start() -> None:
    """Equal queues or maps that are different states, since an unused place has another set."""
    (verdict, *_) = check(Model(Used()), options=Options(explorer="python"))
    # a queue of at most 2 sets with one member; for each kid no set, or one of 4
    assert verdict.states == (1 + 2 + 4) * (1 + 4) ** 2


def test_clear_leaves_an_empty_set() -> None:
    """A set that gets its members of the start again."""
    model = Model(Toys())
    state = model.at([values[0] for values in model.initial_values()])
    assert state.other.size == 2
    state.other.clear()
    assert state.other.empty
