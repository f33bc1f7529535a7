"""``counterpoint studio`` as a user types it: a real process, and errors of the command line.

A process is needed for what the test server of `client.py` does not have: output, signals, the exit
code.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def studio(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command; yield the process and the address it printed."""
    with subprocess.Popen(
        [sys.executable, "-m", "counterpoint", "studio", "--port", "0", *arguments],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("studio: "), process.stderr and process.stderr.read()
            yield process, line.removeprefix("studio: ").strip()
        finally:
            process.kill()


def load(address: str) -> str:
    """Return the page at an address, requested without a proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address, timeout=20) as answer:
        return str(answer.read().decode())


def test_it_serves_until_it_is_stopped(tmp_path: Path) -> None:
    """An address that does not answer, a traceback after Ctrl-C, or a store that is not created."""
    with studio(tmp_path, "--db", "links.db") as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        assert "No sites yet" in load(address)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "")
    assert err == "Ctrl-C ends the studio; a running crawl continues.\n"
    assert (tmp_path / "links.db").exists()


def error_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must be refused; return the one line that it prints."""
    assert run(counterpoint, ["studio", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return str(err)


def test_a_busy_port(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A traceback for the most frequent mistake, or a new store though nothing is served."""
    where = tmp_path / "crawl.db"
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        error = error_line(capsys, "--db", str(where), "--port", port)
    assert error == f"counterpoint: --port {port}: is in use at 127.0.0.1\n"
    assert not where.exists()


def test_a_database_of_another_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A studio that creates its tables in the database of another program."""
    where = tmp_path / "other.db"
    with sqlite3.connect(where) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = where.read_bytes()
    assert "another program" in error_line(capsys, "--db", str(where), "--port", "0")
    assert where.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--listen", "203.0.113.5"], "--listen 203.0.113.5: is no address of this machine"),
        (["--listen", "no host"], "--listen no host: is no address of this machine"),
        (["--listen", "0.0.0.0"], "give the host name of the studio with --name"),
        (["--port", "70000"], "70000 is not in the range"),
        (["--db", "/nowhere/crawl.db"], "there is no folder /nowhere"),
        (["--db", "mysql://localhost/x"], "mysql://: a link store is"),
    ],
)
def test_a_wrong_command_gets_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], message: str
) -> None:
    """A traceback, or a studio that starts although the command is wrong."""
    options = ["--db", str(tmp_path / "crawl.db"), "--port", "0", *arguments]
    assert message in error_line(capsys, *options)


def test_help_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A help text that is wider than a terminal of 80 columns."""
    assert run(counterpoint, ["studio", "--help"]) == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 80
