"""Recorded histories: what the transactions of a real memory did, in JSON Lines.

The events stand in the order in which they happened. An event is recorded under a lock: the begin
of a transaction before the memory's begin is called, and its commit or abort after the memory has
answered. So if one transaction ended before another one began in the record, it really did.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, TextIO


class Recorder:
    """Collects the events of a memory.

    Parameters
    ----------
    **facts
        Facts about the recording, such as ``subject`` and ``seed``: its first line. ``initial``
        is the value that the objects have before anybody writes.

    Attributes
    ----------
    events : list of dict
        The events so far; keys and meaning are those of ``counterpoint history``.
    """

    def __init__(self, **facts: Any) -> None:
        self.facts = facts
        self.events: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def record(self, kind: str, process: int | str, **keys: Any) -> None:
        """Add an event.

        Parameters
        ----------
        kind : str
            Its type: ``begin``, ``read``, ``write``, ``try-commit``, ``commit`` or ``abort``.
        process : int or str
            Whose it is. A process runs one transaction at a time.
        **keys
            The other keys of the event; those that are None are left out.
        """
        event = {"type": kind, "process": process}
        event |= {key: value for key, value in keys.items() if value is not None}
        with self._lock:
            self.events.append(event)

    def write(self, file: TextIO | Path) -> None:
        """Write the history so far, one event a line, after a line with the facts."""
        if isinstance(file, Path):
            with file.open("w", encoding="utf-8") as opened:
                self.write(opened)
            return
        with self._lock:
            lines = [{"type": "history", **self.facts}, *self.events]
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
