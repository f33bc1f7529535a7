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

from .interface import RecordingError, Versioned


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
        """Note what a read has returned.

        Raises
        ------
        RecordingError
            If it is no value.
        """
        version = ""
        if isinstance(returned, Versioned):
            returned, version = returned.value, f',"version":{returned.version}'
        if not _is_value(returned):
            raise RecordingError(f"read({what}) returned {_short(returned)}, and must return a "
                                 "whole number, a text, None, or a list of such, or a Versioned "
                                 "with one")  # fmt: skip
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
        """Note that the transaction has committed.

        Raises
        ------
        RecordingError
            If the versions are no dict of whole numbers.
        """
        if versions is not None and not _are_versions(versions):
            raise RecordingError(f"commit() returned {_short(versions)}, and must return None, or "
                                 "the number of the version of each object that was "
                                 "written")  # fmt: skip
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


def _is_value(given: Any) -> bool:
    many = given if isinstance(given, list | tuple) else (given,)
    return all(
        one is None or (isinstance(one, int | str) and not isinstance(one, bool)) for one in many
    )


def _are_versions(given: Any) -> bool:
    return isinstance(given, dict) and all(
        isinstance(one, int) for pair in given.items() for one in pair
    )


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
