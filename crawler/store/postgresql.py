"""PostgreSQL as a link store needs it: through psycopg 3, in UTF-8."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from counterpoint.crawler.errors import CrawlError

_SUCH_AS = "postgresql://user:password@host/database"
_LOCK = 0x436F756E  # any number of our own


def url(text: str) -> URL:
    """Return the URL of a database, with its driver."""
    try:
        found = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise CrawlError(f"the address of a database must be such as {_SUCH_AS}") from error
    if found.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise CrawlError(f"{found.drivername}://: a link store is a file's path or {_SUCH_AS}")
    given = found.query.get("password")
    if isinstance(given, str):  # to where it is hidden when the address is shown
        found = found.difference_update_query(["password"]).set(password=given)
    return found.set(drivername="postgresql+psycopg")


def engine(of: URL, patience: float, pool: int) -> Engine:
    """Return an engine; nothing is asked yet."""
    try:
        import psycopg  # noqa: F401 an extra
    except ImportError as error:
        raise CrawlError("a link store in PostgreSQL needs psycopg: install "
                         "counterpoint[postgresql]") from error  # fmt: skip
    told: dict[str, Any] = {"connect_timeout": max(2, round(patience)),
                            "application_name": "counterpoint"}  # fmt: skip
    told = {name: value for name, value in told.items() if name not in of.query}
    made = create_engine(of, pool_size=pool, max_overflow=-1, pool_pre_ping=True, connect_args=told)

    @event.listens_for(made, "connect")
    def connected(connection: Any, _: object) -> None:
        connection.autocommit = True
        connection.execute(f"SET lock_timeout = {round(patience * 1000)}")
        connection.autocommit = False

    return made


def must_be_usable(connection: Connection, where: str) -> None:
    """Refuse a database that cannot hold every text."""
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise CrawlError(f"{where}: its encoding is {encoding}; a link store needs UTF8")


def migrate_alone(connection: Connection) -> None:
    """Wait until nobody else makes or migrates tables, and hold that until the transaction ends."""
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
