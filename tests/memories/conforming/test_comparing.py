"""Threads beside a small spec: steps, steps in vain, other points, partial mappings."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from counterpoint import Array, Boolean, Index, Integer, Spec, SpecError, action, no, require
from counterpoint.memories import Controlled, acquire, step
from counterpoint.memories.conforming import Comparison, RunDiffers, Watch
from counterpoint.memories.points import Point
from counterpoint.models.conforming.columns import Column, table
from counterpoint.spec.notation import Model


class Lock(Spec):
    """Workers take a lock, count, and free it; a count can be lost in secret."""

    workers = Index(2, names="w", labels="W")
    has = Array(workers, Boolean())
    count = Integer(0, 3)
    secret = Boolean()

    @action
    def take(s, w: int) -> None:
        """Take the lock."""
        require(no(s.has[u] for u in s.workers))
        s.has[w] = True

    @action
    def add(s, w: int) -> None:
        """Count, once in secret."""
        require(s.has[w])
        s.count = s.count + 1

    @action
    def free(s, w: int) -> None:
        """Free the lock."""
        require(s.has[w])
        s.has[w] = False

    @action
    def hide(s) -> None:
        """Lose one in secret, once."""
        require(no(s.secret), s.count > 0)
        s.secret = True
        s.count = s.count - 1


class Code:
    """The lock in code, with a fault to plant."""

    def __init__(self, fault: str = "") -> None:
        self.owner: int | None = None
        self.count = 0
        self.fault = fault
        self.mutex = threading.Lock()

    def work(self, w: int) -> None:
        """Take, count and free."""
        if self.fault == "no-lock":
            step("take", w=w)
        else:
            acquire(self.mutex, "take", w=w)
        self.owner = w
        step("look", w=w)
        if self.fault == "other-point":
            self.count += 1
        step("add", w=w)
        self.count += 2 if self.fault == "twice" else 1
        step("free", w=w)
        self.owner = None
        if self.fault != "no-lock":
            self.mutex.release()

    def state(self) -> dict[str, Any]:
        """Return all that the code has."""
        return {"has": [self.owner == w for w in (0, 1)], "count": self.count}


Choose = Callable[[list[Point]], int]


def last(able: list[Point]) -> int:
    """Let the last thread go on, so that both are at work at a time."""
    return len(able) - 1


def alternating() -> Choose:
    """Return a choice that lets the threads go on in turn."""
    turn = [0]

    def choose(able: list[Point]) -> int:
        turn[0] += 1
        return turn[0] % len(able)

    return choose


def run(
    code: Code, choose: Choose = last, look: Callable[[], Any] | None = None, **given: Any
) -> Comparison:
    """Run two workers beside the spec."""
    comparison = Comparison(Model(Lock()), points={"hide": "hide"} | given.pop("points", {}))
    watch = Watch(comparison, look or code.state, **given)
    Controlled([partial(code.work, w) for w in (0, 1)], after=watch.after).run(choose)
    return comparison


def differed(code: Code, choose: Choose = last, **given: Any) -> RunDiffers:
    """Return how code differs."""
    with pytest.raises(RunDiffers) as error:
        run(code, choose, **given)
    return error.value


def test_right_code_conforms_with_steps_in_vain() -> None:
    """Catches a step in vain, or a point that is no action, that is taken for a step."""
    comparison = run(Code(), alternating())
    assert dict(comparison.taken) == {"take": 2, "add": 2, "free": 2}
    assert comparison.steps > 8  # the second worker has tried in vain
    assert comparison.compared == {"has[W0]", "has[W1]", "count"}
    assert comparison.never_taken() == ["hide"]


def test_a_step_that_the_spec_does_not_allow() -> None:
    """Catches two workers in the lock, or another step that is named instead."""
    found = differed(Code("no-lock"), alternating())
    assert (found.number, found.thread, found.found.step) == (2, 0, "take(w=0)")
    assert found.found.reason.startswith("the spec does not allow this step: take(w=W0): ")
    assert found.found.allowed == ("add(w=W1)", "free(w=W1)")
    assert found.found.columns[:2] == (
        Column("has[W0]", "False", "True", True, True),
        Column("has[W1]", "True", "False", True, True),
    )


def test_a_wrong_value_after_a_step() -> None:
    """Catches a value that is not compared, and columns that do not show it."""
    found = differed(Code("twice"))
    assert (found.number, found.found.step) == (3, "add(w=1)")
    assert found.found.reason == "the spec allows no state with this count"
    assert table(found.found) == [
        "         spec   code",
        "has[W0]  False  False",
        "has[W1]  True   True",
        "count    1      2      differs",
    ]


def test_a_point_that_is_no_action_changes_nothing() -> None:
    """Catches a change between two actions that nobody sees."""
    found = differed(Code("other-point"))
    assert (found.number, found.found.step) == (2, "look(w=1)")
    assert found.found.reason == "look is no action of lock, so nothing may change"


def test_a_step_in_vain_changes_nothing() -> None:
    """Catches a change in a step that was tried in vain."""
    code = Code()

    def look() -> dict[str, Any]:
        looked[0] += code.owner is not None
        return code.state() | {"count": 3 if looked[0] == 2 else code.count}

    looked = [0]
    found = differed(code, alternating(), look=look)
    assert "was tried in vain, so nothing may change" in found.found.reason


def test_the_beginning_is_compared() -> None:
    """Catches code that begins otherwise."""
    code = Code()
    code.count = 1
    found = differed(code)
    assert (found.number, found.thread) == (0, None)
    assert found.found.reason == "the code begins in another state"


def test_unknown_variables_are_existential() -> None:
    """Catches a partial mapping that is compared along one run alone, or that finds nothing."""
    code = Code()
    run(code, look=lambda: {"count": code.count})
    run(Code(), look=dict)
    wrong = Code("twice")
    assert differed(wrong, look=lambda: {"count": wrong.count}).number == 3


def test_steps_without_a_point_happen_at_any_time() -> None:
    """Catches a secret step that is not looked for, or one that explains everything."""
    code = Code()

    def lossy() -> dict[str, Any]:
        return {"has": code.state()["has"], "count": max(0, code.count - 1)}

    run(code, look=lossy, points={"hide": None})
    code = Code()
    assert differed(code, look=lossy).number == 3
    wrong = Code("twice")
    found = differed(wrong, points={"hide": None}, look=wrong.state)
    assert (found.number, found.found.states) == (3, 2)
    found = differed(Code("no-lock"), alternating(), points={"hide": None})
    assert found.number == 2
    assert found.found.reason.startswith("the spec does not allow this step: take(w=W0)")


def test_other_names_and_arguments() -> None:
    """Catches names or arguments of points that are not translated."""
    code = Code()
    names = {"W0": 0, "W1": 1}

    def labelled(point: Point) -> dict[str, Any]:
        return {"w": list(names)[dict(point.arguments)["w"]]}

    assert run(code, arguments=labelled).taken["take"] == 2
    renamed = run(Code(), points={"add": "count"}, look=dict)
    assert renamed.never_taken() == ["add", "hide"]
    with pytest.raises(SpecError, match="no action 'grab'"):
        run(Code(), points={"grab": "take"})
    with pytest.raises(SpecError, match=r"before take\(w=1\), and no step of lock has these"):
        run(Code(), arguments=lambda point: {"w": 7})


def test_a_run_begins_where_the_trace_does() -> None:
    """Catches that any initial state of the spec counts as the one in which a trace begins."""
    model = Model(Lock())
    (start,) = model.initial_states()
    place = [cell.label for cell in model.cells].index("count")
    later = tuple(1 if k == place else value for k, value in enumerate(start))
    assert differed(Code(), first=[later]).number == 0
    assert run(Code(), first=[later, start]).taken["add"] == 2


class Held(Spec):
    """Who holds a lock; the mapping of the test shows only whether it is held."""

    workers = Index(2, names="w", labels="W")
    holder = Integer(0, 2)
    held = Boolean()

    @action
    def take(s, w: int) -> None:
        """Take the lock."""
        require(no(s.held))
        s.holder, s.held = w + 1, True

    @action
    def drop(s, w: int) -> None:
        """Free the lock that is one's own."""
        require(s.holder == w + 1)
        s.holder, s.held = 0, False


