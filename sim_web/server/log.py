"""The access log: a line is in the file before its answer is sent."""

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
"""The greatest length of a header, in bytes."""


def quoted(text: str) -> str:
    """Return a text as JSON; texts that need no escape take the fast way."""
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
    """Return a line of the log, as `record.record` reads it.

    The line is built by hand, because `json.dumps` of a record takes as long as the answer. The
    arguments are the attributes of `record.Record`; ``client`` and ``agent`` are quoted already.
    """
    wait = f', "retry_after": {retry_after}' if retry_after else ""
    return (
        f'{{"started": {started!r}, "ended": {ended!r}, "client": {client}, "agent": {agent}, '
        f'"method": {quoted(method)}, "url": {quoted(url)}, "host": {quoted(host)}, '
        f'"status": {status}, "bytes": {size}, "kind": "{kind}", "fault": "{fault}", '
        f'"page": {"null" if page is None else page}, "version": {version}{wait}}}\n'
    )


def _opened(path: Path) -> tuple[int, bool]:
    """Open a file for appending; return its descriptor, and whether it was created."""
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


class AccessLog:
    """An unbuffered log: a line is in the file when `write` returns.

    If the process is killed, no such line is lost. If it is killed during a write, the last line
    may be incomplete; its answer has not been sent then.

    Parameters
    ----------
    path : Path
        A new file, a log without requests, or a device such as ``/dev/null``.
    header : Header
        The description of the web.

    Raises
    ------
    WebError
        If the file has any other content: recorded requests are never overwritten.
    OSError
        If the file cannot be written.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._path = path
        self._file, self._new = _opened(path)
        status = os.fstat(self._file)
        self._regular = stat.S_ISREG(status.st_mode)
        self._size = 0
        if self._regular and status.st_size:
            if not _only_a_header(os.pread(self._file, _LONGEST, 0)):
                self.close()
                raise WebError(f"--log: {path} is not empty; name a new file")
            os.ftruncate(self._file, 0)
        self.write([header.line()])
        self._begun = self._size

    def write(self, lines: Sequence[str]) -> None:
        """Write lines with one system call; raise WebError if they cannot be written completely."""
        data = "".join(lines).encode()
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:] if written else data)
        except OSError as error:
            if self._regular:
                os.ftruncate(self._file, self._size + data.rfind(b"\n", 0, written) + 1)
            raise WebError(
                f"--log: {self._path}: {error.strerror}; the server stops, because requests that "
                "are not logged cannot be judged (the log has all answered requests)"
            ) from error
        self._size += len(data)

    def withdraw(self) -> None:
        """Close the file, and delete it if this log created it and it has no request."""
        if self._new and self._file >= 0 and os.fstat(self._file).st_size == self._begun:
            self._path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Close the file; may be called again."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
