"""``counterpoint search``: checks sets of short programs until one violates a property."""

from __future__ import annotations

import json

import click

from counterpoint import show
from counterpoint.console import FELL, OK, UNKNOWN, printing, processes_option, progress, seconds
from counterpoint.models.limits import Limits
from counterpoint.models.present.chart import chart
from counterpoint.models.present.formats import command
from counterpoint.models.sweeps.programs import text
from counterpoint.models.sweeps.search import ProgramSpace, SearchResult, search
from counterpoint.models.verdict import in_steps


@click.command("search")
@click.argument("reference", metavar="SPEC")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Set a parameter of the spec; repeatable.")  # fmt: skip
@click.option("--property", "name", default="", metavar="NAME",
              help="Search for a violation of this property.  [the property of the spec's claim]",
              )  # fmt: skip
@click.option("--transactions", type=click.IntRange(1, 6), default=4, show_default=True,
              help="Number of programs in a set, one per transaction.")  # fmt: skip
@click.option("--objects", type=click.IntRange(1, 4), default=3, show_default=True,
              help="Largest number of objects in a set.")  # fmt: skip
@click.option("--operations", type=click.IntRange(1, 4), default=2, show_default=True,
              help="Largest number of operations in a program.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0,
              help="Seed of the random order of the sets.")  # fmt: skip
@click.option("--sets", type=click.IntRange(1), metavar="N", help="Check only N sets.  [all]")
@click.option("--all", "go_on", is_flag=True, help="Continue after the first violation.")
@processes_option
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Time limit of the search; without a violation, the answer is then unknown.",
              )  # fmt: skip
@click.option("--memory-limit", type=click.IntRange(1), default=4096, metavar="MB",
              show_default=True, help="Memory limit of each process.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
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
    r"""Search for a set of short programs that violates a property of SPEC.

    Each set is checked exhaustively. Sets that differ only in the names of transactions and
    objects count as one set. The order is random, but sets with few objects come first.

    Exit code 0: no checked set violates the property; 1: a set violates it; 2: the command is
    wrong; 3: undecided within the limits.

    \b
    counterpoint search window-stm/recheck-ignores-locks --objects 2
    counterpoint search window-stm/picks-inside-the-window --seed 7
    counterpoint search window-stm --sets 100
    """
    space = ProgramSpace(transactions, objects, operations)
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


def to_json(result: SearchResult, seed: int) -> list[dict[str, object]]:
    """Return one verdict in the form of ``check --format json``, with the figures of the search."""
    none = {
        "spec": result.model.name,
        "reference": result.model.reference,
        "parameters": dict(result.model.spec.parameters),
        "property": result.claim.name,
        "verdict": "unknown" if result.unknown else "holds",
        "initial": {},
        "trace": None,
    }
    record = {
        "search": {
            **vars(result.space),
            "seed": seed,
            "property": result.claim.name,
            "sets": result.total,
            "tried": result.tried,
            "states": result.states,
            "broken": [{"programs": text(b.programs), "steps": b.depth} for b in result.broken],
            "unknown": list(result.unknown),
            "seconds": round(result.seconds, 3),
        }
    }
    return [{**record, **(result.verdict.to_json() if result.verdict else none)}]


def _report(result: SearchResult, reference: str) -> None:
    space = result.space
    heading = show.wrapped(f"Search of {reference} for a violation of {result.claim.name}")
    click.echo(click.style(heading, bold=True))
    click.echo(show.wrapped(
        f"{result.total:,} sets of {space.transactions} programs of at most {space.operations} "
        f"operations on at most {space.objects} objects, up to renaming; {result.tried:,} checked, "
        f"{result.states:,} states, {result.seconds:.1f} s"
    ))  # fmt: skip
    for one in result.unknown[:5]:
        click.echo(show.wrapped(f"unknown: {one}"))
    if result.verdict is None:
        if result.tried:
            click.echo(f"No checked set violates {result.claim.name}.")
        return
    click.echo(
        f"{len(result.broken):,} of them {'violates' if len(result.broken) == 1 else 'violate'} it:"
    )
    for broken in sorted(result.broken, key=lambda b: b.depth or 0)[:10]:
        click.echo(f"  after {in_steps(broken.depth or 0)}: {text(broken.programs)}")
    least = result.verdict.model.spec.parameters["programs"]
    if least not in [text(b.programs) for b in result.broken]:
        click.echo(f"  minimized, after {in_steps(result.verdict.depth or 0)}: {least}")
    click.echo()
    click.echo(chart(result.verdict, show.width()).rstrip())
    click.echo()
    click.echo(f"To reproduce: {command(result.verdict)}")
