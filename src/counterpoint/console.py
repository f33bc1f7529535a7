"""What every command shares: one line for an error, the exit codes, and progress on a terminal."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from counterpoint.crawler.errors import CrawlError
from counterpoint.graph.errors import GraphError
from counterpoint.models.checking.processes import cores
from counterpoint.models.loading import line_of_user
from counterpoint.sim_web.errors import WebError
from counterpoint.spec.notation import SpecError

OK, FELL, WRONG, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130


def seconds(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse what is no finite number above zero; a callback of an option."""
    if value is not None and not 0 < value < math.inf:
        raise click.BadParameter(f"{value} is no number of seconds above zero", ctx, param)
    return value


def shown(text: str) -> str:
    """Return a text in one line, without characters that would move a terminal's cursor."""
    spaced = " ".join(text.split())
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in spaced)


processes_option = click.option(
    "--processes", type=click.IntRange(1, 64), default=cores, show_default="all cores",
    help="How many run at a time.",
)  # fmt: skip
"""The option of every command that runs many checks."""


def must_be_writable(option: str, path: Path | None) -> None:
    """Refuse a file that an option names if it cannot be written; long work comes after this."""
    if path is None:
        return
    if not path.name:
        raise click.UsageError(f"{option}: '' names no file")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise click.UsageError(f"{option}: there is no folder {folder}")
    there = path if path.exists() else folder
    if not os.access(there, os.W_OK):
        raise click.UsageError(f"{option}: nothing can be written in {there}")


def must_be_page(path: Path | None) -> None:
    """Refuse a file for ``--html`` that cannot be written, or that is there and is no page."""
    must_be_writable("--html", path)
    if path is None or not path.is_file():
        return
    with path.open("rb") as file:
        begin = file.read(100).lstrip()
    if begin and not begin.startswith(b"<"):
        raise click.UsageError(f"--html: {path} is there and is no page; name another file")


def run(command: click.Command, arguments: list[str] | None = None) -> int:
    """Run a command line and return its exit code; errors become one line on standard error."""
    keep_lines(command)
    try:
        result = command.main(args=arguments, prog_name="counterpoint", standalone_mode=False)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "counterpoint"
        return _say(f"{error.format_message()} (see {path} --help)", WRONG)
    except click.ClickException as error:
        return _say(error.format_message(), error.exit_code)
    except (SpecError, WebError, CrawlError, GraphError) as error:
        return _say(str(error), WRONG)
    except (KeyboardInterrupt, click.Abort) as error:
        told = str(error.__cause__ or error)  # click makes an Abort of it
        return _say(f"interrupted; {told or 'nothing was written'}", INTERRUPTED)
    except OSError as error:
        return _say(f"{error.filename or 'system'}: {error.strerror or error}", WRONG)
    except (RecursionError, MemoryError) as error:
        return _say(f"unknown: {type(error).__name__}: the problem is too large", UNKNOWN)
    except (Exception, SystemExit) as error:
        return _say(_of_user(error), WRONG)
    return result if isinstance(result, int) else OK


def keep_lines(command: click.Command) -> None:
    """Let examples stand a line each: click's mark for that is no raw text."""
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        keep_lines(below)


def _of_user(error: BaseException) -> str:
    """Say where a user's file failed; an error of ours is raised again."""
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
    """Print to a reader who may have seen enough; the exit code is then what it would be."""
    try:
        yield
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 until Python ends


def print_what_can_be_encoded() -> None:
    """Let an escape stand for each character that the terminal's encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None] | None]:
    """Show a moving line on a terminal while something runs; yield None where there is none.

    Yields
    ------
    callable or None
        Takes a line about how far it is.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # only a terminal needs it, and it takes a while to load

    with Console(stderr=True).status(what, spinner="dots") as status:
        yield lambda line: status.update(f"{what}: {line}")
