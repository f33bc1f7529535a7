"""Parts of records, and what is removed that may not be there."""

from __future__ import annotations

import pytest

from counterpoint import (
    Array,
    Bag,
    Choice,
    Index,
    Integer,
    Map,
    Queue,
    Record,
    Set,
    Spec,
    action,
    choose,
    no,
    require,
)
from counterpoint.models.checking.engines import Options, check
from counterpoint.spec.notation import Model, Step


class Nested(Spec):
    """Queues and a map that are parts of others."""

    kids = Index(2, names="p")
    box = Record(row=Queue(kids, capacity=2), known=Map(kids, Integer(0, 2)))
    rows = Array(kids, Record(row=Queue(kids, capacity=2)))

    @action
    def fill(s, p):
        require(no(s.box.row.full))
        s.box.row.put(p)
        s.box.known[p] = 2

    @action
    def empty(s):
        s.box.row.clear()
        s.box.known.clear()
        s.rows[0].row.clear()


def test_queues_and_maps_in_records() -> None:
    """A queue or a map in a record that cannot be cleared."""
    model = Model(Nested())
    first = next(model.initial_states())
    filled = model.take(first, Step("fill", (1,)))
    assert filled is not None
    cells = zip(model.cells, filled, strict=True)
    now = {cell.label: model.show_value(cell, value) for cell, value in cells}
    assert (now["box.row.length"], now["box.row[0]"], now["box.known[1]"]) == (1, "1", 2)
    assert model.take(filled, Step("empty", ())) == first


class Absent(Spec):
    """What removes may not be there."""

    way = Choice("remove", "discard")
    kids = Index(2, names="p")
    box = Set(kids)
    bag = Bag(kids, copies=1)
    known = Map(kids, Integer(0, 1))

    @action
    def fill(s, p):
        s.box.add(p)
        s.bag.discard(p)
        s.bag.add(p)
        s.known[p] = 1

    @action
    def empty(s, p, where=choose("box", "bag", "known")):
        of = {"box": s.box, "bag": s.bag, "known": s.known}[where]
        if s.way == "remove":
            of.remove(p)
        else:
            of.discard(p)


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "stateful"])
def test_what_is_absent_can_be_discarded_and_not_removed(engine: str) -> None:
    """A step that removes nothing and goes on, as no set or dict of Python does."""
    (found,) = check(Model(Absent()), engine, options=Options(steps=4, runs=60))
    assert found.answer == "violated"
    assert (
        "does not have the value to remove: require that it has, or write discard" in found.reason
    )
    assert "at test_absent.py:" in found.reason
    (found,) = check(Model(Absent(way="discard")), engine, options=Options(steps=4, runs=60))
    assert found.answer == "holds"
    assert engine != "exhaustive" or found.states == 2**6
