"""The access log: lines that are in the file before their answers are on the wire."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from counterpoint.sim_web.answer import Fault, Kind
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.record import Header, header

_LONGEST = 1 << 22
"""Bytes that a header has, at most."""


def quoted(text: str) -> str:
    """Return a text as JSON; the common case needs no escape."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return json.dumps(text)


def line(
    started: float,
    ended: float,
    client: str,
    agent: str,
    method: str,
    url: str,
    host: str,
    status: int,
    size: int,
    kind: Kind,
    fault: Fault,
    page: int | None,
    version: int,
    retry_after: int = 0,
) -> str:
    """Return what `record.record` reads; ``client`` and ``agent`` are quoted already.

    By hand, since `json.dumps` of a record takes as long as answering the request.
    """
    wait = f', "retry_after": {retry_after}' if retry_after else ""
    return (
        f'{{"started": {started!r}, "ended": {ended!r}, "client": {client}, "agent": {agent}, '
        f'"method": {quoted(method)}, "url": {quoted(url)}, "host": {quoted(host)}, '
        f'"status": {status}, "bytes": {size}, "kind": "{kind}", "fault": "{fault}", '
        f'"page": {"null" if page is None else page}, "version": {version}{wait}}}\n'
    )


def _opened(path: Path) -> tuple[int, bool]:
    """Open a file to append to; return it, and whether it was made."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
    try:
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644), True
    except FileExistsError:
        return os.open(path, flags | os.O_CREAT, 0o644), False


def _only_a_header(data: bytes) -> bool:
    try:
        header(data.decode())
    except (WebError, UnicodeDecodeError):
        return False
    return data.count(b"\n") == 1


class Log:
    """A log that is written to at once, with nothing held back in the process.

    A kill loses no line that `write` has returned for. At most the last line is torn, if the kill
    falls into the write itself; its answer has not been sent then.

    Parameters
    ----------
    path : Path
        A new file, or one that holds no request, or something like ``/dev/null``.
    of : Header
        Which web it is about.

    Raises
    ------
    WebError
        If the file holds something already: no request that was recorded is overwritten.
    OSError
        If it cannot be written.
    """

    def __init__(self, path: Path, of: Header) -> None:
        self._path = path
        self._file, self._new = _opened(path)
        told = os.fstat(self._file)
        self._regular = stat.S_ISREG(told.st_mode)
        self._size = 0
        if self._regular and told.st_size:
            if not _only_a_header(os.pread(self._file, _LONGEST, 0)):
                self.close()
                raise WebError(f"--log: {path} holds something already; take a new file")
            os.ftruncate(self._file, 0)
        self.write([of.line()])
        self._begun = self._size

    def write(self, lines: Sequence[str]) -> None:
        """Write lines, with one call to the system; raise WebError if not all of it can be."""
        data = "".join(lines).encode()
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:] if written else data)
        except OSError as error:
            if self._regular:
                os.ftruncate(self._file, self._size + data.rfind(b"\n", 0, written) + 1)
            raise WebError(
                f"--log: {self._path}: {error.strerror}; stopped, since what is not logged "
                "cannot be judged (what was answered is in it)"
            ) from None
        self._size += len(data)

    def withdraw(self) -> None:
        """Close the file; take it away if it was made for this log and tells of no request."""
        if self._new and self._file >= 0 and os.fstat(self._file).st_size == self._begun:
            self._path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Close the file; may be called again."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
