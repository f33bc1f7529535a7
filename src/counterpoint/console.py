"""What all commands share: error messages of one line, exit codes, and a progress line."""

from __future__ import annotations

import io
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import click

from counterpoint.crawler.errors import ConnectionLostError, CrawlError
from counterpoint.files.outputs import must_not_be_lost
from counterpoint.graph.errors import GraphError
from counterpoint.memory import (
    RESERVE,
    TooLittleMemoryError,
    chain,
    is_exhausted,
    is_tight,
)
from counterpoint.models.checking.processes import cores
from counterpoint.models.importing.files import line_of_user
from counterpoint.models.limits import LONGEST
from counterpoint.sim_web.errors import WebError
from counterpoint.spec.notation import SpecError

OK, FELL, WRONG, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130
NO_MEMORY = "unknown: no memory is left"


def seconds(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse a value that is no limit of time, see `LONGEST`; a callback for options.

    Raises
    ------
    BadParameter
        If the value is zero, negative, too large or not a number.
    """
    value = above_zero(ctx, param, value)
    if value is not None and value > LONGEST:
        raise click.BadParameter(f"{value} is more than {LONGEST:,} seconds", ctx, param)
    return value


def above_zero(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse a value that is not a finite number above zero; a callback for options.

    Raises
    ------
    BadParameter
        If the value is zero, negative, infinite or not a number.
    """
    if value is not None and not 0 < value < math.inf:
        raise click.BadParameter(f"{value} is no number of seconds above zero", ctx, param)
    return value


def shown(text: str) -> str:
    """Return a text in one line, without characters that would move a terminal's cursor."""
    spaced = " ".join(text.split())
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in spaced)


processes_option = click.option(
    "--processes", type=click.IntRange(1, 64), default=cores, show_default="all cores",
    help="Use N processes at the same time.", metavar="N",
)  # fmt: skip
"""The option ``--processes`` of every command that runs many checks or crawls."""


def must_be_writable(option: str, path: Path | None, replaces: bool = True) -> None:
    """Refuse the file of an option if it cannot be written; called before long work begins.

    Parameters
    ----------
    option : str
        The option's name, for the message.
    path : Path or None
        The file; None if the option was not given.
    replaces : bool
        Whether the command would replace such a file. Then it is refused, unless ``--force``
        is given, or the file is empty or a page that Counterpoint has written.

    Raises
    ------
    UsageError
        If nothing can be written there, or a file would be lost.
    """
    if path is None:
        return
    if not path.name:
        raise click.UsageError(f"{option}: '' names no file")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise click.UsageError(f"{option}: there is no folder {folder}")
    target = path if path.exists() else folder
    if not os.access(target, os.W_OK):
        raise click.UsageError(f"{option}: nothing can be written in {target}")
    if replaces:
        must_not_be_lost(option, path)


def must_be_page(path: Path | None) -> None:
    """Refuse a file for ``--html`` that cannot be written or would be lost.

    Raises
    ------
    UsageError
        See `must_be_writable`.
    """
    must_be_writable("--html", path)


def run(command: click.Command, arguments: list[str] | None = None) -> int:
    """Run a command line and return its exit code; errors become one line on standard error."""
    keep_lines(command)
    reserve: list[bytes] = []
    try:
        reserve.append(bytes(RESERVE))
        result = command.main(args=arguments, prog_name="counterpoint", standalone_mode=False)
    except (KeyboardInterrupt, click.Abort) as error:
        # Click replaces a KeyboardInterrupt by an Abort, and keeps the first one as its cause.
        reason = str(error.__cause__ or error)
        return _say(f"interrupted; {reason or 'nothing was written'}", INTERRUPTED)
    except (Exception, SystemExit) as error:
        reserve.clear()
        if any(isinstance(one, KeyboardInterrupt) for one in chain(error)):
            return _say("interrupted", INTERRUPTED)  # a library has raised another error instead
        return _say(*(_too_large(error) or _expected(error) or _unexpected(error)))
    return result if isinstance(result, int) else OK


