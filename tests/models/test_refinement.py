"""A spec refines another: each of its steps is one there, or changes nothing there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Set,
    Spec,
    action,
    constraint,
    initially,
    ite,
    refines,
    require,
)
from counterpoint.models.checking import completing
from counterpoint.models.checking.engines import Options, check
from counterpoint.models.explore.exhaustive import explore
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.verdict import Verdict, violates
from counterpoint.spec.notation import Model, SpecError
from tests.needs import need


class Clock(Spec):
    """An hour that goes on by one."""

    hours = Index(4, names="h")
    hour = Integer(0, lambda s: len(s.hours) - 1)
    rung = Set(hours)

    @action
    def tick(s):
        s.hour = (s.hour + 1) % len(s.hours)

    @action
    def ring(s):
        s.rung.add(s.hour)


class Watch(Spec):
    """An hour in two bits, with a minute hand that the clock does not have."""

    hours = Index(4)
    carry = Choice("right", "lost")
    starts = Choice("at-zero", "anywhere")
    high = Boolean()
    low = Boolean(initially=lambda s: s.starts == "anywhere")
    minute = Integer(0, 2)
    heard = Array(hours, Boolean())

    @action
    def turn(s):
        s.minute = (s.minute + 1) % 3
        if s.minute == 0:
            if s.low:
                s.high = ite(s.high, s.carry == "lost", True)
            s.low = ite(s.low, False, True)

    @action
    def hear(s):
        require(s.minute == 1)
        s.heard[2 * ite(s.high, 1, 0) + ite(s.low, 1, 0)] = True

    @refines(Clock)
    def as_clock(s, abstract):
        abstract.hour = 2 * ite(s.high, 1, 0) + ite(s.low, 1, 0)
        for h in s.hours:
            if s.heard[h]:
                abstract.rung.add(h)
            else:
                abstract.rung.discard(h)


def verdict(spec: Spec, engine: str = "exhaustive", **options: int) -> Verdict:
    """Return the verdict of an engine on the refinement."""
    model = Model(spec)
    claim = model.property_named("as-clock")
    (found,) = check(model, engine, Limits(seconds=60), [claim], options=Options(**options))
    return found


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "stateful", "induction"])
def test_each_engine_judges_it(engine: str) -> None:
    """An engine that takes a wrong step for a right one, or the reverse."""
    holds = verdict(Watch(), engine, steps=8)
    assert holds.answer == "holds", holds.reason
    if engine != "induction":
        wrong = verdict(Watch(carry="lost"), engine, steps=14, runs=400)
        assert wrong.answer == "violated"
        assert wrong.trace is not None
        assert wrong.reason == (
            "in clock it would be hour: 3→2 and no other change, which is none of its steps"
        )
        assert violates(wrong.model, wrong.claim, wrong.trace)
        assert engine == "stateful" or len(wrong.trace.steps) == 12


@pytest.mark.parametrize("explorer", ["python", "compiled"])
def test_both_explorers_find_the_same_step(explorer: str) -> None:
    """A condition that one of the explorers evaluates otherwise."""
    if explorer == "compiled":
        need("gcc")
    model = Model(Watch(carry="lost"))
    (claim,) = [p for p in model.properties if p.name == "as-clock"]
    run = explore(model, None, [claim], explorer)
    assert claim.name in run.failures


def test_an_initial_state_is_judged() -> None:
    """A run that begins where no run of the abstract spec can begin."""
    found = verdict(Watch(starts="anywhere"))
    assert (found.answer, found.extent) == ("violated", "0 steps")
    assert found.reason == "hour of clock would start as 1"
    assert found.trace is not None
    assert violates(found.model, found.claim, found.trace)


MACHINES = """
from counterpoint import *

class Coarse(Spec):
    \"\"\"Three states.\"\"\"
    at = Integer(0, 2)
    ways = Index(COARSE, names="w", at_most=99)

    @action
    def go(s, w):
        require(s.at == BEGINS[w])
        s.at = ENDS[w]

class Fine(Spec):
    \"\"\"Six states, two for each of the others.\"\"\"
    at = Integer(0, 5)
    ways = Index(FINE, names="w", at_most=99)

    @action
    def go(s, w):
        require(s.at == FROM[w])
        s.at = TO[w]

    @refines(Coarse, ways=COARSE)
    def halves(s, abstract):
        abstract.at = s.at // 2
