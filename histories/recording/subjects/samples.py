"""Small memories for threads, in Python: a correct one, one that validates late, and a faulty one.

They show what an adapter looks like, and that a recording finds what is wrong.
"""

from __future__ import annotations

import platform
import threading
from typing import Any

from counterpoint.histories.recording.interface import Aborted, Memory, Session, Versioned
from counterpoint.histories.recording.load import Load


class _Cells(Memory):
    """Objects with numbered versions.

    Attributes
    ----------
    cells : dict
        For each object its value and the number of its version.
    lock : Lock
        Who installs versions has it.
    """

    def version(self) -> str:
        """Return the version of Python."""
        return f"Python {platform.python_version()}"

    def open(self, load: Load) -> None:
        """Make the objects."""
        first: Any = () if load.lists else self.initial
        self.cells: dict[int, tuple[Any, int]] = dict.fromkeys(load.all_objects(), (first, 0))
        self.lock = threading.Lock()

    def install(self, values: dict[int, Any]) -> dict[int, int]:
        """Install new versions, and return their numbers; the caller has the lock."""
        for what, value in values.items():
            self.cells[what] = value, self.cells[what][1] + 1
        return {what: self.cells[what][1] for what in values}


class GlobalLock(_Cells):
    """Each transaction has a lock of the whole memory from its begin to its end."""

    about = "a memory in Python with one lock for all"
    promises = ("tms2",)

    def connect(self, process: int) -> Session:
        """Return a session."""
        return _Locked(self)


class _Locked(Session):
    def __init__(self, memory: GlobalLock) -> None:
        self._memory = memory
        self._written: dict[int, Any] = {}

    def begin(self) -> None:
        self._memory.lock.acquire()
        self._written = {}

    def read(self, what: int) -> Any:
        if what in self._written:
            return self._written[what]
        return Versioned(*self._memory.cells[what])

    def write(self, what: int, value: int) -> None:
        self._written[what] = value

    def append(self, what: int, value: int) -> None:
        before = self._written.get(what, self._memory.cells[what][0])
        self._written[what] = (*before, value)

    def commit(self) -> dict[int, int]:
        versions = self._memory.install(self._written)
        self._memory.lock.release()
        return versions

    def abort(self) -> None:
        self._memory.lock.release()


class LateValidation(_Cells):
    """Reads take no lock; a commit aborts if another version has replaced one that was read.

    What has committed is strictly serializable. A transaction that will abort may read old and new
    values together before, which opacity forbids.
    """

    about = "a memory in Python that validates reads at commit only"
    promises: tuple[str, ...] = ("strict-serializability",)
    validates = True

    def connect(self, process: int) -> Session:
        """Return a session."""
        return _Validating(self)


class Faulty(LateValidation):
    """The same without validation: wrong on purpose, so that a recording must find it."""

    about = "the same without any validation: wrong on purpose"
    validates = False


class _Validating(Session):
    def __init__(self, memory: LateValidation) -> None:
        self._memory = memory
        self._seen: dict[int, Versioned] = {}
        self._written: dict[int, Any] = {}

    def begin(self) -> None:
        self._seen, self._written = {}, {}

    def read(self, what: int) -> Any:
        if what in self._written:
            return self._written[what]
        if what not in self._seen:
            self._seen[what] = Versioned(*self._memory.cells[what])
        return self._seen[what]

    def write(self, what: int, value: int) -> None:
        self._written[what] = value

    def append(self, what: int, value: int) -> None:
        if what not in self._written:
            if what not in self._seen:
                self._seen[what] = Versioned(*self._memory.cells[what])
            self._written[what] = self._seen[what].value
        self._written[what] = (*self._written[what], value)

    def commit(self) -> dict[int, int]:
        memory = self._memory
        with memory.lock:
            if memory.validates:
                for what, seen in self._seen.items():
                    if memory.cells[what][1] != seen.version:
                        raise Aborted
            return memory.install(self._written)

    def abort(self) -> None:
        """Forget what was written."""
