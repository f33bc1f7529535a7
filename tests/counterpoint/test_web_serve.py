"""``counterpoint web serve`` as a user types it, and its errors."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from counterpoint.commands.web import web as group
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.sim_web import profile, record
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Component, Web
from counterpoint.sim_web.pages import traps
from counterpoint.sim_web.serving import prepare, start_addresses
from counterpoint.sim_web.world.site import SyntheticSite

ROOT = Path(__file__).resolve().parents[2]
SERVE = ("web", "serve", "--profile", "broder-1999", "--pages", "2000", "--seed", "7")


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run the command; yield the process and the lines that it printed before it served."""
    with subprocess.Popen(
        [sys.executable, "-m", "counterpoint", *SERVE, *arguments],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            lines = []
            for line in process.stdout:
                lines.append(line.rstrip())
                if line.startswith("start:"):
                    break
            yield process, lines
        finally:
            process.kill()


def fetch(proxy: str, url: str) -> bytes:
    """Return the page that a client gets through the proxy."""
    handler = urllib.request.ProxyHandler({"http": proxy})
    with urllib.request.build_opener(handler).open(url, timeout=20) as answer:
        return bytes(answer.read())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_stopped(tmp_path: Path, number: int) -> None:
    """A printed address that does not answer, another web, or a traceback at the end."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.html").write_text("real")
    with serving(
        tmp_path, "--log", "log", "--seeds", "3", "--seeds-file", "seeds", "--site", "d.x=docs"
    ) as (process, lines):
        fields = dict(re.split(r": +", line, maxsplit=1) for line in lines)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", fields["proxy"])
        got = fetch(fields["proxy"], fields["start"])
        assert fetch(fields["proxy"], "http://d.x/a.html") == b"real"
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors.splitlines()) == (
        0, ["Ctrl-C stops the server.", "counterpoint: stopped after 2 requests"]
    )  # fmt: skip
    web = Web(profile.load("broder-1999"), 2000, 7)
    assert got == SyntheticSite(web).answer(Question(fields["start"], 0.0)).body
    seeds = (tmp_path / "seeds").read_text().splitlines()
    assert seeds == [*start_addresses(web, 3, "scc"), "http://d.x/"]
    assert seeds[0] == fields["start"]
    header, *lines = (tmp_path / "log").read_text().splitlines()
    assert record.header(header + "\n").profile == profile.to_mapping(web.profile)
    assert record.header(header + "\n").seed == 7
    assert [record.record(line).kind for line in lines] == ["page", "mounted"]


@pytest.mark.parametrize("component", list(Component))
def test_start_addresses_are_in_their_component(component: Component) -> None:
    """A start address that is printed as a page of SCC and is none."""
    web = Web(profile.load("broder-1999"), 2000, 7)
    found = start_addresses(web, 2, component.name.lower())
    assert 1 <= len(found) <= 2
    for url in found:
        host = web.named(url.removeprefix("http://").rstrip("/"))
        assert host is not None
        assert web.component(web.pages_of(host).start) == component


def test_a_web_without_the_requested_component() -> None:
    """A server without a start address."""
    web_profile = profile.read("[shares]\nscc = 1\nin = 0\nout = 0\ntendrils = 0\ntubes = 0\n"
                        "disconnected = 0\n", "here", "all")  # fmt: skip
    with pytest.raises(WebError, match="no host of this web starts in that component"):
        start_addresses(Web(web_profile, 100, 1), 1, "tubes")


def error_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must be refused; return the one line that it prints."""
    assert run(counterpoint, [*SERVE, *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return str(err)


def test_a_busy_port(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A traceback for the most frequent mistake, or a log that blocks the next start."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        for _ in range(2):
            error = error_line(capsys, "--port", port, "--log", str(tmp_path / "log"))
            assert error == f"counterpoint: --port {port}: the port is in use at 127.0.0.1\n"
            assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("share", [0.0, 0.01])
def test_bombs_are_made_before_the_first_client(share: float) -> None:
    """A pause of half a second for the first client, or a slow start without any bombs."""
    web_profile = profile.from_mapping({"faults": {"bomb": share}}, "test", "test")
    web = Web(web_profile, 100, 1)
    traps.bomb.cache_clear()
    prepare(web, start_addresses(web, 1, "any")[0])
    assert traps.bomb.cache_info().currsize == (share > 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--listen", "203.0.113.5"], "--listen 203.0.113.5: is not an address of this machine"),
        (["--listen", "no host"], "--listen no host: is not an address of this machine"),
        (["--port", "70000"], "70000 is not in the range"),
        (["--site", "a.b=/nowhere"], "there is no folder /nowhere"),
        (["--site", "nothing"], "must be HOST=DIR"),
        (["--log", "/nowhere/log"], "--log: there is no folder /nowhere"),
        (["--seeds-file", "/nowhere/s"], "--seeds-file: there is no folder /nowhere"),
        (["--speed", "2"], "--speed: only with --real-time"),
        (["--speed", "-1", "--real-time"], "no number of seconds above zero"),
        (["--real-time", "--seconds-per-request", "1"], "not with --real-time"),
        (["--seconds-per-request", "-1"], "-1.0 is not in the range"),
        (["--pages", "3"], "a web has from 20"),
        (["--profile", "none"], "there is no profile 'none'"),
    ],
)
def test_a_wrong_command_gets_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A traceback, or a server that starts although the command is wrong."""
    assert message in error_line(capsys, *arguments)


def test_a_log_is_not_overwritten(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A log of a finished crawl that the next start deletes."""
    log = tmp_path / "log"
    log.write_text("something\n")
    assert "is not empty" in error_line(capsys, "--log", str(log))
    assert log.read_text() == "something\n"


def test_a_mount_cannot_hide_a_host(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A planted page that cannot be reached because a mounted site has the name of its host."""
    name = Web(profile.load("broder-1999"), 2000, 7).name(3)
    assert "this web has a host of that name" in error_line(capsys, "--site", f"{name}={tmp_path}")


def test_the_command_is_listed() -> None:
    """A command that the help does not list."""
    assert "serve" in group.commands


def test_help_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A help text that is wider than a terminal of 80 columns."""
    assert run(counterpoint, ["web", "serve", "--help"]) == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 80
