"""SQLite with a write-ahead log, used by several processes of the system."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterpoint.histories.recording.interface import Aborted, Memory, Session
from counterpoint.histories.recording.load import Load

BUSY = 5
"""The code of SQLite for a database that another process has locked, or has changed."""

TIMEOUT = 0.1
"""Seconds to wait for a lock."""


class Sqlite(Memory):
    """A database in a temporary folder."""

    about = "SQLite with a write-ahead log, several processes"
    promises = ("serializability",)
    workers = "processes"

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def version(self) -> str:
        """Return the version of SQLite."""
        return f"SQLite {sqlite3.sqlite_version}"

    def open(self, load: Load) -> None:
        """Make the database."""
        self.close()
        self._folder = tempfile.TemporaryDirectory(prefix="counterpoint-")
        self._path = Path(self._folder.name) / "history.db"
        connection = sqlite3.connect(self._path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE registers (id INTEGER PRIMARY KEY, value INTEGER)")
        connection.execute("CREATE TABLE lists (id INTEGER PRIMARY KEY, items TEXT)")
        connection.close()
        self._lists = load.lists

    def connect(self, process: int) -> Session:
        """Return a session."""
        return _Connection(self._path, self._lists)

    def close(self) -> None:
        """Remove the database."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


class _Connection(Session):
    def __init__(self, path: Path, lists: bool) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, timeout=TIMEOUT)
        self._connection.execute("PRAGMA synchronous = OFF")
        self._lists = lists

    def begin(self) -> None:
        self._execute("BEGIN")

    def read(self, what: int) -> Any:
        table, column = ("lists", "items") if self._lists else ("registers", "value")
        row = self._execute(f"SELECT {column} FROM {table} WHERE id = ?", (what,))
        if self._lists:
            return [int(item) for item in row[0].split(",")] if row else []
        return row[0] if row else None

    def write(self, what: int, value: int) -> None:
        self._execute("INSERT INTO registers VALUES (?, ?) "
                      "ON CONFLICT (id) DO UPDATE SET value = excluded.value",
                      (what, value))  # fmt: skip

    def append(self, what: int, value: int) -> None:
        self._execute("INSERT INTO lists VALUES (?, ?) "
                      "ON CONFLICT (id) DO UPDATE SET items = items || ',' || excluded.items",
                      (what, str(value)))  # fmt: skip

    def commit(self) -> None:
        self._execute("COMMIT")

    def abort(self) -> None:
        self._execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Execute a statement, and return its first row.

        Raises
        ------
        Aborted
            If another process is in the way; the transaction has been rolled back then.
        """
        try:
            return self._connection.execute(statement, values).fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != BUSY:
                raise
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        raise Aborted
