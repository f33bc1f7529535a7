"""``counterpoint history record`` and ``subjects``: histories of real memories and databases."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint import show
from counterpoint.console import FELL, OK, WRONG, must_be_writable, printing, progress, seconds

if TYPE_CHECKING:
    from counterpoint.histories.recording.recording import Recorded
    from counterpoint.histories.recording.survey import Surveyed

SHARE = click.FloatRange(0, 1)


class RecordingFailed(click.ClickException):
    """A subject is not there, or fails."""

    exit_code = WRONG


def load_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that describe a load."""
    options = [
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                     help="Of the random load."),
        click.option("--transactions", type=click.IntRange(1, 10_000_000), default=1000,
                     show_default=True, metavar="N", help="Of all processes together."),
        click.option("--threads", type=click.IntRange(1, 64), default=4, show_default=True,
                     metavar="N", help="Processes that run transactions at the same time."),
        click.option("--objects", type=click.IntRange(1, 100_000), default=10, show_default=True,
                     metavar="N", help="Objects at a time."),
        click.option("--operations", type=click.IntRange(1, 50), default=4, show_default=True,
                     metavar="N", help="A transaction has from 1 to N; a write and the read "
                                       "before it are one."),
        click.option("--skew", type=click.FloatRange(0, 5), default=1.0, show_default=True,
                     metavar="S", help="The exponent of Zipf's law by which objects are chosen; "
                                       "0: all alike."),
        click.option("--read-only", type=SHARE, default=0.3, show_default=True, metavar="SHARE",
                     help="Of the transactions, those that only read."),
        click.option("--aborts", type=SHARE, default=0.05, show_default=True, metavar="SHARE",
                     help="Of the transactions, those that abort on purpose."),
        click.option("--blind", type=SHARE, default=0.0, show_default=True, metavar="SHARE",
                     help="Of the writes to registers, those without a read of the register "
                          "before. Their order cannot be seen in the history, so that it takes "
                          "longer to judge."),
        click.option("--pauses", type=SHARE, default=0.1, show_default=True, metavar="SHARE",
                     help="Of the operations, those after which the transaction pauses, so that "
                          "more of them overlap."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@click.command("record")
@click.argument("subject", metavar="SUBJECT")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True,
              metavar="FILE", help="Write the history to FILE while it is recorded.")  # fmt: skip
@load_options
@click.option("--lists", is_flag=True, help="Append to lists, and do not write registers.")
@click.option("--seconds", "limit", type=float, callback=seconds, metavar="SECONDS",
              help="After so many, no transaction begins any more.")  # fmt: skip
@click.option("--dsn", default="", metavar="ADDRESS",
              help="The database to use for postgresql:…; otherwise a server of its own is "
                   "started, which ends with the recording.")  # fmt: skip
def record(subject: str, out: Path, limit: float | None, dsn: str, **load: Any) -> int:
    r"""Record a history of SUBJECT under a seeded random load.

    SUBJECT is a name (see: counterpoint history subjects), a class of your own, file.py:Name, or a
    program of your own, cmd:PROGRAM. The file can be read at any moment, even if the recording is
    killed. The plan of each transaction depends on the seed and the load alone; the order in which
    transactions run does not.

    Exit code 0: recorded; 2: the command is wrong, or the subject failed.

    \b
    counterpoint history record sqlite --out history.jsonl
    counterpoint history record faulty --out history.jsonl --seed 7 --threads 8
    counterpoint history record postgresql:serializable --lists --out history.jsonl
    counterpoint history record my_memory.py:MyMemory --out history.jsonl
    counterpoint history check history.jsonl
    """
    from counterpoint.histories.recording.catalogue import find
    from counterpoint.histories.recording.interface import RecordingError
    from counterpoint.histories.recording.load import Load
    from counterpoint.histories.recording.recording import record as run

    must_be_writable("--out", out)
    try:
        with progress(f"recording {subject}") as say:
            found = run(subject, find(subject, dsn), Load(**load), out, limit, _look(out, say))
    except RecordingError as error:
        raise RecordingFailed(str(error)) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"{out} has what was recorded") from None
    with printing():
        click.echo(_summary(out, found))
        click.echo(f"To judge it: counterpoint history check {out}")
    return OK


def _look(out: Path, say: Callable[[str], None] | None) -> Callable[[], None]:
    """Return a function that shows how long the recording is."""
    begun = time.monotonic()

    def look() -> None:
        if say is not None:
            say(f"{out.stat().st_size / 1e6:,.1f} MB, {time.monotonic() - begun:.0f} s")

    return look


