"""``counterpoint list``, ``check`` and ``replay``: specs, and what is checked of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from counterpoint import show
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
from counterpoint.extras import EXTRAS, command_to_install
from counterpoint.models.checking.engines import ENGINES, Options, check, engines_named
from counterpoint.models.explore.exhaustive import EXPLORERS, REDUCTIONS
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.present import formats
from counterpoint.models.prove.second_opinion import SOLVERS
from counterpoint.models.verdict import Verdict
from counterpoint.spec.catalogue import SPECS


@click.command("list")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
@click.argument("reference", required=False, metavar="[SPEC]")
def list_(reference: str | None, form: str) -> None:
    r"""List specs, engines, formats of export and profiles of webs, or what one SPEC has.

    \b
    counterpoint list
    counterpoint list window-stm      parameters, properties, actions, mutants
    """
    found = _overview() if reference is None else _describe(reference)
    with printing():
        if form == "json":
            click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        else:
            _show_entries(found)
            if reference is None:
                click.echo(
                    "counterpoint list SPEC shows its parameters, properties, actions and mutants."
                )


def _show_entries(found: dict[str, dict[str, str]]) -> None:
    for section, entries in found.items():
        click.echo(click.style(section, bold=True))
        for name, text in entries.items():
            show.entry(name, text)
        click.echo()


def _overview() -> dict[str, dict[str, str]]:
    from counterpoint.models.export import FORMATS

    specs = {name: show.first_line(type(load(name).spec)) for name in SPECS}
    return {
        "specs": specs,
        "engines": {e.name: e.description for e in ENGINES.values()},
        "exports": {f.name: f.description for f in FORMATS.values()},
        **_policies_and_profiles(),
    }


def _policies_and_profiles() -> dict[str, dict[str, str]]:
    try:
        from counterpoint.crawler.schedulers.catalogue import POLICIES  # with Numba
        from counterpoint.sim_web import profile
    except ModuleNotFoundError:
        needed = {"not installed": command_to_install(EXTRAS["list"])}
        return {"policies": needed, "web profiles": needed}
    return {
        "policies": {name: policy.about for name, policy in POLICIES.items()},
        "web profiles": {name: profile.load(name).about for name in profile.names()},
    }


def _describe(reference: str) -> dict[str, dict[str, str]]:
    from counterpoint.commands.specs import mutants

    model = load(reference)
    parameters = model.spec.declared_parameters
    return {
        "parameters": {
            n: f"{p.help} ({p.allowed()}; default {'none' if p.default == '' else p.default})"
            for n, p in parameters.items()
        },
        "properties": {p.name: f"{p.description} ({p.kind})" for p in model.properties},
        "actions": {
            f"{a.name}({', '.join(n for n, _ in a.parameters)})": a.description
            for a in model.actions
        },
        **mutants.section(reference),
    }


@click.command("check")
@click.argument("reference", metavar="SPEC", required=False)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter.")
@click.option(
    "--engine",
    metavar="NAME",
    show_default="exhaustive; with --all: all",
    help=f"One of {', '.join(ENGINES)}; or all.",
)
@click.option(
    "--property",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this property; may be repeated.",
)
@click.option("--steps", type=click.IntRange(0, 1000), help="Bounded: the longest run.  [20]")
@click.option("--runs", type=click.IntRange(1), help="Stateful: how many random runs.  [6000]")
@click.option("--seed", type=click.IntRange(0), default=0, help="Stateful: of the random runs.")
@click.option("--explorer", type=click.Choice(EXPLORERS), default="auto",
              show_default=True, help="Exhaustive: Python, C, or C if it pays.")  # fmt: skip
@click.option("--reduce", type=click.Choice(REDUCTIONS), multiple=True,
              help="Exhaustive: leave out what others stand for; repeatable.")  # fmt: skip
@click.option("--smtlib", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Engines with z3: write all they ask it as SMT-LIB 2, a file each.")  # fmt: skip
@click.option("--second-solver", type=click.Choice(SOLVERS),
              help="Engines with z3: ask this solver the same; if the two contradict each other, "
                   "the verdict is unknown.")  # fmt: skip
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="For each engine (--all: in all); what is open then is unknown.")  # fmt: skip
@click.option("--memory-limit", type=click.IntRange(1), default=4096, metavar="MB",
              show_default=True, help="For this process.")  # fmt: skip
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit", "github"]),
    default="text",
    show_default=True,
)
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the counterexample as one page to step through.")  # fmt: skip
@click.option("--mutants", "of_mutants", is_flag=True,
              help="Check the mutants of SPEC: each must be killed as it declares.")  # fmt: skip
@click.option("--all", "everything_", is_flag=True,
              help="Check every spec, held to what is registered of it.")  # fmt: skip
@processes_option
@click.pass_context
def check_(
    context: click.Context,
    reference: str | None,
    settings: tuple[str, ...],
    engine: str | None,
    names: tuple[str, ...],
    steps: int | None,
    runs: int | None,
    seed: int,
    explorer: str,
    reduce: tuple[str, ...],
    smtlib: Path | None,
    second_solver: str | None,
    time_limit: float | None,
    memory_limit: int,
    form: str,
    html: Path | None,
    of_mutants: bool,
    everything_: bool,
    processes: int,
) -> int:
    r"""Check the properties of SPEC: a name from the list, or a file as my_spec.py:Class.

    Exit code 0: all hold; 1: something is violated; 2: the command is wrong; 3: unknown.
    With --all (and no SPEC) every spec is checked with the parameters and engines that are
    registered for it; what must be violated, such as a reading that a paper printed, is expected.

    \b
    counterpoint check window-stm
    counterpoint check window-stm --set fetch-and-increment=old --html old.html
    counterpoint check window-stm --set transactions=3 --property opacity
    counterpoint check window-stm --set programs="w x; w z; r x, r z; r z, r x"
    counterpoint check my_spec.py:Counter --engine all --format json
    counterpoint check window-stm --engine any-number --second-solver cvc5
    counterpoint check window-stm --mutants
    counterpoint check window-stm/reader-does-not-wait
    counterpoint check --all
    counterpoint check --all --engine bounded --format junit
    """
    if everything_:
        from counterpoint.commands.specs import everything  # the gate's registry takes long to load

        if everything.is_refused(context):
            raise click.UsageError(everything.OWN_PARAMETERS)
        return everything.check(engine, of_mutants, time_limit, processes, form)
    if reference is None:
        raise click.UsageError("Missing argument 'SPEC'.")
    engine = engine or "exhaustive"
    if of_mutants:
        from counterpoint.commands.specs import mutants

        if settings or names or html or smtlib or second_solver:
            raise click.UsageError(mutants.OWN_BOUNDS)
        limits = Limits(time_limit, memory_limit * 2**20)
        return mutants.check(reference, engine, limits, Options(steps, runs, seed), processes, form)
    model = load(reference, settings)
    engines_named(engine)
    wanted = [model.property_named(n) for n in dict.fromkeys(names)] or list(model.properties)
    must_be_page(html)
    with progress(f"checking {model.name}") as tell:
        limits = Limits(time_limit, memory_limit * 2**20, tell)
        options = Options(
            steps, runs, seed, explorer, reduce, smtlib=smtlib, second_solver=second_solver
        )
        verdicts = check(model, engine, limits, wanted, options)
    with printing():
        _print(verdicts, form)
    if smtlib is not None:
        click.echo(f"{smtlib} has what z3 was asked: {len(list(smtlib.iterdir()))} files", err=True)
    if html is not None:
        _write_page(verdicts, html)
    return exit_code(verdicts)


def exit_code(verdicts: list[Verdict]) -> int:
    """Return 1 if anything is violated, else 3 if anything is unknown, else 0."""
    answers = {v.answer for v in verdicts}
    return FELL if "violated" in answers else UNKNOWN if "unknown" in answers else OK


def _print(verdicts: list[Verdict], form: str) -> None:
    if form == "json":
        click.echo(formats.as_json(verdicts))
    elif form == "junit":
        click.echo(formats.as_junit(formats.by_suite(verdicts)))
    elif form == "github":
        click.echo(formats.as_github(verdicts))
    else:
        show.report(verdicts)


def _write_page(verdicts: list[Verdict], path: Path) -> None:
    from counterpoint.models.present.page import write  # Jinja2 only where a page is wanted

    shown = show.first_to_break(verdicts) or next((v for v in verdicts if v.trace), None)
    if shown is None:
        click.echo("no page was written: nothing is violated and no witness has a trace", err=True)
        return
    try:
        write(path, shown, formats.command(shown))
    except OSError as error:  # it would name a temporary file
        raise click.UsageError(f"--html: {path}: {error.strerror}") from error
    click.echo(f"{path} shows {shown.claim.name}", err=True)


@click.command()
@click.argument("file", type=click.File("r", encoding="utf-8-sig"))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def replay(file: Any, form: str) -> int:
    r"""Replay the traces of FILE, printed by check --format json, in plain Python.

    Exit code 0: each does what the file says; 1: one does not.

    \b
    counterpoint check window-stm --set fetch-and-increment=old --format json > old.json
    counterpoint replay old.json
    counterpoint check window-stm --format json | counterpoint replay -
    """
    from counterpoint.models.checking.replaying import read, replayed

    try:
        text = file.read()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name} is no text in UTF-8: {error.reason}") from error
    results = [replayed(recorded) for recorded in read(text, file.name)]
    with printing():
        if form == "json":
            click.echo(json.dumps([vars(r) for r in results], indent=2, ensure_ascii=False))
            return OK if all(r.agrees for r in results) else FELL
        for result in results:
            colour = "green" if result.agrees else "red"
            click.echo(f"{click.style('agrees' if result.agrees else 'differs', fg=colour)}  "
                       f"{result.title}: {result.said}")  # fmt: skip
        if not results:
            click.echo("no trace in it: nothing was violated and no witness was reached")
    return OK if all(r.agrees for r in results) else FELL
