"""``counterpoint step``: a walk through a spec, in a terminal or by a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from counterpoint import show
from counterpoint.console import OK, WRONG, printing, user_code

from .saving import begun
from .session import Session

PROMPT = "> "


@click.command()
@click.argument("reference", metavar="[SPEC]", required=False, default="")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Set a parameter of the spec; repeatable.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, help="Seed of random steps.")
@click.option("--from", "path", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Begin with the run of FILE: a scenario, or an output of check --format json.",
              )  # fmt: skip
def step(reference: str, settings: tuple[str, ...], seed: int, path: Path | None) -> int:
    r"""Walk through SPEC: see the state and what is possible, and choose a step.

    A step is chosen by its number, or by a text such as `read t=T0 x=y`. The command help lists
    what else can be typed: back, random, show, steps, properties, chart, goto, save and quit. A
    star marks what the last step has changed.

    In a terminal, the tab key completes what is typed, and Ctrl-D leaves. In a pipe, each line of
    standard input is a command, and is printed before its answer.

    With --from and without SPEC, the run of FILE is repeated in its own spec; with SPEC, as far as
    it is possible there.

    Exit code 0: left, also at the end of input; 2: the command, FILE or the spec is wrong.

    \b
    counterpoint step peterson
    counterpoint step window-stm --set fetch-and-increment=old
    counterpoint step --from old.json
    counterpoint step window-stm --from old.json
    echo random 5 | counterpoint step window-stm --seed 7
    """
    if not reference and path is None:
        raise click.UsageError("Missing argument 'SPEC', or an option --from FILE.")
    if settings and not reference:
        raise click.UsageError("--set needs SPEC: FILE has parameters of its own")
    with user_code():
        session, notes = _session(reference, settings, seed, path)
        rows = [*notes, *session.greeting()]
    with printing():
        _print(rows)
        with suppress(KeyboardInterrupt):
            _talk(session)
    return WRONG if session.is_broken else OK


def _session(
    reference: str, settings: tuple[str, ...], seed: int, path: Path | None
) -> tuple[Session, list[str]]:
    # loaded only here: completion by the shell imports this module
    from counterpoint.models.loading import load
    from counterpoint.models.runs.walk import Walk

    if path is None:
        return Session(Walk(load(reference, settings)), seed, show.width()), []
    walk, notes = begun(path, reference, settings)
    return Session(walk, seed, show.width()), [show.wrapped(note, indent=0) for note in notes]


def _talk(session: Session) -> None:
    """Answer lines until the user leaves or there are no more."""
    with _reading(session) as lines:
        for line in lines:
            with user_code():
                rows = session.answer(line)
            _print(rows)
            if session.ended:
                return


@contextmanager
def _reading(session: Session) -> Iterator[Iterator[str]]:
    """Yield the lines that are typed, with history and completion; or those of a pipe."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield _piped()
        return
    try:
        import readline
    except ImportError:  # Python can be built without it
        yield _typed()
        return
    before = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(_completer(session))
    readline.set_completer_delims("")
    readline.parse_and_bind("tab: complete")
    try:
        yield _typed()
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])


def _completer(session: Session) -> Callable[[str, int], str | None]:
    def complete(begun: str, number: int) -> str | None:
        with user_code():
            found = session.completions(begun)
        return found[number] if number < len(found) else None

    return complete


def _typed() -> Iterator[str]:
    while True:
        try:
            line = input(PROMPT)
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return
        yield line


def _piped() -> Iterator[str]:
    for line in sys.stdin:
        bare = line.rstrip("\r\n")
        click.echo(f"{PROMPT}{bare}".rstrip())
        yield bare


_COLOURS = {"* ": "cyan", "Violated:": "red", "Deadlock:": "red", "wrong:": "red",
            "The run ends": "red", "Finished:": "green", "step ": None}  # fmt: skip


def _print(rows: list[str]) -> None:
    for row in rows:
        begins = next((one for one in _COLOURS if row.startswith(one)), None)
        if begins is not None:
            row = click.style(row, fg=_COLOURS[begins], bold=begins == "step ")
        click.echo(row)
    sys.stdout.flush()
