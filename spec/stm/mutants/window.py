"""Mutants of the window protocol: faults of its clock, reads, locks, validation and versions."""

from __future__ import annotations

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Integer,
    Value,
    action,
    every,
    implies,
    ite,
    mutant,
    no,
    require,
    some,
)
from counterpoint.spec.stm.memory import Status
from counterpoint.spec.stm.window import Stage, Window

from .window_lengths import CHAIN, STALE, TORN, UNLOCKED

# The clock


@mutant(readings={"fetch-and-increment": "old"}, killed=TORN)
class FetchAndIncrementReturnsOld(Window):
    """Fetch&Increment returns the value that the clock had before."""


@mutant(killed=TORN)
class WindowBeginsAfterTheClock(Window):
    """A window begins at the time that the next commit will draw, not at the last one drawn."""

    @action
    def begin(s, t: int) -> None:
        """Let bottom := clock + 1."""
        s.record_begin(t)
        s.bottom[t] = ite(s.clock < len(s.transactions), s.clock + 1, s.clock)


@mutant(killed={**TORN, "time-runs-forward": 13})
class DrawsBeforeLocking(Window):
    """A commit draws its time first; it locks and validates after that."""

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Let ct := Fetch&Increment(clock), with nothing locked."""
        require(s.may_commit(t), s.writes_something(t), s.commit_time[t] == 0)
        s.clock = s.clock + 1
        s.commit_time[t] = s.clock

    @action
    def lock(s, t: int, x: int) -> None:
        """Lock when the time is drawn."""
        require(s.commit_time[t] > 0)
        super().lock(t, x)

    @action
    def validate(s, t: int) -> None:
        """Go on to publish."""
        super().validate(t)
        if s.stage[t] == Stage.VALIDATED:
            s.stage[t] = Stage.PUBLISHING


@mutant(at={"programs": "w x; w y; w y"}, killed={"time-runs-forward": 17})
class ReadsTheClockThenSetsIt(Window):
    """Fetch&Increment is not atomic: the clock is read, and set one step later."""

    @action
    def validate(s, t: int) -> None:
        """Read the clock."""
        super().validate(t)
        if s.stage[t] == Stage.VALIDATED:
            s.commit_time[t] = s.clock + 1

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Set the clock."""
        require(s.stage[t] == Stage.VALIDATED)
        s.clock = s.commit_time[t]
        s.stage[t] = Stage.PUBLISHING


