"""Random runs: when everything was seen, and not only every state."""

from __future__ import annotations

import pytest

from counterpoint.models.limits import Limits
from counterpoint.models.random import stateful
from counterpoint.models.random.stateful import Violated, Walker
from counterpoint.models.verdict import replay
from counterpoint.spec.notation import Integer, Model, Spec, Step, action, require, transition


class Stairs(Spec):
    """Up by one, or from the ground to the top at once, which is forbidden."""

    floor = Integer(0, 2)

    @action
    def up(s):
        """Take one stair."""
        require(s.floor < 2)
        s.floor = s.floor + 1

    @action
    def jump(s):
        """Take two."""
        require(s.floor == 0)
        s.floor = 2

    @transition
    def one_by_one(s, after):
        """No stair is left out."""
        return after.floor <= s.floor + 1


class Roof(Stairs):
    """From the top, a step leads off the roof."""

    @action
    def fall(s):
        """Leave the range."""
        require(s.floor == 2)
        s.floor = 3


def walked(spec: Spec) -> Walker:
    """Return a walker that went up stair by stair, and has looked at every state."""
    model = Model(spec)
    walker = Walker(model, model.properties, Limits())
    up = Step("up", ())
    for steps in ([], [up], [up, up]):
        trace = replay(model, steps)
        walker.judge(trace)
        walker.possible(trace.states[-1])
    return walker


def test_a_step_between_known_states_is_not_forgotten() -> None:
    """Runs that end because all states were seen, while a wrong step between them was not."""
    walker = walked(Stairs())
    assert not walker.closed()
    with pytest.raises(Violated):
        walker.judge(replay(walker.model, [Step("jump", ())]))
    walker.watch([])
    assert walker.closed()


def test_a_step_out_of_the_range_is_not_forgotten() -> None:
    """Runs that end before the step was taken that leaves a range."""
    walker = walked(Roof())
    walker.watch([p for p in walker.model.properties if p.kind == "range"])
    assert not walker.closed()
    verdicts = stateful.check(Model(Roof()), runs=200)
    assert [v.answer for v in verdicts] == ["violated", "violated"]


def test_what_is_wholly_seen_ends_early() -> None:
    """Thousands of runs over three states."""
    verdicts = stateful.check(Model(Stairs()), runs=5000)
    assert [v.answer for v in verdicts] == ["violated", "holds"]
    assert int(verdicts[1].extent.split()[0].replace(",", "")) < 5000
