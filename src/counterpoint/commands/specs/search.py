"""``counterpoint search``: sets of short programs, until one violates a property."""

from __future__ import annotations

import json

import click

from counterpoint import show
from counterpoint.console import FELL, OK, UNKNOWN, printing, processes_option, progress, seconds
from counterpoint.models.limits import Limits
from counterpoint.models.present.chart import chart
from counterpoint.models.present.formats import command
from counterpoint.models.sweeps.programs import text
from counterpoint.models.sweeps.search import Found, Space, search
from counterpoint.models.verdict import in_steps


@click.command("search")
@click.argument("reference", metavar="SPEC")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter.")
@click.option("--property", "name", default="", metavar="NAME",
              help="The property; by default the one of the spec's claim.")  # fmt: skip
@click.option("--transactions", type=click.IntRange(1, 6), default=4, show_default=True,
              help="Programs of a set.")  # fmt: skip
@click.option("--objects", type=click.IntRange(1, 4), default=3, show_default=True,
              help="Objects of a set, at most.")  # fmt: skip
@click.option("--operations", type=click.IntRange(1, 4), default=2, show_default=True,
              help="Operations of a program, at most.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the order of the sets.")
@click.option("--sets", type=click.IntRange(1), metavar="N", help="Try N sets.  [all]")
@click.option("--all", "go_on", is_flag=True, help="Go on after a violation.")
@processes_option
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="For the search; if nothing was found then, the answer is unknown.")  # fmt: skip
@click.option("--memory-limit", type=click.IntRange(1), default=4096, metavar="MB",
              show_default=True, help="For each process.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def search_(
    reference: str,
    settings: tuple[str, ...],
    name: str,
    transactions: int,
    objects: int,
    operations: int,
    seed: int,
    sets: int | None,
    go_on: bool,
    processes: int,
    time_limit: float | None,
    memory_limit: int,
    form: str,
) -> int:
    r"""Search sets of short programs for one that violates a property of SPEC.

    Sets that differ only in the names of transactions and objects are one set; each is tried once,
    exhaustively, in a random order, those with few objects first. Exit code 0: no set that was
    tried violates it; 1: one does; 3: undecided within the limits.

    \b
    counterpoint search window-stm/recheck-ignores-locks --objects 2
    counterpoint search window-stm/picks-inside-the-window --seed 7
    counterpoint search window-stm --sets 100
    """
    space = Space(transactions, objects, operations)
    with progress(f"searching {reference}") as tell:
        limits = Limits(time_limit, memory_limit * 2**20, tell)
        found = search(
            reference, settings, name, space,
            seed=seed, sets=sets, go_on=go_on, processes=processes, limits=limits,
        )  # fmt: skip
    with printing():
        if form == "json":
            click.echo(json.dumps(to_json(found, seed), indent=2, ensure_ascii=False))
        else:
            _report(found, reference)
    return FELL if found.broken else UNKNOWN if found.unknown else OK


def to_json(of: Found, seed: int) -> list[dict[str, object]]:
    """Return a list of one verdict as ``check --format json`` has it, with what was searched."""
    none = {
        "spec": of.model.name,
        "reference": of.model.reference,
        "parameters": dict(of.model.spec.parameters),
        "property": of.claim.name,
        "verdict": "unknown" if of.unknown else "holds",
        "initial": {},
        "trace": None,
    }
    record = {
        "search": {
            **vars(of.space),
            "seed": seed,
            "property": of.claim.name,
            "sets": of.total,
            "tried": of.tried,
            "states": of.states,
            "broken": [{"programs": text(b.programs), "steps": b.depth} for b in of.broken],
            "unknown": list(of.unknown),
            "seconds": round(of.seconds, 3),
        }
    }
    return [{**record, **(of.verdict.to_json() if of.verdict else none)}]


def _report(of: Found, reference: str) -> None:
    space = of.space
    heading = show.wrapped(f"Search of {reference} for a violation of {of.claim.name}")
    click.echo(click.style(heading, bold=True))
    click.echo(show.wrapped(
        f"{of.total:,} sets of {space.transactions} programs of at most {space.operations} "
        f"operations on at most {space.objects} objects, up to renaming; {of.tried:,} tried, "
        f"{of.states:,} states, {of.seconds:.1f} s"
    ))  # fmt: skip
    for one in of.unknown[:5]:
        click.echo(show.wrapped(f"unknown: {one}"))
    if of.verdict is None:
        if of.tried:
            click.echo(f"No set that was tried violates {of.claim.name}.")
        return
    click.echo(f"{len(of.broken):,} of them {'violates' if len(of.broken) == 1 else 'violate'} it:")
    for broken in sorted(of.broken, key=lambda b: b.depth or 0)[:10]:
        click.echo(f"  after {in_steps(broken.depth or 0)}: {text(broken.programs)}")
    least = of.verdict.model.spec.parameters["programs"]
    if least not in [text(b.programs) for b in of.broken]:
        click.echo(f"  with nothing to spare, after {in_steps(of.verdict.depth or 0)}: {least}")
    click.echo()
    click.echo(chart(of.verdict, show.width()).rstrip())
    click.echo()
    click.echo(f"To reproduce: {command(of.verdict)}")
