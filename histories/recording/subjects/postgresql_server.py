"""A PostgreSQL server of a recording's own: in a temporary folder, on a socket in that folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from counterpoint.histories.recording.interface import RecordingError

USER = "postgres"
"""The user as whom the server runs where we are root, and the name of the superuser in it."""

PATIENCE = 60.0
"""Seconds until a server must answer."""


def programs() -> Path | None:
    """Return the folder of the server's programs; None if they are not installed."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = str(debian[-1]) if debian else shutil.which("initdb")
    return None if found is None else Path(found).resolve().parent


class Server:
    """A server that runs until `stop`, or until this process ends.

    Raises
    ------
    RecordingError
        If it does not start.
    """

    def __init__(self) -> None:
        found = programs()
        if found is None:
            raise RecordingError("PostgreSQL is not installed")
        self._programs = found
        self._process: subprocess.Popen[bytes] | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="counterpoint-"))
        try:
            if os.geteuid() == 0:
                user = pwd.getpwnam(USER)
                os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._start()
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """The address of its database."""
        return f"postgresql://{USER}@/{USER}?host={quote(str(self.folder), safe='')}"

    def stop(self) -> None:
        """End all connections, stop it, and remove its folder."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
            self._process = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self) -> None:
        made = subprocess.run(
            self._command("initdb", "--pgdata", "data", "--username", USER, "--no-sync",
                          "--auth", "trust", "--no-locale", "--encoding", "UTF8"),
            cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            lines = made.stderr.strip().splitlines()
            raise RecordingError(f"initdb failed: {lines[-1] if lines else 'silently'}")
        # Deadlocks are looked for after a short time, since a random load has many.
        settings = ("listen_addresses=", f"unix_socket_directories={self.folder}", "fsync=off",
                    "max_connections=100", "deadlock_timeout=20ms")  # fmt: skip
        options = [word for setting in settings for word in ("-c", setting)]
        log = self.folder / "log"
        with log.open("wb") as out:
            self._process = subprocess.Popen(
                self._command("postgres", "-D", "data", *options), cwd=self.folder,
                stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                lines = log.read_text(errors="replace").strip().splitlines()
                raise RecordingError(f"PostgreSQL does not start: {lines[-1] if lines else ''}")
            time.sleep(0.02)

    def _answers(self) -> bool:
        ready = [str(self._programs / "pg_isready"), "-q", "-h", str(self.folder)]
        return subprocess.run(ready, check=False).returncode == 0

    def _command(self, program: str, *arguments: str) -> list[str]:
        """Return a command that runs as a user who may run a server, and ends with us."""
        start = ["setpriv", "--pdeathsig", "INT"]
        if os.geteuid() == 0:
            start += ["--reuid", USER, "--regid", USER, "--init-groups"]
        return [*start, str(self._programs / program), *arguments]
