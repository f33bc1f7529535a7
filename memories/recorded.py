"""The memories of this room as subjects of ``counterpoint history record``."""

from __future__ import annotations

from typing import Any, ClassVar

from counterpoint.histories.recording import Aborted, Load, Memory, Session, Versioned
from counterpoint.models.explore.compiled.compiler import found

from . import interface
from .opening import NAMES, open


class WindowInPython(Memory):
    """The corrected window protocol, in Python."""

    about = NAMES["window"]
    promises = ("tms2",)
    initial = 0
    holds = ("registers",)
    memory = "window"
    readings: ClassVar[dict[str, str]] = {}

    def version(self) -> str:
        """Return its name and readings."""
        return " ".join([self.memory, *(f"{n}={v}" for n, v in self.readings.items())])

    def open(self, load: Load) -> None:
        """Make the objects."""
        self._numbers = {what: k for k, what in enumerate(load.all_objects())}
        readings: dict[str, Any] = dict(self.readings)
        self._memory = open(self.memory, len(self._numbers), **readings)

    def connect(self, process: int) -> Session:
        """Return a session."""
        return _Session(self._memory, self._numbers)


class WindowInC(WindowInPython):
    """The corrected window protocol, in C."""

    about = NAMES["window-c"]
    memory = "window-c"

    def missing(self) -> str:
        """Return whether there is no C compiler."""
        return "" if found() else "needs a C compiler"


class PublishedWindowInC(WindowInC):
    """The window protocol as it was published, which is wrong, in C; for tests."""

    about = "the window protocol as it was published: wrong on purpose"
    readings: ClassVar[dict[str, str]] = {"fetch_and_increment": "old"}


class _Session(Session):
    """Transactions of one process."""

    def __init__(self, memory: interface.Memory, numbers: dict[Any, int]) -> None:
        self._memory, self._numbers = memory, numbers
        self._objects = {k: what for what, k in numbers.items()}
        self._inside: Any = None

    def begin(self) -> None:
        """Begin a transaction."""
        self._inside = self._memory._begin(0)

    def read(self, what: int) -> Any:
        """Return a value, with its version unless the transaction wrote it."""
        try:
            value, version = self._memory._read(self._inside, self._numbers[what])
        except interface.Aborted as error:
            raise Aborted(str(error)) from None
        return value if version is None else Versioned(value, version)

    def write(self, what: int, value: int) -> None:
        """Write a value."""
        self._memory._write(self._inside, self._numbers[what], value)

    def commit(self) -> dict[int, int]:
        """Commit, and return the versions."""
        versions = self._memory._commit(self._inside)
        if versions is None:
            raise Aborted("it was aborted when it asked to commit")
        return {self._objects[k]: version for k, version in versions.items()}

    def abort(self) -> None:
        """Abort."""
        self._memory._abort(self._inside)
