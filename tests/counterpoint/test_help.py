"""The help of every command, and the store that ``counterpoint sites`` needs."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from counterpoint.main import COMMANDS
from counterpoint.main import counterpoint as commands

from .test_command_line import call


def paths(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the names of a command and of all below it."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from paths(below, (*path, name))


def test_every_command_at_any_depth_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    """A subcommand whose help cannot be read, because an option of its group is missing."""
    found = list(paths(commands))
    assert ("sites", "add") in found
    assert len(found) > len(COMMANDS) + 20
    for path in found:
        for option in ("--help", "-h"):
            code, out, err = call(capsys, *path, option)
            assert (code, err) == (0, ""), (path, err)
            assert out.startswith(f"Usage: {' '.join(('counterpoint', *path))} "), path


@pytest.mark.parametrize(
    "arguments", [["list"], ["add", "http://a.test/"], ["remove", "1"], ["retry", "1"]]
)
def test_sites_needs_a_store(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A traceback for a missing store, or a message that does not say where the option stands."""
    code, out, err = call(capsys, "sites", *arguments)
    assert (code, out) == (2, "")
    assert "Missing option '--db': it stands before the subcommand" in err
    assert err.count("\n") == 1
