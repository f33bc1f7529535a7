"""The interface of all memories: transactions over numbered objects that hold integers.

An implementation is a subclass of `Memory` with the four operations whose names begin with an
underscore; what users call, and what is recorded, stands here once.
"""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from .recording import Recorder

T = TypeVar("T")

LEAST, MOST = -(2**63), 2**63 - 1
"""The least and the greatest value that an object can hold."""


class Aborted(Exception):
    """The memory has aborted the transaction; nothing of it took effect. It can be tried again."""


class Memory(ABC):
    """A transactional memory.

    Parameters
    ----------
    objects : int
        How many objects there are: at least one. Each holds 0 at first.
    record : Recorder, optional
        Gets every event.

    Attributes
    ----------
    objects : int
    record : Recorder or None
    """

    def __init__(self, objects: int, record: Recorder | None = None) -> None:
        if not 1 <= objects < 2**31:
            raise ValueError(f"a memory has from 1 to 2147483647 objects, not {objects}")
        self.objects = objects
        self.record = record
        self._labels = itertools.count()

    def transaction(
        self, label: int | None = None, process: int | str | None = None
    ) -> Transaction:
        """Begin a transaction of this thread.

        Parameters
        ----------
        label : int, optional
            What step points and records call it; by default the transactions are numbered from 0.
        process : int or str, optional
            Whose transaction it is in the record; by default the identifier of the thread.
        """
        name = next(self._labels) if label is None else label
        return Transaction(self, name, threading.get_ident() if process is None else process)

    def run(
        self,
        function: Callable[[Transaction], T],
        attempts: int | None = None,
        process: int | str | None = None,
    ) -> T:
        """Run a function as a transaction, again and again until it commits; return its result.

        Parameters
        ----------
        function : callable
            Gets the transaction. It may be called several times, so it should do nothing else than
            read and write this memory.
        attempts : int, optional
            How often it is tried; by default without end.
        process : int or str, optional
            As in `transaction`.

        Raises
        ------
        Aborted
            If no attempt committed.
        """
        for attempt in itertools.count(1):
            try:
                with self.transaction(process=process) as tx:
                    result = function(tx)
            except Aborted:
                if attempt == attempts:
                    raise
            else:
                return result
        raise AssertionError("itertools.count() does not end")

    # What an implementation does

    @abstractmethod
    def _begin(self, label: int) -> Any:
        """Begin a transaction; return what the implementation knows of it."""

    @abstractmethod
    def _read(self, inside: Any, x: int) -> tuple[int, int | None]:
        """Return the value of an object, and the number of its version; None: its own write.

        Raises
        ------
        Aborted
            If the transaction is aborted; it has ended then.
        """

    @abstractmethod
    def _write(self, inside: Any, x: int, value: int) -> None:
        """Write an object."""

    @abstractmethod
    def _commit(self, inside: Any) -> dict[int, int] | None:
        """Commit; return the versions that were written, by object, or None if it aborted."""

    @abstractmethod
    def _abort(self, inside: Any) -> None:
        """Abort as the user wishes."""


class Transaction:
    """A transaction; as a context manager it commits at the end, or aborts after an exception.

    Parameters
    ----------
    memory : Memory
    label : int
    process : int or str

    Attributes
    ----------
    label : int
    committed : bool or None
        Whether it has committed; None while it is live.
    """

    def __init__(self, memory: Memory, label: int, process: int | str) -> None:
        self.label = label
        self.committed: bool | None = None
        self._memory, self._process = memory, process
        self._record("begin", transaction=label)
        self._inside = memory._begin(label)

    def read(self, x: int) -> int:
        """Return the value of an object.

        Raises
        ------
        Aborted
            If the memory aborts the transaction.
        IndexError
            If there is no such object.
        """
        self._must_be_live(x)
        try:
            value, version = self._memory._read(self._inside, x)
        except Aborted:
            self._end(False)
            raise
        self._record("read", object=x, value=value, version=version)
        return value

    def write(self, x: int, value: int) -> None:
        """Write an object; other transactions see it when this one has committed.

        Raises
        ------
        IndexError
            If there is no such object.
        OverflowError
            If the value has more than 64 bits.
        """
        self._must_be_live(x)
        if not LEAST <= value <= MOST:
            raise OverflowError(f"{value} has more than 64 bits")
        self._memory._write(self._inside, x, value)
        self._record("write", object=x, value=value)

    def commit(self) -> bool:
        """Commit; return whether that succeeded."""
        self._must_be_live()
        self._record("try-commit")
        versions = self._memory._commit(self._inside)
        self._end(versions is not None, versions)
        return versions is not None

    def abort(self) -> None:
        """Abort: nothing of it takes effect."""
        self._must_be_live()
        self._memory._abort(self._inside)
        self._end(False)

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.committed is not None:
            return
        if kind is not None:
            self.abort()
        elif not self.commit():
            raise Aborted(f"transaction {self.label} was aborted when it asked to commit")

    def _must_be_live(self, x: int = 0) -> None:
        if self.committed is not None:
            raise ValueError(f"transaction {self.label} has ended")
        if not 0 <= x < self._memory.objects:
            raise IndexError(f"there is no object {x}: they are 0 to {self._memory.objects - 1}")

    def _end(self, committed: bool, versions: dict[int, int] | None = None) -> None:
        self.committed = committed
        self._inside = None
        self._record("commit" if committed else "abort", versions=versions or None)

    def _record(self, kind: str, **keys: Any) -> None:
        if self._memory.record is not None:
            self._memory.record.record(kind, self._process, **keys)
