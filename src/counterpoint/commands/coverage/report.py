"""``counterpoint coverage report``: estimators of coverage, compared with the true coverage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.console import (
    FELL,
    OK,
    UNKNOWN,
    must_be_page,
    printing,
    processes_option,
    progress,
    seconds,
)
from counterpoint.files.outputs import replacing

if TYPE_CHECKING:  # numba is loaded where a web is made
    from counterpoint.studies.coverage.plan import CoveragePlan
    from counterpoint.studies.papers.report import Report

DEFAULT = ("breadth-first", "depth-first", "random", "opic")


@click.command()
@click.argument("policies", nargs=-1, metavar="[POLICY]...")
@click.option("--profile", "name", required=True, metavar="NAME",
              help="The kind of web: a name of `web profiles`, or a TOML file.")  # fmt: skip
@click.option("--pages", type=int, metavar="N",
              help="Number of pages of each web.  [the profile's]")  # fmt: skip
@click.option("--budget", type=click.IntRange(1), metavar="N",
              help="Let each crawl fetch N pages.  [three tenths of the web]")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1, 100_000), default=5, show_default=True,
              metavar="K",
              help="Generate K webs, one per seed; all policies crawl each of them.")  # fmt: skip
@click.option("--first-seed", type=click.IntRange(0), default=0, show_default=True, metavar="S",
              help="The seed of the first web.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(2, 10_000), default=10, show_default=True,
              metavar="R", help="Sample each web R times.")  # fmt: skip
@click.option("--draws", type=click.IntRange(10), default=2000, show_default=True, metavar="A",
              help="Draw A random IP addresses for a sample by IP address.")  # fmt: skip
@click.option("--size", type=click.IntRange(1), default=1000, show_default=True, metavar="P",
              help="Number of pages of a breadth-first sample.")  # fmt: skip
@click.option("--starts", type=click.IntRange(2, 1000), default=5, show_default=True, metavar="B",
              help="Take B breadth-first samples, each from another start page.")  # fmt: skip
@click.option("--sites", type=click.IntRange(1), default=10, show_default=True, metavar="K",
              help="If the profile names no sites, start the crawls at the K largest hosts.",
              )  # fmt: skip
@click.option("--step-limit", type=float, callback=seconds, default=30.0, show_default=True,
              metavar="SECONDS",
              help="Processor time that one step of a policy may take.")  # fmt: skip
@processes_option
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write an HTML page with plots.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def report(
    policies: tuple[str, ...],
    name: str,
    pages: int | None,
    budget: int | None,
    seeds: int,
    first_seed: int,
    repeats: int,
    draws: int,
    size: int,
    starts: int,
    sites: int,
    step_limit: float,
    processes: int,
    html: Path | None,
    form: str,
) -> int:
    r"""Compare estimators of coverage with the true coverage on synthetic webs.

    Each POLICY crawls each web, without a network. The command draws several samples of the web,
    and each estimator estimates from them how much of the web each crawl covers. For each
    estimator the report shows mean error, standard deviation, root mean square error, how often
    the 95% interval contains the truth, and the number of requests. Without POLICY, the policies
    are breadth-first, depth-first, random and opic.

    Exit code 0: everything was measured; 1: a policy broke a rule for policies; 2: the command is
    wrong; 3: no policy broke a rule, but one took too long for a step.

    \b
    counterpoint coverage report --profile broder-1999 --pages 20000
    counterpoint coverage report breadth-first R3 --profile meusel-2012 --pages 50000 --html c.html
    """
    from counterpoint.sim_web import profile
    from counterpoint.sim_web.describe.memory import must_fit
    from counterpoint.studies.coverage.plan import CoveragePlan
    from counterpoint.studies.coverage.report import report as reported
    from counterpoint.studies.coverage.study import as_json, study

    must_be_page(html)
    kind = profile.load(name)
    of_web = int(kind.pages) if pages is None else pages
    must_fit(kind, of_web)
    plan = CoveragePlan(
        policies or DEFAULT, kind, budget or max(1, 3 * of_web // 10), pages,
        range(first_seed, first_seed + seeds), repeats, draws, size, starts, sites, step_limit,
    )  # fmt: skip
    with progress("coverage") as tell:
        found = study(plan, processes, tell)
    made = reported(found, _command(name, plan))
    if html is not None:
        _write(html, made)
        click.echo(f"{html} contains the report with plots", err=True)
    with printing():
        if form == "json":
            click.echo(json.dumps(as_json(found), indent=2, ensure_ascii=False, allow_nan=False))
        else:
            from counterpoint.studies.papers.report import text

            click.echo(text(made).rstrip())
    for line in [*found.fell, *(f"unknown: {line}" for line in found.unknown)]:
        click.echo(f"counterpoint: {line}", err=True)
    return FELL if found.fell else UNKNOWN if found.unknown else OK


def _write(path: Path, report: Report) -> None:
    """Write the page to a temporary file first, so that it is complete or missing."""
    from counterpoint.studies.papers.page import page

    with replacing(path) as unfinished:
        unfinished.write_text(page(report), encoding="utf-8", newline="\n")


def _command(name: str, plan: CoveragePlan) -> str:
    """Return the command line that repeats the study."""
    parts = ["counterpoint coverage report", *plan.policies, f"--profile {name}"]
    if plan.web_pages is not None:
        parts.append(f"--pages {plan.web_pages}")
    parts += [f"--budget {plan.budget}", f"--seeds {len(plan.seeds)}"]
    given = (("--first-seed", plan.seeds.start, 0), ("--repeats", plan.repeats, 10),
             ("--draws", plan.draws, 2000), ("--size", plan.size, 1000),
             ("--starts", plan.starts, 5), ("--sites", plan.sites, 10))  # fmt: skip
    parts += [f"{key} {value}" for key, value, default in given if value != default]
    if plan.step_limit != 30.0:
        parts.append(f"--step-limit {plan.step_limit:g}")
    return " ".join(parts)
