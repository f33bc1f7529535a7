"""A real PostgreSQL server of the tests' own, and databases in it.

Each test process starts one when a test first asks for it: in a folder of its own, on a socket in
that folder, so servers never meet. It ends with the process, however that ends. It sorts text as a
language does, not byte by byte, so that whatever relies on the order of bytes must say so.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest

from tests import needs

USER = "postgres"


def programs() -> Path | None:
    """Return the folder of the server's programs; None: they are not installed."""
    found = needs.find("postgresql")
    return None if found is None else found.parent


def require_postgres() -> Path:
    """Return the folder of the server's programs; skip the test without, in CI fail."""
    return needs.need("postgresql").parent


class Server:
    """A server that was started here; it may be stopped and started again.

    Attributes
    ----------
    folder : Path
        Where its data and its socket are.
    process : subprocess.Popen or None
        The server while it runs.
    """

    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None
        self._settings = settings
        self._numbers = count(1)
        self._run("initdb", "--pgdata", str(folder / "data"), "--username", USER, "--no-sync",
                  "--encoding", "UTF8", "--auth", "trust", "--no-locale",
                  "--locale-provider", "icu", "--icu-locale", "en-US")  # fmt: skip

    def start(self) -> None:
        """Start it, and wait until it answers."""
        # No vacuum: with a database for each test it would look into one after the other.
        settings = ("listen_addresses=", f"unix_socket_directories={self.folder}", "fsync=off",
                    "autovacuum=off", "wal_level=minimal", "max_wal_senders=0",
                    "max_connections=50", "shared_buffers=64MB", *self._settings)  # fmt: skip
        options = [word for setting in settings for word in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self._command("postgres", "-D", str(self.folder / "data"), *options),
                cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + 60
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop(signal.SIGQUIT)
                pytest.fail((self.folder / "log").read_text()[-2000:])
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends connections and leaves data in order, SIGQUIT is a crash."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.send_signal(how)
            self.process.wait(60)
            self.process = None

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://{USER}@/{database}?host={quote(str(self.folder), safe='')}"

    def database(self) -> str:
        """Make an empty database and return its URL."""
        name = f"t{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.url(name)

    def execute(self, statement: str, database: str = USER) -> None:
        """Execute a statement outside of any transaction."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def _answers(self) -> bool:
        ready = [str(require_postgres() / "pg_isready"), "-q", "-h", str(self.folder)]
        return subprocess.run(ready, check=False).returncode == 0

    def _run(self, *command: str) -> None:
        done = subprocess.run(self._command(*command), cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    def _command(self, program: str, *arguments: str) -> list[str]:
        """Return a command that runs as its own user, where we are root, and ends with us."""
        of_user = ["--reuid", USER, "--regid", USER, "--init-groups"] if os.geteuid() == 0 else []
        return ["setpriv", *of_user, "--pdeathsig", "INT", str(require_postgres() / program),
                *arguments]  # fmt: skip


@contextmanager
def new_server(*settings: str) -> Iterator[Server]:
    """Yield a server of one test's own, which may stop it."""
    require_postgres()
    # Not pytest's folder: only its owner may enter that, and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam(USER)
            os.chown(folder, user.pw_uid, user.pw_gid)
        server = Server(folder, *settings)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Yield a server, the same for all tests of this process."""
    with new_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where a link store can be made, in each database."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    server: Server = request.getfixturevalue("postgres")
    return server.database()