@pytest.mark.parametrize("named", [True, False])
def test_points_that_say_the_same_are_different_steps_of_threads(named: bool) -> None:
    """Catches a thread that frees the lock of another one, where points do not name the thread."""
    held = [False]

    def go(name: str, w: int, now: bool) -> None:
        step(name, **({"w": w} if named else {}))
        held[0] = now

    def first() -> None:
        go("take", 0, True)
        go("drop", 0, False)
        go("take", 0, True)

    watch = Watch(
        Comparison(Model(Held())), lambda: {"held": held[0]}, lambda point: {"w": point.thread}
    )
    controlled = Controlled([first, lambda: go("drop", 1, False)], after=watch.after)
    with pytest.raises(RunDiffers):
        controlled.run(lambda able: 0)


def test_a_point_with_other_arguments_than_the_action_is_named() -> None:
    """Catches a slip in the name of an argument, after which any worker may be meant."""
    comparison = Comparison(Model(Held()))
    with pytest.raises(SpecError, match="take has no such parameter"):
        comparison.steps_of(Point(0, "take", (("worker", 1),)), {"worker": 1})


class Flag(Spec):
    """A flag that one tries to raise: it is raised, or was so before."""

    workers = Index(2, names="w", labels="W")
    up = Boolean()
    misses = Integer(0, 2)

    @action
    def hit(s, w: int) -> None:
        """Raise it."""
        require(no(s.up))
        s.up = True

    @action
    def miss(s) -> None:
        """Find it raised."""
        require(s.up)
        s.misses = s.misses + 1


