"""What is wrong with sets, queues, records and messages is said in one line, with its place."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.loading import load
from counterpoint.spec.notation import RangeError, SpecError

HEAD = """
from enum import IntEnum
from counterpoint import *

class Spec_(Spec):
    nodes = Index(2, names="p", labels="N")
"""

DECLARED = {
    "x = Set(3)": "Set takes an index, or a scalar such as Integer(0, 3), not 3",
    "x = Set(nodes, initially=[2])": "a Set cannot start with 2, which is none of the values",
    "x = Record()": "Record() has no field",
    "x = Record(of=3)": "the field of of a Record takes an index, or a variable such as Integer",
    "x = Queue(Integer(0, 1), 0)": "the capacity of a Queue is a whole number from 1 on, not 0",
    "x = Queue(Integer(0, 1, initially=ANY), 2)": "a Queue starts with one fixed value",
    "x = Messages()": "Messages() has no kind",
    "x = Messages(send=dict())": "a kind of message cannot be called 'send'",
    "x = Messages(vote=3)": "the fields of vote are a dict, as in dict(by=nodes), not 3",
    "x = Messages(vote=dict(kind=nodes))": "a field of vote cannot be called 'kind'",
    "x = Record(a=Boolean()); x_a = Boolean()": "x_a is a part of x",
    "x = Array(nodes, Set(nodes), initially=3)": "elements with parts takes no initially",
    "x = DerivedIndex(3)": "DerivedIndex takes a function of the spec, not 3",
    "x = choose(3)": "choose takes an index, a scalar such as Integer(0, 3), messages, or texts",
    "x = choose('a', 'a')": "two texts are equal",
    "x = some_subset(3)": "some_subset takes an index, not 3",
}


@pytest.mark.parametrize("declared", DECLARED)
def test_a_declaration(declared: str, tmp_path: Path) -> None:
    """A wrong declaration that is accepted, or refused by an error of Python's own."""
    path = tmp_path / "wrong.py"
    path.write_text(f"{HEAD}    {declared}\n    @action\n    def act(s, p): pass\n")
    with pytest.raises(SpecError) as caught:
        check(load(str(path)))
    assert DECLARED[declared] in str(caught.value)
    assert "wrong.py:" in str(caught.value)
    assert "\n" not in str(caught.value)


BODY = """
    some = Set(nodes)
    row = Queue(Integer(1, 2), capacity=2)
    rows = Array(nodes, Queue(Integer(1, 2), capacity=3))
    flags = Queue(Boolean(), capacity=2)
    signs = Set(Integer(-1, 0))
    note = Record(kind=Integer(0, 1), by=Reference(nodes, IntEnum("Nobody", {"NONE": -1})))
    net = Messages(vote=dict(by=nodes, term=Integer(1, 2)), stop=dict())
    bag = Bag(nodes, copies=1)
    known = Map(nodes, Integer(1, 2))

    @action
    def act(s, p, m=choose(net)):
        ACT
"""

DONE = {
    "s.row.append(1); s.row.put(1); s.row.put(2)": "row is full: it has room for 2 values",
    "s.row.take()": "row has no value at the place that is used",
    "s.row[p] = 1": "row has no value at the place that is used",
    "s.bag.add(p); s.bag.add(p)": "bag would have more than 1 copies of a value",
    "s.bag.remove(p)": "bag does not have the value to remove",
    "s.some.remove(p)": "some does not have the value to remove: require that it has, or write",
    "s.known.remove(p)": "known does not have the value to remove",
    "s.row.put(s.known[p])": "known has no value for the key that is read",
    "s.some = [5]": "is used for some",
    "require(s.some >= [7])": "is used for some",
    "require(no((s.some | [0]).has(2)))": "is used for some",
    "s.signs.add(1)": "is used for signs",
    "s.known[p] = 3": "known[N0] would become 3, outside 1..2",
}


@pytest.mark.parametrize("done", DONE)
def test_a_step_that_cannot_be(done: str, tmp_path: Path) -> None:
    """A step that a queue, a bag or a map cannot take, and that does not violate `ranges`."""
    path = tmp_path / "wrong.py"
    path.write_text(HEAD + BODY.replace("ACT", done))
    (verdict,) = [v for v in check(load(str(path))) if v.claim.name == "ranges"]
    assert verdict.answer == "violated"
    assert verdict.trace is not None
    assert DONE[done] in verdict.reason + str(verdict.trace), verdict


