"""One set of tests that every engine passes, and tests of single engines."""

from __future__ import annotations

import pickle

import pytest

from counterpoint.models.checking.engines import SEARCHES, Options, check
from counterpoint.models.explore import exhaustive
from counterpoint.models.limits import Limits
from counterpoint.models.prove import bounded
from counterpoint.models.random import stateful
from counterpoint.models.random.minimise import minimise
from counterpoint.models.verdict import Trace, Verdict, replay, violates
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    SpecError,
    Step,
    action,
    every,
    finished,
    initially,
    invariant,
    require,
    some,
    sometimes,
    transition,
)
from counterpoint.spec.stm.window import Window


class Philosophers(Spec):
    """Each philosopher takes the left fork and then the right one, which can deadlock."""

    seats = Index(3, names="p", labels="P", at_least=2)
    left = Array(seats, Boolean())
    right = Array(seats, Boolean())

    def neighbour(s, p: int) -> int:
        """Return the seat to the right."""
        return (p + 1) % len(s.seats)

    @action
    def take_left(s, p):
        require(not s.left[p], not s.right[p - 1 if p else len(s.seats) - 1])
        s.left[p] = True

    @action
    def take_right(s, p):
        require(s.left[p], not s.right[p], not s.left[s.neighbour(p)])
        s.right[p] = True

    @action
    def eat(s, p):
        require(s.left[p], s.right[p])
        s.left[p] = False
        s.right[p] = False

    @finished
    def never(s):
        return False

    @sometimes
    def somebody_eats(s):
        return some(every(s.left[p], s.right[p]) for p in s.seats)


class Walk(Spec):
    """A number that starts anywhere and grows; it may leave its range, and once jumps back."""

    steps = Index(2, names="k", labels="by1 by2")
    place = Integer(-3, 3, initially=ANY)
    jumped = Boolean()

    @initially
    def low(s):
        return s.place <= -2

    @action
    def go(s, k):
        require(s.place < 3)
        s.place = s.place + k + 1

    @action
    def jump(s):
        require(s.place == 2, not s.jumped)
        s.place = -3
        s.jumped = True

    @transition
    def forward(s, after):
        return after.place >= s.place

    @invariant
    def below_three(s):
        return s.place < 3

    @sometimes
    def sky(s):
        return every(s.place == 3, s.jumped)

    @sometimes
    def nowhere(s):
        return every(s.place == 0, s.place == 1)


FEW = Options(runs=100)
"""Random runs that are enough for a few states."""


def by_name(verdicts: list[Verdict]) -> dict[str, Verdict]:
    """Return verdicts by property."""
    return {v.claim.name: v for v in verdicts}


@pytest.mark.parametrize("engine", SEARCHES)
def test_deadlock_is_found(engine: str) -> None:
    """An engine that does not notice a state without a possible step."""
    verdicts = by_name(check(Model(Philosophers()), engine, options=FEW))
    found = verdicts["no-deadlock"]
    assert (found.answer, found.depth) == ("violated", 3)
    assert found.reason == "no step is possible, and the run may not end there"
    assert verdicts["somebody-eats"].answer == "holds"
    assert verdicts["somebody-eats"].trace is not None


@pytest.mark.parametrize("engine", SEARCHES)
def test_every_kind_of_property_from_several_starts(engine: str) -> None:
    """An engine that uses only one initial state, or misses a kind of property."""
    model = Model(Walk())
    verdicts = by_name(check(model, engine, options=FEW))
    lengths = {"forward": 3, "below-three": 3, "ranges": 3}
    for name, steps in lengths.items():
        found = verdicts[name]
        assert found.answer == "violated", name
        assert found.trace is not None
        assert violates(model, found.claim, found.trace), name
        if engine != "stateful":
            assert found.depth == steps, name
    assert verdicts["sky"].answer == "holds"
    nowhere = {"exhaustive": "violated", "bounded": "violated", "stateful": "unknown"}
    assert verdicts["nowhere"].answer == nowhere[engine]
    assert "place would become 4, outside -3..3, in go(k=by2)" in verdicts["ranges"].reason


@pytest.mark.parametrize("engine", SEARCHES)
def test_one_property_can_be_asked_alone(engine: str) -> None:
    """An engine that stops too early, or reports a property that was not selected."""
    model = Model(Walk())
    for name in ("forward", "below-three", "ranges", "sky"):
        (found,) = check(model, engine, wanted=[model.property_named(name)], options=FEW)
        assert found.claim.name == name
        assert found.answer == ("holds" if name == "sky" else "violated")


