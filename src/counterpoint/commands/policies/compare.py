"""``counterpoint compare``: crawl policies, compared on the same webs."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.ci.outcome import exit_code
from counterpoint.commands.baselines import (
    FORMATS,
    baseline_options,
    check_options,
    print_findings,
    print_outcomes,
)
from counterpoint.commands.baselines import as_json as outcomes_as_json
from counterpoint.commands.damages import name_damages_of
from counterpoint.console import (
    OK,
    must_be_page,
    must_be_writable,
    printing,
    processes_option,
    progress,
    seconds,
)
from counterpoint.files.outputs import named

from .beside import agreement_as_json, beginning_alike, check_beside, show_agreement

if TYPE_CHECKING:  # numba is loaded where a web is made
    from counterpoint.ci.outcome import Outcome
    from counterpoint.studies.captured.settings import CapturedSource
    from counterpoint.studies.comparison.comparison import Comparison, PolicyRuns
    from counterpoint.studies.comparison.plan import ComparisonPlan
    from counterpoint.studies.subjects.compared import ComparedCrawlers


@click.command()
@click.argument("policies", nargs=-1, required=True, metavar="POLICY...")
@click.option("--web", "name", required=True, metavar="PROFILE",
              help="The kind of web: a name of `web profiles`, or a TOML file, also of a "
                   "captured web.")  # fmt: skip
@click.option("--beside", metavar="PROFILE",
              help="Crawl a second kind of web as well, and say whether the policies rank on it "
                   "as on the first.")  # fmt: skip
@click.option("--pages", type=click.IntRange(1, 10**9), required=True, metavar="N",
              help="Let each run fetch N pages.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1, 100_000), default=10, show_default=True,
              metavar="K",
              help="Generate K webs, one per seed; all policies crawl each of them.")  # fmt: skip
@click.option("--first-seed", type=click.IntRange(0), default=0, show_default=True, metavar="S",
              help="The seed of the first web.")  # fmt: skip
@click.option("--web-pages", type=int, metavar="M",
              help="Number of pages of each web.  [the profile's]")  # fmt: skip
@click.option("--sites", type=click.IntRange(1), default=10, show_default=True, metavar="K",
              help="If the profile names no sites, take the K largest hosts as the target set.",
              )  # fmt: skip
@click.option("--visits-per-day", type=float, metavar="V",
              help="Policies that revisit pages make V visits a day.  [the number of pages]",
              )  # fmt: skip
@click.option("--against", metavar="POLICY",
              help="Compare all others with this policy.  [the first]")  # fmt: skip
@click.option("--step-limit", type=float, callback=seconds, default=30.0, show_default=True,
              metavar="SECONDS", help="Time limit for one step of a policy.")  # fmt: skip
@click.option("--timeout", type=float, callback=seconds, default=120.0, show_default=True,
              metavar="SECONDS", help="Time limit for one run of a crawler.")  # fmt: skip
@click.option("--logs", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Keep logs and outputs of crawlers in this folder.")  # fmt: skip
@processes_option
@click.option("--on", "address", metavar="ADDRESS",
              help="Run on the Dask cluster of the scheduler at tcp://host:port.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write an HTML page with plots.")  # fmt: skip
@baseline_options
@click.option("--format", "form", type=click.Choice(FORMATS), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def compare(
    policies: tuple[str, ...],
    name: str,
    beside: str | None,
    pages: int,
    seeds: int,
    first_seed: int,
    web_pages: int | None,
    sites: int,
    visits_per_day: float | None,
    against: str | None,
    step_limit: float,
    timeout: float,
    logs: Path | None,
    processes: int,
    address: str | None,
    html: Path | None,
    baseline: Path | None,
    bands: tuple[str, ...],
    accept: bool,
    form: str,
) -> int:
    r"""Crawl the same webs with several policies, and compare the results.

    A POLICY is a name from `list`, with parameters if you like (R2,step=20), or your own
    (module:attribute), or the command of any crawler (cmd:COMMAND, or NAME=cmd:COMMAND), with the
    placeholders {start}, {seeds_file}, {pages}, {seed}, {proxy} and {web_pages}; it crawls the same
    webs through http_proxy. The other policies are compared with the first one, web by web.
    Intervals are Student's 95% intervals.

    Exit code 0: everything was measured, and is as in the baseline; 1: a policy broke a rule for
    policies, for example it fetched a page that was never offered, a crawler failed, or a measure
    left its band; 2: the command is wrong; 3: nothing of that, but a policy or a crawler took too
    long, so that it is unknown how it crawls.

    \b
    counterpoint compare R1 R2 R3 --web universities --pages 2000 --seeds 30
    counterpoint compare breadth-first opic my_policy:Greedy --web broder-1999 --pages 5000
    counterpoint compare R3 'cmd:scrapy runspider mine.py -a seeds={seeds_file}' \
        --web universities --pages 500 --seeds 3
    counterpoint compare opic --web broder-1999 --pages 5000 --baseline opic.json --accept
    counterpoint compare scent uniform --web living --pages 20000 --html report.html
    counterpoint compare R1 R3 opic --web captured.toml --pages 500
    counterpoint compare R1 R3 opic --web captured.toml --beside fitted.toml --pages 500
    """
    must_be_page(html)
    check_options(baseline, bands, accept)
    if visits_per_day is not None and not 0 < visits_per_day < math.inf:
        raise click.UsageError(f"--visits-per-day: {visits_per_day} is no number above zero")
    webs = range(first_seed, first_seed + seeds)
    _check_web(name, web_pages, baseline)
    if beside is not None:
        check_beside(policies, baseline, form)
    plan = _plan(name, policies, pages, web_pages, webs, sites, visits_per_day, step_limit)
    options = _Options(name, policies, against, timeout, logs, processes, address, beside)
    other = None
    if beside is not None:
        other = _plan(beside, policies, pages, None, webs, sites, visits_per_day, step_limit)
        plan, other = beginning_alike(plan, other)
    judged = _Judged(baseline, bands, accept)
    found, crawlers = _compared(plan, options)
    second = None if other is None else _compared(other, options)[0]
    again = _command(options, plan) + judged.text
    if html is not None:
        from counterpoint.studies.comparison.page import write

        with named(html):
            write(html, found, again, second)
        click.echo(f"{html} shows the comparison", err=True)
    outcomes = judged.outcomes(found, again)
    if second is not None:
        outcomes += judged.outcomes(second, again)
    with printing():
        _print(found, crawlers, outcomes, form, baseline is not None, second)
    _name_failures(found, second)
    code = exit_code(outcomes)
    if code != OK:
        click.echo(f"To reproduce: {again}", err=True)
    return code


def _check_web(name: str, web_pages: int | None, baseline: Path | None) -> None:
    if _captured_web(name) is None:
        return
    if web_pages is not None:
        raise click.UsageError("--web-pages: a captured web has the pages that were captured")
    if baseline is not None:
        raise click.UsageError("--baseline: not on a captured web")


def _name_failures(*comparisons: Comparison | None) -> None:
    for one in comparisons:
        if one is not None:
            web = f"{one.plan.profile.name}: " if comparisons[-1] is not None else ""
            for line in [*one.fell, *(f"unknown: {line}" for line in one.unknown)]:
                click.echo(f"counterpoint: {web}{line}", err=True)


def _captured_web(name: str) -> CapturedSource | None:
    if not name.endswith(".toml"):
        return None
    from counterpoint.studies.captured.settings import source_of

    return source_of(Path(name))


def _plan(
    name: str, policies: tuple[str, ...], pages: int, web_pages: int | None, webs: range,
    sites: int, visits_per_day: float | None, step_limit: float,
) -> ComparisonPlan:  # fmt: skip
    """Return the plan of the options; of a captured web, the arrays are made if need be."""
    from counterpoint.sim_web import profile
    from counterpoint.studies.comparison.plan import ComparisonPlan

    source = _captured_web(name)
    if source is None:
        kind = profile.load(name)
    else:
        from counterpoint.studies.captured.building import arrays_of

        if any("cmd:" in policy for policy in policies):
            raise click.UsageError("on a captured web, crawlers cannot be compared with policies: "
                                   "serve it to them by web serve --warc")  # fmt: skip
        if source.graph is not None:
            _check_graph(policies)
        with progress("captured web") as tell:
            web_pages = arrays_of(source, tell).pages
        if source.graph is None:
            folder = None if source.index is None else Path(source.index)
            name_damages_of(map(Path, source.files), folder)
        kind = profile.from_mapping({}, name, source.name)
    return ComparisonPlan(policies, kind, pages, web_pages, webs, sites, visits_per_day,
                          step_limit, captured=source)  # fmt: skip


def _check_graph(policies: tuple[str, ...]) -> None:
    """Refuse policies that need more than links."""
    from counterpoint.crawler.policy.protocol import Scope
    from counterpoint.crawler.schedulers.finding import find

    for text in policies:
        policy = find(text).policy
        if policy.reads:
            raise click.UsageError(f"{text}: reads pages, and a graph has no contents")
        if policy.scope is Scope.KNOWN:
            raise click.UsageError(f"{text}: revisits pages that change, and a graph does not")


@dataclass(frozen=True)
class _Options:
    """Options that the plan does not have."""

    web: str
    policies: tuple[str, ...]
    against: str | None
    timeout: float
    logs: Path | None
    processes: int
    address: str | None
    beside: str | None = None


class _Judged:
    """The options of the baseline."""

    def __init__(self, path: Path | None, bands: tuple[str, ...], accept: bool) -> None:
        self._path, self._accept, self.text = path, accept, ""
        if path is None:
            return
        self.text = f" --baseline {shlex.quote(str(path))}"
        self.text += "".join(f" --band {shlex.quote(band)}" for band in bands)
        from counterpoint.ci.crawlers import compared
        from counterpoint.ci.crawlers.bands import bands_of, pairs_of
        from counterpoint.ci.crawlers.baseline import load

        must_be_writable("--baseline", path if accept else None, replaces=False)
        self._bands = bands_of(pairs_of(bands), compared.measure_of_policies)
        self._before = load(path)

    def outcomes(self, found: Comparison, again: str) -> list[Outcome]:
        """Return what each policy came to; write the baseline if that was asked for."""
        from counterpoint.ci.crawlers import compared
        from counterpoint.ci.crawlers.baseline import save
        from counterpoint.ci.crawlers.outcomes import outcome_of

        if self._path is None or self._accept:
            outcomes = []
            for one in found.policies:
                wrong = [one.fell] if one.fell else []
                late = one.timed_out
                web = found.plan.profile.name
                outcomes.append(outcome_of(web, one.name, [] if late else wrong,
                                           wrong if late else [], again=again))  # fmt: skip
            if self._path is not None:
                now = compared.baseline_of(found)
                save(self._path, compared.renewed(now, self._before))
                click.echo(f"{self._path} is the baseline now", err=True)
            return outcomes
        return compared.against(
            found, compared.baseline_of(found), self._before, self._bands, f"{again} --accept",
            again,
        )  # fmt: skip


def _print(
    found: Comparison, crawlers: ComparedCrawlers, outcomes: Sequence[Outcome], form: str,
    is_judged: bool, beside: Comparison | None,
) -> None:  # fmt: skip
    from counterpoint.studies.subjects import compared as subjects

    if form in ("junit", "github"):
        print_outcomes(outcomes, form)
    elif form == "json":
        from counterpoint.studies.comparison.comparison import as_json

        document = as_json(found)
        if crawlers.runs:
            document["crawlers"] = subjects.as_json(crawlers)
        if is_judged:
            document["outcomes"] = outcomes_as_json(outcomes)
        if beside is not None:
            document |= agreement_as_json(found, beside)
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        from counterpoint.studies.comparison.table import lines

        click.echo("\n".join([*lines(found), *subjects.lines(crawlers)]))
        if beside is not None:
            show_agreement(found, beside)
        unexpected = [one for one in outcomes if one.findings and one.name not in _failed(found)]
        if unexpected:
            click.echo()
            print_findings(unexpected)


def _failed(found: Comparison) -> set[str]:
    """Return the policies that failed, which have lines of their own."""
    return {one.name for one in found.policies if one.fell}


def _compared(plan: ComparisonPlan, options: _Options) -> tuple[Comparison, ComparedCrawlers]:
    from counterpoint.sim_web.describe.memory import must_fit
    from counterpoint.studies.subjects import compared as subjects

    if plan.captured is None:
        must_fit(plan.profile, plan.pages_of_web)
    commands = subjects.subjects_of(plan, options.timeout)
    named = replace(plan, policies=subjects.names_of(plan))
    base = _base(options.against, named.policies)
    own = tuple(one for one in plan.policies if not subjects.is_subject(one))
    with progress("compare") as tell:
        policies = _policies(replace(plan, policies=own), options, tell) if own else ()
        crawlers = subjects.ComparedCrawlers()
        if commands:
            crawlers = subjects.run_crawlers(commands, options.processes, tell, options.logs)
    return replace(subjects.joined(named, policies, crawlers), base=base), crawlers


def _base(against: str | None, names: tuple[str, ...]) -> int:
    if against is None:
        return 0
    if against not in names:
        raise click.UsageError(f"--against: {against} is none of the policies of this comparison")
    return names.index(against)


def _policies(
    plan: ComparisonPlan, options: _Options, tell: Callable[[str], None] | None
) -> tuple[PolicyRuns, ...]:
    if options.address is not None:
        from counterpoint.studies.comparison.cluster import compare_on

        return compare_on(options.address, plan, tell).policies
    from counterpoint.studies.comparison.comparison import compare as compared

    return compared(plan, options.processes, tell, _announce).policies


def _announce(size: str) -> None:
    click.echo(f"counterpoint: {size}", err=True)


def _command(options: _Options, plan: ComparisonPlan) -> str:
    """Return the command line that repeats the comparison."""
    from counterpoint.studies.comparison.plan import DEFAULT_SITES, STEP_LIMIT
    from counterpoint.studies.subjects.runs import TIMEOUT

    parts = ["counterpoint compare", *map(shlex.quote, options.policies),
             f"--web {shlex.quote(options.web)}",
             *([] if options.beside is None else [f"--beside {shlex.quote(options.beside)}"]),
             f"--pages {plan.budget}",
             f"--seeds {len(plan.seeds)}"]  # fmt: skip
    if plan.seeds[0]:
        parts.append(f"--first-seed {plan.seeds[0]}")
    if plan.web_pages is not None and plan.captured is None:
        parts.append(f"--web-pages {plan.web_pages}")
    if plan.sites != DEFAULT_SITES:
        parts.append(f"--sites {plan.sites}")
    if plan.visits_per_day is not None:
        parts.append(f"--visits-per-day {plan.visits_per_day:g}")
    if plan.step_limit != STEP_LIMIT:
        parts.append(f"--step-limit {plan.step_limit:g}")
    if options.timeout != TIMEOUT:
        parts.append(f"--timeout {options.timeout:g}")
    if options.against is not None:
        parts.append(f"--against {shlex.quote(options.against)}")
    return " ".join(parts)
