"""What each operation of sets, sequences, records and messages means, on single states."""

from __future__ import annotations

from typing import Any

import pytest

from counterpoint import (
    Array,
    Bag,
    Boolean,
    Index,
    Instance,
    Integer,
    Messages,
    Queue,
    Record,
    Sequence,
    Set,
    Spec,
    action,
    choose,
    no,
    require,
)
from counterpoint.models.checking.engines import Options, check
from counterpoint.spec.notation import Model, RangeError


class Counter(Spec):
    """A number with an end that is a parameter."""

    users = Index(2, names="u", at_most=9)
    n = Integer(0, lambda s: len(s.users))

    @action
    def grow(s, u):
        s.n = s.n + 1


class Shelf(Spec):
    """A variable of each kind."""

    kids = Index(2, names="p")
    box = Set(kids)
    best = Record(of=Set(kids), size=Integer(-1, 1))
    row = Queue(Integer(-1, 2, initially=0), capacity=2)
    plain = Sequence(Integer(-1, 2), capacity=2)
    stack = Sequence(Record(of=Set(kids), size=Integer(-1, 1)), capacity=2)
    bag = Bag(kids, copies=2)
    net = Messages(copies=2, vote={"by": kids, "term": Integer(1, 3)})
    small = Instance(Counter, users=1)
    counters = Array(kids, Instance(Counter, users=lambda s: len(s.kids) + 1))

    @action
    def put(s, n=choose(Integer(-1, 2))):
        require(no(s.plain.full))
        s.plain.append(n)

    @action
    def take(s):
        require(no(s.plain.empty))
        s.plain.pop_first()

    @action
    def hear(s, m=choose(net.vote)):
        s.net.receive(m)


def shelf() -> Any:
    """Return the initial state."""
    model = Model(Shelf())
    return model.at([values[0] for values in model.initial_values()])


def test_difference_and_inclusion() -> None:
    """A difference or an inclusion with its sides exchanged."""
    s = shelf()
    s.box.add(0)
    s.box.add(1)
    assert (s.box - [0]) == [1]
    assert s.box - [0, 1] == []
    assert s.box >= [0]
    assert not s.box <= [0]
    assert s.box & [1] == [1]


def test_a_record_that_was_read_stays_as_it_is() -> None:
    """A record, or a set in it, that changes after it was stored, since both are one."""
    s = shelf()
    s.stack.append(of=[0], size=1)
    taken = s.stack.pop_last()
    s.best = taken
    s.stack.append(of=[1], size=-1)
    assert (taken.size, taken.of == [0]) == (1, True)
    s.stack.append(s.best)
    s.best.of.add(1)
    assert s.stack.last.of == [0]
    assert s.stack.last == {"of": [0], "size": 1}
    s.stack[0] = s.stack[1]
    assert s.stack[0] == s.stack[1]
    assert s.best != s.stack[0]


def test_places_outside_of_a_sequence() -> None:
    """A place before the first value, or a blank after the last one, that counts as a value."""
    s = shelf()
    assert not s.row.has(0)
    s.row.put(2)
    assert s.row.has(2)
    assert not s.row.has(0)
    for place in (-1, 1):
        with pytest.raises(RangeError, match="row has no value at the place that is used"):
            s.row[place]


def test_a_bag_with_one_value_is_not_empty() -> None:
    """A bag that is called empty, though it has a value."""
    s = shelf()
    assert s.bag.empty
    s.bag.add(1)
    assert not s.bag.empty
    assert s.bag.size == 1


def test_copies_of_messages() -> None:
    """More copies than there can be, or all copies received at once."""
    s = shelf()
    s.net.vote.send(by=1, term=3)
    s.net.vote.send(by=1, term=3)
    with pytest.raises(RangeError, match=r"net\.vote would have more than 2 copies"):
        s.net.vote.send(by=1, term=3)
    s.net.vote.receive(by=1, term=3)
    assert s.net.vote.count(by=1, term=3) == 1


def test_messages_are_numbered_as_their_cells() -> None:
    """A step whose label shows another message than the one that it receives."""
    model = Model(Shelf())
    for step in model.steps:
        if step.action == "hear":
            s: Any = model.at([values[0] for values in model.initial_values()])
            (m,) = model._arguments["hear"](step.binding)
            s.net.send(m)
            after = model.take(tuple(s._store.values), step)
            assert after is not None
            (label,) = model.changes(tuple(s._store.values), after)
            assert model.show_step(step) == f"hear(m=vote(by={m.by}, term={m.term}))"
            assert label == f"net.vote[{m.by}, {m.term}]"
    heard = [step for step in model.steps if step.action == "hear"]
    assert [model.show_step(step) for step in heard[:4]] == [
        f"hear(m=vote(by={by}, term={term}))" for by, term in ((0, 1), (0, 2), (0, 3), (1, 1))
    ]


def test_instances_with_different_parameters() -> None:
    """An instance with the parameters that another one has."""
    ends = {c.label: c.high for c in Model(Shelf()).cells}
    assert (ends["small.n"], ends["counters[0].n"], ends["counters[1].n"]) == (1, 3, 3)
    more = {c.label: c.high for c in Model(Shelf(kids=3)).cells}
    assert (more["small.n"], more["counters[2].n"]) == (1, 4)


def test_an_instance_that_follows_a_parameter() -> None:
    """One instance that keeps the first parameters for all specs that are made."""
    model, larger = Model(Shelf()), Model(Shelf(kids=3))
    assert [m.cells[-1].high for m in (model, larger, Model(Shelf()))] == [3, 4, 3]


class Blank(Spec):
    """A sequence whose values can be below zero."""

    row = Sequence(Integer(-1, 1), capacity=2)
    on = Boolean()

    @action
    def put(s, n=choose(Integer(-1, 1))):
        require(no(s.row.full))
        s.row.append(n)

    @action
    def take(s):
        require(no(s.row.empty))
        s.row.pop_last()


def test_an_unused_place_has_what_it_has_at_the_start() -> None:
    """An empty sequence that is another state after a value was removed."""
    (verdict, *_) = check(Model(Blank()), options=Options(explorer="python"))
    assert verdict.states == 1 + 3 + 9
