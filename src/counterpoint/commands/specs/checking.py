"""``counterpoint check``: the options of the command."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from counterpoint.commands.specs.running import Wish, check_all
from counterpoint.console import must_be_page, processes_option, seconds
from counterpoint.models.checking.engines import ENGINES, Options, must_take
from counterpoint.models.explore.exhaustive import EXPLORERS, REDUCTIONS
from counterpoint.models.limits import Limits
from counterpoint.models.prove.second_opinion import SOLVERS


@click.command("check")
@click.argument("written", metavar="SPEC...", nargs=-1)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Set a parameter of the spec; repeatable.")  # fmt: skip
@click.option(
    "--engine",
    metavar="NAME",
    show_default="exhaustive; with --all: all",
    help=f"Check with this engine: {', '.join(ENGINES)}; or all.",
)
@click.option(
    "--property",
    "names",
    multiple=True,
    metavar="NAME",
    help="Check only this property; repeatable.",
)
@click.option("--steps", type=click.IntRange(0, 1000),
              help="Engine bounded: check runs of at most this length.  [20]")  # fmt: skip
@click.option("--runs", type=click.IntRange(1),
              help="Engine stateful: number of random runs.  [6000]")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0,
              help="Engine stateful: seed of the random runs.")  # fmt: skip
@click.option("--explorer", type=click.Choice(EXPLORERS), default="auto",
              show_default=True,
              help="Engine exhaustive: explore in Python, in C, or in C if that is faster.",
              )  # fmt: skip
@click.option("--reduce", type=click.Choice(REDUCTIONS), multiple=True,
              help="Engine exhaustive: explore fewer states by this reduction; repeatable.",
              )  # fmt: skip
@click.option("--smtlib", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Engines with z3: write each query to a file of this folder, as SMT-LIB 2.",
              )  # fmt: skip
@click.option("--second-solver", type=click.Choice(SOLVERS),
              help="Engines with z3: check each query with this solver too; if the two contradict "
                   "each other, the verdict is unknown.")  # fmt: skip
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Time limit for each engine (with --all: for all checks together); properties "
                   "that are not decided then are unknown.")  # fmt: skip
@click.option("--memory-limit", type=click.IntRange(1), default=4096, metavar="MB",
              show_default=True, help="Memory limit of this process.")  # fmt: skip
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit", "github"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write an HTML page that steps through the counterexample.")  # fmt: skip
@click.option("--mutants", "of_mutants", is_flag=True,
              help="Check the mutants of SPEC: each must violate the properties that it declares.",
              )  # fmt: skip
@click.option("--all", "everything_", is_flag=True,
              help="Check every spec, and compare the verdicts with the registry.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True,
              help="Print all changes of each step, all lemmas, and all obstacles of proofs.",
              )  # fmt: skip
@click.option("-q", "--quiet", is_flag=True,
              help="Print only what does not hold, and how to reproduce it.")  # fmt: skip
@processes_option
@click.pass_context
def check_(
    context: click.Context,
    written: tuple[str, ...],
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
    verbose: bool,
    quiet: bool,
    processes: int,
) -> int:
    r"""Check the properties of each SPEC.

    SPEC is a name from `list`, a class (my_spec.py:Class or package.module:Class), a file for all
    specs in it, a folder for all specs in its files *_spec.py, also in subfolders, or a pattern of
    files ('specs/*.py'). A file finds modules beside it and in the present folder. What a spec
    prints goes to standard error. With --all (and no SPEC), the command checks every spec of
    Counterpoint with the parameters and engines of the registry, which also says which properties
    must be violated, such as those of an error in a paper.

    Exit code 0: all properties hold; 1: a property is violated (with --all or --mutants: a result
    is not as expected); 2: the command or a spec is wrong; 3: nothing is violated, but a property
    is undecided.

    \b
    counterpoint check window-stm
    counterpoint check window-stm --set fetch-and-increment=old --html old.html
    counterpoint check window-stm --set transactions=3 --property opacity
    counterpoint check window-stm --set programs="w x; w z; r x, r z; r z, r x"
    counterpoint check my_spec.py:Counter --engine all --format json
    counterpoint check specs/ other.py protocols.ticket:Ticket
    counterpoint check window-stm --engine any-number --second-solver cvc5
    counterpoint check window-stm --mutants
    counterpoint check window-stm/reader-does-not-wait
    counterpoint check --all
    counterpoint check --all --engine bounded --format junit
    """
    if everything_:
        from counterpoint.commands.specs import everything  # the gate's registry takes long to load

        if everything.has_refused_options(context):
            raise click.UsageError(everything.OWN_PARAMETERS)
        return everything.check(engine, of_mutants, time_limit, processes, form)
    if not written:
        raise click.UsageError("Missing argument 'SPEC'.")
    if verbose + quiet + (form != "text") > 1:
        raise click.UsageError(
            "--verbose, --quiet and a --format other than text exclude each other"
        )
    engine = engine or "exhaustive"
    must_take(engine, given_options(context))
    limits = Limits(time_limit, memory_limit * 2**20)
    if of_mutants:
        from counterpoint.commands.specs import mutants

        if settings or names or html or smtlib or second_solver or explorer != "auto" or reduce:
            raise click.UsageError(mutants.OWN_BOUNDS)
        if len(written) > 1 or Path(written[0]).is_dir():
            raise click.UsageError("--mutants takes one spec")
        return mutants.check(
            written[0], engine, limits, Options(steps, runs, seed), processes, form
        )
    must_be_page(html)
    options = Options(
        steps,
        runs,
        seed,
        None if explorer == "auto" else explorer,
        reduce,
        smtlib=smtlib,
        second_solver=second_solver,
    )
    wish = Wish(engine, settings, names, limits, options, form, html, verbose, quiet)
    return check_all(written, wish)


def given_options(context: click.Context) -> list[str]:
    """Return the options of engines that were typed."""
    return [
        option
        for option in vars(Options())
        if option in {o for engine in ENGINES.values() for o in engine.options}
        and context.get_parameter_source(option) is ParameterSource.COMMANDLINE
    ]