@mutant(
    at={"programs": "r x, r y; r y, w x; w y, w x"},
    killed={**dict.fromkeys(CHAIN, 20), "serializability": 21, "strict-serializability": 21},
)
class AdvancesTheClockAfterUnlocking(Window):
    """A commit dates with the clock plus one, and advances the clock only after unlocking."""

    @action
    def validate(s, t: int) -> None:
        """Take the time that the clock will have."""
        super().validate(t)
        if s.stage[t] == Stage.VALIDATED:
            s.commit_time[t] = s.clock + 1
            s.stage[t] = Stage.PUBLISHING

    @action(when=lambda s: s.unlock == "at-the-end")
    def unlock_all(s, t: int) -> None:
        """Unlock before the clock has its new value."""
        require(s.stage[t] == Stage.PUBLISHING, s.all_published(t))
        for x in s.objects:
            s.holds[t, x] = False
        s.stage[t] = Stage.VALIDATED

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Advance the clock at last."""
        require(s.stage[t] == Stage.VALIDATED)
        s.clock = s.clock + 1
        s.record_commit(t)
        s.forget(t)


# Reading


@mutant(readings={"readers-wait": "no"}, killed=UNLOCKED)
class ReaderDoesNotWait(Window):
    """A read does not check whether the object is locked."""


@mutant(readings={"recheck": "never"}, killed=TORN)
class NeverRechecks(Window):
    """A read copies whatever version there is, however new."""


@mutant(
    readings={"recheck-locked": "ignore"},
    at={"programs": "w x; w z; r x, r z; r z, r x"},
    killed={**dict.fromkeys(CHAIN, 22), "opacity": 20, "tms2": 20},
)
class RecheckIgnoresLocks(Window):
    """A re-check ignores locked objects, which will soon be overwritten."""


@mutant(readings={"empty-window": "passes"}, killed=TORN)
class EmptyWindowPasses(Window):
    """A re-check accepts a window whose bottom has reached its top."""


@mutant(killed=TORN)
class TopNotConsidered(Window):
    """A re-check raises the bottom but does not compare it with the top."""

    def window_is_empty(s, t: int, bottom: Value) -> Value:
        """Return false always."""
        return False


@mutant(killed={**dict.fromkeys(CHAIN, 15), "serializability": 16, "strict-serializability": 16})
class CopiesTheDateBeforeTheValue(Window):
    """A read copies the date in one step and the value in another."""

    copied = Array((Window.transactions, Window.objects), Boolean())
    copied_date = Array(Window.transactions, Integer(0, lambda s: len(s.transactions)))

    @action
    def copy_date(s, t: int, x: int) -> None:
        """Copy the date of an object that is not locked."""
        require(s.may_operate("r", t, x), no(s.copied[t, y] for y in s.objects))
        require(no(s.holds[u, x] for u in s.transactions))
        s.copied[t, x] = True
        s.copied_date[t] = s.date[x]

    @action
    def read(s, t: int, x: int) -> None:
        """Copy the value as if the object still had the date that was copied."""
        require(s.copied[t, x])
        date = s.date[x]
        s.date[x] = s.copied_date[t]
        super().read(t, x)
        s.date[x] = date
        s.copied[t, x] = False
        s.copied_date[t] = 0


# Locks


@mutant(readings={"locks": "writes"}, killed=STALE)
class LocksWritesOnly(Window):
    """A commit locks only the objects it writes; objects it read are only validated."""


@mutant(killed={"no-deadlock": 8})
class LocksInNoOrder(Window):
    """A commit locks its objects in any order."""

    @action
    def lock(s, t: int, x: int) -> None:
        """Lock anything that is needed and free."""
        first = every(s.may_commit(t), s.writes_something(t))
        require(some(first, s.stage[t] == Stage.LOCKING))
        require(s.needs_lock(t, x), no(s.holds[u, x] for u in s.transactions))
        if first:
            s.record_commit_call(t)
            s.stage[t] = Stage.LOCKING
        s.holds[t, x] = True


@mutant(killed={**STALE, "one-owner": 6, "time-runs-forward": 12})
class TakesHeldLocks(Window):
    """A lock is taken even if another transaction holds it, as if test and set were not atomic."""

    @action
    def lock(s, t: int, x: int) -> None:
        """Lock whether or not another does."""
        first = every(s.may_commit(t), s.writes_something(t))
        require(some(first, s.stage[t] == Stage.LOCKING))
        require(s.needs_lock(t, x), no(s.holds[t, x]))
        require(every(implies(s.needs_lock(t, y), s.holds[t, y]) for y in s.objects if y < x))
        if first:
            s.record_commit_call(t)
            s.stage[t] = Stage.LOCKING
        s.holds[t, x] = True


@mutant(readings={"unlock": "object-by-object"}, killed={"nothing-half-published": 11})
class UnlocksObjectByObject(Window):
    """A commit unlocks each object as soon as it is published."""


@mutant(killed={**UNLOCKED, "time-runs-forward": 12})
class UnlocksBeforePublishing(Window):
    """A commit releases its locks as soon as it has drawn its time."""

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Let ct := Fetch&Increment(clock), and unlock."""
        super().fetch_and_increment(t)
        for x in s.objects:
            s.holds[t, x] = False


@mutant(killed={"idle-holds-nothing": 12})
class AbortKeepsLocks(Window):
    """An update that aborts does not release its locks."""

    def abort(s, t: int) -> None:
        """Abort with all locks held."""
        held = [s.holds[t, x] for x in s.objects]
        super().abort(t)
        for x in s.objects:
            s.holds[t, x] = held[x]


# Validation


@mutant(killed={**STALE, "tms2": 15})
class NoValidation(Window):
    """A commit does not check whether objects it read were overwritten."""

    @action
    def validate(s, t: int) -> None:
        """Pass with whatever was read."""
        for x in s.objects:
            s.overwritten[t, x] = False
        super().validate(t)


@mutant(killed={**dict.fromkeys(CHAIN, 18), "tms2": 16})
class ValidatesOnlyWhatItWrites(Window):
    """A commit validates only reads of objects that it also writes."""

    @action
    def validate(s, t: int) -> None:
        """Forget what was overwritten among the objects that are only read."""
        for x in s.objects:
            s.overwritten[t, x] = every(s.overwritten[t, x], s.wrote[t, x])
        super().validate(t)


