"""What a step changes, as people read it: whole queues, not their cells."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import pytest

from counterpoint import (
    Array,
    Boolean,
    Index,
    Instance,
    Integer,
    Map,
    Member,
    Queue,
    Record,
    Sequence,
    Set,
    Spec,
    action,
    invariant,
    no,
    require,
)
from counterpoint.models.checking.engines import check
from counterpoint.models.present.chart import chart
from counterpoint.models.present.page import page
from counterpoint.spec.notation import Model, Step, Values, readable_changes


class Colour(IntEnum):
    """A colour."""

    RED, BLUE = range(2)


class Shop(Spec):
    """A part of the spec below."""

    goods = Index(2, labels="tea milk")
    line = Queue(goods, capacity=2)
    open = Boolean()


class Rows(Spec):
    """Sequences in all places where they can be."""

    kids = Index(2, names="p", labels="K")
    plain = Queue(kids, capacity=3)
    rows = Array(kids, Queue(Record(colour=Member(Colour), sure=Boolean()), capacity=2))
    note = Record(size=Integer(0, 3), row=Sequence(Integer(0, 3), capacity=2))
    of = Map(kids, Record(row=Queue(kids, capacity=3)))
    sets = Sequence(Set(kids), capacity=2)
    deep = Sequence(Record(row=Queue(kids, capacity=3), n=Integer(-1, 3)), capacity=2)
    shop = Instance(Shop)
    some = Set(kids)
    flag = Boolean()

    @action
    def plainly(s, p):
        s.plain.put(p)
        s.flag = True

    @action
    def row(s, p):
        s.rows[p].put(colour=Colour.BLUE, sure=True)

    @action
    def noted(s, p):
        s.note.size = 2
        s.note.row.append(3)

    @action
    def mapped(s, p):
        s.of[p] = {"row": s.plain}

    @action
    def inside(s, p):
        s.sets.append([p])
        s.deep.append(row=s.plain, n=-1)

    @action
    def shopping(s, p):
        s.shop.line.put(p)
        s.shop.open = True

    @action
    def someone(s, p):
        s.some.add(p)


def after(*steps: str) -> tuple[Model, Values, Values]:
    """Return the states before and after the last of some steps of K1."""
    model = Model(Rows())
    before = values = next(model.initial_states())
    for name in steps:
        before, found = values, model.take(values, Step(name, (1,)))
        assert found is not None
        values = found
    return model, before, values


CHANGES: dict[tuple[str, ...], dict[str, tuple[Any, Any]]] = {
    ("plainly",): {"plain": ("⟨⟩", "⟨K1⟩"), "flag": (False, True)},
    ("plainly", "plainly"): {"plain": ("⟨K1⟩", "⟨K1, K1⟩")},
    ("row",): {"rows[K1]": ("⟨⟩", "⟨(colour=BLUE, sure=True)⟩")},
    ("noted",): {"note.size": (0, 2), "note.row": ("⟨⟩", "⟨3⟩")},
    ("plainly", "mapped"): {"of.has[K1]": (False, True), "of[K1].row": ("⟨⟩", "⟨K1⟩")},
    ("plainly", "inside"): {"sets": ("⟨⟩", "⟨{K1}⟩"), "deep": ("⟨⟩", "⟨(row=⟨K1⟩, n=-1)⟩")},
    ("shopping",): {"shop.line": ("⟨⟩", "⟨milk⟩"), "shop.open": (False, True)},
    ("someone",): {"some[K1]": (False, True)},
}


@pytest.mark.parametrize("steps", CHANGES)
def test_changes(steps: tuple[str, ...]) -> None:
    """A queue that is shown as its length and its places, or another value that is left out."""
    assert readable_changes(*after(*steps)) == CHANGES[steps]


def test_sets_as_a_whole() -> None:
    """A set whose new member is shown without those it has."""
    assert readable_changes(*after("someone"), sets=True) == {"some": ("{}", "{K1}")}


class Line(Spec):
    """Kids in a line."""

    kids = Index(3, names="p", labels="K")
    line = Queue(kids, capacity=2)

    @action
    def enter(s, p):
        require(no(s.line.full), p == 0 or s.line.has(p - 1))
        s.line.put(p)

    @action
    def leave(s, p):
        require(s.line.full)
        require(s.line.first == p)
        s.line.take()

    @invariant
    def the_second_stays(s):
        return no(s.line.length == 1) or s.line.first != 1


def test_a_chart_shows_the_queue() -> None:
    """A chart, on a terminal or a page, that shows how values move up in the cells of a queue."""
    (found, *_) = check(Model(Line()))
    shown = [line.split("  ")[-1].strip() for line in chart(found).splitlines()[1:4]]
    assert shown == ["line ⟨⟩→⟨K0⟩", "line ⟨K0⟩→⟨K0, K1⟩", "line ⟨K0, K1⟩→⟨K1⟩"]
    assert "line ⟨K0, K1⟩→⟨K1⟩" in page(found)
    assert found.trace is not None
    assert "line.length" in found.trace.to_json(found.model)[2]["changes"]
