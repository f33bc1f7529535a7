"""A spec that is a part of another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Instance,
    Integer,
    Number,
    Queue,
    Spec,
    action,
    every,
    invariant,
    require,
    sometimes,
)
from counterpoint.models.checking.engines import Options, check
from counterpoint.models.explore.exhaustive import explore
from counterpoint.models.loading import load, specs_in
from counterpoint.spec.notation import Model, SpecError


class Lock(Spec):
    """A lock with a queue of those who wait."""

    users = Index(2, names="u", labels="U")
    most = Number(1, at_least=1, at_most=2)
    held = Array(users, Boolean(), initially=lambda s, u: u == len(s.users) - 1 and s.most == 2)
    waiting = Queue(Integer(0, 3), capacity=2)

    @action
    def ask(s, u):
        require(s.waiting.length < s.most)
        s.waiting.put(u)

    @action
    def take(s, u):
        require(s.waiting.length > 0)
        require(s.waiting.first == u)
        require(every(s.held[v] == 0 for v in s.users))
        s.waiting.take()
        s.held[u] = True

    @invariant
    def at_most_one(s):
        return every(s.held[0] + s.held[1] <= 1)


class Room(Spec):
    """Two doors, each with a lock of its own; the light follows the first door."""

    people = Index(2, names="p", labels="P")
    doors = Index(2, names="d", labels="D")
    lock = Array(doors, Instance(Lock, users=lambda s: len(s.people)))
    light = Instance(Lock, most=2)

    @action
    def ask(s, d, p):
        s.lock[d].ask(p)

    @action
    def take(s, d, p):
        s.lock[d].take(p)

    @action
    def leave(s, d, p):
        require(s.lock[d].held[p])
        s.lock[d].held[p] = False

    @invariant
    def safe(s):
        return every(s.lock[d].at_most_one() for d in s.doors)

    @sometimes
    def both(s):
        return s.lock[0].held[0] & s.lock[1].held[0]


def test_the_states_are_those_of_the_parts() -> None:
    """A part that shares cells with another, or starts otherwise than its spec does."""

    class Alone(Lock):
        """One lock, with the action that leaves it."""

        @action
        def leave(s, u):
            require(s.held[u])
            s.held[u] = False

    alone = len(explore(Model(Alone())).states)
    model = Model(Room())
    run = explore(model)
    assert len(run.states) == alone**2
    labels = [cell.label for cell in model.cells]
    assert "lock[D1].held[U0]" in labels
    assert "lock[D0].waiting.length" in labels
    assert "light.waiting[1]" in labels
    first = dict(zip(labels, next(model.initial_states()), strict=True))
    assert (first["light.held[U1]"], first["lock[D0].held[U1]"]) == (1, 0)


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "stateful"])
def test_engines_run_the_actions_of_parts(engine: str) -> None:
    """An action of a part whose requirements or assignments are lost."""
    found = check(Model(Room()), engine, options=Options(steps=5, runs=300))
    assert {v.claim.name: v.answer for v in found} == {
        "safe": "holds", "both": "holds", "ranges": "holds",
    }  # fmt: skip


def test_what_is_no_spec_or_has_wrong_parameters() -> None:
    """A wrong part that is found late, or by an error of Python's own."""
    with pytest.raises(SpecError, match="Instance takes a spec"):
        Instance(3)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="has no parameter 'usrs'"):
        Instance(Lock, usrs=3)
    with pytest.raises(SpecError, match="light is a spec: assign to its variables"):
        Model(Room()).at(next(Model(Room()).initial_states())).light = 3


def test_a_part_may_start_anywhere() -> None:
    """The initial states of a part that are lost."""

    class Free(Spec):
        """Any value."""

        value = Integer(0, 2, initially=ANY)

        @action
        def rest(s):
            require(False)

    class Around(Spec):
        """Two of them."""

        one = Instance(Free)
        two = Instance(Free)

        @action
        def rest(s):
            s.one.rest()

    assert len(list(Model(Around()).initial_states())) == 9


def test_the_text_of_a_part_is_read() -> None:
    """A part that asks for the identity of a value, which no engine can."""

    class Wrong(Lock):
        """It compares by identity."""

        @action
        def look(s, u):
            require(s.held[u] is True)

    class Outside(Spec):
        """It has such a part."""

        lock = Instance(Wrong)

        @action
        def act(s):
            s.lock.look(0)

    with pytest.raises(SpecError, match="compares by identity"):
        Model(Outside())


def test_a_part_without_claims_is_not_a_spec_of_its_own(tmp_path: Path) -> None:
    """A part that is checked alone, or a spec with a property that is not checked."""
    path = tmp_path / "house_spec.py"
    part = (
        "class NAME(Spec):\n    x = Integer(0, 1)\n\n    @action\n    def go(s):\n        s.x = 1\n"
    )
    claim = "\n    @sometimes\n    def fine(s):\n        return s.x == 1\n"
    path.write_text(
        "from counterpoint import *\nkids = Index(2)\n\n"
        + part.replace("NAME", "Inner")
        + part.replace("NAME", "InArray")
        + part.replace("NAME", "Abstract")
        + part.replace("NAME", "Claims")
        + claim
        + part.replace("NAME", "Alone")
        + part.replace("NAME", "House")
        + "    a = Instance(Inner)\n    b = Array(kids, Instance(InArray))\n"
        "    c = Instance(Claims)\n\n"
        "    @refines(Abstract)\n    def mapping(s, abstract):\n        abstract.x = s.x\n"
    )
    assert specs_in(path) == ["Claims", "Alone", "House"]
    assert load(f"{path}:Inner").name == "inner"


def test_a_spec_whose_action_was_not_marked_is_not_passed_over(tmp_path: Path) -> None:
    """A spec in a file of several that is never checked, as nothing in it is marked @action."""
    path = tmp_path / "several_spec.py"
    act = "    @action\n    def go(s):\n        s.x = 1\n\n"
    path.write_text(
        "from counterpoint import *\n\n"
        "class Forgot(Spec):\n    x = Integer(0, 1)\n\n    def go(s):\n        s.x = 1\n\n"
        "class Data(Spec):\n    q = Queue(Integer(0, 1), capacity=2)\n\n"
        "class Tools(Spec):\n    def one(s):\n        return 1\n\n"
        "class Base(Spec):\n    x = Integer(0, 1)\n\n"
        "class Part(Spec):\n    x = Integer(0, 1)\n\n"
        "class Fine(Base):\n    part = Instance(Part)\n\n" + act
    )
    assert specs_in(path) == ["Forgot", "Data", "Fine"]
    with pytest.raises(SpecError, match=r"forgot has no action: mark its methods .* with @action"):
        load(f"{path}:Forgot")