@pytest.mark.long
@pytest.mark.parametrize("engine", SEARCHES)
def test_a_time_limit_leaves_the_rest_unknown(engine: str) -> None:
    """A time limit that is ignored, or an unfinished run that is called clean."""
    model = Model(Window(transactions=4, objects=3))
    verdicts = check(model, engine, Limits(seconds=0.3))
    open_ = [v for v in verdicts if v.answer == "unknown"]
    assert {"opacity", "one-owner"} <= {v.claim.name for v in open_}
    assert all("time limit" in v.reason for v in open_ if v.claim.kind != "sometimes")
    assert max(v.seconds for v in verdicts) < 20


def test_a_memory_limit_leaves_the_rest_unknown() -> None:
    """A check that uses more memory than its limit allows."""
    verdicts = exhaustive.check(Model(Window()), Limits(bytes=1))
    assert "memory limit" in by_name(verdicts)["opacity"].reason


def test_bounded_says_how_far_it_went() -> None:
    """An answer that claims more than its bound, or a violation beyond the bound."""
    model = Model(Window(fetch_and_increment="old"))
    opacity = [model.property_named("opacity")]
    (short,) = bounded.check(model, wanted=opacity, steps=12)
    assert (short.answer, short.extent) == ("holds", "12 steps")
    (enough,) = bounded.check(model, wanted=opacity, steps=13)
    assert (enough.answer, enough.extent, enough.depth) == ("violated", "13 steps", 13)
    walk = Model(Walk())
    verdicts = by_name(bounded.check(walk, steps=2))
    assert {verdicts[n].answer for n in ("forward", "ranges", "below-three")} == {"holds"}
    assert verdicts["sky"].answer == "unknown"


def test_a_spec_without_initial_state_is_unknown() -> None:
    """A spec without initial states, of which every property would be true."""

    class Empty(Walk):
        @initially
        def impossible(s):
            return s.place > 3

    for engine in SEARCHES:
        answers = {v.claim.kind: v.answer for v in check(Model(Empty()), engine)}
        assert set(answers.values()) == {"unknown"}, engine


def test_dead_actions_are_reported() -> None:
    """An action that is never possible and is not reported."""

    class Dead(Walk):
        @action
        def fly(s):
            require(s.place > 3)

    (first, *_) = exhaustive.check(Model(Dead()))
    assert first.notes == ("never possible: fly",)


def test_minimise_drops_whole_transactions_and_single_steps() -> None:
    """A counterexample with steps that the violation does not need."""
    model = Model(Window(transactions=3, fetch_and_increment="old"))
    claim = model.property_named("opacity")
    pair = Model(Window(fetch_and_increment="old"))
    (short,) = exhaustive.check(pair, wanted=[pair.property_named("opacity")])
    assert short.trace is not None
    useless = [Step("begin", (2,)), Step("write", (2, 0))]
    long = replay(model, [*useless, *short.trace.steps])
    assert violates(model, claim, long)
    small = minimise(model, claim, long)
    assert small.steps == short.trace.steps
    assert violates(model, claim, small)


def test_replay_refuses_a_step_that_is_not_possible() -> None:
    """A trace that is accepted without being run."""
    model = Model(Window())
    with pytest.raises(SpecError, match=r"step 2, validate\(t=T0\), is not possible there"):
        replay(model, [Step("begin", (0,)), Step("validate", (0,))])


def test_violates_looks_at_the_last_state_only() -> None:
    """A trace that is accepted although its last state violates nothing."""
    model = Model(Walk())
    fine = Trace(((-3, 0),), ())
    assert not any(violates(model, p, fine) for p in model.properties)


def test_models_and_verdicts_travel_between_processes() -> None:
    """A verdict that cannot be sent between the processes of the gate."""
    (found, *_) = exhaustive.check(Model(Window(fetch_and_increment="old")))
    again = pickle.loads(pickle.dumps(found))
    assert again.to_json() == found.to_json()


def test_the_machine_is_a_test_class_that_fails_with_the_steps() -> None:
    """A test class that passes although the spec is wrong, or that does not show the steps."""
    case = stateful.machine(Philosophers()).TestCase
    case.settings = stateful.settings(case.settings, database=None, derandomize=True)
    with pytest.raises(
        stateful.Violation, match="violated after these steps: no-deadlock"
    ) as caught:
        case("runTest").runTest()
    assert len(caught.value.trace.steps) == 3
    assert "take_left(p=P0)" in str(caught.value)


def test_stateful_says_what_share_it_reached() -> None:
    """Random runs that do not say how few of the states they reached."""
    (first, *_) = check(Model(Philosophers()), "stateful", options=FEW)
    assert first.notes == ("reached 100.0% of 14 states",)
