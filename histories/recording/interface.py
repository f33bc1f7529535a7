"""What a memory or a database must offer, so that histories of it can be recorded.

A subject in Python is a `Memory`. Copy one of `subjects/`, and name yours as ``file.py:Name``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from .load import Load


class RecordingError(Exception):
    """Nothing can be recorded, or no more; one sentence that says why."""


class Aborted(Exception):
    """The memory has aborted the transaction, which is over."""


class Lost(Exception):
    """The session is of no more use, its connection was lost for example.

    If that happens in a commit, nobody knows whether the transaction has committed.
    """


class Versioned(NamedTuple):
    """What a read may return instead of a value, where the memory numbers its versions.

    Attributes
    ----------
    value : object
    version : int
        The number of the version that was read; 0 is the initial one.
    """

    value: Any
    version: int


class Session:
    """What one process uses; it runs one transaction at a time.

    Each method but `close` may raise `Aborted` or `Lost`; another error ends the recording.
    """

    def begin(self) -> None:
        """Begin a transaction."""
        raise NotImplementedError

    def read(self, what: int) -> Any:
        """Return the value of an object: of a list, a list or tuple; or a `Versioned`."""
        raise NotImplementedError

    def write(self, what: int, value: int) -> None:
        """Write a value into a register."""
        raise NotImplementedError

    def append(self, what: int, value: int) -> None:
        """Append a value to a list."""
        raise NotImplementedError

    def commit(self) -> dict[int, int] | None:
        """Commit the transaction.

        Returns
        -------
        dict or None
            For each object that was written, the number of the version that was installed, from 1
            on; None where the memory numbers none.
        """
        raise NotImplementedError

    def abort(self) -> None:
        """Abort the transaction."""
        raise NotImplementedError

    def close(self) -> None:
        """Give back what the session uses."""


class Subject:
    """Something of which histories can be recorded; see `Memory` and `programs.Program`.

    Attributes
    ----------
    about : str
        What it is, in a few words.
    promises : tuple of str
        The criteria that its documentation promises.
    initial : object
        What a register contains before anybody writes.
    holds : tuple of str
        What its objects can be.
    """

    about: str = ""
    promises: tuple[str, ...] = ()
    initial: Any = None
    holds: tuple[Literal["registers", "lists"], ...] = ("registers", "lists")

    def missing(self) -> str:
        """Return what this machine lacks, and how to install it; "" if nothing."""
        return ""

    def version(self) -> str:
        """Return the name and version of what is recorded."""
        return ""

    def open(self, load: Load) -> None:
        """Make all objects of a load: registers with the value `initial`, empty lists.

        It is called for each history; what another one has left is removed.

        Raises
        ------
        RecordingError
            If that fails.
        """

    def close(self) -> None:
        """Remove what `open` has made."""


class Memory(Subject):
    """A subject whose transactions are called from Python.

    Attributes
    ----------
    workers : str
        Whether each process of the load is a thread of this process, or a process of the system,
        which is forked after `open`.
    """

    workers: Literal["threads", "processes"] = "threads"

    def connect(self, process: int) -> Session:
        """Return a session for a process; it is called in that process, or thread."""
        raise NotImplementedError
