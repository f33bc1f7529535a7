"""Configures PostgreSQL for a link store: it is accessed by psycopg 3, and stores UTF-8."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from counterpoint.crawler.errors import CrawlError

_SUCH_AS = "postgresql://user:password@host/database"
_LOCK = 0x506C616E  # an arbitrary number that identifies our lock

HUNG = 15.0
"""Seconds after which the database ends an idle transaction that others wait for; a step of a
policy may take 10."""

_LOST = ("08", "57P", "25P03")
"""How PostgreSQL's codes begin for connections that fail, for a server that ends or starts, and for
a connection that was ended because it was idle within a transaction (`HUNG`)."""

_RESTARTING = ("the database system is ", "terminating connection due to administrator command")
"""What a server that ends or starts says to a client. One that closes a connection without a word
may be no PostgreSQL at all."""

_ALONE = """
    SELECT set_config('idle_in_transaction_session_timeout', %(idle)s, true),
           pg_advisory_xact_lock(%(lock)s)"""


def url(text: str) -> URL:
    """Return the URL of a database, with the driver that is used.

    Raises
    ------
    CrawlError
        If the text is not the URL of a PostgreSQL database.
    """
    try:
        found = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise CrawlError(f"the address of a database must be such as {_SUCH_AS}") from error
    if found.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise CrawlError(f"{found.drivername}://: a link store is a file's path or {_SUCH_AS}")
    given = found.query.get("password")
    if isinstance(given, str):  # move it to the place where SQLAlchemy hides it in messages
        found = found.difference_update_query(["password"]).set(password=given)
    return found.set(drivername="postgresql+psycopg")


def engine(address: URL, patience: float, pool: int) -> Engine:
    """Return an engine; it opens no connection yet.

    Parameters
    ----------
    address : URL
        As `url` returns it.
    patience : float
        Seconds to wait for a connection, and for the locks of other transactions.
    pool : int
        Number of connections that stay open.

    Raises
    ------
    CrawlError
        If psycopg is not installed.
    """
    try:
        import psycopg  # noqa: F401 an extra
    except ImportError as error:
        raise CrawlError("a link store in PostgreSQL needs psycopg: install "
                         "counterpoint[postgresql]") from error  # fmt: skip
    arguments: dict[str, Any] = {"connect_timeout": max(2, round(patience)),
                            "application_name": "counterpoint"}  # fmt: skip
    arguments = {name: value for name, value in arguments.items() if name not in address.query}
    made = create_engine(
        address, pool_size=pool, max_overflow=-1, pool_pre_ping=True, connect_args=arguments
    )

    @event.listens_for(made, "connect")
    def connected(connection: Any, _: object) -> None:
        connection.autocommit = True
        connection.execute(f"SET lock_timeout = {round(patience * 1000)}")
        connection.autocommit = False

    return made


def is_lost(error: BaseException | None) -> bool:
    """Return whether an error of psycopg means that there is no connection any more.

    The server gives a reason (`_LOST`), or the client has noticed that the connection is gone; then
    there is no code. A server that refuses a user has none either, but then there never was a
    connection.
    """
    import psycopg  # an extra

    if not isinstance(error, psycopg.Error):
        return False
    if error.sqlstate is None:
        return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))
    return error.sqlstate.startswith(_LOST)


def is_restarting(error: BaseException | None) -> bool:
    """Return whether an error of psycopg means that the server ends or starts at this moment.

    An error of a connection that was never made has no code, only the server's text.
    """
    code = getattr(error, "sqlstate", None)
    if code is not None:
        return str(code).startswith("57P")
    return any(text in str(error) for text in _RESTARTING)


def must_be_usable(connection: Connection, where: str) -> None:
    """Raise a `CrawlError` if the database cannot store every text."""
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise CrawlError(f"{where}: its encoding is {encoding}; a link store needs UTF8")


def lock(connection: Connection) -> None:
    """Lock out all other writing transactions until this one ends.

    It is the first statement of each writing transaction, as SQLite has one writing transaction at
    a time. So all of them take this lock before any lock on rows, and none can wait for another
    that waits for it; each reads what those before it have committed. A process that is suspended
    or disconnected between two statements loses its connection after `HUNG` seconds. One that is
    suspended between the rows of one write keeps the lock until it goes on or is killed: PostgreSQL
    waits for the other rows, and none of the timeouts of version 15 ends that.
    """
    connection.exec_driver_sql(_ALONE, {"idle": f"{HUNG * 1000:.0f}", "lock": _LOCK})
