"""What the studio writes to its terminal while it runs: few lines, however many clients fail."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from aiohttp.http_exceptions import HttpProcessingError

LOG = logging.getLogger("counterpoint.studio")
RECORDS = 10
"""Largest number of records of each kind in `SECONDS`: malformed requests must not fill a disk."""
SECONDS = 60.0
_WIDTH = 200


class FewRecords(logging.StreamHandler[Any]):
    """Writes a few records of one kind to standard error, and counts the others.

    Parameters
    ----------
    bugs : bool
        Whether errors of the studio are written, with their tracebacks; else all other records,
        each as one line.
    now : callable
        Returns the time in seconds.
    """

    def __init__(self, bugs: bool, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter() if bugs else _Line())
        self._bugs, self._now = bugs, now
        self._begun, self._written, self._left_out = now(), 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether this handler writes records of this kind."""
        return is_bug(record) is self._bugs

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or count it if there were too many."""
        now = self._now()
        if now - self._begun >= SECONDS:
            if self._left_out:
                self.stream.write(f"counterpoint studio: {self._left_out:,} more were left out\n")
            self._begun, self._written, self._left_out = now, 0, 0
        if self._written >= RECORDS:
            self._left_out += 1
            return
        self._written += 1
        super().emit(record)


class _Line(logging.Formatter):
    """Formats a record as one line."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        text = record.getMessage() + (f": {error}" if error else "")
        return f"counterpoint studio: {' '.join(text.split())[:_WIDTH]}"


def is_bug(record: logging.LogRecord) -> bool:
    """Return whether a record has an error that neither a client nor the system has caused."""
    error = record.exc_info[1] if record.exc_info else None
    return error is not None and not isinstance(error, (HttpProcessingError, OSError))


def open_log() -> None:
    """Write the records of the studio, of aiohttp and of asyncio to standard error; also warnings.

    aiohttp warns of malformed parts of a form, with their text.
    """
    logging.captureWarnings(True)
    for log in (LOG, logging.getLogger("asyncio"), logging.getLogger("py.warnings")):
        log.handlers = [FewRecords(bugs=False), FewRecords(bugs=True)]
        log.propagate = False