MISUSED = {
    "s.note.kid = 1": "note has no field 'kid' (its fields: kind, by)",
    "s.note = dict(kind=1)": "note: the field 'by' is missing (its fields: kind, by)",
    "s.note = 3": "note is a record: assign its fields, a dict with all of them, or a record",
    "s.net.vot.send(by=p)": "net has no message 'vot' (its kinds: vote, stop)",
    "s.net.vote.send(by=p)": "vote: the field 'term' is missing (its fields: by, term)",
    "s.net.vote.send(by=p, term=1, of=2)": "vote has no field 'of' (its fields: by, term)",
    "require(m.term == 1)": "a message stop has no field 'term' (its fields: none)",
    "s.net.send(3)": "a message is a parameter m=choose(...) of the action, or name its kind",
    "s.net = 3": "net are messages: send and remove change them",
    "s.some = 3": "some is a set: 3 is no set and no collection of members",
    "[x for x in s.some]": "some is a set: loop over its index and ask has",
    "s.bag = 1": "bag is a bag: add and remove change it",
    "s.known = {0: 1}": "known is a map: assign to one of its keys",
    "s.row = 1": "row is a sequence: append changes it",
    "s.row = s.rows[p]": "or assign another sequence of the same capacity and kind",
    "s.row = s.flags": "or assign another sequence of the same capacity and kind",
    "require(s.row == s.flags)": "row is compared with a sequence of the same capacity and kind",
    "s.some = s.signs": "some: the other set is over another index",
    "require(s.some <= s.signs)": "some: the other set is over another index",
    "s.row.append(1, by=2)": "row.append takes one value, or the fields of a record",
    "s.rows[p, p].put(1)": "rows has 1 indices, not 2",
}


@pytest.mark.parametrize("done", MISUSED)
def test_a_use_that_cannot_be(done: str, tmp_path: Path) -> None:
    """A wrong use that is accepted, or refused by an error of Python's own or without its line."""
    path = tmp_path / "wrong.py"
    path.write_text(HEAD + BODY.replace("ACT", done))
    with pytest.raises(SpecError) as caught:
        check(load(str(path)))
    line = 1 + (HEAD + BODY).partition("ACT")[0].count("\n")
    assert MISUSED[done] in str(caught.value)
    assert str(caught.value).startswith(f"{path}:{line}: in act: ")
    assert "\n" not in str(caught.value)


def test_an_invariant_that_changes_a_set(tmp_path: Path) -> None:
    """A property that changes the state through a method."""
    path = tmp_path / "wrong.py"
    text = HEAD + BODY.replace("ACT", "s.some.add(p)")
    path.write_text(
        f"{text}\n    @invariant\n    def same(s):\n        s.some.add(0)\n        return True\n"
    )
    with pytest.raises(SpecError, match="same assigns to some: only an action may change"):
        check(load(str(path)))


TOO_LARGE = {
    "many = Index(14); act = action(lambda s, q=some_subset(many): None)": (
        "action act: parameter q: some_subset of many has 16,384 members; 1 to 4,096 are allowed"
    ),
    "act = action(lambda s, v=choose(Integer(0, 9999)): None)": (
        "action act: parameter v: choose among the values of Integer has 10,000 members; 1 to"
    ),
    "few = Index(3); many = Index(4000, at_most=9999); "
    "act = action(lambda s, a=choose(many), b=choose(many), c=choose(few): None)": (
        "action act has 48,000,000 combinations of its parameters (4000 x 4000 x 3), and at most "
        "65,536 are allowed: make what a ranges over smaller"
    ),
    "x = Set(Integer(0, 9999))": "x: the domain of the Set has 10,000 members; 1 to 4,096",
    "x = Bag(Integer(0, 9999), copies=2)": "x: the domain of the Bag has 10,000 members; 1 to",
    "x = Map(Integer(0, 9999), nodes)": "x.has: the domain of the Map has 10,000 members; 1 to",
    "x = Queue(nodes, lambda s: 9999)": "a Queue has 9,999 places; 1 to 4,096 are allowed",
    "net = Messages(ask=dict(), vote=dict(by=nodes, term=Integer(0, 299), log=Integer(0, 299)))": (
        "net.vote would have 180,000 cells (2 x 300 x 300), and at most 65,536 are allowed: make "
        "the field term of vote, of 300, or another part of it smaller"
    ),
    "many = Index(9999, at_most=9999); rows = Array(many, Set(Integer(0, 99)))": (
        "rows would have 999,900 cells (9999 x 100), and at most 65,536 are allowed: make many, of "
        "9,999, or another part of it smaller"
    ),
    "many = Index(99999, at_most=99999); x = Array(many, Boolean())": (
        "x would have 99,999 cells, and at most 65,536 are allowed: make many, of 99,999"
    ),
    "many = Index(50000, at_most=50000); x = Array(many, Boolean()); y = Array(many, Boolean()); "
    "z = Boolean()": (
        "the variables of spec_ would have 100,001 cells, and at most 65,536 are allowed: x has "
        "most of them, 50,000"
    ),
}


