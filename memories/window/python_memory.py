"""The window protocol in Python, for threads; to be read beside ``spec/stm/window.py``.

Each method with the name of an action of the spec is that action. A step is atomic because one
mutex is held for the whole of it: Python's threads take turns anyway. A step that the spec does not
allow yet is waited for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from counterpoint.memories import points
from counterpoint.memories.interface import Aborted, Memory
from counterpoint.memories.recording import Recorder

from .look import Look, ObjectLook, TransactionLook
from .readings import Switches


@dataclass(eq=False)
class Running:
    """A live or committing transaction: what the spec keeps for it.

    Attributes
    ----------
    label : int
    bottom : int
        The bottom of its window.
    copies, versions : dict of int to int
        The values that it has read and the numbers of their versions, by object.
    end : dict of int to int
        The time at which something that it has read was overwritten, by object.
    writes : dict of int to int
        The values that it will publish.
    commit_time : int or None
        The time that it has drawn.
    published : dict of int to int
        The numbers of the versions that it has published.
    committing : bool
    """

    label: int
    bottom: int = 0
    copies: dict[int, int] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    end: dict[int, int] = field(default_factory=dict)
    writes: dict[int, int] = field(default_factory=dict)
    commit_time: int | None = None
    published: dict[int, int] = field(default_factory=dict)
    committing: bool = False


class WindowMemory(Memory):
    """The corrected window protocol; each read, and each step of a commit, is one atomic step.

    Parameters
    ----------
    objects : int
    record : Recorder, optional
        See `Memory`.
    switches : Switches
        Readings that differ from the corrected protocol.
    """

    def __init__(self, objects: int, record: Recorder | None, switches: Switches) -> None:
        super().__init__(objects, record)
        self.reading = switches.readings
        self.clock = 0
        self.value = [0] * objects
        self.date = [self.origin] * objects
        self.version = [0] * objects
        self.owner: list[Running | None] = [None] * objects
        self.running: list[Running] = []
        self._changed = threading.Condition(threading.Lock())

    @property
    def origin(self) -> int:
        """The date of the first versions."""
        return 0 if self.reading["clock-read"] == "begin" else -1

    @contextmanager
    def step(
        self, name: str, t: Running, x: int | None = None, when: Callable[[], bool] | None = None
    ) -> Iterator[None]:
        """Wait until a step is possible, and take it at once: nobody sees half of it."""
        arguments: dict[str, Any] = {"t": t.label} | ({} if x is None else {"x": x})
        points.step(name, **arguments)
        self._changed.acquire()
        try:
            while when is not None and not when():
                self._changed.release()
                try:
                    controlled = points.step(name, waiting=True, **arguments)
                finally:
                    self._changed.acquire()
                if not controlled:
                    self._changed.wait_for(when)
            yield
        finally:
            self._changed.notify_all()
            self._changed.release()

    # The transaction's operations

    def begin(self, label: int) -> Running:
        """Let bottom := clock, top := +inf."""
        t = Running(label)
        with self.step("begin", t):
            t.bottom = self.clock if self.reading["clock-read"] == "begin" else self.origin
            self.running.append(t)
        return t

    def read(self, t: Running, x: int) -> tuple[int, int | None]:
        """Copy (value, date) in one step; a version later than the bottom moves the window."""
        with self.step("read", t, x, when=lambda: self.may_read(t, x)):
            if x in t.writes:
                return t.writes[x], None
            if x in t.copies:
                return t.copies[x], t.versions[x]
            if self.must_recheck(t, x):
                self.recheck(t, x)
            t.copies[x], t.versions[x] = self.value[x], self.version[x]
            return t.copies[x], t.versions[x]

    def may_read(self, t: Running, x: int) -> bool:
        """Return whether a read of x can be answered; if not, it waits for a lock."""
        if x in t.writes or x in t.copies:
            return True
        if self.reading["readers-wait"] == "yes" and self.owner[x] is not None:
            return False
        waits = self.reading["recheck-locked"] == "wait" and self.must_recheck(t, x)
        return not (waits and self.finds_locked(t))

    def recheck(self, t: Running, x: int) -> None:
        """Move the bottom of the window to the date of x, or abort."""
        if self.reading["recheck-locked"] == "abort" and self.finds_locked(t):
            self.abort(t)
            raise Aborted(f"transaction {t.label}: something it read is locked, at its read of {x}")
        bottom = max(t.bottom, self.date[x])
        if self.window_is_empty(t, bottom):
            self.abort(t)
            raise Aborted(
                f"transaction {t.label}: its window is empty: {x} is of time {self.date[x]}, and "
                f"something it read was overwritten at time {min(t.end.values())}"
            )
        t.bottom = bottom

    def write(self, t: Running, x: int, value: int) -> None:
        """Buffer the value."""
        with self.step("write", t, x):
            t.writes[x] = value

    def commit_read_only(self, t: Running) -> None:
        """Nothing written: commit."""
        with self.step("commit_read_only", t):
            self.forget(t)

    # The commit operation of an update

    def commit(self, t: Running) -> None:
        """Take the steps of a commit, in their order.

        Raises
        ------
        Aborted
            If something that it has read was overwritten.
        """
        if not t.writes:
            self.commit_read_only(t)
            return
        for x in self.to_lock(t):
            self.lock(t, x)
        self.validate(t)
        if t.commit_time is None:
            self.fetch_and_increment(t)
        self.publish_everything(t)
        if self.reading["unlock"] == "at-the-end":
            self.unlock_all(t)

    def to_lock(self, t: Running) -> Iterable[int]:
        """Return the objects to lock, in a fixed order, so that there is no deadlock."""
        read = t.copies if self.reading["locks"] == "reads-and-writes" else {}
        return sorted({*t.writes, *read})

    def lock(self, t: Running, x: int) -> None:
        """Lock what was read or written, one by one in a fixed order."""
        with self.step("lock", t, x, when=lambda: self.owner[x] is None):
            t.committing = True
            self.owner[x] = t

    def validate(self, t: Running) -> None:
        """Something read was overwritten (top finite): unlock, abort."""
        with self.step("validate", t):
            if not t.end:
                return
            if self.reading["finite-window"] == "pick" and self.pick_time(t):
                return
            self.abort(t)
            raise Aborted(f"transaction {t.label}: something it read was overwritten")

    def fetch_and_increment(self, t: Running) -> None:
        """Let ct := Fetch&Increment(clock): the new value. The old value is wrong."""
        with self.step("fetch_and_increment", t):
            old = self.clock
            self.clock = old + 1
            t.commit_time = old if self.reading["fetch-and-increment"] == "old" else self.clock

    def publish_everything(self, t: Running) -> None:
        """Publish in a fixed order; unlock object by object, if this wrong reading is asked for."""
        for x in sorted({*t.writes, *t.copies}):
            if x in t.writes:
                self.publish(t, x)
            if self.reading["unlock"] == "object-by-object" and self.owner[x] is t:
                self.unlock_one(t, x)

    def publish(self, t: Running, x: int) -> None:
        """Publish (v, ct); the old version ends at ct."""
        with self.step("publish", t, x):
            assert t.commit_time is not None
            self.end_version(t, x, t.commit_time - (self.reading["version-end"] == "ct-1"))
            self.value[x], self.date[x] = t.writes[x], t.commit_time
            self.version[x] += 1
            t.published[x] = self.version[x]

    def end_version(self, t: Running, x: int, time: int) -> None:
        """Let the present version of x end, for all that have read it."""
        for u in self.running:
            if x in u.copies:
                u.end.setdefault(x, time)

    def unlock_all(self, t: Running) -> None:
        """Only when all are published: unlock everything."""
        with self.step("unlock_all", t):
            self.forget(t)

    def unlock_one(self, t: Running, x: int) -> None:
        """Unlock an object as soon as it is published, or at once if it was only read."""
        with self.step("unlock_one", t, x):
            self.owner[x] = None
            if t not in self.owner:
                self.forget(t)

    # The window

    def must_recheck(self, t: Running, x: int) -> bool:
        """Return whether t's read of x re-checks its window."""
        if self.reading["recheck"] == "later":
            return self.date[x] > t.bottom
        if self.reading["recheck"] == "later-or-equal":
            return self.date[x] >= t.bottom
        return self.reading["recheck"] == "every-read"

    def finds_locked(self, t: Running) -> bool:
        """Return whether another transaction holds something that t has read."""
        return any(self.owner[y] not in (None, t) for y in t.copies)

    def window_is_empty(self, t: Running, bottom: int) -> bool:
        """Return whether a bottom reaches top, the least end of anything t has read."""
        if self.reading["empty-window"] == "reaches":
            return any(bottom >= end for end in t.end.values())
        return any(bottom > end for end in t.end.values())

    def pick_time(self, t: Running) -> bool:
        """Commit at the latest time inside the finite window, if the dates allow it: wrong."""
        time = min(t.end.values()) - 1
        if t.bottom >= time or any(self.date[x] >= time for x in t.writes):
            return False
        t.commit_time = time
        return True

    # Ends

    def abort(self, t: Running) -> None:
        """Unlock everything and abort."""
        self.forget(t)

    def forget(self, t: Running) -> None:
        """Release t's locks, and end the windows of t no more."""
        for x in {*t.copies, *t.writes}:
            if self.owner[x] is t:
                self.owner[x] = None
        if t in self.running:
            self.running.remove(t)

    def look(self) -> Look:
        """Return what it has inside, while no thread is between two steps."""
        objects = [
            ObjectLook(value, date, None if owner is None else owner.label)
            for value, date, owner in zip(self.value, self.date, self.owner, strict=True)
        ]
        running = [
            TransactionLook(t.label, t.bottom, t.commit_time or 0, dict(t.copies), set(t.writes),
                            set(t.published), set(t.end), dict(t.end))
            for t in self.running
        ]  # fmt: skip
        return Look(self.clock, objects, running)

    # What the interface asks for

    def _begin(self, label: int) -> Running:
        return self.begin(label)

    def _read(self, inside: Any, x: int) -> tuple[int, int | None]:
        return self.read(inside, x)

    def _write(self, inside: Any, x: int, value: int) -> None:
        self.write(inside, x, value)

    def _commit(self, inside: Any) -> dict[int, int] | None:
        try:
            self.commit(inside)
        except Aborted:
            return None
        return dict(inside.published)

    def _abort(self, inside: Any) -> None:
        with self.step("abort", inside):
            self.abort(inside)
