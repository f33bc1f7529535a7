"""Faults of the window protocol, planted in the memory in Python; for tests.

Each class has the name of a mutant of the spec and differs as it does. The mutants that fix a
reading are not here: they are readings of `python_memory.WindowMemory`.
"""

from __future__ import annotations

from collections.abc import Iterable

from .python_memory import Running, WindowMemory


class WindowBeginsAfterTheClock(WindowMemory):
    """A window begins at the time that the next commit will draw, not at the last one drawn."""

    def begin(self, label: int) -> Running:
        """Let bottom := clock + 1."""
        t = super().begin(label)
        t.bottom += 1
        return t


class DrawsBeforeLocking(WindowMemory):
    """A commit draws its time first; it locks and validates after that."""

    def commit(self, t: Running) -> None:
        """Draw, then commit."""
        if t.writes:
            self.fetch_and_increment(t)
        super().commit(t)


class ReadsTheClockThenSetsIt(WindowMemory):
    """Fetch&Increment is not atomic: the clock is read, and set one step later."""

    def validate(self, t: Running) -> None:
        """Read the clock."""
        super().validate(t)
        t.commit_time = self.clock + 1

    def publish_everything(self, t: Running) -> None:
        """Set the clock first."""
        with self.step("fetch_and_increment", t):
            assert t.commit_time is not None
            self.clock = t.commit_time
        super().publish_everything(t)


class AdvancesTheClockAfterUnlocking(WindowMemory):
    """A commit dates with the clock plus one, and advances the clock only after unlocking."""

    def validate(self, t: Running) -> None:
        """Take the time that the clock will have."""
        super().validate(t)
        t.commit_time = self.clock + 1

    def unlock_all(self, t: Running) -> None:
        """Unlock before the clock has its new value."""
        super().unlock_all(t)
        with self.step("fetch_and_increment", t):
            self.clock += 1


class TopNotConsidered(WindowMemory):
    """A re-check raises the bottom but does not compare it with the top."""

    def window_is_empty(self, t: Running, bottom: int) -> bool:
        """Return false always."""
        return False


class CopiesTheDateBeforeTheValue(WindowMemory):
    """A read copies the date in one step and the value in another."""

    def read(self, t: Running, x: int) -> tuple[int, int | None]:
        """Copy the date, then the value as if the object still had that date."""
        if x in t.writes or x in t.copies:
            return super().read(t, x)
        with self.step("copy_date", t, x, when=lambda: self.owner[x] is None):
            date = self.date[x]
        with self.step("read", t, x, when=lambda: self.may_read(t, x)):
            self.date[x], now = date, self.date[x]
            try:
                if self.must_recheck(t, x):
                    self.recheck(t, x)
            finally:
                self.date[x] = now
            t.copies[x], t.versions[x] = self.value[x], self.version[x]
            return t.copies[x], t.versions[x]


class LocksInNoOrder(WindowMemory):
    """A commit locks its objects in the order in which it used them."""

    def to_lock(self, t: Running) -> Iterable[int]:
        """Return them as they were read and written."""
        return list(dict.fromkeys([*t.copies, *t.writes]))


class TakesHeldLocks(WindowMemory):
    """A lock is taken even if another transaction holds it, as if test and set were not atomic."""

    def lock(self, t: Running, x: int) -> None:
        """Lock whether or not another does."""
        with self.step("lock", t, x):
            self.owner[x] = t


class UnlocksBeforePublishing(WindowMemory):
    """A commit releases its locks as soon as it has drawn its time."""

    def fetch_and_increment(self, t: Running) -> None:
        """Let ct := Fetch&Increment(clock), and unlock."""
        super().fetch_and_increment(t)
        for x in {*t.copies, *t.writes}:
            if self.owner[x] is t:
                self.owner[x] = None


class AbortKeepsLocks(WindowMemory):
    """An update that aborts does not release its locks."""

    def abort(self, t: Running) -> None:
        """Abort with all locks held."""
        held = [x for x in range(self.objects) if self.owner[x] is t]
        super().abort(t)
        for x in held:
            self.owner[x] = t


class NoValidation(WindowMemory):
    """A commit does not check whether objects it read were overwritten."""

    def validate(self, t: Running) -> None:
        """Pass with whatever was read."""
        t.end.clear()
        super().validate(t)


class ValidatesOnlyWhatItWrites(WindowMemory):
    """A commit validates only reads of objects that it also writes."""

    def validate(self, t: Running) -> None:
        """Forget what was overwritten among the objects that are only read."""
        t.end = {x: end for x, end in t.end.items() if x in t.writes}
        super().validate(t)


class ValidatesBeforeLocking(WindowMemory):
    """A commit validates first and locks after that."""

    def to_lock(self, t: Running) -> Iterable[int]:
        """Validate before the first lock."""
        super().validate(t)
        return super().to_lock(t)

    def validate(self, t: Running) -> None:
        """Do nothing: it is done."""


class ValidatesAfterPublishing(WindowMemory):
    """A commit publishes first; it validates, and perhaps aborts, before it unlocks."""

    def validate(self, t: Running) -> None:
        """Do nothing yet."""

    def publish_everything(self, t: Running) -> None:
        """Publish, and validate then."""
        super().publish_everything(t)
        super().validate(t)

    def end_version(self, t: Running, x: int, time: int) -> None:
        """Let the version end for all but the transaction itself."""
        known = dict(t.end)
        super().end_version(t, x, time)
        t.end = known


class OldVersionNeverEnds(WindowMemory):
    """Readers of an old version do not learn that it has ended."""

    def end_version(self, t: Running, x: int, time: int) -> None:
        """Let it live for ever."""


class OldVersionEndsForLiveReadersOnly(WindowMemory):
    """A reader that is committing does not learn that a version it read has ended."""

    def end_version(self, t: Running, x: int, time: int) -> None:
        """End the old version for live readers."""
        for u in self.running:
            if x in u.copies and not u.committing:
                u.end.setdefault(x, time)


class VersionsKeepOldDates(WindowMemory):
    """A commit publishes values and leaves the dates as they were."""

    def publish(self, t: Running, x: int) -> None:
        """Publish the value without its date."""
        date = self.date[x]
        super().publish(t, x)
        self.date[x] = date


FAULTS: dict[str, type[WindowMemory]] = {
    "window-begins-after-the-clock": WindowBeginsAfterTheClock,
    "draws-before-locking": DrawsBeforeLocking,
    "reads-the-clock-then-sets-it": ReadsTheClockThenSetsIt,
    "advances-the-clock-after-unlocking": AdvancesTheClockAfterUnlocking,
    "top-not-considered": TopNotConsidered,
    "copies-the-date-before-the-value": CopiesTheDateBeforeTheValue,
    "locks-in-no-order": LocksInNoOrder,
    "takes-held-locks": TakesHeldLocks,
    "unlocks-before-publishing": UnlocksBeforePublishing,
    "abort-keeps-locks": AbortKeepsLocks,
    "no-validation": NoValidation,
    "validates-only-what-it-writes": ValidatesOnlyWhatItWrites,
    "validates-before-locking": ValidatesBeforeLocking,
    "validates-after-publishing": ValidatesAfterPublishing,
    "old-version-never-ends": OldVersionNeverEnds,
    "old-version-ends-for-live-readers-only": OldVersionEndsForLiveReadersOnly,
    "versions-keep-old-dates": VersionsKeepOldDates,
}
"""The faults by the name of the spec's mutant."""
