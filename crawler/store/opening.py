"""Opens a link store, a SQLite file or a PostgreSQL database; creates or migrates it if necessary.

A database is checked before anything is changed in it; all problems are raised as `CrawlError`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, inspect, select
from sqlalchemy.exc import DBAPIError

from counterpoint.crawler.errors import ConnectionLostError, CrawlError, GivenUpError, StoreError

from . import migrations, postgresql, sqlite
from .reconnecting import reconnecting
from .schema import FORMAT, settings

PATIENCE = 30.0
"""Seconds that a transaction waits for another one to end."""


REFUSED = ("25006", "42501")
"""PostgreSQL's codes for a database that is read-only, and for a missing privilege."""

GIVEN_UP = ("40001", "40P01")
"""PostgreSQL's codes for a transaction that it has rolled back because of others: it could not be
serialized, or it was in a deadlock."""

AGAIN = (0.05, 0.2, 0.5)
"""Seconds between attempts of a transaction that the database gives up; there is one more attempt
than pauses. PostgreSQL needs a second to find a deadlock, so those before have ended by then."""

Result = TypeVar("Result")


class Store:
    """An open link store; safe to use from several threads.

    Attributes
    ----------
    where : str
        The path or the URL, without a password.
    engine : Engine
        SQLAlchemy's.
    dialect : str
        ``sqlite`` or ``postgresql``.
    patience : float
        Seconds that a transaction waits for others.
    """

    def __init__(self, where: str, engine: Engine, patience: float = PATIENCE) -> None:
        self.where = where
        self.engine = engine
        self.dialect = engine.dialect.name
        self.patience = patience
        self._kept: list[Connection] = []

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection; its changes are committed together at the end, or not at all.

        Other writing transactions wait until it ends.

        Raises
        ------
        StoreError
            If the database is locked, full or unreachable; nothing was changed.
        CrawlError
            If the database is damaged, or does not permit the change.
        """
        with self.translated_errors(), self._writing() as connection, connection.begin():
            if self.dialect == "postgresql":
                postgresql.lock(connection)
            yield connection

    def write(self, change: Callable[[Connection], Result]) -> Result:
        """Run a function in a transaction; return its result after the transaction was committed.

        If the database gives the transaction up because of others (`GIVEN_UP`), all of it is
        repeated a few times, so the function must have no effect outside of the database.

        Parameters
        ----------
        change : callable
            Gets the connection of `transaction`.

        Raises
        ------
        GivenUpError
            If the database has given up each attempt; nothing was changed.
        CrawlError
            As in `transaction`.
        """
        for pause in (*AGAIN, None):
            try:
                with self.transaction() as connection:
                    return change(connection)
            except GivenUpError as error:
                if pause is None:
                    raise GivenUpError(f"{error}; tried {len(AGAIN) + 1} times") from error
                time.sleep(pause)
        raise AssertionError("the last attempt raises")

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Yield a connection; one to a file is kept, since taking one from the pool is slow."""
        if self.dialect != "sqlite":
            with self.engine.connect() as connection:
                yield connection
            return
        try:
            connection = self._kept.pop()
        except IndexError:
            connection = self.engine.connect()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._kept.append(connection)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a read-only connection that sees one state of the store.

        Writers do not wait for it. It should be short: until it ends, the database cannot remove
        rows that were overwritten meanwhile.

        Raises
        ------
        StoreError
            If the database is unreachable, or the caller tries to change it.
        """
        with self.translated_errors(), self.engine.connect() as connection:
            if self.dialect == "sqlite":
                connection = connection.execution_options(reads=True)
            else:
                connection = connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            with connection.begin():
                yield connection

    @contextmanager
    def together(self) -> Iterator[Store]:
        """Yield a store whose transactions are all part of one: all are committed, or none."""
        with self.transaction() as connection:
            yield self.within(connection)

    def within(self, connection: Connection) -> Store:
        """Return a store whose transactions are all part of one, that of the connection."""
        return _Together(self, connection)

    def close(self) -> None:
        """Close all connections."""
        while self._kept:
            self._kept.pop().close()
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def translated_errors(self) -> Iterator[None]:
        """Convert errors of the driver, whether they come from SQLAlchemy or from a cursor.

        Raises
        ------
        ConnectionLostError
            For an error of the connection to a server.
        GivenUpError
            If the database has rolled the transaction back because of others.
        StoreError
            For other errors that are not the caller's, such as a lock.
        CrawlError
            If the database is damaged, or does not permit the change.
        """
        driver: Any = self.engine.dialect.loaded_dbapi
        try:
            yield
        except (DBAPIError, driver.Error) as error:
            of_driver = error.orig if isinstance(error, DBAPIError) else error
            reason = _message(of_driver, self.patience)
            message = f"{self.where}: {reason}"
            if self.dialect == "postgresql" and postgresql.is_lost(of_driver):
                raise ConnectionLostError(
                    f"{self.where}: the connection to the database was lost ({reason})"
                ) from error
            if _sqlstate(of_driver) in GIVEN_UP:
                raise GivenUpError(message) from error
            if isinstance(of_driver, (driver.OperationalError, driver.InterfaceError)):
                raise StoreError(message) from error
            if type(of_driver) is driver.DatabaseError or _sqlstate(of_driver) in REFUSED:
                raise CrawlError(message) from error
            raise


class _Together(Store):
    """A store within one of its own transactions."""

    def __init__(self, store: Store, connection: Connection) -> None:
        super().__init__(store.where, store.engine, store.patience)
        self._connection = connection

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        yield self._connection

    def write(self, change: Callable[[Connection], Result]) -> Result:
        return change(self._connection)  # the whole transaction is repeated, not a part of it

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        yield self._connection


def open_store(
    where: str | Path, *, create: bool = False, reads: bool = False, patience: float = PATIENCE,
    pool: int = 5,
) -> Store:  # fmt: skip
    """Open a link store; one of an older version is migrated.

    Parameters
    ----------
    where : str or Path
        The path of a SQLite file, or ``postgresql://user:password@host/database``.
    create : bool
        Whether to create a missing store: the file (not its folder), or the tables in an empty
        database.
    reads : bool
        Whether the caller only reads. Then a SQLite file may stand where nothing can be written.
    patience : float
        Seconds that each transaction waits for others.
    pool : int
        Number of connections that stay open.

    Raises
    ------
    CrawlError
        If there is no link store and it must not or cannot be created, if the database belongs to
        another program or a newer version, or if it cannot be used. Nothing was changed.
    ConnectionLostError
        If a server ends or starts, and does not accept connections within the time of `PAUSES`.
    """
    if "://" in str(where):
        url = postgresql.url(str(where))
        named = url.set(drivername="postgresql").render_as_string(hide_password=True)
        store = Store(named, postgresql.engine(url, patience, pool), patience)
        there = writes = True
    else:
        there = sqlite.must_be_usable(where, create, reads)
        path = Path(where)
        writes = not reads or sqlite.is_writable(path)
        store = Store(str(where), sqlite.engine(path, patience, pool, writes=writes), patience)
    try:
        _prepare(store, create, writes)
    except BaseException as error:
        store.close()
        if not there:
            _leave_nothing(Path(where))
        if isinstance(error, DBAPIError):
            raise CrawlError(f"{store.where}: {_message(error.orig, patience)}") from error
        raise
    return store


def _prepare(store: Store, create: bool, writes: bool) -> None:
    """Check the database, and create or migrate its tables if necessary and if it is writable."""
    if store.dialect == "postgresql":
        revision = reconnecting(_Checking(store, create))
    else:
        revision = _checked(store, create)
    if writes:
        _bring_up_to_date(store, revision)
    elif revision != migrations.HEAD:
        raise CrawlError(f"{store.where}: is of an earlier version, and cannot be migrated "
                         "there; copy it to a folder that can be written")  # fmt: skip


def _checked(store: Store, create: bool) -> str | None:
    """Return the revision of a store, which must be known, and not missing unless it is created."""
    with store.engine.connect().execution_options(reads=True) as connection:
        if store.dialect == "postgresql":
            postgresql.must_be_usable(connection, store.where)
        revision = _revision(connection, store.where)
        if revision is None and not create:
            raise CrawlError(f"{store.where}: contains no link store yet")
        migrations.must_be_known(revision, store.where)
    return revision


class _Checking:
    """Checks a store in PostgreSQL; a server that ends or starts is worth another attempt.

    One that does not answer at all is not, since its address is probably wrong; unless an attempt
    before has shown that the server is being restarted.
    """

    def __init__(self, store: Store, create: bool) -> None:
        self._store, self._create, self._restarts = store, create, False

    def __call__(self) -> str | None:
        try:
            return _checked(self._store, self._create)
        except DBAPIError as error:
            self._restarts = self._restarts or postgresql.is_restarting(error.orig)
            if self._restarts and postgresql.is_lost(error.orig):
                reason = _message(error.orig, self._store.patience)
                raise ConnectionLostError(
                    f"{self._store.where}: the server ends or starts ({reason})"
                ) from error
            raise


def _bring_up_to_date(store: Store, revision: str | None) -> None:
    """Create the tables, or migrate those of an earlier revision.

    Parameters
    ----------
    store : Store
    revision : str or None
        The revision of its tables; None: it has no tables.
    """
    if store.dialect == "sqlite":
        sqlite.keep_a_log(store.engine, store.where)

    def upgrade(connection: Connection) -> None:
        # Another process may have migrated it meanwhile.
        if _revision(connection, store.where) != migrations.HEAD:
            migrations.upgrade(connection)

    if revision != migrations.HEAD:
        reconnecting(partial(store.write, upgrade))


def _revision(connection: Connection, where: str) -> str | None:
    """Return the revision of a link store's tables; None if there are no tables."""
    look = inspect(connection)
    tables = set(look.get_table_names())
    if not tables:
        return None
    if {"settings", "alembic_version"} <= tables:
        columns = {column["name"] for column in look.get_columns("settings")}
        query = select(settings.c.value).where(settings.c.name == "format")
        if columns == {"name", "value"} and connection.execute(query).scalar() == f'"{FORMAT}"':
            return migrations.current(connection)
    named = ", ".join(sorted(tables)[:3])
    raise CrawlError(f"{where}: is a database of another program; its tables are {named}"
                     f"{', ...' if len(tables) > 3 else ''}")  # fmt: skip


def _leave_nothing(path: Path) -> None:
    """Remove a new file if it is still empty; another process may have filled it meanwhile."""
    if path.exists() and path.stat().st_size == 0:
        path.unlink()


def _sqlstate(error: BaseException | None) -> str | None:
    """Return PostgreSQL's code of an error; SQLite has none."""
    return getattr(error, "sqlstate", None)


def _message(error: BaseException | None, patience: float) -> str:
    """Return the message of a driver's error, in one line."""
    message = str(error).strip().partition("\n")[0]
    if "is locked" in message or "lock timeout" in message:
        return f"is locked by another program; waited {patience:g} seconds"
    return message
