"""Writes events to the file of a history while transactions run.

Each event is one call that appends one line. The system appends the lines of all threads and
processes one after the other, so the order of the lines is one that really was: `begin` is called
before the memory is asked to begin, all others after the memory has answered. So what a history
says to precede something did precede it. A recording that is killed leaves whole lines.
"""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

from .interface import Versioned


def start(path: Path, facts: dict[str, Any]) -> None:
    """Begin a file with the facts about a recording; what it contained is lost.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    line = json.dumps({"type": "history", **facts}, ensure_ascii=False, separators=(",", ":"))
    path.write_text(f"{line}\n", encoding="utf-8")


class Events:
    """The events of one process.

    Parameters
    ----------
    path : Path
        A file that `start` has begun.
    process : int
        The process.
    """

    def __init__(self, path: Path, process: int) -> None:
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
        self.process = process

    def begin(self, label: str) -> None:
        """Note that a transaction will begin."""
        self._write(f'{{"type":"begin","process":{self.process},"transaction":"{label}"}}\n')

    def read(self, what: int, returned: Any) -> None:
        """Note what a read has returned."""
        version = ""
        if isinstance(returned, Versioned):
            returned, version = returned.value, f',"version":{returned.version}'
        value = json.dumps(returned, separators=(",", ":"))
        self._write(f'{{"type":"read","process":{self.process},"object":{what},"value":{value}'
                    f"{version}}}\n")  # fmt: skip

    def write(self, kind: str, what: int, value: int) -> None:
        """Note that a write or an append has returned."""
        self._write(f'{{"type":"{kind}","process":{self.process},"object":{what},'
                    f'"value":{value}}}\n')  # fmt: skip

    def try_commit(self) -> None:
        """Note that the memory will be asked to commit."""
        self._end("try-commit")

    def commit(self, versions: dict[int, int] | None) -> None:
        """Note that the transaction has committed."""
        self._end("commit", f',"versions":{json.dumps(versions)}' if versions else "")

    def abort(self) -> None:
        """Note that the transaction has aborted."""
        self._end("abort")

    def indeterminate(self) -> None:
        """Note that nobody knows whether the transaction has committed."""
        self._end("indeterminate")

    def close(self) -> None:
        """Write no more."""
        os.close(self._file)

    def _end(self, kind: str, more: str = "") -> None:
        self._write(f'{{"type":"{kind}","process":{self.process}{more}}}\n')

    def _write(self, line: str) -> None:
        data = line.encode()
        try:
            whole = os.write(self._file, data) == len(data)
        except OSError as error:
            error.filename = str(self._path)
            raise
        if not whole:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
