"""Collections within collections: each has cells of its own."""

from __future__ import annotations

import pytest

from counterpoint import Array, Boolean, Index, Integer, Map, Queue, Record, Spec, action, no
from counterpoint.models.checking.engines import check
from counterpoint.spec.notation import Model, SpecError, Step


class Nested(Spec):
    """Values whose parts had the same names as those of what they are in."""

    ps = Index(2, names="p", labels="P")
    maps = Map(ps, Map(ps, Boolean()))
    queues = Queue(Queue(Integer(0, 2), capacity=2), capacity=2)
    records = Map(ps, Record(length=Integer(0, 3), has=Boolean(), size=Boolean()))
    rows = Queue(Record(length=Integer(0, 3)), capacity=2)
    waiting = Map(ps, Queue(ps, capacity=1))
    each = Array(ps, Queue(Integer(0, 2), capacity=2))

    @action
    def in_map(s, p):
        s.maps[p] = {}
        s.maps[p][p] = True

    @action
    def in_queue(s):
        s.each[0].put(2)
        s.each[1] = s.each[0]
        s.queues.put(s.each[1])
        s.queues[0].put(1)

    @action
    def in_record(s, p):
        s.records[p] = {"length": 3, "has": False, "size": True}
        s.rows.put(length=2)

    @action
    def empty(s, p):
        s.waiting[p] = []
        s.each[p] = []
        if s.maps.has(p):
            s.maps[p] = {}


def after(*steps: Step) -> Spec:
    """Return the state after some steps."""
    model = Model(Nested())
    values = next(model.initial_states())
    for step in steps:
        found = model.take(values, step)
        assert found is not None
        values = found
    return model.at(values)


def test_a_collection_in_a_collection() -> None:
    """A length or a key that is written to the cell of the outer collection."""
    s = after(Step("in_map", (1,)))
    assert s.maps.has(1) and no(s.maps.has(0)) and s.maps[1].has(1) and no(s.maps[1].has(0))
    s = after(Step("in_queue", ()))
    assert (s.queues.length, s.queues[0].length) == (1, 2)
    assert (s.queues[0][0], s.queues[0][1]) == (2, 1)


def test_a_field_with_the_name_of_a_length() -> None:
    """A field of an element that is the length of the collection."""
    s = after(Step("in_record", (0,)))
    assert s.records[0].length == 3 and no(s.records[0].has) and s.records.has(0)
    assert (s.rows.length, s.rows[0].length) == (1, 2)


def test_what_is_empty_is_assigned() -> None:
    """A key that cannot have an empty queue, or one that keeps what it had."""
    s = after(Step("in_map", (1,)), Step("in_queue", ()), Step("empty", (1,)))
    assert s.waiting.has(1) and s.waiting[1].empty and s.each[1].empty and s.each[0].length == 1
    assert s.maps.has(1) and no(s.maps[1].has(1))


def test_engines_agree_on_nested_collections() -> None:
    """A nested value of which an engine makes other cells than plain Python."""

    class Few(Nested):
        @action(when=lambda s: False)
        def in_record(s, p):
            pass

    found = {v.claim.name: v for v in check(Model(Few()), "exhaustive")}
    assert found["ranges"].answer == "violated" and found["ranges"].compared


def test_parts_with_one_name_are_refused() -> None:
    """Two fields that share a cell."""
    with pytest.raises(SpecError, match="d_a_b is a part of d"):

        class Clash(Spec):
            d = Record(a_b=Boolean(), a=Record(b=Boolean()))
