"""Files that exist: no command replaces one without ``--force``, unless Counterpoint wrote it."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from counterpoint.files.outputs import OPTIONS, replacing
from counterpoint.main import counterpoint as commands

from .test_command_line import OLD, call
from .test_help import paths

MINE = "my own text\n"

EXPORT = ("export", "peterson", "--to", "promela")
COMPARE = ("compare", "R1", "--web", "sample", "--pages", "5", "--seeds", "1", "--processes", "1")
DESCRIBE = ("web", "describe", "--profile", "sample")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (EXPORT, "--output"),
        (OLD, "--html"),
        (COMPARE, "--html"),
        (("readings", "r1"), "--html"),
        (("links", "--db", "no.db", "--format", "csv"), "--out"),
        (("try", "R3", "--start", "http://a.test/"), "--run"),
        (("web", "topics", "--profile", "topical"), "--qrels"),
        ((*DESCRIBE,), "--save"),
        ((*DESCRIBE,), "--picture"),
        (("web", "serve", "--profile", "sample"), "--seeds-file"),
        (("graph", "rank", "no.graph"), "--save"),
        (("coverage", "report", "--profile", "sample"), "--html"),
    ],
)
def test_a_file_of_the_users_is_refused_before_any_work(
    command: tuple[str, ...], option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A user's file that a command replaces without a word."""
    path = tmp_path / "mine.svg"
    path.write_text(MINE)
    code, out, err = call(capsys, *command, option, str(path))
    assert (code, out) == (2, "")
    assert f"{option}: {path} exists; --force replaces it" in err
    assert err.count("\n") == 1
    assert path.read_text() == MINE


def test_force_replaces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An option that does nothing, or that holds for the next command too."""
    path = tmp_path / "out"
    path.write_text(MINE)
    assert call(capsys, *EXPORT, "--output", str(path), "--force")[0] == 0
    assert "peterson" in path.read_text()
    assert call(capsys, *EXPORT, "--output", str(path))[0] == 2
    page = tmp_path / "page.html"
    page.write_text("<html>mine</html>")
    assert call(capsys, *OLD, "--html", str(page))[0] == 2
    assert page.read_text() == "<html>mine</html>"
    assert call(capsys, *OLD, "--html", str(page), "--force")[0] == 1
    assert "opacity" in page.read_text()


def test_own_pages_and_empty_files_are_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page that has to be deleted before the check can be run again."""
    page, other = tmp_path / "page.html", tmp_path / "other.html"
    for path in (page, other):
        for _ in range(2):
            command = OLD if path is page else COMPARE
            assert call(capsys, *command, "--html", str(path))[0] in (0, 1)
    empty = tmp_path / "empty"
    empty.touch()
    assert call(capsys, *EXPORT, "--output", str(empty))[0] == 0


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_what_is_no_file_is_not_replaced(
    force: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe or a device that becomes a file; for root this would be /dev/null itself."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command, option in ((EXPORT, "--output"), (OLD, "--html"), (DESCRIBE, "--save")):
        code, out, err = call(capsys, *command, option, str(pipe), *force)
        assert (code, out) == (2, "")
        assert f"{option}: {pipe} is no file that can be replaced" in err
    assert pipe.is_fifo()


def test_every_command_that_writes_a_file_offers_force() -> None:
    """A command that refuses a file, and has no option to replace it."""
    for path in paths(commands):
        command: click.Command = commands
        for name in path:
            assert isinstance(command, click.Group)
            found = command.get_command(click.Context(command), name)
            assert found is not None
            command = found
        names = {name for parameter in command.params for name in parameter.opts}
        writes = names & OPTIONS or "goal" in names
        assert ("--force" in names) == bool((writes and path != ("crawl",)) or path == ("gate",)), (
            path
        )


def test_a_link_and_a_mode_stay(tmp_path: Path) -> None:
    """A link that becomes a file, while the file it names keeps its old content; a lost mode."""
    file, link = tmp_path / "a.txt", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    with replacing(link) as unfinished:
        unfinished.write_text("new")
    assert link.is_symlink() and file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.txt", "link"]
