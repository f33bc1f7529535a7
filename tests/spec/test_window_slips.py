"""Every property of the window protocol can fail: for each, a slip that breaks it."""

from __future__ import annotations

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.spec.notation import Model, action, every, implies, no, require, some
from counterpoint.spec.stm.memory import Status
from counterpoint.spec.stm.window import Stage, Window


class LocksTaken(Window):
    """A lock is taken without checking whether another transaction holds it."""

    @action
    def lock(s, t, x):
        first = every(s.may_commit(t), s.writes_something(t))
        require(some(first, s.stage[t] == Stage.LOCKING))
        require(s.needs_lock(t, x), no(s.holds[t, x]))
        require(every(implies(s.needs_lock(t, y), s.holds[t, y]) for y in s.objects if y < x))
        if first:
            s.record_commit_call(t)
            s.stage[t] = Stage.LOCKING
        s.holds[t, x] = True


class AnyOrder(Window):
    """Locks are taken in no fixed order."""

    @action
    def lock(s, t, x):
        first = every(s.may_commit(t), s.writes_something(t))
        require(some(first, s.stage[t] == Stage.LOCKING))
        require(s.needs_lock(t, x), no(s.holds[u, x] for u in s.transactions))
        if first:
            s.record_commit_call(t)
            s.stage[t] = Stage.LOCKING
        s.holds[t, x] = True


class GivesUp(Window):
    """A validation that fails although nothing was overwritten."""

    @action
    def validate(s, t):
        require(s.stage[t] == Stage.LOCKING)
        require(every(implies(s.needs_lock(t, x), s.holds[t, x]) for x in s.objects))
        s.abort(t)


class Backwards(Window):
    """Commit times decrease."""

    @action
    def fetch_and_increment(s, t):
        require(s.stage[t] == Stage.VALIDATED)
        s.clock = s.clock + 1
        s.commit_time[t] = len(s.transactions) + 1 - s.clock
        s.stage[t] = Stage.PUBLISHING


class OverflowingClock(Window):
    """The clock is advanced twice."""

    @action
    def fetch_and_increment(s, t):
        require(s.stage[t] == Stage.VALIDATED)
        s.clock = s.clock + 2
        s.commit_time[t] = s.clock
        s.stage[t] = Stage.PUBLISHING


class ReadsAborted(Window):
    """Buffered writes of an aborted transaction are visible."""

    @action
    def validate(s, t):
        require(s.stage[t] == Stage.LOCKING)
        require(every(implies(s.needs_lock(t, x), s.holds[t, x]) for x in s.objects))
        for x in s.objects:
            if s.wrote[t, x]:
                s.writer[x] = t
        s.abort(t)


class NeverShrinks(Window):
    """A reader's window is not narrowed when its values are overwritten."""

    @action
    def publish(s, t, x):
        require(s.stage[t] == Stage.PUBLISHING, s.wrote[t, x], no(s.published[t, x]))
        s.date[x] = s.commit_time[t]
        s.published[t, x] = True
        s.record_publish(t, x)


@pytest.mark.parametrize(
    ("slip", "given", "broken"),
    [
        (LocksTaken, {}, {"one-owner", "opacity"}),
        (AnyOrder, {}, {"no-deadlock"}),
        (GivesUp, {}, {"alone-commits", "a-new-version-is-read", "a-window-shrinks"}),
        (Backwards, {}, {"time-runs-forward"}),
        (OverflowingClock, {}, {"ranges"}),
        (ReadsAborted, {}, {"serializability", "opacity"}),
        (NeverShrinks, {}, {"serializability", "opacity", "a-window-shrinks"}),
        (Window, {"unlock": "object-by-object"}, {"nothing-half-published"}),
    ],
)
def test_a_slip_is_caught(slip: type[Window], given: dict[str, object], broken: set[str]) -> None:
    """A property that cannot fail."""
    verdicts = exhaustive.check(Model(slip(**given)))
    violated = {v.claim.name for v in verdicts if v.answer == "violated"}
    assert broken <= violated


def test_a_dirty_read_is_named() -> None:
    """An explanation by an order of transactions, though a dirty read has none."""
    verdicts = exhaustive.check(Model(ReadsAborted()))
    opacity = next(v for v in verdicts if v.claim.name == "opacity")
    assert opacity.trace is not None
    last = opacity.model.at(opacity.trace.states[-1])
    assert Status.ABORTED in [last.status[t] for t in (0, 1)]
    assert "did not commit" in opacity.explanation.lines[0]
