"""``counterpoint errata``: errors in papers, checked as printed and as corrected."""

from __future__ import annotations

import difflib
import json

import click

from counterpoint import show
from counterpoint.console import FELL, OK, UNKNOWN, printing, progress, seconds
from counterpoint.models.limits import Limits
from counterpoint.models.present.chart import chart
from counterpoint.models.present.formats import command, command_line
from counterpoint.models.sweeps.errata import ErratumResult, examine
from counterpoint.models.verdict import in_steps
from counterpoint.spec.errata import ERRATA, MISPRINTS, Erratum, Misprint
from counterpoint.spec.notation import SpecError

COLOURS = {"confirmed": "green", "not confirmed": "red", "unknown": "yellow"}


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Time limit for each check; properties that are not decided then are unknown.",
              )  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def errata(name: str | None, time_limit: float | None, form: str) -> int:
    r"""Show errors in papers: the printed text, what it breaks, and that the correction holds.

    Each entry is checked now. An entry is confirmed if the printed reading violates the named
    property and the corrected reading violates nothing. With NAME, show only this entry. At the
    end come misprints: wrong words and units, which no spec can show.

    Exit code 0: all entries are confirmed; 1: an entry is not confirmed; 2: the command is wrong;
    3: an entry is undecided.

    \b
    counterpoint errata
    counterpoint errata window-stm-clock
    """
    with progress("errata") as tell:
        named, misprints = _named(name)
        found = [examine(e, Limits(time_limit, progress=tell)) for e in named]
    with printing():
        if form == "json":
            entries = [e.to_json() for e in found]
            entries += [{**vars(m), "answer": "misprint"} for m in misprints]
            click.echo(json.dumps(entries, indent=2, ensure_ascii=False))
        else:
            for one in found:
                _show(one)
            for misprint in misprints:
                _head(misprint, click.style("misprint", fg="cyan"))
                click.echo()
    answers = {e.answer for e in found}
    return FELL if "not confirmed" in answers else UNKNOWN if "unknown" in answers else OK


def _named(name: str | None) -> tuple[list[Erratum], list[Misprint]]:
    if name is None:
        return list(ERRATA.values()), list(MISPRINTS.values())
    names = [*ERRATA, *MISPRINTS]
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
        raise SpecError(f"there is no erratum {name!r}; {hint}")
    return [e for e in ERRATA.values() if e.name == name], [
        m for m in MISPRINTS.values() if m.name == name
    ]


def _show(result: ErratumResult) -> None:
    entry = result.erratum
    _head(entry, click.style(result.answer, fg=COLOURS[result.answer]))
    show.entry("as printed", _printed(result))
    show.entry("as corrected", _corrected(result))
    for text in (*result.surprises, *([f"unknown: {result.unknown}"] if result.unknown else [])):
        click.echo(click.style(show.wrapped(f"! {text}", indent=2), fg="red"))
    if result.printed.trace is not None:
        click.echo()
        click.echo(chart(result.printed, show.width()).rstrip())
    click.echo()
    click.echo(f"To reproduce: {command(result.printed)}")
    given = {**entry.bounds, **entry.as_corrected}
    click.echo(f"              {command_line(entry.reference, given)}")
    click.echo()


def _head(entry: Erratum | Misprint, answer: str) -> None:
    click.echo(f"{click.style(entry.name, bold=True)}: {answer}")
    for heading, text in (
        ("source", entry.source),
        ("printed", entry.printed),
        ("corrected", entry.corrected),
        ("note", entry.caveat),
    ):
        show.entry(heading, text)


def _printed(result: ErratumResult) -> str:
    verdict = result.printed
    if verdict.answer == "violated":
        return f"{verdict.claim.name} is violated after {in_steps(verdict.depth or 0)}"
    return f"{verdict.claim.name} {verdict.answer} ({verdict.extent})"


def _corrected(result: ErratumResult) -> str:
    first, holds = result.corrected[0], sum(v.answer == "holds" for v in result.corrected)
    return f"{holds} of {len(result.corrected)} properties hold ({first.states or 0:,} states)"
