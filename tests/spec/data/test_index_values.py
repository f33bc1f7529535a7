"""Kinds of values: an index stands for its members, and a field may have any name."""

from __future__ import annotations

from counterpoint import (
    Array,
    Index,
    Integer,
    Map,
    Queue,
    Record,
    Spec,
    action,
    invariant,
    require,
)
from counterpoint.models.checking.engines import check
from counterpoint.spec.notation import Model


class Shop(Spec):
    """Customers queue, and the first is served."""

    customers = Index(3, names="c", labels="C")
    queue = Queue(customers, capacity=2)
    bill = Record(of=customers)
    served_before = Map(customers, customers)
    lines = Array(customers, Record(next=customers))

    @action
    def join(s, c):
        require(s.queue.length < 2, s.queue.has(c) == 0)
        s.queue.put(c)

    @action
    def serve(s, c):
        require(s.queue.length > 0)
        require(s.queue.first == c)
        s.served_before[c] = s.bill.of
        s.bill.of = s.queue.take()
        s.lines[c].next = s.bill.of

    @invariant
    def who_is_served_is_a_customer(s):
        return (s.bill.of >= 0) & (s.bill.of < len(s.customers))


def test_the_values_are_the_members() -> None:
    """An index that is refused, has another range, or is read differently by an engine."""
    model = Model(Shop())
    found = check(model, "exhaustive")
    assert {v.answer for v in found} == {"holds"}
    ranges = {cell.label: (cell.low, cell.high) for cell in model.cells}
    assert ranges["bill.of"] == ranges["queue[1]"] == ranges["lines[C0].next"] == (0, 2)
    assert len(list(model.initial_states())) == 1


def test_they_are_shown_by_their_labels() -> None:
    """A chart that shows 2 in place of the customer C2."""
    model = Model(Shop())
    cells = {cell.label: cell for cell in model.cells}
    for name in ("bill.of", "queue[0]", "served_before[C1]", "lines[C0].next"):
        assert model.show_value(cells[name], 2) == "C2", name


class Post(Spec):
    """Letters with a value."""

    letters = Queue(Record(value=Integer(0, 3), place=Integer(0, 3)), capacity=2)

    @action
    def write(s):
        require(s.letters.length == 0)
        s.letters.put(value=3, place=1)
        s.letters.append(value=2, place=2)
        s.letters.pop(0)

    @invariant
    def the_second_stays(s):
        if s.letters.length == 0:
            return True
        return s.letters.first == {"value": 2, "place": 2}


def test_a_field_may_be_called_value() -> None:
    """A name of a field that is taken for a parameter of put and append."""
    assert {v.answer for v in check(Model(Post()), "exhaustive")} == {"holds"}
