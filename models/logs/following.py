"""Holds a log against a spec while it is written: each line is judged when it comes."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import IO, NamedTuple

from counterpoint.files.inputs import LINE
from counterpoint.models.limits import LimitReached, Limits
from counterpoint.spec.notation import Model

from .explaining import Explanation, Search
from .reading import Line, LogError

KEPT = 10_000
"""The run up to a line that no run explains is shown from so many lines before it on."""
_COMPARED = 256
"""So many of the last bytes are read again, to see whether the file was written anew."""
PAUSE = 0.2
"""Seconds between two looks at a file that has no new lines."""


class Followed(NamedTuple):
    """What was found in a log.

    Attributes
    ----------
    explanation : Explanation
    lines : list of Line
        The last lines, to which the places of the explanation belong, and the one that no run
        explains.
    """

    explanation: Explanation
    lines: list[Line]


def followed(
    model: Model, lines: Iterable[Line], silent: Iterable[str] = (), limits: Limits | None = None,
    keep: int = KEPT,
) -> Followed:  # fmt: skip
    """Return what was found when a line has come that no run explains, or when the lines end.

    Parameters
    ----------
    model : Model
    lines : iterable of Line
        They may take any time to come. A KeyboardInterrupt ends them; it must not be raised
        elsewhere, see `CtrlC`.
    silent : iterable of str
        The actions whose steps may be missing in the log.
    limits : Limits, optional
    keep : int
        So many of the last lines are remembered.

    Raises
    ------
    SpecError
        If the spec has no such action, or no initial state.
    """
    search = Search(model, silent, limits, keep=keep)
    kept: deque[Line] = deque(maxlen=keep)
    try:
        for line in lines:
            obstacle = search.advance(line)
            if obstacle is not None:
                return Followed(search.answer(obstacle), [*kept, line])
            kept.append(line)
        search.settled()
    except KeyboardInterrupt:
        search.settled()
    except LimitReached as limit:
        return Followed(search.answer(reason=str(limit)), list(kept))
    return Followed(search.answer(), list(kept))


class CtrlC:
    """Ends the wait for a line at once, and the judging of a line when that is done."""

    def __init__(self) -> None:
        self._came = self._waits = False

    def __enter__(self) -> CtrlC:
        self._before = signal.signal(signal.SIGINT, self._signal)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _signal(self, *_: object) -> None:
        self._came = True
        if self._waits:
            raise KeyboardInterrupt

    def until(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Yield lines until the signal comes; it can raise a KeyboardInterrupt here."""
        source = iter(lines)
        while not self._came:
            self._waits = True
            line = next(source, None)
            self._waits = False
            if line is None:
                return
            yield line


def lines_as_they_come(
    file: IO[bytes], wait: Callable[[float], object] = time.sleep
) -> Iterator[tuple[int, bytes]]:
    """Yield the whole lines of a growing file that are not empty, with their numbers from 1 on.

    A regular file has no end, and a line of it counts when its line feed is written; the lines of a
    pipe end when its writer closes it.

    Parameters
    ----------
    file : binary file
    wait : callable
        Called with `PAUSE` if there is no new line in a file.

    Raises
    ------
    LogError
        If a line is longer than `inputs.LINE`, or if the file becomes shorter, is replaced, or has
        another text where it was read.
    """
    number, begun, read, last = 1, b"", 0, b""
    while (part := file.readline(LINE + 1 - len(begun))) or file.seekable():
        begun, read, last = begun + part, read + len(part), (last + part)[-_COMPARED:]
        if len(begun) > LINE:
            raise LogError(f"line {number:,} is longer than {LINE >> 20:,} MB")
        if begun.endswith(b"\n"):
            if begun.strip():
                yield number, begun
            number, begun = number + 1, b""
        elif not part:
            wait(PAUSE)
            if wrong := _changed(file, read, last):
                raise LogError(f"{wrong} after line {number - 1:,}")
    if begun.strip():
        yield number, begun


def _changed(file: IO[bytes], read: int, last: bytes) -> str:
    """Return how a file is another than before; "" if it has at most grown.

    Parameters
    ----------
    file : binary file
    read : int
        How many bytes of it were read.
    last : bytes
        The last of them.
    """
    here = os.fstat(file.fileno())
    try:
        there = os.stat(file.name)
    except OSError:
        return "the log was removed"
    if (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino):
        return "the log was replaced by another file"
    if here.st_size < read:
        return "the log became shorter"
    if os.pread(file.fileno(), len(last), read - len(last)) != last:
        return "the log was written anew"
    return ""
