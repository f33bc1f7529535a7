"""``counterpoint coverage report``: estimators of coverage against the truth."""

from __future__ import annotations

import json
import os
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
    from counterpoint.studies.coverage.plan import CoveragePlan
    from counterpoint.studies.papers.report import Report

DEFAULT = ("breadth-first", "depth-first", "random", "opic")


@click.command()
@click.argument("policies", nargs=-1, metavar="[POLICY]...")
@click.option("--profile", "name", required=True, metavar="NAME",
              help="One of `web profiles`, or a TOML file.")  # fmt: skip
@click.option("--pages", type=int, metavar="N", help="Pages of a web.  [the profile's]")
@click.option("--budget", type=click.IntRange(1), metavar="N",
              help="Pages that each crawl may fetch.  [three tenths of the web]")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1, 100_000), default=5, show_default=True,
              metavar="K", help="Webs, one a seed; each is crawled by all policies.")  # fmt: skip
@click.option("--first-seed", type=click.IntRange(0), default=0, show_default=True, metavar="S")
@click.option("--repeats", type=click.IntRange(2, 10_000), default=10, show_default=True,
              metavar="R", help="How often each web is sampled.")  # fmt: skip
@click.option("--draws", type=click.IntRange(10), default=2000, show_default=True, metavar="A",
              help="Addresses that are asked for a sample by random IP.")  # fmt: skip
@click.option("--size", type=click.IntRange(1), default=1000, show_default=True, metavar="P",
              help="Pages of a breadth-first sample.")  # fmt: skip
@click.option("--starts", type=click.IntRange(2, 1000), default=5, show_default=True, metavar="B",
              help="Breadth-first samples, each from a start of its own.")  # fmt: skip
@click.option("--sites", type=click.IntRange(1), default=10, show_default=True, metavar="K",
              help="Where crawls start if the profile names no sites: hosts with the most pages.",
              )  # fmt: skip
@click.option("--step-limit", type=float, callback=seconds, default=30.0, show_default=True,
              metavar="SECONDS", help="What a policy may take for a step.")  # fmt: skip
@processes_option
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write a page with plots.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
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
    r"""Hold estimators of coverage against the truth of synthetic webs.

    Each POLICY crawls each web in process; the web is sampled anew several times, and each
    estimator tells what it thinks of each crawl. Told are mean error, deviation, root mean square
    error, how often the 95% interval contains the truth, and requests. Without a POLICY there are
    breadth-first, depth-first, random and opic.

    Exit code 0: all was measured; 1: a policy broke a rule for policies; 2: the command is wrong.

    \b
    counterpoint coverage report --profile broder-1999 --pages 20000
    counterpoint coverage report breadth-first R3 --profile meusel-2012 --pages 50000 --html c.html
    """
    from counterpoint.sim_web import profile
    from counterpoint.sim_web.describe.memory import must_fit
    from counterpoint.studies.coverage.plan import CoveragePlan
    from counterpoint.studies.coverage.report import report as told
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
    said = told(found, _command(name, plan))
    if html is not None:
        _write(html, said)
        click.echo(f"{html} shows it with plots", err=True)
    with printing():
        if form == "json":
            click.echo(json.dumps(as_json(found), indent=2, ensure_ascii=False, allow_nan=False))
        else:
            from counterpoint.studies.papers.report import text

            click.echo(text(said).rstrip())
    for line in found.fell:
        click.echo(f"counterpoint: {line}", err=True)
    return FELL if found.fell else OK


def _write(path: Path, of: Report) -> None:
    """Write the page wholly, or not at all."""
    from counterpoint.studies.papers.page import page

    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(page(of), encoding="utf-8", newline="\n")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _command(name: str, plan: CoveragePlan) -> str:
    """Return the command that measures the same again."""
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
