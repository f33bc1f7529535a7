"""What a reader is, and what it may do with an input."""

from __future__ import annotations

import signal
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis.strategies import SearchStrategy

SECONDS_PER_KILOBYTE = 1.0
"""Processor time that a reader may take for each kilobyte that begins."""
SMALLEST = 256 << 10
"""Bytes of memory that a reader may take for any input: buffers, tables, a message."""


@dataclass(frozen=True)
class Reader:
    """A function that reads inputs from strangers.

    Attributes
    ----------
    name : str
        Its name on the command line.
    read : callable
        Reads an input of bytes, and checks whatever must hold for its result.
    inputs : SearchStrategy of bytes
    refusals : tuple of classes
        The errors that say why an input is refused, in one line; empty: it accepts all.
    factor : float
        How many bytes of memory it may take for each byte of the input.
    smallest : int
        Bytes of memory that it may take for any input.
    examples : int
        How many inputs the quick test reads.
    lines : int
        How many lines the message of a refusal may have.
    prepare : callable
        Called before each measurement: loads tables that stay in memory, whatever is read.
    example : bytes
        An input that is read before any other, so that modules and tables that a reader loads once
        count for no input.
    """

    name: str
    read: Callable[[bytes], object]
    inputs: SearchStrategy[bytes]
    refusals: tuple[type[Exception], ...] = ()
    factor: float = 200.0
    smallest: int = SMALLEST
    examples: int = 60
    lines: int = 1
    prepare: Callable[[], object] = tuple
    example: bytes = b""

    def read_example(self) -> None:
        """Read the example."""
        with suppress(*self.refusals):
            self.read(self.example)


class TooSlowError(BaseException):  # not an error that a reader may catch
    """A reader took longer than it may."""


@dataclass(frozen=True)
class Reading:
    """How an input was read.

    Attributes
    ----------
    refused : str
        The message; "": the input was accepted.
    memory : int
        The most bytes of memory that were in use at a time, beyond those in use before.
    """

    refused: str
    memory: int


def read(reader: Reader, data: bytes) -> Reading:
    """Read an input within the limits of time and memory.

    Raises
    ------
    TooSlowError
        If it takes too long. A loop in compiled code ends first; `faulthandler` names one that
        does not end.
    AssertionError
        If it takes too much memory, or refuses without a message of one line.
    Exception
        Any other error of the reader: each is a finding.
    """
    refused = ""
    reader.prepare()
    tracemalloc.start()
    try:
        with _limited(SECONDS_PER_KILOBYTE * (1 + len(data) // 1000)):
            try:
                reader.read(data)
            except reader.refusals as error:
                refused = _message(error, reader.lines)
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    most = reader.smallest + reader.factor * len(data)
    assert memory <= most, f"{memory:,} bytes of memory for {len(data):,} bytes"
    return Reading(refused, memory)


def _message(error: Exception, lines: int) -> str:
    message = str(error)
    assert message.strip(), f"{type(error).__name__} says nothing"
    assert message.count("\n") < lines, f"a message of several lines: {message!r}"
    return message


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `TooSlowError` after so much processor time of this process."""

    def stop(number: int, frame: Any) -> None:
        raise TooSlowError(f"more than {seconds:.0f} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def through_file(name: str, reads: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Return a function of bytes for a reader of files.

    Parameters
    ----------
    name : str
        The name of the file, for readers that look at it.
    reads : callable
        Reads a file.
    """

    def read_bytes(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(data)
            return reads(path)

    return read_bytes
