"""Opens a link store: a SQLite file, or a PostgreSQL database; makes it, or brings it up to date.

Whatever is wrong with it is one `CrawlError`, and nothing is changed: a database is looked at
before anything is set in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, select
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError

from counterpoint.crawler.errors import CrawlError, StoreError

from . import migrations, postgresql, sqlite
from .schema import FORMAT, settings

PATIENCE = 30.0
"""Seconds that a transaction waits for another one to end."""


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
        """Yield a connection whose changes become visible together, at the end, or not at all.

        Raises
        ------
        StoreError
            The database is locked, full or gone; nothing was changed.
        CrawlError
            It is damaged, or does not permit that.
        """
        with self._told(), self._writing() as connection, connection.begin():
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Yield a connection; one to a file is kept, since to take it from the pool takes long."""
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
        """Yield a connection that sees one state of the store, and can change nothing.

        Writers do not wait for it. It should be short: while it lasts, what was overwritten
        since cannot be cleared away.

        Raises
        ------
        StoreError
            The database is gone, or something was to be changed.
        """
        with self._told(), self.engine.connect() as connection:
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
        """Yield a store of which all transactions are one: all of them are committed, or none."""
        with self.transaction() as connection:
            yield _Together(self, connection)

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
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (OperationalError, InterfaceError) as error:
            raise StoreError(f"{self.where}: {_said(error, self.patience)}") from error
        except DBAPIError as error:
            if not _is_of_the_database(error):
                raise
            raise CrawlError(f"{self.where}: {_said(error, self.patience)}") from error


class _Together(Store):
    """A store within one of its own transactions."""

    def __init__(self, store: Store, connection: Connection) -> None:
        super().__init__(store.where, store.engine, store.patience)
        self._connection = connection

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        yield self._connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        yield self._connection


def open_store(
    where: str | Path, *, create: bool = False, patience: float = PATIENCE, pool: int = 5
) -> Store:
    """Open a link store; one of an older version is migrated.

    Parameters
    ----------
    where : str or Path
        The path of a SQLite file, or ``postgresql://user:password@host/database``.
    create : bool
        Make it if there is none: the file (not its folder), or the tables in an empty database.
    patience : float
        Seconds to wait for other transactions, now and later.
    pool : int
        How many connections are kept open.

    Raises
    ------
    CrawlError
        There is no link store there and none may be or can be made, it is a database of another
        program or of a newer version, or it cannot be used. Nothing was changed.
    """
    if "://" in str(where):
        url = postgresql.url(str(where))
        named = url.set(drivername="postgresql").render_as_string(hide_password=True)
        store = Store(named, postgresql.engine(url, patience, pool), patience)
        there = True
    else:
        there = sqlite.must_be_usable(where, create)
        store = Store(str(where), sqlite.engine(Path(where), patience, pool), patience)
    try:
        _prepare(store, create)
    except BaseException as error:
        store.close()
        if not there:
            _leave_nothing(Path(where))
        if isinstance(error, DBAPIError):
            raise CrawlError(f"{store.where}: {_said(error, patience)}") from error
        raise
    return store


def _prepare(store: Store, create: bool) -> None:
    """Check what is there; make or migrate the tables if they are not as they must be."""
    with store.engine.connect().execution_options(reads=True) as connection:
        if store.dialect == "postgresql":
            postgresql.must_be_usable(connection, store.where)
        revision = _revision(connection, store.where)
        if revision is None and not create:
            raise CrawlError(f"{store.where}: holds no link store yet")
        migrations.must_be_known(revision, store.where)
    if store.dialect == "sqlite":
        sqlite.keep_a_log(store.engine, store.where)
    if revision != migrations.HEAD:
        with store.engine.connect() as connection, connection.begin():
            if store.dialect == "postgresql":
                postgresql.migrate_alone(connection)
            # Another process may have been faster.
            if _revision(connection, store.where) != migrations.HEAD:
                migrations.upgrade(connection)


def _revision(connection: Connection, where: str) -> str | None:
    """Return the revision of a link store's tables, None if there are no tables at all."""
    look = inspect(connection)
    tables = set(look.get_table_names())
    if not tables:
        return None
    if {"settings", "alembic_version"} <= tables:
        columns = {column["name"] for column in look.get_columns("settings")}
        asked = select(settings.c.value).where(settings.c.name == "format")
        if columns == {"name", "value"} and connection.execute(asked).scalar() == f'"{FORMAT}"':
            return migrations.current(connection)
    named = ", ".join(sorted(tables)[:3])
    raise CrawlError(f"{where}: is a database of another program; its tables are {named}"
                     f"{', ...' if len(tables) > 3 else ''}")  # fmt: skip


def _leave_nothing(path: Path) -> None:
    """Remove a file that was made in vain; not one that another process has filled by now."""
    if path.exists() and path.stat().st_size == 0:
        path.unlink()


def _is_of_the_database(error: DBAPIError) -> bool:
    """Tell whether a database is damaged (SQLite), or one may not do that there (PostgreSQL)."""
    refused = ("25006", "42501")  # read-only, no privilege
    return type(error) is DatabaseError or getattr(error.orig, "sqlstate", None) in refused


def _said(error: DBAPIError, patience: float) -> str:
    """Return what a database complains about, in one line."""
    said = str(error.orig).strip().partition("\n")[0]
    if "is locked" in said or "lock timeout" in said:
        return f"is locked by another program; waited {patience:g} seconds"
    return said