"""


def drawn(seed: int, path: Path) -> tuple[Model, bool]:
    """Return a random machine that may refine another one, and whether it does."""
    chance = random.Random(seed)
    pairs = [(a, b) for a in range(3) for b in range(3)]
    coarse = [pair for pair in pairs if chance.random() < 0.5] or [(0, 0)]
    allowed = {*coarse, (0, 0), (1, 1), (2, 2)}
    fine = [(chance.randrange(6), chance.randrange(6)) for _ in range(8)]
    if chance.random() < 0.5:
        fine = [(a, b) for a, b in fine if (a // 2, b // 2) in allowed] or [(0, 1)]
    text = MACHINES
    for name, value in {
        "BEGINS": tuple(a for a, _ in coarse), "ENDS": tuple(b for _, b in coarse),
        "FROM": tuple(a for a, _ in fine), "TO": tuple(b for _, b in fine),
        "COARSE": len(coarse), "FINE": len(fine),
    }.items():  # fmt: skip
        text = text.replace(name, str(value))
    path.write_text(text)
    reached = {0}
    while more := {b for a, b in fine if a in reached} - reached:
        reached |= more
    right = all((a // 2, b // 2) in allowed for a, b in fine if a in reached)
    return load(f"{path}:Fine"), right


def test_random_machines(tmp_path: Path) -> None:
    """A step that is none of the abstract machine, and accepted, or the reverse."""
    answers = set()
    for seed in range(60):
        model, right = drawn(seed, tmp_path / f"drawn{seed}.py")
        (claim,) = [p for p in model.properties if p.name == "halves"]
        for engine in ("exhaustive", "bounded"):
            (found,) = check(model, engine, wanted=[claim], options=Options(steps=7))
            assert found.answer == ("holds" if right else "violated"), (seed, engine)
            answers.add(found.answer)
    assert answers == {"holds", "violated"}


WRONG = {
    "abstract.hour = 7; abstract.rung.clear()": None,
    "abstract.hour = 0": "rung[0] of clock is never assigned",
    "abstract.hour = 0; abstract.rung.clear(); return 1": "a mapping returns nothing",
    "s.minute = 1; abstract.hour = 0; abstract.rung.clear()": "must not change the state",
    "require(s.low)": "require may be used in actions only",
    "abstract.our = 1": "clock has no variable 'our' to assign to",
    "abstract.hour = abstract.hour + 1": "hour of clock is read before it is assigned",
    "abstract.rung.clear(); abstract.hour = ite(s.low, 1, abstract.hour)": (
        "hour of clock is read before it is assigned"
    ),
    "abstract.hour = abstract.rung.has(2)": "rung[2] of clock is read before it is assigned",
    "abstract.rung.clear(); abstract.hour = [1]": "hour would become [1], which is no integer",
}


@pytest.mark.parametrize("body", WRONG)
def test_a_wrong_mapping(body: str, tmp_path: Path) -> None:
    """A mapping that is none, and accepted, or refused without its place."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from counterpoint import *\n"
        "from tests.models.test_refinement import Clock, Watch\n\n"
        "class Mine(Watch):\n"
        "    without = ('as_clock',)\n\n"
        "    @refines(Clock)\n"
        "    def mapping(s, abstract):\n"
        f"        {body}\n"
    )
    model = load(f"{path}:Mine")
    if WRONG[body] is None:
        (found,) = check(model, wanted=[model.property_named("mapping")])
        assert found.answer == "violated"
        why = "a range of clock at mine.py:9: hour would become 7, outside 0..3"
        assert found.reason == f"its image leaves {why}"
        return
    with pytest.raises(SpecError) as caught:
        check(model, wanted=[model.property_named("mapping")])
    assert str(WRONG[body]) in str(caught.value)
    line = 7 if "never assigned" in str(WRONG[body]) or "nothing" in str(WRONG[body]) else 9
    assert str(caught.value).startswith(f"{path}:{line}: in mapping: ")


def test_what_cannot_be_refined(tmp_path: Path) -> None:
    """A mark that names no spec, or wrong parameters of it."""
    with pytest.raises(SpecError, match="refines takes the abstract spec, a class"):
        refines(3)

    class Many(Watch):
        """The abstract spec has no such size."""

        without = ("as_clock",)

        @refines(Clock, hours=99)
        def mapping(s, abstract):
            abstract.hour = 0

    with pytest.raises(SpecError, match=r"the parameters of clock: hours is a whole number"):
        _ = Model(Many()).refinements


def test_a_start_that_the_abstract_spec_excludes() -> None:
    """A start that the abstract spec does not have."""

    class Morning(Clock):
        """It begins at any hour, but the last one."""

        hour = Integer(0, 3, initially=ANY)

        @initially
        def early(s):
            return s.hour <= 2

    class Late(Spec):
        """It starts too late."""

        hour = Integer(0, 3, initially=3)

        @action
        def stay(s):
            s.hour = 3

        @refines(Morning)
        def as_clock(s, abstract):
            abstract.hour = s.hour
            abstract.rung = []

    found = verdict(Late())
    assert (found.answer, found.extent) == ("violated", "0 steps")
    assert found.reason == "it does not satisfy early of morning"


class Bounded(Clock):
    """A clock of which the first hours alone are explored."""

    hour = Integer(0, lambda s: len(s.hours) - 1, initially=ANY)

    @constraint
    def early(s):
        return s.hour <= 1


class BoundedWatch(Watch):
    """A watch that is compared with it."""

    @refines(Bounded)
    def as_clock(s, abstract):
        Watch.as_clock(s, abstract)


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "stateful"])
def test_a_constraint_of_the_abstract_spec_forbids_no_step(engine: str) -> None:
    """A step or a start that is none since the abstract spec is not explored as far."""
    for starts in ("at-zero", "anywhere"):
        options = {"bounded": {"steps": 12}, "stateful": {"runs": 50}}.get(engine, {})
        found = verdict(BoundedWatch(starts=starts), engine, **options)
        assert found.answer == "holds", found.reason
    assert Model(Bounded()).constraints == ("early",)


def test_more_initial_states_than_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refinement that is called right although some initial states were not judged."""
    monkeypatch.setattr(completing, "MOST_STARTS", 2)

    class Open(Watch):
        """It begins with any minute."""

        minute = Integer(0, 2, initially=ANY)

    assert verdict(Watch()).answer == "holds"
    found = verdict(Open())
    assert (found.answer, found.reason) == ("unknown", "there are more than 2 initial states")