@pytest.mark.parametrize("body", TOO_LARGE)
def test_a_domain_that_is_too_large(body: str, tmp_path: Path) -> None:
    """Values that would be enumerated for hours, or an error that does not say where they are."""
    path = tmp_path / "wrong.py"
    act = "" if "act =" in body else "\n\n    @action\n    def act(s):\n        pass"
    path.write_text(f"{HEAD}    {body}{act}\n")
    with pytest.raises(SpecError) as caught:
        check(load(str(path)))
    line = 1 + HEAD.count("\n")
    assert str(caught.value).startswith(f"{path}:{line}: {TOO_LARGE[body]}")


def test_a_spec_of_many_cells(tmp_path: Path) -> None:
    """A number of cells that is allowed, and takes for ever."""
    path = tmp_path / "many.py"
    path.write_text(
        f"{HEAD}    many = Index(16384, at_most=16384)\n    x = Array(many, Boolean())\n\n"
        "    @action\n    def act(s):\n        s.x[3] = True\n"
    )
    (verdict,) = check(load(str(path)))
    assert (verdict.answer, verdict.states) == ("holds", 2)


def test_wrong_truth_and_length_name_what_to_write(tmp_path: Path) -> None:
    """A set or queue in a condition, with a message about loops."""
    for done, wanted in {
        "require(len(s.some) > 1)": "some is a set: write s.some.size",
        "require(not s.some)": "some is a set: write s.some.empty",
        "require(len(s.row) > 1)": "row is a sequence: write s.row.length",
        "require(len(s.known) > 1)": "known is a map: write s.known.size",
        "s.rows[p].put(s.sum)": "has no 'sum' (it has: act, ",
    }.items():
        path = tmp_path / "wrong.py"
        path.write_text(HEAD + BODY.replace("ACT", done))
        with pytest.raises(SpecError) as caught:
            check(load(str(path)))
        assert wanted in str(caught.value)


def test_an_action_that_assigns_nothing_is_named(tmp_path: Path) -> None:
    """An assignment without `s.`, after which everything holds without a word."""
    path = tmp_path / "idle.py"
    path.write_text(HEAD + "    x = Integer(0, 3)\n\n    @action\n    def go(s):\n        x = 1\n")
    (verdict,) = check(load(str(path)))
    assert "never changes the state: go" in verdict.notes


def test_a_range_error_crosses_processes() -> None:
    """An error of a spec that becomes a traceback when a process sends it."""
    found = pickle.loads(pickle.dumps(RangeError("x", "x would become 3")))
    assert (type(found), found.variable, str(found)) == (RangeError, "x", "x would become 3")


def test_a_domain_without_a_member(tmp_path: Path) -> None:
    """An index of which there is no member, so that its actions are never possible."""
    path = tmp_path / "wrong.py"
    path.write_text(
        f"{HEAD}    none = DerivedIndex(lambda s: len(s.nodes) - 2, names='k')\n"
        "    @action\n    def act(s, k): pass\n"
    )
    with pytest.raises(SpecError, match="action act: parameter k: none has 0 members; 1 to 4,096"):
        check(load(str(path)))
