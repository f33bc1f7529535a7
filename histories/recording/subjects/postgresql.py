"""PostgreSQL at each of its isolation levels."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from counterpoint.histories.recording.interface import (
    Aborted,
    Lost,
    Memory,
    RecordingError,
    Session,
)
from counterpoint.histories.recording.load import Load

from .postgresql_server import Server, programs

if TYPE_CHECKING:
    import psycopg

PROMISES = {
    "read-committed": "read-committed",
    "repeatable-read": "snapshot-isolation",
    "serializable": "serializability",
}
"""The levels, and what PostgreSQL's manual promises of each."""

SCHEMA = f"counterpoint_{os.getpid()}"
"""The schema in which the tables of a recording are; it is dropped at the end."""


class PostgreSQL(Memory):
    """A database of the user, or a server of its own that ends with the recording.

    Parameters
    ----------
    level : str
        A key of `PROMISES`.
    dsn : str
        How the database is reached; "": a server of its own is started.
    """

    def __init__(self, level: str, dsn: str = "") -> None:
        self.level, self.dsn = level, dsn
        self.about = f"PostgreSQL, isolation level {level.replace('-', ' ')}"
        self.promises = (PROMISES[level],)
        self._server: Server | None = None

    def missing(self) -> str:
        """Return whether the driver or the server is missing."""
        if importlib.util.find_spec("psycopg") is None:
            return "needs psycopg: pip install 'counterpoint[postgresql]'"
        if not self.dsn and programs() is None:
            return "needs the Debian package postgresql, or --dsn"
        return ""

    def version(self) -> str:
        """Return the version of the server; only while it is open."""
        with self._connection() as connection:
            number = connection.info.server_version
        return f"PostgreSQL {number // 10000}.{number % 10000}"

    def open(self, load: Load) -> None:
        """Make the tables."""
        if not self.dsn and self._server is None:
            self._server = Server()
        with self._connection() as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
            connection.execute(f"CREATE SCHEMA {SCHEMA}")
            connection.execute(f"CREATE TABLE {SCHEMA}.registers (id int PRIMARY KEY, value int8)")
            connection.execute(f"CREATE TABLE {SCHEMA}.lists (id int PRIMARY KEY, items int8[])")
        self._lists = load.lists

    def connect(self, process: int) -> Session:
        """Return a session."""
        return _Connection(self._connection(), self.level, self._lists)

    def close(self) -> None:
        """Drop the tables, and stop the server if it was started here."""
        if self._server is not None:
            self._server.stop()
            self._server = None
        elif self.dsn:
            with self._connection() as connection:
                connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")

    def _connection(self) -> psycopg.Connection[Any]:
        import psycopg

        where = self.dsn if self._server is None else self._server.url
        try:
            return psycopg.connect(where, autocommit=True)
        except psycopg.Error as error:
            raise RecordingError(f"PostgreSQL: {error}") from error


class _Connection(Session):
    def __init__(self, connection: psycopg.Connection[Any], level: str, lists: bool) -> None:
        self._connection, self._lists = connection, lists
        self._begin = f"BEGIN ISOLATION LEVEL {level.replace('-', ' ')}"

    def begin(self) -> None:
        self._execute(self._begin)

    def read(self, what: int) -> Any:
        table, column = ("lists", "items") if self._lists else ("registers", "value")
        row = self._execute(f"SELECT {column} FROM {SCHEMA}.{table} WHERE id = %s", (what,))
        return row[0] if row else [] if self._lists else None

    def write(self, what: int, value: int) -> None:
        self._execute(f"INSERT INTO {SCHEMA}.registers VALUES (%s, %s) "
                      "ON CONFLICT (id) DO UPDATE SET value = excluded.value",
                      (what, value))  # fmt: skip

    def append(self, what: int, value: int) -> None:
        self._execute(f"INSERT INTO {SCHEMA}.lists AS old VALUES (%s, %s) "
                      "ON CONFLICT (id) DO UPDATE SET items = old.items || excluded.items",
                      (what, [value]))  # fmt: skip

    def commit(self) -> None:
        self._execute("COMMIT", asks=True)

    def abort(self) -> None:
        self._execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()

    def _execute(self, statement: str, values: Sequence[Any] = (), asks: bool = False) -> Any:
        """Execute a statement, and return its first row, if it has rows.

        Parameters
        ----------
        statement : str
        values : sequence
        asks : bool
            Whether it asks to commit.

        Raises
        ------
        Aborted
            If another transaction is in the way; this one has been rolled back then.
        Lost
            If the connection was lost.
        """
        import psycopg

        try:
            cursor = self._connection.execute(statement.encode(), values or None)
            return cursor.fetchone() if cursor.description else None
        except psycopg.OperationalError as error:
            if self._connection.closed:
                raise Lost from error
            if error.sqlstate is None or not error.sqlstate.startswith("40"):
                raise
        if not asks:
            self._connection.execute("ROLLBACK")
        raise Aborted