def _too_large(error: BaseException) -> tuple[str, int] | None:
    """Return the message and the exit code for an error by lack of memory; None for another one.

    It comes first, because any other error may have it as its cause: a policy, for example, whose
    module could not be imported without memory.
    """
    if isinstance(error, RecursionError):
        return "unknown: RecursionError: the problem is too large", UNKNOWN
    if isinstance(error, TooLittleMemoryError):
        return f"unknown: {error}", UNKNOWN
    return (without_memory(error), UNKNOWN) if is_exhausted(error) else None


def without_memory(error: BaseException) -> str:
    """Return the message for an error by lack of memory, with the place where it was noticed."""
    ours = isinstance(error, (SpecError, WebError, CrawlError, GraphError))
    place = str(error) if ours or isinstance(error, MemoryError) else ""
    place = place or line_of_user(error)
    return f"{NO_MEMORY}: {place}" if place else NO_MEMORY


def _expected(error: BaseException) -> tuple[str, int] | None:
    """Return the message and the exit code for an error that a command raises on purpose."""
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "counterpoint"
        return f"{error.format_message()} (see {path} --help)", WRONG
    if isinstance(error, click.ClickException):
        return error.format_message(), error.exit_code
    if isinstance(error, (SpecError, WebError, CrawlError, GraphError)):
        return str(error), UNKNOWN if isinstance(error, ConnectionLostError) else WRONG
    return None


def _unexpected(error: BaseException) -> tuple[str, int]:
    """Return the message and the exit code for an error that no command expects.

    An error of Counterpoint itself is raised again.
    """
    if isinstance(error, OSError):
        return f"{error.filename or 'system'}: {error.strerror or error}", WRONG
    if not line_of_user(error) and is_tight():  # a library that got no memory has errors of its own
        return NO_MEMORY, UNKNOWN
    if isinstance(error, SystemExit) and not error.code and (place := _foreign_end(error)):
        return f"{place}: SystemExit: the command was ended from there", WRONG
    return _of_user(error), WRONG


def _foreign_end(error: SystemExit) -> str:
    """Return the line of other code than ours that ended the command as if all were well."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    own = frame.f_globals.get("__name__", "").partition(".")[0] in ("click", "counterpoint")
    return "" if own else f"{frame.f_code.co_filename}:{line}"


def keep_lines(command: click.Command) -> None:
    """Keep the line breaks of the examples in a command's help, and in its subcommands'.

    Click keeps them after a backspace character. In the raw docstrings this is written as a
    backslash and a "b".
    """
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        keep_lines(below)


def _of_user(error: BaseException) -> str:
    """Return the line of the user's file that failed; raise an error of Counterpoint again."""
    place = line_of_user(error)
    if not place:
        raise error
    return f"{place}: {type(error).__name__}: {error}"


def _say(message: str, code: int) -> int:
    line = " ".join(message.split())
    click.echo(f"counterpoint: {line}", err=True)
    return code


@contextmanager
def printing() -> Iterator[None]:
    """Suppress the error of a closed pipe while printing, so that the exit code stays the same."""
    try:
        yield
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 until Python ends


def print_what_can_be_encoded() -> None:
    """Print an escape sequence for each character that the terminal's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def user_code() -> Iterator[None]:
    """Send what a user's code prints to standard error, away from a command's own output."""
    with redirect_stdout(sys.stderr or io.StringIO()):
        yield


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None] | None]:
    """Show a progress line on the terminal while a command works; see also `user_code`.

    Yields
    ------
    callable or None
        Shows a text after the title; None if standard error is not a terminal.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        with user_code():
            yield None
        return
    from rich.console import Console  # only a terminal needs it, and it takes a while to load

    with user_code(), Console(stderr=True).status(title, spinner="dots") as status:
        yield lambda line: status.update(f"{title}: {line}")
