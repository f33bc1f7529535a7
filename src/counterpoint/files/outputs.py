"""The rules for all files that commands write.

What exists is not replaced without ``--force``. A file is complete or missing. An error names the
file: the system names it where a file is opened, and not where its disk is full.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

MARK = b'<meta name="generator" content="counterpoint">'
"""Stands in the head of each HTML page that Counterpoint writes; such a page may be replaced."""

OPTIONS = frozenset(
    ["--output", "--out", "--html", "--save", "--picture", "--run", "--qrels", "--seeds-file",
     "--table", "--copy"]
)  # fmt: skip
"""The options that name a file which the command writes anew."""

_FORCE = "counterpoint.force"


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Give an error of the system that names no file the name of the one that is written."""
    try:
        yield
    except OSError as error:
        _name(error, path)
        raise


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a name beside a file, to be written; at the end it takes the place of the file.

    A link stays a link, and the file keeps its mode. What is no regular file is written itself.

    Raises
    ------
    OSError
        If it cannot be written; the error names ``path``, which is as it was.
    """
    target = path.resolve() if path.is_symlink() else path
    if target.exists() and not (target.is_file() or target.is_dir()):
        with named(path):
            yield path
        return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield unfinished
        if target.is_file():
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(unfinished, target)
    except OSError as error:
        _name(error, path, unfinished)
        raise
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _name(error: OSError, path: str | os.PathLike[str], unfinished: Path | None = None) -> None:
    """Let an error name a file, unless it names another than the unfinished one.

    An error without a number has a text of its own, which a name would replace.
    """
    names = (None, None if unfinished is None else os.fspath(unfinished))
    if error.errno is not None and error.filename in names:
        error.filename = os.fspath(path)


def must_not_be_lost(option: str, path: Path) -> None:
    """Refuse to replace what exists, unless that is allowed.

    Raises
    ------
    UsageError
        If it is no file, such as a device, or a file that would be lost.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):  # such as /dev/null
        raise click.UsageError(f"{option}: {path} is no file that can be replaced")
    if _would_be_lost(path):
        raise click.UsageError(f"{option}: {path} exists; --force replaces it")


def _would_be_lost(path: Path) -> bool:
    """Return whether a file has a content that nobody has allowed to replace."""
    if is_forced() or not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        return MARK not in file.read(2000)


def is_forced() -> bool:
    """Return whether the command that runs has the option ``--force``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_FORCE))


def writes_anew(command: click.Command) -> bool:
    """Return whether a command could replace files; a crawl writes its run anew when resumed."""
    names = {name for parameter in command.params for name in parameter.opts}
    return bool(names & OPTIONS or "goal" in names) and command.name != "crawl"


def offer_force(command: click.Command) -> None:
    """Give ``--force`` to a command that writes files, and to all such commands below it."""
    if writes_anew(command):
        command.params.append(
            click.Option(
                ["--force"],
                is_flag=True,
                expose_value=False,
                callback=_remember,
                help="Replace files that exist.",
            )
        )
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        offer_force(below)


def _remember(context: click.Context, parameter: click.Parameter, given: bool) -> None:
    context.meta[_FORCE] = given