@mutant(killed=STALE)
class ValidatesBeforeLocking(Window):
    """A commit validates first and locks after that."""

    @action
    def validate(s, t: int) -> None:
        """Begin the commit; abort if an object that was read was overwritten."""
        require(s.may_commit(t), s.writes_something(t))
        s.record_commit_call(t)
        if no(s.overwritten[t, x] for x in s.objects):
            s.stage[t] = Stage.LOCKING
        else:
            s.abort(t)

    @action
    def lock(s, t: int, x: int) -> None:
        """Lock what was validated before."""
        require(s.stage[t] == Stage.LOCKING)
        super().lock(t, x)

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Let ct := Fetch&Increment(clock) once everything is locked."""
        require(s.stage[t] == Stage.LOCKING)
        require(every(implies(s.needs_lock(t, x), s.holds[t, x]) for x in s.objects))
        s.stage[t] = Stage.VALIDATED
        super().fetch_and_increment(t)


@mutant(
    at={"programs": "r x, w y; w x; r y"},
    killed={**dict.fromkeys(CHAIN, 17), "serializability": 18, "strict-serializability": 18},
)
class ValidatesAfterPublishing(Window):
    """A commit publishes first; it validates, and perhaps aborts, before it unlocks."""

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Let ct := Fetch&Increment(clock) once everything is locked."""
        require(s.stage[t] == Stage.LOCKING)
        require(every(implies(s.needs_lock(t, x), s.holds[t, x]) for x in s.objects))
        s.stage[t] = Stage.VALIDATED
        super().fetch_and_increment(t)

    @action
    def publish(s, t: int, x: int) -> None:
        """Publish without an end to what the transaction itself has read."""
        known = s.end[t, x], s.overwritten[t, x]
        super().publish(t, x)
        s.end[t, x], s.overwritten[t, x] = known

    @action
    def validate(s, t: int) -> None:
        """Something read was overwritten: unlock, abort, though all is published."""
        require(s.stage[t] == Stage.PUBLISHING, s.all_published(t))
        s.stage[t] = Stage.LOCKING
        super().validate(t)

    @action
    def unlock_all(s, t: int) -> None:
        """Unlock what was validated."""
        require(s.stage[t] == Stage.VALIDATED)
        s.stage[t] = Stage.PUBLISHING
        super().unlock_all(t)


@mutant(
    readings={"finite-window": "pick"},
    at={"programs": "w a; w y; r y, w x; r y, r x"},
    killed={**dict.fromkeys(CHAIN, 24), "opacity": 23, "tms2": 20},
)
class PicksInsideTheWindow(Window):
    """An update whose window is finite takes a free time inside it."""


# Versions


@mutant(killed={**TORN, "a-window-shrinks": None})
class OldVersionNeverEnds(Window):
    """Readers of an old version do not learn that it has ended."""

    @action
    def publish(s, t: int, x: int) -> None:
        """Publish, and let the old version live for ever."""
        known = [(s.end[u, x], s.overwritten[u, x]) for u in s.transactions]
        super().publish(t, x)
        for u in s.transactions:
            s.end[u, x], s.overwritten[u, x] = known[u]


@mutant(
    at={"programs": "r x, r y; r y, w x; w y"},
    killed={**dict.fromkeys(CHAIN, 20), "opacity": 19, "tms2": 19},
)
class OldVersionEndsForLiveReadersOnly(Window):
    """A reader that is committing does not learn that a version it read has ended."""

    @action
    def publish(s, t: int, x: int) -> None:
        """Publish, and end the old version for live readers."""
        known = [(s.end[u, x], s.overwritten[u, x]) for u in s.transactions]
        super().publish(t, x)
        for u in s.transactions:
            if s.status[u] != Status.LIVE:
                s.end[u, x], s.overwritten[u, x] = known[u]


@mutant(killed=TORN)
class VersionsKeepOldDates(Window):
    """A commit publishes values and leaves the dates as they were."""

    @action
    def publish(s, t: int, x: int) -> None:
        """Publish the value without its date."""
        date = s.date[x]
        super().publish(t, x)
        s.date[x] = date
