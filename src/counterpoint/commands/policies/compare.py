"""``counterpoint compare``: crawl policies on the same webs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.console import (
    FELL,
    OK,
    must_be_page,
    printing,
    processes_option,
    progress,
    seconds,
)

if TYPE_CHECKING:  # numba is loaded where a web is made
    from counterpoint.studies.comparison.comparison import Comparison
    from counterpoint.studies.comparison.plan import Plan


@click.command()
@click.argument("policies", nargs=-1, required=True, metavar="POLICY...")
@click.option("--web", "name", required=True, metavar="PROFILE",
              help="One of `web profiles`, or a TOML file.")  # fmt: skip
@click.option("--pages", type=click.IntRange(1), required=True, metavar="N",
              help="Pages that each run may fetch.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1, 100_000), default=10, show_default=True,
              metavar="K", help="Webs, one a seed; each is crawled by all policies.")  # fmt: skip
@click.option("--first-seed", type=click.IntRange(0), default=0, show_default=True, metavar="S")
@click.option("--web-pages", type=int, metavar="M", help="Pages of a web.  [the profile's]")
@click.option("--sites", type=click.IntRange(1), default=10, show_default=True, metavar="K",
              help="Target set where the profile names none: hosts with the most pages.",
              )  # fmt: skip
@click.option("--visits-per-day", type=float, metavar="V",
              help="Of policies that revisit.  [as many as there are pages]")  # fmt: skip
@click.option("--step-limit", type=float, callback=seconds, default=30.0, show_default=True,
              metavar="SECONDS", help="What a policy may take for a step.")  # fmt: skip
@processes_option
@click.option("--on", "address", metavar="ADDRESS",
              help="Run on the Dask cluster of the scheduler at tcp://host:port.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write a page with plots.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def compare(
    policies: tuple[str, ...],
    name: str,
    pages: int,
    seeds: int,
    first_seed: int,
    web_pages: int | None,
    sites: int,
    visits_per_day: float | None,
    step_limit: float,
    processes: int,
    address: str | None,
    html: Path | None,
    form: str,
) -> int:
    r"""Crawl the same webs with several policies, and compare what they bring.

    A POLICY is one of `list`, with parameters if need be (R2,step=20), or your own
    (module:attribute). The first is what the others are held against, web by web. Intervals are
    Student's, of 95%.

    Exit code 0: all was measured; 1: a policy broke a rule for policies, such as to fetch a page
    that was never offered; 2: the command is wrong.

    \b
    counterpoint compare R1 R2 R3 --web universities --pages 2000 --seeds 30
    counterpoint compare breadth-first opic my_policy:Greedy --web broder-1999 --pages 5000
    counterpoint compare scent uniform --web living --pages 20000 --html report.html
    """
    from counterpoint.sim_web import profile
    from counterpoint.studies.comparison.plan import Plan

    must_be_page(html)
    if visits_per_day is not None and not 0 < visits_per_day < math.inf:
        raise click.UsageError(f"--visits-per-day: {visits_per_day} is no number above zero")
    webs = range(first_seed, first_seed + seeds)
    plan = Plan(policies, profile.load(name), pages, web_pages, webs, sites, visits_per_day,
                step_limit)  # fmt: skip
    found = _compared(plan, processes, address)
    if html is not None:
        from counterpoint.studies.comparison.page import write

        write(html, found, _command(name, plan))
        click.echo(f"{html} shows the comparison", err=True)
    with printing():
        if form == "json":
            from counterpoint.studies.comparison.comparison import as_json

            click.echo(json.dumps(as_json(found), indent=2, ensure_ascii=False))
        else:
            from counterpoint.studies.comparison.table import lines

            click.echo("\n".join(lines(found)))
    for line in found.fell:
        click.echo(f"counterpoint: {line}", err=True)
    if found.fell:
        click.echo(f"To reproduce: {_command(name, plan)}", err=True)
    return FELL if found.fell else OK


def _compared(plan: Plan, processes: int, address: str | None) -> Comparison:
    from counterpoint.sim_web.describe.memory import must_fit

    must_fit(plan.profile, plan.pages_of_web)
    with progress("compare") as tell:
        if address is not None:
            from counterpoint.studies.comparison.cluster import compare_on

            return compare_on(address, plan, tell)
        from counterpoint.studies.comparison.comparison import compare as compared

        return compared(plan, processes, tell)


def _command(name: str, plan: Plan) -> str:
    """Return the command that compares the same again."""
    from counterpoint.studies.comparison.plan import DEFAULT_SITES, STEP_LIMIT

    parts = ["counterpoint compare", *plan.policies, f"--web {name} --pages {plan.budget}",
             f"--seeds {len(plan.seeds)}"]  # fmt: skip
    if plan.seeds.start:
        parts.append(f"--first-seed {plan.seeds.start}")
    if plan.web_pages is not None:
        parts.append(f"--web-pages {plan.web_pages}")
    if plan.sites != DEFAULT_SITES:
        parts.append(f"--sites {plan.sites}")
    if plan.visits_per_day is not None:
        parts.append(f"--visits-per-day {plan.visits_per_day:g}")
    if plan.step_limit != STEP_LIMIT:
        parts.append(f"--step-limit {plan.step_limit:g}")
    return " ".join(parts)