def _summary(out: Path, found: Recorded) -> str:
    fates = {"commit": "committed", "abort": "aborted", "indeterminate": "indeterminate"}
    parts = [f"{found.ends[end]:,} {word}" for end, word in fates.items() if found.ends[end]]
    many = f"{found.begun:,} transaction{'s'[: found.begun != 1]}"
    return show.wrapped(f"{out}: {many} ({', '.join(parts)}) in "
                        f"{found.seconds:.1f} s", indent=0)  # fmt: skip


@click.command("subjects")
@click.option("--copy", type=click.Path(file_okay=False, exists=True, path_type=Path),
              metavar="FOLDER", help="Also copy the programs of the subjects into FOLDER, to make "
                                     "one of your own: recorder.h and recorder.c for C, libitm.c, "
                                     "Stm.hs, refs.clj.")  # fmt: skip
def subjects(copy: Path | None) -> int:
    r"""List of what histories can be recorded, what each promises, and what is missing here.

    \b
    counterpoint history subjects
    counterpoint history subjects --copy .
    """
    from counterpoint.histories.recording.catalogue import SUBJECTS

    if copy is not None:
        _copy(copy)
    with printing():
        for name, make in SUBJECTS.items():
            subject = make()
            promises = " and ".join(subject.promises)
            show.entry(name, f"{subject.about}; promises {promises}")
            if missing := subject.missing():
                show.entry("", click.style(missing, fg="yellow"))
    return OK


def _copy(folder: Path) -> None:
    """Copy the programs of the subjects into a folder."""
    from counterpoint.histories.recording.programs import SOURCES

    for source in sorted(SOURCES.iterdir()):
        must_be_writable("--copy", folder / source.name)
    for source in sorted(SOURCES.iterdir()):
        shutil.copy(source, folder)


@click.command("survey")
@click.argument("subjects", nargs=-1, metavar="[SUBJECT]...")
@load_options
@click.option("--each", type=float, callback=seconds, default=10.0, show_default=True,
              metavar="SECONDS", help="Record histories of each subject for so long.")  # fmt: skip
@click.option("--only", type=click.Choice(["registers", "lists"]),
              help="Record histories of these alone.")  # fmt: skip
@click.option("--keep", type=click.Path(file_okay=False, exists=True, path_type=Path),
              metavar="FOLDER", help="Write the first history of each subject that breaks a "
                                     "promise into FOLDER.")  # fmt: skip
@click.option("--dsn", default="", metavar="ADDRESS", help="The database for postgresql:…")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def survey(
    subjects: tuple[str, ...],
    each: float,
    only: str | None,
    keep: Path | None,
    dsn: str,
    form: str,
    **load: Any,
) -> int:
    r"""Record and judge many short histories, and compare them with what SUBJECTs promise.

    Without a SUBJECT it takes all that this machine has. The histories of a subject have the seeds
    after --seed. Every second one is of lists, unless the subject has none.

    Exit code 0: all promises are kept; 1: one is broken; 2: the command is wrong, or a subject
    failed.

    \b
    counterpoint history survey
    counterpoint history survey ghc-stm sqlite --each 60 --format markdown
    counterpoint history survey my_memory.py:MyMemory --keep histories
    """
    from counterpoint.histories.recording.catalogue import SUBJECTS, find
    from counterpoint.histories.recording.interface import RecordingError
    from counterpoint.histories.recording.load import Load
    from counterpoint.histories.recording.survey import survey as run

    names = subjects or [name for name, make in SUBJECTS.items() if not make().missing()]
    found = []
    for name in names:
        try:
            with progress(name) as say:
                address = dsn if name.startswith("postgresql:") else ""
                found.append(run(name, find(name, address), Load(**load), each,
                                 [only] if only else (), keep,
                                 say or (lambda _: None)))  # fmt: skip
        except RecordingError as error:
            raise RecordingFailed(str(error)) from None
        if form == "text":
            _print_survey(found[-1])
    with printing():
        if form != "text":
            click.echo(_written(found, form))
    return FELL if any(one.broken_in() for one in found) else OK


def _print_survey(found: Surveyed) -> None:
    from counterpoint.histories.recording.tables import as_text

    with printing():
        click.echo(click.style(found.name, bold=True))
        for line in as_text(found):
            click.echo(show.wrapped(line, indent=2))


def _written(found: list[Surveyed], form: str) -> str:
    from counterpoint.histories.recording.tables import as_json, as_markdown

    if form == "markdown":
        return as_markdown(found)
    return json.dumps([as_json(one) for one in found], indent=2)