@pytest.mark.parametrize("count", [1, 2])
def test_a_point_that_can_be_several_actions(count: int) -> None:
    """Catches a step judged as the first of them alone, or the others counted as never taken."""
    flag = {"up": False, "misses": 0}

    def attempt(w: int) -> None:
        step("try", w=w)
        if flag["up"]:
            flag["misses"] += count
        flag["up"] = True

    comparison = Comparison(Model(Flag()), points={"miss": "try", "hit": "try"})
    watch = Watch(comparison, lambda: flag)
    controlled = Controlled([partial(attempt, w) for w in (0, 1)], after=watch.after)
    if count == 2:
        with pytest.raises(RunDiffers):
            controlled.run(lambda able: 0)
        return
    controlled.run(lambda able: 0)
    assert dict(comparison.taken) == {"hit": 1, "miss": 1}
    assert comparison.never_taken() == []


class Lamp(Spec):
    """A lamp that is lit at once, or armed and then lit in secret."""

    armed = Boolean()
    lit = Boolean()

    @action
    def light(s) -> None:
        """Light it."""
        require(no(s.lit), no(s.armed))
        s.lit = True

    @action
    def arm(s) -> None:
        """Let it be lit later."""
        require(no(s.lit), no(s.armed))
        s.armed = True

    @action
    def glow(s) -> None:
        """Light it in secret."""
        require(s.armed, no(s.lit))
        s.lit = True


@pytest.mark.parametrize(
    ("shown", "taken"),
    [
        ({"lit": True}, {"light": 1, "arm": 1}),
        ({"lit": False}, {"arm": 1}),
        ({"lit": True, "armed": True}, {"arm": 1}),
    ],
)
def test_an_action_that_silent_steps_complete_was_taken(
    shown: dict[str, bool], taken: dict[str, int]
) -> None:
    """Catches an action counted as never taken since only a step without a point shows it."""
    seen = dict.fromkeys(shown, False)

    def press() -> None:
        step("press")
        seen.update(shown)

    points = {"light": "press", "arm": "press", "glow": None}
    comparison = Comparison(Model(Lamp()), points=points)
    watch = Watch(comparison, lambda: seen)
    Controlled([press], after=watch.after).run(lambda able: 0)
    assert dict(comparison.taken) == taken
    assert comparison.never_taken() == [name for name in ("light", "arm") if name not in taken]


def test_an_action_whose_parameters_a_point_does_not_name_is_another() -> None:
    """Catches a refusal since the first action of a point lacks what the second one has."""

    class Named(Flag):
        """Both actions have a parameter, of other names."""

        @action
        def miss(s, k: int) -> None:
            """Find it raised."""
            require(s.up)
            s.misses = s.misses + 1

        ks = Index(2, names="k", labels="K")

    comparison = Comparison(Model(Named()), points={"miss": "try", "hit": "try"})
    for name, number, wanted in (("w", 0, "hit"), ("k", 1, "miss")):
        point = Point(0, "try", ((name, number),))
        (found,) = comparison.steps_of(point, {name: number})
        assert (found.action, found.binding) == (wanted, (number,))
