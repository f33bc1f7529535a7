"""``check --all``: checks every spec, and compares the verdicts with the expected ones."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Sequence

import click
from click.core import ParameterSource

from counterpoint import show
from counterpoint.ci import gate, reports
from counterpoint.ci.converting import of_check
from counterpoint.ci.gate import JobOutcome
from counterpoint.ci.job import Job
from counterpoint.ci.outcome import exit_code
from counterpoint.ci.registered import jobs as registered
from counterpoint.console import printing, progress
from counterpoint.models.checking.engines import engines_named
from counterpoint.models.present import formats
from counterpoint.models.verdict import in_steps
from counterpoint.spec.catalogue import SPECS

OWN_PARAMETERS = (
    "--all checks every spec with the registered parameters; it can be combined only with "
    "--engine, --mutants, --time-limit, --processes and --format; for one spec: check SPEC"
)

DAY = 86400.0
"""Time limit in seconds, if none is given."""


ALLOWED = ("everything_", "engine", "of_mutants", "time_limit", "processes", "form")
"""Parameters of the command that can be given with ``--all``."""


def has_refused_options(context: click.Context) -> bool:
    """Return whether an option was given that cannot be combined with ``--all``."""
    given = (
        n for n in context.params
        if context.get_parameter_source(n) is ParameterSource.COMMANDLINE
    )  # fmt: skip
    return any(n not in ALLOWED for n in given)


def check(
    engine: str | None, of_mutants: bool, time_limit: float | None, processes: int, form: str
) -> int:
    """Run the registered checks, print the table, and return the exit code.

    Parameters
    ----------
    engine : str or None
        Run only the checks of this engine; None: of all engines.
    of_mutants : bool
        Whether mutants are checked too.
    time_limit : float or None
        Seconds for all checks together.
    processes : int
        How many checks run at the same time.
    form : str
        ``text``, ``json``, ``junit`` or ``github``.
    """
    jobs = chosen(engine, of_mutants)
    if not jobs:
        raise click.UsageError(f"--all: no check is registered for the engine {engine}")
    begun = time.monotonic()
    with progress("checking all") as tell:
        outcomes = gate.run(time_limit or DAY, jobs, processes, tell)
    with printing():
        if form == "json":
            click.echo(formats.as_json([v for o in outcomes for v in o.verdicts]))
        elif form != "text":
            made = reports.junit if form == "junit" else reports.github
            click.echo(made([of_check(one) for one in outcomes]))
        else:
            _report(outcomes, time.monotonic() - begun)
    return exit_code(outcomes)


def chosen(engine: str | None, of_mutants: bool) -> list[Job]:
    """Return the jobs to run, grouped by spec; jobs that take minutes are left to the gate."""
    engines = {e.name for e in engines_named(engine or "all")}
    jobs = [
        j for j in registered()
        if j.engine in engines and not j.least_budget and (of_mutants or not _is_mutant(j))
    ]  # fmt: skip
    order = list(SPECS)
    return sorted(jobs, key=lambda j: order.index(_spec(j)))


def _is_mutant(job: Job) -> bool:
    return "/" in job.reference


def _spec(job: Job) -> str:
    return job.reference.partition("/")[0]


def _report(outcomes: Sequence[JobOutcome], seconds: float) -> None:
    """Print a table: a heading for each spec, a line for each check."""
    click.echo(f"{'answer':11}  {'states':>10}  {'seconds':>7}  {'engine':10}  parameters")
    for name in dict.fromkeys(_spec(o.job) for o in outcomes):
        click.echo(click.style(name, bold=True))
        for outcome in (o for o in outcomes if _spec(o.job) == name):
            _line(outcome)
    click.echo()
    total = reports.totals([of_check(one) for one in outcomes])
    click.echo(click.style(f"{total}, in {seconds:.0f} s", bold=True))
    click.echo(show.wrapped(f"By engine: {_by_engine(outcomes)}."))


def _line(outcome: JobOutcome) -> None:
    job = outcome.job
    answer = click.style(f"{outcome.answer:11}", fg=show.GATE_COLOURS[outcome.answer])
    states = next((f"{v.states:,}" for v in outcome.verdicts if v.states is not None), "")
    given = [f"{name}={value}" for name, value in job.parameters.items()]
    given = [job.reference.partition("/")[2], *given] if _is_mutant(job) else given
    text = f"{' '.join(given) or 'defaults'}{_violations(job)}"
    head = f"{answer}  {states:>10}  {outcome.seconds:7.1f}  {job.engine:10}  "
    indent = " " * 46
    lines = textwrap.wrap(text, max(20, show.width() - len(indent)), break_on_hyphens=False)
    click.echo(head + f"\n{indent}".join(lines))
    show.not_as_expected(of_check(outcome))


def _violations(job: Job) -> str:
    """Name the property that must be violated first, and how many others must be violated."""
    if not job.violated:
        return ""
    first = min(job.violated, key=lambda n: (job.violated[n] is None, job.violated[n]))
    steps, others = job.violated[first], len(job.violated) - 1
    after = f" after {in_steps(steps)}" if steps is not None else ""
    return f": {first} violated{after}" + (f", {others} more" if others else "")


def _by_engine(outcomes: Sequence[JobOutcome]) -> str:
    engines = dict.fromkeys(o.job.engine for o in outcomes)
    return ", ".join(f"{e} {sum(o.job.engine == e for o in outcomes)}" for e in engines)
